//! One observed call: its arguments are read before the real function runs, its results after.

use crate::call_cache::{CallKey, Known};
use crate::entry_lock::{self, ObserverLock, State};
use crate::observer::Observer;
use crate::passed_arguments::PassedArguments;
use crate::real_functions::InterposedFunction;
use crate::rows::{CallKind, RequestArguments, RequestUse, Row};
use crate::serialised::call_unobserved;
use crate::start;
use crate::times::Entered;
use crate::transfers::is_repeatable;
use base_data::program_data::{Call, Transfer};
use native::entry::return_address;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What was read before the call and is needed after it.
pub enum Before {
    Transfer(Transfer),
    Exchange {
        send: Transfer,
        receive: Transfer,
    },
    /// Requests are in the observer's lists.
    Requests,
    Collective(Call),
    Parent(u32),
    /// The handles of what is about to be freed.
    Freed([usize; 2]),
    /// It works on something that is not known.
    Unsupported,
}

/// Where a call stands: what a probe announced, or where it returns to.
#[derive(Clone, Copy)]
pub struct CallLocation {
    pub announced: Option<u32>,
    pub address: u64,
}

impl CallLocation {
    /// One word for it; no code is in the upper half of the address space.
    #[inline]
    pub fn word(self) -> u64 {
        self.announced
            .map_or(self.address, |site| 1 << 63 | u64::from(site))
    }
}

/// A call that was entered: of which function, where and when.
#[derive(Clone, Copy)]
pub struct Moment {
    pub row: u32,
    pub place: CallLocation,
    pub entered: Entered,
}

/// Every entry but the clocks.
///
/// # Safety
///
/// `words` are what a program passed to the function of this entry.
pub unsafe fn enter(entry: &'static InterposedFunction, words: &mut [usize]) -> usize {
    let address = return_address();
    let Some(mut lock) = ObserverLock::take() else {
        // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
        // unchanged.
        return unsafe {
            if entry_lock::is_inside() {
                entry.call(words)
            } else {
                call_unobserved(entry, words)
            }
        };
    };
    let place = CallLocation {
        announced: entry_lock::take_announced(),
        address,
    };
    match lock.state() {
        State::Observing(observer) => match observer.rows[entry.row as usize].what {
            // SAFETY: the caller guarantees that `words` are the arguments of this entry's function.
            CallKind::Start | CallKind::Unrecorded => unsafe { entry.call(words) },
            // SAFETY: the same words, and the row says that the function is MPI_Finalize.
            CallKind::End => unsafe { start::end(lock, entry, words, place) },
            // SAFETY: the same words, and `code` is the argument of MPI_Abort that the row names.
            CallKind::Abort { code } => unsafe { start::abort(observer, entry, words, code) },
            // SAFETY: the caller's guarantee for `words` is what `observe` requires.
            _ => unsafe { observe(observer, entry, words, place) },
        },
        // SAFETY: the same words, and the row says that the function initialises MPI.
        State::Before if start::is_start(entry.row) => unsafe {
            start::begin(lock, entry, words, place)
        },
        // SAFETY: `words` go unchanged to the function that the program called with them.
        State::Before | State::After => unsafe { entry.call(words) },
    }
}

/// # Safety
///
/// As for [`enter`].
#[inline]
unsafe fn observe(
    observer: &mut Observer,
    entry: &InterposedFunction,
    words: &mut [usize],
    place: CallLocation,
) -> usize {
    // SAFETY: `words` are the arguments of `entry` in its binding (see Safety), and `passed` borrows them.
    let passed = unsafe { PassedArguments::new(words, entry.binding, observer.mpi.family) };
    if observer.stopped.is_some() {
        // SAFETY: the words are the arguments that the program passed to this entry's function, and go to it
        // unchanged.
        return unsafe { observer.call(entry, &passed) };
    }
    let row = &observer.rows[entry.row as usize];
    let moment = Moment {
        row: entry.row,
        place,
        entered: observer.times.enter(),
    };
    let request = row
        .key_arguments
        .as_ref()
        .and_then(|key_arguments| observer.used_request(&passed, key_arguments.request));
    let key = row
        .key_arguments
        .as_ref()
        .zip(request)
        .map(|(key_arguments, request)| {
            CallKey::of(
                place.word(),
                entry.row,
                request,
                key_arguments,
                &passed,
                &observer.special,
            )
        });
    match key
        .and_then(|key| observer.call_cache.get(&key))
        .zip(request)
    {
        // SAFETY: `passed` wraps `words`, which this function's caller passed for `entry`; nothing has replaced any.
        Some(known) => unsafe { observe_known(observer, entry, passed, known, moment) },
        // SAFETY: `passed` wraps `words`, which this function's caller passed for `entry`; nothing has replaced any.
        None => unsafe { observe_new(observer, entry, passed, key, moment) },
    }
}

/// A call that was made before.
///
/// # Safety
///
/// The arguments are those of the function of this entry.
#[inline]
unsafe fn observe_known(
    observer: &mut Observer,
    entry: &InterposedFunction,
    mut passed: PassedArguments,
    (known, request): (Known, u32),
    moment: Moment,
) -> usize {
    let row = &observer.rows[entry.row as usize];
    // SAFETY: `passed` belongs to `entry` (see Safety) and is unchanged: a known call needs no replaced argument.
    let result = unsafe { observer.call(entry, &passed) };
    if passed.failed(result, row.function.arguments.len()) {
        guarded(observer, |observer| {
            let before = observer.before(row, &mut passed);
            observer.after(row, &passed, before, true, &moment)
        });
        return result;
    }
    match row
        .key_arguments
        .as_ref()
        .map_or(RequestUse::None, |key_arguments| key_arguments.request)
    {
        RequestUse::None => {}
        RequestUse::Makes(at) => {
            observer.made_request(&passed, at, false, None);
        }
        RequestUse::Completes(_) => observer.requests.complete(request),
    }
    observer.stream.push_known(known.entry);
    observer.times.leave(moment.entered, known.site);
    result
}

/// A call whose arguments must be looked at.
///
/// # Safety
///
/// As for [`observe_known`].
#[inline(never)]
unsafe fn observe_new(
    observer: &mut Observer,
    entry: &InterposedFunction,
    mut passed: PassedArguments,
    key: Option<CallKey>,
    moment: Moment,
) -> usize {
    let row = &observer.rows[entry.row as usize];
    let before = guarded(observer, |observer| observer.before(row, &mut passed));
    // SAFETY: `passed` belongs to `entry` (see Safety). `before` has replaced at most the addresses of ignored statuses, by
    // those of buffers of the observer that are large enough.
    let result = unsafe { observer.call(entry, &passed) };
    if let Some(before) = before {
        let failed = passed.failed(result, row.function.arguments.len());
        let after = |observer: &mut Observer| observer.after(row, &passed, before, failed, &moment);
        let repeatable = guarded(observer, after).flatten();
        if let (Some(key), Some(known)) = (key, repeatable) {
            observer.call_cache.set(key, known);
        }
    }
    result
}

/// A bug of the observer must not end the program: it ends the recording.
pub fn guarded<T>(observer: &mut Observer, body: impl FnOnce(&mut Observer) -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(|| body(observer))) {
        Ok(value) => Some(value),
        Err(_) => {
            observer.stopped = Some("a bug of mpiete's observer ended the recording".into());
            None
        }
    }
}

impl Observer {
    /// # Safety
    ///
    /// `passed` is what a program passed to the function of this entry.
    #[inline]
    unsafe fn call(&mut self, entry: &InterposedFunction, passed: &PassedArguments) -> usize {
        match &mut self.one_at_a_time {
            // SAFETY: the substitute takes the arguments of this entry's function, which `passed` contains (see Safety).
            Some(one_at_a_time) => unsafe { one_at_a_time.call(entry, passed) },
            // SAFETY: `entry.call` forwards the words to the real function of the same entry and binding.
            None => unsafe { entry.call(passed.words()) },
        }
    }

    fn before(&mut self, row: &'static Row, passed: &mut PassedArguments) -> Before {
        let before = match row.what {
            CallKind::Send { transfer, .. } | CallKind::MakePersistent { transfer, .. } => {
                self.transfer(passed, &transfer).map(Before::Transfer)
            }
            CallKind::Receive {
                transfer, status, ..
            } => self.receive(passed, &transfer, status),
            CallKind::SendReceive {
                send,
                receive,
                status,
            } => self.exchange(passed, &send, &receive, status),
            CallKind::Probe {
                peer,
                tag,
                communicator,
                status,
                ..
            } => self.probe(passed, (peer, tag, communicator), status),
            CallKind::Wait {
                requests, statuses, ..
            } => self.wait(passed, &requests, statuses),
            CallKind::Test { requests, .. } => {
                self.read_requests(passed, &requests, true);
                Some(Before::Requests)
            }
            CallKind::StartPersistent { requests } => {
                self.read_requests(passed, &requests, false);
                Some(Before::Requests)
            }
            CallKind::Collective { .. } => {
                self.collective(passed, &row.what).map(Before::Collective)
            }
            CallKind::MakeCommunicator { parent, .. } => self
                .communicators
                .index(passed.handle(parent))
                .map(Before::Parent),
            CallKind::FreeCommunicator(at) => {
                let handle = passed.stored(passed.place(at, 0));
                Some(Before::Freed(
                    self.mpi.communicator_handles(handle, passed.binding()),
                ))
            }
            CallKind::FreeDatatype(at) => {
                let handle = passed.stored(passed.place(at, 0));
                Some(Before::Freed(
                    self.mpi.datatype_handles(handle, passed.binding()),
                ))
            }
            CallKind::FreeRequest(at) => {
                self.read_requests(
                    passed,
                    &RequestArguments {
                        count: None,
                        requests: at,
                    },
                    false,
                );
                Some(Before::Requests)
            }
            CallKind::Start | CallKind::End | CallKind::Abort { .. } | CallKind::Unrecorded => None,
        };
        before.unwrap_or(Before::Unsupported)
    }

    /// Writes the call down. Gives what it was written down as, if that is the same the next time.
    fn after(
        &mut self,
        row: &'static Row,
        passed: &PassedArguments,
        before: Before,
        failed: bool,
        moment: &Moment,
    ) -> Option<Known> {
        let call = match before {
            Before::Unsupported => {
                self.count_unsupported(row.function.name);
                None
            }
            Before::Transfer(transfer) => Some(self.transferred(row, passed, transfer, failed)),
            Before::Exchange { send, receive } => Some(self.exchanged(row, passed, send, receive)),
            Before::Requests => return self.after_requests(row, passed, moment),
            Before::Collective(call) => Some(self.communicated(row, passed, call, failed)),
            Before::Parent(parent) => self.made_communicator(row, passed, parent, failed),
            Before::Freed(handles) => {
                self.freed(row, handles);
                None
            }
        };
        let call = call?;
        let known = self.record(moment, &call);
        if !failed && is_repeatable(&call) {
            Some(known)
        } else {
            None
        }
    }

    fn made_communicator(
        &mut self,
        row: &'static Row,
        passed: &PassedArguments,
        parent: u32,
        failed: bool,
    ) -> Option<Call> {
        let CallKind::MakeCommunicator { made, .. } = row.what else {
            return None;
        };
        if failed {
            return None;
        }
        self.call_cache.clear();
        let handle = passed.stored(passed.place(made, 0));
        Some(self.communicators.made(
            &self.mpi,
            &mut self.stream,
            parent,
            (handle, passed.binding()),
        ))
    }

    /// Handles that may come to mean something else.
    fn freed(&mut self, row: &'static Row, handles: [usize; 2]) {
        self.call_cache.clear();
        match row.what {
            CallKind::FreeCommunicator(_) => self.communicators.forget(handles),
            CallKind::FreeDatatype(_) => self.datatypes.forget(handles),
            _ => {}
        }
    }
}

/// Clocks that give the time: a mark in the stream.
///
/// # Safety
///
/// The entry is that of a function without arguments that returns a real number.
pub unsafe fn read_clock(entry: &'static InterposedFunction) -> f64 {
    let address = return_address();
    // Kept until the real one is done: Fortran's may call C's.
    let mut lock = ObserverLock::take();
    if let Some(lock) = &mut lock {
        let announced = entry_lock::take_announced();
        if let State::Observing(observer) = lock.state()
            && observer.stopped.is_none()
        {
            guarded(observer, |observer| {
                observer.record_clock(CallLocation { announced, address });
            });
        }
    }
    // SAFETY: `real_number` requires an entry of the same kind as this function.
    unsafe { real_number(entry) }
}

/// `MPI_Wtime` and `MPI_Wtick`: not recorded, but a probe may have announced the call.
///
/// # Safety
///
/// As for [`read_clock`].
pub unsafe fn ask_clock(entry: &'static InterposedFunction) -> f64 {
    let lock = ObserverLock::take();
    if lock.is_some() {
        entry_lock::take_announced();
    }
    // SAFETY: `real_number` requires an entry of the same kind as this function.
    unsafe { real_number(entry) }
}

/// # Safety
///
/// As for [`read_clock`].
unsafe fn real_number(entry: &'static InterposedFunction) -> f64 {
    // SAFETY: the entry is that of `MPI_Wtime` or `MPI_Wtick`, which has this signature in every binding: no argument,
    // a double as result.
    let function: unsafe extern "C" fn() -> f64 = unsafe { std::mem::transmute(entry.real()) };
    // SAFETY: a function without arguments has no precondition on them.
    unsafe { function() }
}
