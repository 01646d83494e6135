//! Threads per rank of a measured program: those of OpenMP, if the program is compiled with it.

use crate::compile::enables_openmp;
use crate::failure;
use anyhow::{Result, bail};

/// The variable with the number of threads.
const NUMBER: &str = "OMP_NUM_THREADS";

/// Threads per rank of a program compiled with these flags. `variable` reads the environment; without [`NUMBER`], OpenMP
/// starts as many threads as there are `units`.
///
/// # Errors
/// The variable is not a number above 0.
pub fn per_rank(flags: &str, variable: impl Fn(&str) -> Option<String>, units: u32) -> Result<u32> {
    if !flags.split_whitespace().any(enables_openmp) {
        return Ok(1);
    }
    let Some(requested) = variable(NUMBER) else {
        return Ok(units.max(1));
    };
    // Of nested regions, the outermost.
    match requested
        .split(',')
        .next()
        .unwrap_or_default()
        .trim()
        .parse()
    {
        Ok(threads @ 1..) => Ok(threads),
        Ok(0) | Err(_) => bail!(
            "{NUMBER} is '{}'; it must be a number above 0",
            failure::sanitized(&requested)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threads(flags: &str, requested: Option<&str>) -> Option<u32> {
        per_rank(flags, |_| requested.map(String::from), 6).ok()
    }

    #[test]
    fn a_program_without_openmp_has_one() {
        assert_eq!(threads("-O2 -g", Some("8")), Some(1));
        assert_eq!(threads("-O2 -fopenmp | -O3", Some("8")), Some(8));
        assert_eq!(threads("-fopenmp", Some(" 4,2")), Some(4));
        assert_eq!(threads("-fopenmp", None), Some(6));
        assert_eq!(
            ["", "0", "many"].map(|requested| threads("-fopenmp", Some(requested))),
            [None; 3]
        );
    }
}
