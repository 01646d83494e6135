//! Several runs at once, each on processing units of its own and in step with the others, so that what one of them
//! measures includes the contention of a node with that occupancy.

use super::RunError;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Copies that measure at the same time.
#[derive(Debug)]
pub struct Copies {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Copies that have not ended.
    running: u32,
    /// Of these, those that wait to measure.
    waiting: u32,
    /// Those that measure and are not done yet.
    measuring: u32,
    /// How often they have begun together.
    rounds: u64,
    /// True once all have measured what they began together.
    done: Arc<AtomicBool>,
    /// True once all copies have ended.
    ended: Arc<AtomicBool>,
}

impl State {
    /// Lets those that wait begin, if no other copy is to come.
    fn begin_if_all_wait(&mut self) {
        if self.waiting > 0 && self.waiting == self.running {
            // Each round has its own flag: that of the previous round is already true.
            self.rounds += 1;
            self.measuring = std::mem::take(&mut self.waiting);
            self.done = Arc::default();
        }
    }
}

impl Copies {
    fn new(copies: u32) -> Self {
        let state = State {
            running: copies,
            ..State::default()
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Measures when all copies that have not ended are about to; and then again and again, for nothing but keeping the
    /// node as full, until all of them have measured. These runs are given a flag that ends them once true.
    ///
    /// # Errors
    /// That of the first run.
    pub fn together<T, E>(
        &self,
        run: impl Fn(Option<&Arc<AtomicBool>>) -> Result<T, E>,
    ) -> Result<T, E> {
        let done = self.begin();
        let measuring = MeasurementGuard(self);
        let measured = run(None);
        // The copy counts as measured before its filling runs begin; otherwise the copies would wait for each other's.
        drop(measuring);
        while !done.load(Ordering::Relaxed) && run(Some(&done)).is_ok() {}
        measured
    }

    fn begin(&self) -> Arc<AtomicBool> {
        let mut state = self.state();
        state.waiting += 1;
        // Read before the round can begin, which happens at once for the last copy to arrive.
        let round = state.rounds;
        state.begin_if_all_wait();
        self.changed.notify_all();
        let begun = self
            .changed
            .wait_while(state, |state| state.rounds == round);
        begun.unwrap_or_else(PoisonError::into_inner).done.clone()
    }

    /// A copy has ended; true once all have.
    fn end(&self) -> Arc<AtomicBool> {
        let mut state = self.state();
        // The others may have waited for this copy only.
        state.running -= 1;
        state.begin_if_all_wait();
        state.ended.store(state.running == 0, Ordering::Relaxed);
        self.changed.notify_all();
        state.ended.clone()
    }
}

/// A copy measures until this is dropped, however that comes.
struct MeasurementGuard<'a>(&'a Copies);

impl Drop for MeasurementGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.measuring -= 1;
        state.done.store(state.measuring == 0, Ordering::Relaxed);
    }
}

/// Ends a copy, however it ends.
struct CopyGuard<'a>(Option<&'a Copies>);

impl CopyGuard<'_> {
    fn end(&mut self) -> Option<Arc<AtomicBool>> {
        // `take`, because the guard is also dropped after a copy that has ended regularly.
        self.0.take().map(Copies::end)
    }
}

impl Drop for CopyGuard<'_> {
    fn drop(&mut self) {
        self.end();
    }
}

/// Runs `run` in so many copies at once, each bound to `units` processing units of this computer that no other copy
/// has; gives what each gives, in order. A copy that has ended while others have not runs `busy`, which the flag that it is
/// given ends once true. A single copy is not bound.
///
/// # Errors
/// [`RunError::Setup`] where this process may use too few units.
pub fn at_once<T: Send, E>(
    copies: u32,
    units: u32,
    run: impl Fn(&Copies) -> T + Sync,
    busy: impl Fn(&Arc<AtomicBool>) -> Result<(), E> + Sync,
) -> Result<Vec<T>, RunError> {
    let step = Copies::new(copies);
    if copies == 1 {
        return Ok(vec![run(&step)]);
    }
    let places = places(&allowed()?, copies as usize, units as usize)?;
    let bound = |place: &CpuSet| {
        // The guard also ends a copy that fails or panics: the other copies would wait for it otherwise.
        let mut termination = CopyGuard(Some(&step));
        sched_setaffinity(None, place)
            .map_err(|error| RunError::setup("cannot bind a copy", error))?;
        let given = run(&step);
        let ended = termination.end();
        while ended
            .as_ref()
            .is_some_and(|ended| !ended.load(Ordering::Relaxed) && busy(ended).is_ok())
        {}
        Ok(given)
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = places
            .iter()
            .map(|place| scope.spawn(|| bound(place)))
            .collect();
        running
            .into_iter()
            .map(|copy| copy.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

/// The units that this process may use.
fn allowed() -> Result<Vec<usize>, RunError> {
    let set = sched_getaffinity(None)
        .map_err(|error| RunError::setup("cannot ask for the processing units", error))?;
    Ok((0..CpuSet::MAX_CPU)
        .filter(|&unit| set.is_set(unit))
        .collect())
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
        places(allowed, copies, units)
            .ok()
            .map(|sets| sets.iter().map(units_of).collect())
    }

    #[test]
    fn copies_use_disjoint_processing_units() {
        assert_eq!(placed(&[0, 2, 3, 7], 2, 1), Some(vec![vec![0], vec![2]]));
        assert_eq!(
            placed(&[0, 2, 3, 7], 2, 2),
            Some(vec![vec![0, 2], vec![3, 7]])
        );
        assert_eq!(placed(&[0, 2, 3], 2, 2), None);
    }

    #[test]
    fn copy_is_bound_and_caller_affinity_is_unchanged() {
        let before = allowed().unwrap();
        let copies = before.len().min(2) as u32;
        let seen = at_once(copies, 1, |_| allowed().unwrap(), idle).unwrap();
        if copies > 1 {
            assert_eq!(seen, [vec![before[0]], vec![before[1]]]);
        }
        assert_eq!(allowed().unwrap(), before);
        let sentence = at_once(before.len() as u32 + 1, 1, |_| (), idle)
            .unwrap_err()
            .to_string();
        assert!(sentence.contains("processing units"), "{sentence}");
    }

    fn idle(_: &Arc<AtomicBool>) -> Result<(), ()> {
        Err(())
    }

    /// Copies measure 1, 2 and 3 times. Whatever is measured, as many as have not ended begin it together, and those
    /// that are done or have ended go on until it is.
    #[test]
    fn copies_measure_concurrently() {
        let step = Copies::new(3);
        let (begun, kept_busy) = (Mutex::new(Vec::new()), Mutex::new(0));
        let measure = |copy: u32, round: u32| {
            step.together(|stop| {
                let Some(stop) = stop else {
                    begun.lock().unwrap().push((round, copy));
                    return Ok(());
                };
                // A run that takes until it is stopped.
                while !stop.load(Ordering::Relaxed) {
                    std::thread::yield_now();
                }
                *kept_busy.lock().unwrap() += 1;
                Err(())
            })
        };
        std::thread::scope(|scope| {
            for copy in 1..=3 {
                let measure = &measure;
                let step = &step;
                scope.spawn(move || {
                    let mut termination = CopyGuard(Some(step));
                    (0..copy).for_each(|round| measure(copy, round).unwrap());
                    let ended = termination.end().unwrap();
                    while !ended.load(Ordering::Relaxed) {
                        std::thread::yield_now();
                    }
                });
            }
        });
        let begun = begun.into_inner().unwrap();
        assert!(begun.is_sorted_by_key(|(round, _)| *round), "{begun:?}");
        assert_eq!(begun.len(), 1 + 2 + 3);
        // The last of each round is not kept busy.
        assert!(kept_busy.into_inner().unwrap() <= 2 + 1);
    }

    #[test]
    fn failed_copy_does_not_block_others() {
        let step = Copies::new(2);
        std::thread::scope(|scope| {
            scope.spawn(|| drop(CopyGuard(Some(&step))));
            assert_eq!(step.together(|_| Ok::<u32, ()>(7)), Ok(7));
        });
    }
}
