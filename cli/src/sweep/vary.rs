//! Parses `--vary`: parameters and their values. [`machine::platform::Change`] applies a value to a platform.

use anyhow::{Result, bail};
use base_data::comm_data::LinkClass;
use base_data::platform_file::Placement;
use base_data::program_data::CollectiveKind;
use machine::platform::{Amount, Change};
use std::collections::BTreeSet;

/// A parameter with its values, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub struct Variation {
    /// As the user wrote it.
    pub name: String,
    /// At least one.
    pub values: Vec<Value>,
}

/// One value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// As shown.
    pub text: String,
    /// What it sets.
    pub setting: Setting,
}

/// Effect of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// Number of ranks.
    Ranks(u32),
    /// Platform, by name or file.
    Platform(String),
    /// Network model.
    Model(String),
    /// One property of the platform; a network property applies to one kind of link, or to all.
    Change(Option<LinkClass>, Change),
}

/// A parameter that can be varied.
struct Parameter {
    name: &'static str,
    /// What its values look like.
    expected: &'static str,
    /// Reads one value.
    read: fn(&str) -> Option<Setting>,
    /// Whether it belongs to a kind of link.
    of_link: bool,
}

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "ranks",
        expected: "numbers from 1, or ranges: 4,8,16 or 4..64*2",
        read: ranks,
        of_link: false,
    },
    Parameter {
        name: "platform",
        expected: "names or files",
        read: platform,
        of_link: false,
    },
    Parameter {
        name: "model",
        expected: "names of network models",
        read: model,
        of_link: false,
    },
    Parameter {
        name: "placement",
        expected: "block or cyclic",
        read: placement,
        of_link: false,
    },
    Parameter {
        name: "ranks-per-node",
        expected: "numbers from 1",
        read: ranks_per_node,
        of_link: false,
    },
    Parameter {
        name: "speed",
        expected: "factors: 0.5x,2x",
        read: speed,
        of_link: false,
    },
    Parameter {
        name: "latency",
        expected: "factors or times: 0.5x,10us",
        read: latency,
        of_link: true,
    },
    Parameter {
        name: "overhead",
        expected: "factors or times: 0.5x,10us",
        read: overhead,
        of_link: true,
    },
    Parameter {
        name: "overhead-per-byte",
        expected: "factors or times: 0.5x,10ns",
        read: overhead_per_byte,
        of_link: true,
    },
    Parameter {
        name: "bandwidth",
        expected: "factors or rates: 2x,100MB/s,1Gbit/s",
        read: bandwidth,
        of_link: true,
    },
    Parameter {
        name: "eager-threshold",
        expected: "numbers of bytes: 16383,64KiB",
        read: eager_threshold,
        of_link: true,
    },
    Parameter {
        name: "split",
        expected: "numbers of bytes from 1: 16383,64KiB",
        read: split,
        of_link: false,
    },
];

/// Parses all `--vary` options. Each is `NAME=VALUE,…`, and may contain further parameters after commas.
///
/// # Errors
/// Unknown or repeated parameters, and invalid values.
pub fn parse(given: &[String]) -> Result<Vec<Variation>> {
    let mut variations: Vec<Variation> = Vec::new();
    for part in given.iter().flat_map(|text| text.split(',')) {
        // A comma separates values and parameters alike; `=` shows which.
        if let Some((name, value)) = part.split_once('=') {
            if variations.iter().any(|known| known.name == name.trim()) {
                bail!("--vary {name} is given twice; list all its values in one {name}=");
            }
            variations.push(Variation {
                name: name.trim().into(),
                values: values(name.trim(), value)?,
            });
        } else if let Some(last) = variations.last_mut() {
            let more = values(&last.name, part)?;
            last.values.extend(more);
        } else {
            bail!(
                "--vary {part}: write NAME=VALUE,VALUE,…; the names are {}",
                names()
            );
        }
    }
    for variation in &variations {
        check_distinct(variation)?;
    }
    Ok(variations)
}

fn check_distinct(variation: &Variation) -> Result<()> {
    let mut known = BTreeSet::new();
    for value in &variation.values {
        if !known.insert(&value.text) {
            bail!("--vary {}: {} is given twice", variation.name, value.text);
        }
    }
    Ok(())
}

fn names() -> String {
    let names: Vec<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    names.join(", ")
}

/// The collective whose algorithm a parameter varies: the parameter has its name.
fn collective(name: &str) -> Option<CollectiveKind> {
    let kind = crate::show::collective::kind_of(name).ok()?;
    Some(kind)
}

/// The algorithms of one item of a collective's parameter; `*` are all of them.
fn algorithms(name: &str, kind: CollectiveKind, item: &str) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    let mut known = Vec::new();
    for algorithm in machine::collective::algorithms(kind) {
        known.push(algorithm.name);
        if item == "*" || item == algorithm.name {
            values.push(Value {
                text: algorithm.name.into(),
                setting: change(Change::Algorithm(kind, algorithm.name.into())),
            });
        }
    }
    if values.is_empty() {
        bail!(
            "--vary {name}: '{item}' is no algorithm of it; they are {}, and * for all",
            known.join(", ")
        );
    }
    Ok(values)
}

/// The parameter of a name and the kind of link in front of it.
fn parameter(name: &str) -> Option<(&'static Parameter, Option<LinkClass>)> {
    let (name, link) = if let Some(rest) = name.strip_prefix("inside-node.") {
        (rest, Some(LinkClass::InsideNode))
    } else if let Some(rest) = name.strip_prefix("between-nodes.") {
        (rest, Some(LinkClass::BetweenNodes))
    } else {
        (name, None)
    };
    let found = PARAMETERS.iter().find(|parameter| parameter.name == name)?;
    if link.is_some() && !found.of_link {
        return None;
    }
    Some((found, link))
}

/// The values of one item: itself, or all of a range.
fn values(name: &str, item: &str) -> Result<Vec<Value>> {
    if let Some(kind) = collective(name) {
        return algorithms(name, kind, item.trim());
    }
    let Some((parameter, link)) = parameter(name) else {
        bail!(
            "--vary {name}: there is no such parameter; there are {} (network parameters also as inside-node.NAME and \
             between-nodes.NAME), and the names of collectives",
            names()
        );
    };
    let item = item.trim();
    let items = range(item).unwrap_or_else(|| vec![item.to_string()]);
    if items.len() > LONGEST_RANGE {
        bail!(
            "--vary {name}={item} has more than {LONGEST_RANGE} values; give it a larger step: FIRST..LAST+STEP"
        );
    }
    let mut values = Vec::new();
    for text in items {
        let Some(setting) = (parameter.read)(&text) else {
            bail!(
                "--vary {name}: '{text}' is not one of the {}",
                parameter.expected
            );
        };
        values.push(Value {
            setting: on_link(setting, link),
            text,
        });
    }
    Ok(values)
}

fn on_link(setting: Setting, link: Option<LinkClass>) -> Setting {
    match setting {
        Setting::Change(_, change) => Setting::Change(link, change),
        other @ (Setting::Ranks(_) | Setting::Platform(_) | Setting::Model(_)) => other,
    }
}

/// Longer ranges are rejected as typing errors: a sweep over them would not end in any useful time.
const LONGEST_RANGE: usize = 10_000;

/// The numbers of `FIRST..LAST`, `FIRST..LAST+STEP` and `FIRST..LAST*FACTOR`; of those with more than
/// [`LONGEST_RANGE`], the first and one too many.
fn range(text: &str) -> Option<Vec<String>> {
    let (first, rest) = text.split_once("..")?;
    let (last, step, factor) = match rest.split_once(['+', '*']) {
        None => (number(rest)?, 1, 1),
        Some((last, by)) if rest.contains('+') => (number(last)?, number(by)?, 1),
        Some((last, by)) => (number(last)?, 0, number(by)?),
    };
    // A step of 0 and factors below 2 would repeat the first number for ever.
    if step == 0 && factor < 2 {
        return None;
    }
    let mut value = number(first)?;
    let mut all = Vec::new();
    while value <= last && all.len() <= LONGEST_RANGE {
        all.push(value.to_string());
        let next = value
            .checked_mul(factor)
            .and_then(|scaled| scaled.checked_add(step));
        match next {
            Some(next) if next > value => value = next,
            // 0 times a factor, or the end of the numbers.
            Some(_) | None => break,
        }
    }
    if all.is_empty() { None } else { Some(all) }
}

/// The whole numbers of a list: numbers and ranges as `8,16` or `8..64+4`.
///
/// # Errors
/// A sentence without its subject: the part that is neither, or a range that is too long.
pub fn whole_numbers(text: &str) -> Result<Vec<u64>, String> {
    let mut all = Vec::new();
    for item in text.split(',') {
        let item = item.trim();
        let items = range(item).unwrap_or_else(|| vec![item.to_string()]);
        if items.len() > LONGEST_RANGE {
            return Err(format!(
                "{item} has more than {LONGEST_RANGE} values; give it a larger step: FIRST..LAST+STEP"
            ));
        }
        for text in items {
            let Some(number) = number(&text) else {
                return Err(format!(
                    "'{text}' is no number; write numbers or ranges, as 8,16 or 8..64+4"
                ));
            };
            all.push(number);
        }
    }
    Ok(all)
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

fn positive_integer(text: &str) -> Option<u32> {
    match text.parse() {
        Ok(number @ 1..) => Some(number),
        Ok(0) | Err(_) => None,
    }
}

fn ranks(text: &str) -> Option<Setting> {
    Some(Setting::Ranks(positive_integer(text)?))
}

fn platform(text: &str) -> Option<Setting> {
    if text.is_empty() {
        return None;
    }
    Some(Setting::Platform(text.into()))
}

fn model(text: &str) -> Option<Setting> {
    let entry = machine::network::model(text).ok()?;
    Some(Setting::Model(entry.name.into()))
}

fn placement(text: &str) -> Option<Setting> {
    let placement = match text {
        "block" => Placement::Block,
        "cyclic" => Placement::Cyclic,
        _ => return None,
    };
    Some(change(Change::Placement(placement)))
}

fn ranks_per_node(text: &str) -> Option<Setting> {
    Some(change(Change::RanksPerNode(positive_integer(text)?)))
}

fn speed(text: &str) -> Option<Setting> {
    let factor = positive(text.strip_suffix('x').unwrap_or(text))?;
    Some(change(Change::Speed(factor)))
}

fn latency(text: &str) -> Option<Setting> {
    Some(change(Change::Latency(amount(text, TIMES)?)))
}

fn overhead(text: &str) -> Option<Setting> {
    Some(change(Change::Overhead(amount(text, TIMES)?)))
}

fn overhead_per_byte(text: &str) -> Option<Setting> {
    Some(change(Change::OverheadPerByte(amount(text, TIMES)?)))
}

fn bandwidth(text: &str) -> Option<Setting> {
    let amount = amount(text, RATES)?;
    let (Amount::Times(value) | Amount::To(value)) = amount;
    // Without bandwidth the time per byte, its inverse, is infinite.
    if value <= 0.0 {
        return None;
    }
    Some(change(Change::Bandwidth(amount)))
}

fn eager_threshold(text: &str) -> Option<Setting> {
    Some(change(Change::EagerThreshold(bytes(text)?)))
}

fn split(text: &str) -> Option<Setting> {
    let bytes = bytes(text)?;
    if bytes == 0 {
        return None;
    }
    Some(change(Change::Pieces(bytes)))
}

fn change(change: Change) -> Setting {
    Setting::Change(None, change)
}

/// Nanoseconds.
const TIMES: &[(&str, f64)] = &[
    ("ns", 1.0),
    ("us", 1e3),
    ("µs", 1e3),
    ("ms", 1e6),
    ("s", 1e9),
];
/// Bytes per second.
const RATES: &[(&str, f64)] = &[
    ("kbit/s", 125.0),
    ("Mbit/s", 125e3),
    ("Gbit/s", 125e6),
    ("kB/s", 1e3),
    ("MB/s", 1e6),
    ("GB/s", 1e9),
    ("B/s", 1.0),
];
/// Bytes.
const SIZES: &[(&str, f64)] = &[
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("kB", 1e3),
    ("MB", 1e6),
    ("B", 1.0),
    ("", 1.0),
];

/// A factor, or a number with a unit.
fn amount(text: &str, units: &[(&str, f64)]) -> Option<Amount> {
    match text.strip_suffix('x') {
        Some(factor) => Some(Amount::Times(positive(factor)?)),
        None => Some(Amount::To(with_unit(text, units)?)),
    }
}

fn bytes(text: &str) -> Option<u64> {
    let bytes = with_unit(text, SIZES)?;
    // Whole numbers below this are exact in a double, and no message is as long.
    if bytes.fract() != 0.0 || bytes >= 1e15 {
        return None;
    }
    Some(bytes as u64)
}

/// A number that is not negative, times its unit. The first unit that makes the rest a number counts: `s` also ends `ns`.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    for (unit, scale) in units {
        let Some(digits) = text.strip_suffix(unit) else {
            continue;
        };
        if let Ok(number) = digits.trim_end().parse::<f64>()
            && number.is_finite()
            && number >= 0.0
        {
            return Some(number * scale);
        }
    }
    None
}

fn positive(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    if value.is_finite() && value > 0.0 {
        Some(value)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Vec<Variation>, String> {
        parse(&[text.to_string()]).map_err(|error| error.to_string())
    }

    fn texts(text: &str) -> Vec<String> {
        let all = parsed(text).unwrap();
        all.iter()
            .map(|one| {
                let values: Vec<&str> =
                    one.values.iter().map(|value| value.text.as_str()).collect();
                format!("{} {}", one.name, values.join(" "))
            })
            .collect()
    }

    #[test]
    fn lists_and_ranges() {
        assert_eq!(
            texts("ranks=4,8,latency=1x,10us"),
            ["ranks 4 8", "latency 1x 10us"]
        );
        assert_eq!(texts("ranks=1,4..64*2"), ["ranks 1 4 8 16 32 64"]);
        assert_eq!(texts("ranks=2..8+3,9..10"), ["ranks 2 5 8 9 10"]);
    }

    #[test]
    fn units() {
        let setting = |text: &str| parsed(text).unwrap().remove(0).values.remove(0).setting;
        let all = |change| Setting::Change(None, change);
        assert_eq!(
            setting("latency=1.5us"),
            all(Change::Latency(Amount::To(1500.0)))
        );
        assert_eq!(
            setting("bandwidth=1Gbit/s"),
            all(Change::Bandwidth(Amount::To(125e6)))
        );
        assert_eq!(
            setting("bandwidth=2x"),
            all(Change::Bandwidth(Amount::Times(2.0)))
        );
        assert_eq!(
            setting("eager-threshold=64KiB"),
            all(Change::EagerThreshold(65536))
        );
        assert_eq!(setting("split=16383"), all(Change::Pieces(16383)));
        assert_eq!(setting("speed=2"), all(Change::Speed(2.0)));
        let inside = Setting::Change(
            Some(LinkClass::InsideNode),
            Change::Overhead(Amount::Times(0.5)),
        );
        assert_eq!(setting("inside-node.overhead=0.5x"), inside);
    }

    #[test]
    fn errors_name_the_parameter() {
        let cases = [
            (
                "4,8",
                "--vary 4: write NAME=VALUE,VALUE,…; the names are ranks, platform",
            ),
            (
                "rank=4",
                "--vary rank: there is no such parameter; there are ranks, platform",
            ),
            (
                "ranks=0",
                "--vary ranks: '0' is not one of the numbers from 1, or ranges",
            ),
            ("ranks=4,4", "--vary ranks: 4 is given twice"),
            ("ranks=4,ranks=8", "--vary ranks is given twice"),
            ("ranks=8..4", "--vary ranks: '8..4' is not one of"),
            ("ranks=2..4*1", "--vary ranks: '2..4*1' is not one of"),
            ("ranks=2..4+0", "--vary ranks: '2..4+0' is not one of"),
            ("ranks=0..8*2", "--vary ranks: '0' is not one of"),
            (
                "split=1..10001",
                "--vary split=1..10001 has more than 10000 values",
            ),
            (
                "latency=5",
                "--vary latency: '5' is not one of the factors or times: 0.5x,10us",
            ),
            ("latency=-1x", "--vary latency: '-1x' is not one of"),
            ("bandwidth=0B/s", "--vary bandwidth: '0B/s' is not one of"),
            (
                "eager-threshold=1.5",
                "--vary eager-threshold: '1.5' is not one of",
            ),
            (
                "inside-node.ranks=4",
                "--vary inside-node.ranks: there is no such parameter",
            ),
            (
                "model=hockney",
                "--vary model: 'hockney' is not one of the names of network models",
            ),
        ];
        for (text, expected) in cases {
            let error = parsed(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
