//! Several runs at once, each on processing units of its own, so that what one of them measures is what
//! a rank takes on a node that is so full. Not here: what is run.

use super::RunError;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::panic::resume_unwind;

/// Runs `run` in so many copies at once, each bound to `units` processing units of this computer that no other copy
/// has; gives what each gives, in order. A single copy is not bound.
///
/// # Errors
/// [`RunError::Setup`] where this process may use too few units.
pub fn at_once<T: Send>(copies: u32, units: u32, run: impl Fn() -> T + Sync) -> Result<Vec<T>, RunError> {
    if copies == 1 {
        return Ok(vec![run()]);
    }
    let places = places(&allowed()?, copies as usize, units as usize)?;
    let bound = |place: &CpuSet| {
        sched_setaffinity(None, place).map_err(|error| RunError::setup("cannot bind a copy", error))?;
        Ok(run())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = places.iter().map(|place| scope.spawn(|| bound(place))).collect();
        running.into_iter().map(|copy| copy.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// The units that this process may use.
fn allowed() -> Result<Vec<usize>, RunError> {
    let set = sched_getaffinity(None)
        .map_err(|error| RunError::setup("cannot ask for the processing units", error))?;
    Ok((0..CpuSet::MAX_CPU).filter(|&unit| set.is_set(unit)).collect())
}

/// The units of each copy.
fn places(allowed: &[usize], copies: usize, units: usize) -> Result<Vec<CpuSet>, RunError> {
    let (found, wanted) = (allowed.len(), copies * units);
    if found < wanted || units == 0 {
        return Err(RunError::Setup(format!(
            "{copies} copies at once need {wanted} processing units, this process may use {found}; measure with fewer \
             copies, or on a node that has as many"
        )));
    }
    let place = |of_copy: &[usize]| {
        let mut set = CpuSet::new();
        of_copy.iter().for_each(|&unit| set.set(unit));
        set
    };
    Ok(allowed.chunks(units).take(copies).map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(allowed: &[usize], copies: usize, units: usize) -> Option<Vec<Vec<usize>>> {
        let units_of = |set: &CpuSet| (0..64).filter(|&unit| set.is_set(unit)).collect();
        places(allowed, copies, units).ok().map(|sets| sets.iter().map(units_of).collect())
    }

    #[test]
    fn each_copy_has_units_of_its_own() {
        assert_eq!(placed(&[0, 2, 3, 7], 2, 1), Some(vec![vec![0], vec![2]]));
        assert_eq!(placed(&[0, 2, 3, 7], 2, 2), Some(vec![vec![0, 2], vec![3, 7]]));
        assert_eq!(placed(&[0, 2, 3], 2, 2), None);
    }

    #[test]
    fn a_copy_sees_its_units_only_and_the_caller_keeps_its_own() {
        let before = allowed().unwrap();
        let copies = before.len().min(2) as u32;
        let seen = at_once(copies, 1, || allowed().unwrap()).unwrap();
        if copies > 1 {
            assert_eq!(seen, [vec![before[0]], vec![before[1]]]);
        }
        assert_eq!(allowed().unwrap(), before);
        let sentence = at_once(before.len() as u32 + 1, 1, || ()).unwrap_err().to_string();
        assert!(sentence.contains("processing units"), "{sentence}");
    }
}
