//! Translates a rank's blocks, marks and calls to entries of its event stream, with the lists that they
//! refer to. Calls have constant operands; this module derives the recorder's keys.

use crate::intern::Interner;
use crate::invariant_loops::InvariantLoops;
use crate::recorder::Recorder;
use base_data::ids::{BlockId, CallSiteId, RequestId};
use base_data::mpi::Datatype;
use base_data::mpi::functions::FUNCTIONS;
use base_data::program_data::{
    Call, Communicator, Completion, Counts, Mark, ObservedMatch, Op, Operand, Peer, Tag, Transfer,
    Variant,
};
use base_data::rank_recording::{RankRecording, UnmarkedSite};

// First word of a key: kind of the entry.
const BLOCK: u64 = 1;
const MARK: u64 = 2;
const CALL: u64 = 3;
// Marks.
const CLOCK: u64 = 0;
const BEGIN: u64 = 1;
const END: u64 = 2;
// A word that is no operand's value.
const NONE: u64 = 0x8000_0000_0000_0001;

/// The event stream of one rank while it runs.
#[derive(Debug, Default)]
pub struct EventStream {
    recorder: Recorder,
    invariant_loops: InvariantLoops,
    variants: Interner,
    datatypes: Vec<Datatype>,
    communicators: Vec<Communicator>,
    /// (row of the function, return address).
    unmarked: Interner,
    /// Elements per rank of collectives.
    count_lists: Interner,
    key: Vec<u64>,
    terms: Vec<u64>,
}

impl EventStream {
    /// A recorder that is cheaper per entry and keeps the stream as it is until the end.
    pub fn folding_at_the_end() -> Self {
        Self {
            recorder: Recorder::folding_at_the_end(),
            ..Self::default()
        }
    }

    /// Index of a list of counts, one per rank of a communicator, for [`Counts::PerRank`].
    pub fn count_list(&mut self, counts: &[u64]) -> u32 {
        self.count_lists.number(counts).0
    }

    /// The site of a call that no mark preceded: of the function in `row` of the table of MPI
    /// functions, from before `address`, where it returns to; 0 if that is not known.
    pub fn unmarked_site(&mut self, row: u32, address: u64) -> CallSiteId {
        let (index, _) = self.unmarked.number(&[u64::from(row), address]);
        CallSiteId(RankRecording::UNMARKED + index)
    }

    /// Adds a datatype; gives its index. The caller keeps it.
    pub fn add_datatype(&mut self, datatype: Datatype) -> u32 {
        self.datatypes.push(datatype);
        self.datatypes.len() as u32 - 1
    }

    /// Adds a communicator; gives its index.
    pub fn add_communicator(&mut self, communicator: Communicator) -> u32 {
        self.communicators.push(communicator);
        self.communicators.len() as u32 - 1
    }

    /// A compute block is executed.
    pub fn block(&mut self, block: u32, terms: &[i64]) {
        self.terms.clear();
        self.terms.push(u64::from(block));
        self.terms.extend(terms.iter().map(|&term| term as u64));
        let (variant, _) = self.variants.number(&self.terms);
        self.recorder
            .push(&[BLOCK, u64::from(block), u64::from(variant)], || {
                Op::Block {
                    block: BlockId(block),
                    variant: Operand::Constant(i64::from(variant)),
                }
            });
    }

    /// A point of the run with a meaning. Gives the number of its entry, for
    /// [`EventStream::again`].
    pub fn mark(&mut self, mark: Mark) -> u32 {
        let key = match mark {
            Mark::Clock { site, .. } => [MARK, CLOCK, u64::from(site.0)],
            Mark::SectionBegin => [MARK, BEGIN, 0],
            Mark::SectionEnd => [MARK, END, 0],
        };
        self.recorder.push(&key, || Op::Mark(mark))
    }

    /// An MPI call. Gives the number of its entry, for [`EventStream::again`].
    pub fn call(&mut self, site: CallSiteId, call: &Call) -> u32 {
        self.key.clear();
        self.key.extend([CALL, u64::from(site.0)]);
        call_words(call, &mut self.key);
        self.recorder.push(&self.key, || Op::Call {
            site,
            call: call.clone(),
        })
    }

    /// The same call or mark at the same place as the one that got this number.
    #[inline]
    pub fn push_known(&mut self, entry: u32) {
        self.recorder.push_known(entry);
    }

    /// A loop of which not every iteration need be run is about to be entered.
    pub fn enter_loop(&mut self, id: u32) {
        self.invariant_loops.enter(id);
    }

    /// An iteration of it, with this signature, is about to begin while no request is pending (`quiet`) or
    /// some are. Whether it is to be skipped: then it is recorded as the one before it was.
    pub fn skips(&mut self, id: u32, signature: &[i64], quiet: bool) -> bool {
        self.invariant_loops
            .begin_iteration(&mut self.recorder, id, signature, quiet)
    }

    /// The loop was left.
    pub fn leave_loop(&mut self, id: u32) {
        self.invariant_loops.leave(&mut self.recorder, id);
    }

    /// A call that waits for all of these requests; unlike [`EventStream::call`] it allocates
    /// nothing for a known one.
    pub fn wait_all(&mut self, site: CallSiteId, requests: &[u32]) -> u32 {
        self.key.clear();
        self.key.extend([CALL, u64::from(site.0), WAIT_ALL]);
        self.key
            .extend(requests.iter().map(|&request| u64::from(request)));
        self.recorder.push(&self.key, || Op::Call {
            site,
            call: Call::Wait {
                completion: Completion::All,
                requests: requests.iter().map(|&request| RequestId(request)).collect(),
                completed: Vec::new(),
                observed: Vec::new(),
            },
        })
    }

    /// Moves everything recorded into a rank's recording. `locate` returns the loaded object (its path)
    /// that contains a return address, and the offset in it.
    pub fn finish(
        mut self,
        recording: &mut RankRecording,
        locate: impl Fn(u64) -> Option<(String, u64)>,
    ) {
        self.invariant_loops.finish(&mut self.recorder);
        let variant = |number: usize| {
            let words = self.variants.sequence(number as u32);
            let terms = words[1..].iter().map(|&term| term as i64).collect();
            Variant {
                block: BlockId(words[0] as u32),
                terms,
            }
        };
        recording.variants = (0..self.variants.len()).map(variant).collect();
        recording.stream = self.recorder.finish();
        recording.unmarked = (0..self.unmarked.len())
            .map(|number| {
                let words = self.unmarked.sequence(number as u32);
                let (object, offset) = locate(words[1]).unwrap_or_default();
                UnmarkedSite {
                    function: FUNCTIONS[words[0] as usize].name.to_string(),
                    object,
                    offset,
                }
            })
            .collect();
        let lists = 0..self.count_lists.len() as u32;
        recording.count_lists = lists
            .map(|list| self.count_lists.sequence(list).to_vec())
            .collect();
        recording.datatypes = self.datatypes;
        recording.communicators = self.communicators;
    }
}

// Third word of a call's key.
const INIT: u64 = 0;
const FINALIZE: u64 = 1;
const ABORT: u64 = 2;
const SEND: u64 = 3;
const RECEIVE: u64 = 4;
const SEND_RECEIVE: u64 = 5;
const WAIT_ALL: u64 = 6;
const WAIT: u64 = 7;
const TEST: u64 = 8;
const PROBE: u64 = 9;
const MAKE_PERSISTENT: u64 = 10;
const START_PERSISTENT: u64 = 11;
const COLLECTIVE: u64 = 12;
const MAKE_COMMUNICATOR: u64 = 13;

fn call_words(call: &Call, key: &mut Vec<u64>) {
    match call {
        Call::Init => key.push(INIT),
        Call::Finalize => key.push(FINALIZE),
        Call::Abort => key.push(ABORT),
        Call::Send {
            mode,
            transfer,
            request,
        } => {
            key.extend([SEND, *mode as u64, request_word(*request)]);
            transfer_words(transfer, key);
        }
        Call::Receive {
            transfer,
            request,
            observed,
        } => {
            key.extend([RECEIVE, request_word(*request)]);
            transfer_words(transfer, key);
            observed_words(observed, key);
        }
        Call::SendReceive {
            send,
            receive,
            observed,
        } => {
            key.push(SEND_RECEIVE);
            transfer_words(send, key);
            transfer_words(receive, key);
            observed_words(observed, key);
        }
        Call::Wait {
            completion,
            requests,
            completed,
            observed,
        } => {
            // Lists of variable length follow, so their lengths are part of the key: without them, two calls with
            // different boundaries between the lists would have equal keys.
            key.extend([
                WAIT,
                *completion as u64,
                requests.len() as u64,
                completed.len() as u64,
            ]);
            key.extend(
                requests
                    .iter()
                    .chain(completed)
                    .map(|request| u64::from(request.0)),
            );
            key.extend(
                observed
                    .iter()
                    .flat_map(|o| [o.source as u64, o.tag as u64]),
            );
        }
        Call::Test {
            completion,
            requests,
            completed,
        } => {
            key.extend([TEST, *completion as u64, requests.len() as u64]);
            key.extend(
                requests
                    .iter()
                    .chain(completed)
                    .map(|request| u64::from(request.0)),
            );
        }
        Call::Probe {
            transfer,
            blocking,
            observed,
        } => {
            key.extend([PROBE, u64::from(*blocking)]);
            transfer_words(transfer, key);
            observed_words(observed, key);
        }
        Call::MakePersistent {
            send,
            transfer,
            request,
        } => {
            key.extend([
                MAKE_PERSISTENT,
                send.map_or(NONE, |mode| mode as u64),
                u64::from(request.0),
            ]);
            transfer_words(transfer, key);
        }
        Call::StartPersistent { requests } => {
            key.push(START_PERSISTENT);
            key.extend(requests.iter().map(|request| u64::from(request.0)));
        }
        Call::Collective { .. } => collective_words(call, key),
        Call::MakeCommunicator { parent, made } => {
            key.extend([
                MAKE_COMMUNICATOR,
                operand_word(*parent),
                operand_word(*made),
            ]);
        }
    }
}

fn collective_words(call: &Call, key: &mut Vec<u64>) {
    let Call::Collective {
        kind,
        communicator,
        root,
        counts,
        receive_counts,
        datatype,
        reduce_op,
        request,
    } = call
    else {
        return;
    };
    key.extend([
        COLLECTIVE,
        *kind as u64,
        operand_word(*communicator),
        u64::from(*datatype),
    ]);
    key.extend([
        root.map_or(NONE, operand_word),
        counts_word(*counts),
        receive_counts.map_or(NONE, counts_word),
    ]);
    key.extend([
        reduce_op.map_or(NONE, reduce_op_word),
        request_word(*request),
    ]);
}

fn reduce_op_word(op: base_data::mpi::ReduceOp) -> u64 {
    use base_data::mpi::ReduceOp::*;
    match op {
        Sum => 0,
        Product => 1,
        Maximum => 2,
        Minimum => 3,
        LogicalAnd => 4,
        LogicalOr => 5,
        LogicalXor => 6,
        BitAnd => 7,
        BitOr => 8,
        BitXor => 9,
        MaximumLocation => 10,
        MinimumLocation => 11,
        User { commutes } => 12 + u64::from(commutes),
    }
}

fn transfer_words(transfer: &Transfer, key: &mut Vec<u64>) {
    let peer = match transfer.peer {
        Peer::Rank(rank) => operand_word(rank),
        // `NONE` is i64::MIN + 1; no rank or tag comes near it.
        Peer::Null => NONE,
        Peer::Any => NONE + 1,
    };
    let tag = match transfer.tag {
        Tag::Value(tag) => operand_word(tag),
        Tag::Any => NONE,
    };
    let (count, communicator) = (
        operand_word(transfer.count),
        operand_word(transfer.communicator),
    );
    key.extend([peer, tag, count, communicator, u64::from(transfer.datatype)]);
}

fn observed_words(observed: &Option<ObservedMatch>, key: &mut Vec<u64>) {
    key.extend(
        observed
            .iter()
            .flat_map(|o| [o.source as u64, o.tag as u64]),
    );
}

fn request_word(request: Option<RequestId>) -> u64 {
    request.map_or(NONE, |request| u64::from(request.0))
}

fn counts_word(counts: Counts) -> u64 {
    match counts {
        Counts::Same(count) => operand_word(count),
        Counts::PerRank(table) => NONE ^ u64::from(table),
    }
}

/// While recording, operands are constants.
fn operand_word(operand: Operand) -> u64 {
    match operand {
        Operand::Constant(value) | Operand::RankPlus(value) | Operand::RankXor(value) => {
            value as u64
        }
        Operand::Formula(id) => u64::from(id.0),
        Operand::Table(id) => u64::from(id.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::program_data::{Count, SendMode};

    fn send(peer: i64, request: Option<u32>) -> Call {
        Call::Send {
            mode: SendMode::Standard,
            transfer: Transfer {
                peer: Peer::Rank(Operand::Constant(peer)),
                tag: Tag::Value(Operand::Constant(1)),
                count: Operand::Constant(10),
                datatype: 0,
                communicator: Operand::Constant(0),
            },
            request: request.map(RequestId),
        }
    }

    #[test]
    fn only_equal_calls_fold() {
        let mut stream = EventStream::default();
        let row = FUNCTIONS
            .iter()
            .position(|function| function.name == "MPI_Send")
            .unwrap() as u32;
        let site = stream.unmarked_site(row, 0x1240);
        for peer in [1, 1, 1, 2] {
            stream.call(site, &send(peer, None));
            stream.block(4, &[9]);
        }
        stream.call(site, &send(2, Some(0)));
        stream.wait_all(CallSiteId(3), &[0]);
        let mut recording = RankRecording::default();
        stream.finish(&mut recording, |address| {
            Some(("/a.out".to_string(), address - 0x1000))
        });
        assert_eq!(
            recording.stream[0],
            Op::Loop {
                count: Count::Constant(3),
                body: 2
            }
        );
        assert_eq!(recording.stream.len(), 7);
        assert_eq!(
            recording.variants,
            [Variant {
                block: BlockId(4),
                terms: vec![9]
            }]
        );
        assert_eq!(site.0, RankRecording::UNMARKED);
        let expected = UnmarkedSite {
            function: "MPI_Send".to_string(),
            object: "/a.out".to_string(),
            offset: 0x240,
        };
        assert_eq!(recording.unmarked, [expected]);
    }
}
