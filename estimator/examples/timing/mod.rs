//! How the examples take times.

use std::error::Error;

/// Processor time of all threads of this process so far, in seconds; Linux counts it in hundredths. Other load on the
/// machine does not count.
pub fn processor_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name in parentheses.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let times = after_name.split_whitespace().skip(11).take(2);
    let mut ticks = 0.0;
    for time in times {
        ticks += time.parse::<f64>()?;
    }
    Ok(ticks / 100.0)
}

/// Seconds of one replay with drawn times, and what else `run` gives for the last estimate. `run` estimates with so many draws and
/// gives the seconds that this took; of each number of draws, the fastest of some runs counts.
///
/// An estimate with draws makes a fixed number of replays for the headline, so two numbers of draws are compared: what more draws
/// take longer is theirs alone.
pub fn seconds_per_draw<T>(
    draws: u32,
    runs: u32,
    run: impl Fn(u32) -> Result<(f64, T), Box<dyn Error>>,
) -> Result<(f64, T), Box<dyn Error>> {
    let (mut few, mut last) = run(draws)?;
    let mut many = f64::INFINITY;
    for number in 0..runs {
        if number > 0 {
            few = few.min(run(draws)?.0);
        }
        let (seconds, found) = run(3 * draws)?;
        many = many.min(seconds);
        last = found;
    }
    Ok(((many - few) / f64::from(2 * draws), last))
}
