//! Prints random programs that tests make of seeds.

// The tests use more of these modules than a listing does.
#[allow(dead_code)]
mod counted;
#[allow(dead_code)]
mod sliced;

use crate::process::{self, BadInput};
use anyhow::Result;
use std::ops::Range;

/// Prints the programs of these seeds: those whose slices are tested, or those whose statements are counted.
///
/// # Errors
///
/// [`BadInput`] if programs are to be counted and there is no `mpiete`.
pub fn print(seeds: Range<u64>, counted: bool) -> Result<()> {
    let mpiete = crate::mpiete();
    let is_missing = !crate::is_found_in_path(&mpiete) && !mpiete.exists();
    if counted && is_missing {
        let mpiete = mpiete.display();
        return Err(BadInput(format!("there is no {mpiete}: run make build")).into());
    }
    for seed in seeds {
        let listing = if counted {
            counted::listing(seed)
        } else {
            sliced::listing(seed)
        };
        process::print(&format!("{listing}\n"))?;
    }
    Ok(())
}

/// The seeds that `first..last` names, or a single one.
///
/// # Errors
///
/// A sentence, if the text is neither.
pub fn seeds(text: &str) -> std::result::Result<Range<u64>, String> {
    let (first, last) = match text.split_once("..") {
        Some((first, last)) => (number(first)?, number(last)?),
        None => {
            let seed = number(text)?;
            (seed, seed.saturating_add(1))
        }
    };
    if first >= last {
        return Err(format!("'{text}' has no seeds: LAST is above FIRST"));
    }
    Ok(first..last)
}

fn number(text: &str) -> std::result::Result<u64, String> {
    text.parse()
        .map_err(|_| format!("'{text}' is no seed: give FIRST..LAST or a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_a_range_or_one() {
        assert_eq!(seeds("3..5"), Ok(3..5));
        assert_eq!(seeds("7"), Ok(7..8));
        assert!(seeds("3-5").is_err() && seeds("..5").is_err());
    }

    #[test]
    fn listing_marks_what_the_slice_keeps() {
        let text = sliced::listing(3);
        assert!(text.starts_with("seed 3\n"), "{text}");
        assert!(text.lines().any(|line| line.contains(" + ")), "{text}");
    }
}
