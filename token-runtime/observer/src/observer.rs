//! State of the observer for one rank, and the recording of an entry.

use crate::call_cache::{CallCache, CallKey, Known};
use crate::calls::{CallLocation, Moment};
use crate::communicators::Communicators;
use crate::datatypes::{Datatypes, ReduceOps};
use crate::family::{Numbers, Special};
use crate::mpi::Mpi;
use crate::output::Output;
use crate::requests::Requests;
use crate::rows::{Row, rows};
use crate::serialised::SerialisedExecution;
use crate::times::Times;
use base_data::ids::CallSiteId;
use base_data::program_data::{Call, Mark};
use native::statement_clock::RankClock;
use std::collections::BTreeMap;
use token_runtime::event_stream::EventStream;

/// A rank under observation.
pub struct Observer {
    pub mpi: Mpi,
    /// All rows of the table of MPI functions.
    pub rows: &'static [Row],
    /// The row of `MPI_Wtime`.
    pub clock_row: u32,
    pub stream: EventStream,
    pub times: Times<RankClock>,
    /// Wall clock when it entered `MPI_Init`, in nanoseconds since 1970.
    pub entered_at: i64,
    pub output: Output,
    pub communicators: Communicators,
    pub datatypes: Datatypes,
    pub reduce_ops: ReduceOps,
    pub requests: Requests,
    /// What calls were written down as.
    pub call_cache: CallCache,
    /// Special numbers and addresses of the MPI library.
    pub numbers: Numbers,
    pub special: Special,
    /// Requests of the current call: position in its array and number.
    pub pending: Vec<(usize, u32)>,
    /// Numbers of requests of the current call.
    pub chosen: Vec<u32>,
    /// Room for statuses that the program does not want.
    pub statuses: Vec<u64>,
    /// Calls that are not in the stream, by function.
    pub unsupported: BTreeMap<&'static str, u64>,
    /// Why nothing more is recorded.
    pub stopped: Option<String>,
    /// Whether one rank at a time computes.
    pub one_at_a_time: Option<SerialisedExecution>,
}

impl Observer {
    pub fn new(mpi: Mpi, output: Output, times: Times<RankClock>, entered_at: i64) -> Self {
        let mut stream = EventStream::folding_at_the_end();
        let rows = rows().leak();
        let is_clock = |row: &Row| row.function.name == "MPI_Wtime";
        Self {
            clock_row: rows.iter().position(is_clock).unwrap_or(0) as u32,
            rows,
            communicators: Communicators::predefined(&mpi, &mut stream),
            reduce_ops: ReduceOps::predefined(&mpi),
            numbers: mpi.family.numbers(),
            special: mpi.family.special(),
            mpi,
            output,
            stream,
            times,
            entered_at,
            datatypes: Datatypes::default(),
            requests: Requests::default(),
            call_cache: CallCache::default(),
            pending: Vec::new(),
            chosen: Vec::new(),
            statuses: Vec::new(),
            unsupported: BTreeMap::new(),
            stopped: None,
            one_at_a_time: None,
        }
    }

    /// The place of a call: the one a probe has announced, or where it returns to.
    #[inline]
    pub fn site(&mut self, row: u32, place: CallLocation) -> CallSiteId {
        match place.announced {
            Some(site) => CallSiteId(site),
            None => self.stream.unmarked_site(row, place.address),
        }
    }

    /// Writes a call down that is over.
    pub fn record(&mut self, moment: &Moment, call: &Call) -> Known {
        let site = self.site(moment.row, moment.place);
        let entry = self.stream.call(site, call);
        self.times.leave(moment.entered, site);
        Known { entry, site }
    }

    /// Writes down that the program has read the clock.
    pub fn record_clock(&mut self, place: CallLocation) {
        let entered = self.times.enter();
        let key = CallKey::bare(place.word(), self.clock_row);
        let known = match self.call_cache.get(&key) {
            Some(known) => {
                self.stream.push_known(known.entry);
                known
            }
            None => {
                let site = self.site(self.clock_row, place);
                let known = Known {
                    entry: self.stream.mark(Mark::Clock { site, path: None }),
                    site,
                };
                self.call_cache.set(key, known);
                known
            }
        };
        self.times.mark(entered, Some(known.site));
    }

    /// Counts a call that cannot be put into the stream.
    pub fn count_unsupported(&mut self, function: &'static str) {
        *self.unsupported.entry(function).or_default() += 1;
    }
}
