//! What numbers options take. Whatever is outside is refused before anything runs.

use base_data::comm_data::LinkClass;
use base_data::program_data::MOST_RANKS;
use estimator::tasks::MessageLength;

/// Maximum number of draws: more do not make percentiles noticeably more accurate and take too long.
const MOST_DRAWS: u32 = 100_000;

/// Numbers of ranks.
pub fn ranks(text: &str) -> Result<u32, String> {
    let ranks = text
        .parse()
        .ok()
        .filter(|ranks| (1..=MOST_RANKS).contains(ranks));
    // `-np 4` arrives as `-n p`, so the remedy spells the option.
    ranks.ok_or_else(|| format!("write -n N with N from 1 to {MOST_RANKS}"))
}

/// Numbers of replays.
pub fn draws(text: &str) -> Result<u32, String> {
    let draws = text.parse().ok().filter(|draws| *draws <= MOST_DRAWS);
    draws.ok_or_else(|| format!("write a whole number from 0 to {MOST_DRAWS}"))
}

/// Seeds and lengths, which may be 0.
pub fn whole_number(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

/// Lengths of messages: MPI counts in 32 bits.
pub fn message_length(text: &str) -> Result<u64, String> {
    let most = u64::from(i32::MAX.unsigned_abs());
    let length = text
        .parse()
        .ok()
        .filter(|length| (1..=most).contains(length));
    length.ok_or_else(|| format!("write a number of bytes from 1 to {most}"))
}

/// Lengths of messages that are about some tasks: `8`, or `8+4` with 4 bytes for each task.
pub fn message_by_tasks(text: &str) -> Result<MessageLength, String> {
    let (fixed, per_task) = text.split_once('+').unwrap_or((text, "0"));
    match (fixed.trim().parse(), per_task.trim().parse()) {
        (Ok(fixed), Ok(per_task)) => Ok(MessageLength { fixed, per_task }),
        (Err(_), _) | (_, Err(_)) => {
            Err("write bytes as 8, or as 8+4 with 4 bytes for each task".into())
        }
    }
}

/// Kinds of ways between two ranks that benchmarks measure.
pub fn link_class(text: &str) -> Result<LinkClass, String> {
    let classes = [LinkClass::BetweenNodes, LinkClass::InsideNode];
    let found = classes.into_iter().find(|class| class.to_string() == text);
    found.ok_or_else(|| "write between-nodes or inside-node".into())
}

/// A speed relative to a measured one.
pub fn speed(text: &str) -> Result<f64, String> {
    positive_number(text).map_err(|remedy| remedy + "; 2 is twice as fast as measured")
}

/// A number above 0.
pub fn positive_number(text: &str) -> Result<f64, String> {
    let is_positive = |number: &f64| number.is_finite() && *number > 0.0;
    let number = text.parse().ok().filter(is_positive);
    number.ok_or_else(|| "write a number above 0".into())
}

/// Units of [`short_time`], in picoseconds.
const TIME_UNITS: [(&str, f64); 5] = [
    ("ps", 1.0),
    ("ns", 1e3),
    ("us", 1e6),
    ("ms", 1e9),
    ("s", 1e12),
];

/// The longest estimate, in picoseconds.
const LONGEST: f64 = 9e18;

/// A time with its unit, in picoseconds.
pub fn short_time(text: &str) -> Result<f64, String> {
    let found = TIME_UNITS
        .iter()
        .find_map(|(unit, picoseconds)| Some((text.strip_suffix(unit)?, picoseconds)));
    let time = found.and_then(|(number, picoseconds)| {
        let number: f64 = number.trim().parse().ok()?;
        Some(number * picoseconds)
    });
    let time = time.filter(|time| time.is_finite() && *time >= 0.0);
    match time {
        Some(time) if time > LONGEST => Err(format!(
            "longer than {:.0} s, the most that can be counted; write a shorter time",
            LONGEST / 1e12
        )),
        Some(time) => Ok(time),
        None => Err("write a time with its unit, as 2.5ns, 3us or 0.1s".into()),
    }
}
