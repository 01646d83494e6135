//! Calls of a sampled procedure in an emulation: those of the sample are executed and timed, the others are skipped. In a second
//! emulation all are skipped, in the time that follows from the sample. The instrumenter inserts the calls of these
//! functions (`instrumenter::plan::sampled`).

use crate::entry_guard;
use crate::process::Process;
use crate::{probes, virtual_clock};
use base_data::Time;
use base_data::emulation::{SampledTasks, TaskCall};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use token_runtime::emulation::SAMPLED_TASKS;
use token_runtime::termination::{self, Termination};

static TASKS: Mutex<Tasks> = Mutex::new(Tasks {
    sampled: None,
    calls: Vec::new(),
    depth: 0,
    began: None,
});

struct Tasks {
    /// `None` before the first call.
    sampled: Option<SampledTasks>,
    calls: Vec<TaskCall>,
    /// How many calls are being executed, one in the other.
    depth: u32,
    /// Own time when the call began that is timed.
    began: Option<Time>,
}

fn tasks() -> MutexGuard<'static, Tasks> {
    TASKS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tasks {
    /// What to do with calls; nothing but to execute them if no file says so.
    fn sampled(&mut self) -> &SampledTasks {
        self.sampled.get_or_insert_with(|| {
            let path = std::env::var_os(SAMPLED_TASKS);
            let read = path.and_then(|path| termination::read(Path::new(&path)));
            read.unwrap_or(SampledTasks::Execute(Vec::new()))
        })
    }

    /// A call begins; whether it is skipped.
    fn begin(&mut self, point: &[i64]) -> Result<bool, String> {
        let compare = |known: &[i64]| known.cmp(point);
        let time = match self.sampled() {
            SampledTasks::Execute(points) => {
                match points.binary_search_by(|known| compare(known)) {
                    Ok(_) => None,
                    Err(_) => Some(Time::ZERO),
                }
            }
            SampledTasks::Replay(times) => {
                match times.binary_search_by(|(known, _)| compare(known)) {
                    Ok(place) => Some(times[place].1),
                    Err(_) => {
                        return Err(format!(
                            "computes a task with the arguments {point:?}, which it did not when tasks took no time; its tasks depend on \
                             how long they take, so they cannot be sampled"
                        ));
                    }
                }
            }
        };
        self.calls.push(TaskCall {
            point: point.to_vec(),
            time: None,
        });
        match time {
            Some(time) => {
                virtual_clock::add(time);
                Ok(true)
            }
            None => {
                self.depth = 1;
                self.began = Some(virtual_clock::end_stretch());
                Ok(false)
            }
        }
    }

    fn end(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        if self.depth == 0
            && let Some(began) = self.began.take()
        {
            let time = virtual_clock::end_stretch() - began;
            if let Some(call) = self.calls.last_mut() {
                call.time = Some(time);
            }
        }
    }
}

/// Reads what to do with calls, before the program computes.
pub fn prepare() {
    tasks().sampled();
}

/// The calls so far.
pub fn take_calls() -> Vec<TaskCall> {
    std::mem::take(&mut tasks().calls)
}

/// A call of the sampled procedure begins, with these arguments. It is to be skipped if the flag is not 0.
///
/// # Safety
///
/// `count` is the address of a 4-byte integer, `values` of so many 8-byte integers, `skipped` of a 4-byte integer that may be
/// written.
#[unsafe(no_mangle)]
unsafe extern "C" fn mpiete_task_begin_(values: *const i64, count: *const i32, skipped: *mut i32) {
    // SAFETY: the instrumenter passes the address of an array of `count` elements.
    let point = unsafe { probes::terms(count, values) };
    let mut is_skipped = false;
    // Outside an emulation the program does all it does.
    if virtual_clock::is_running() {
        let mut tasks = tasks();
        if tasks.depth > 0 {
            tasks.depth += 1;
        } else {
            match tasks.begin(point) {
                Ok(skips) => is_skipped = skips,
                Err(sentence) => {
                    entry_guard::enter_outside(|process: &mut Process| {
                        process.end(Termination::Failure(sentence.clone()))
                    });
                }
            }
        }
    }
    // SAFETY: the instrumenter passes the address of a variable.
    unsafe { skipped.write(is_skipped.into()) };
}

/// It ends, if it was executed.
#[unsafe(no_mangle)]
extern "C" fn mpiete_task_end_() {
    if virtual_clock::is_running() {
        tasks().end();
    }
}
