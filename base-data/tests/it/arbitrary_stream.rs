//! Arbitrary streams that pass the check.

use crate::arbitrary::Choices;
use base_data::mpi::ReduceOp;
use base_data::program_data::*;
use base_data::{CallSiteId, CommId, FormulaId, RankSet, RequestId, TableId};

pub fn add_class(choices: &mut Choices, data: &mut ProgramData, ranks: RankSet) {
    let mut writer = Writer {
        choices,
        data,
        ranks,
        stream: Vec::new(),
        starts: 0,
        started: Vec::new(),
    };
    for _ in 0..writer.choices.below(12) {
        writer.entry(0);
    }
    let Writer { ranks, stream, .. } = writer;
    data.classes.push(RankClass { ranks, stream });
}

struct Writer<'a> {
    choices: &'a mut Choices,
    data: &'a mut ProgramData,
    ranks: RankSet,
    stream: Vec<Op>,
    starts: u32,
    started: Vec<RequestId>,
}

impl Writer<'_> {
    fn entry(&mut self, depth: usize) {
        match self.choices.below(6) {
            0 if depth < 4 => self.repeated(depth),
            0 | 1 => {
                let op = self.block();
                self.stream.push(op);
            }
            2 => {
                let op = Op::Mark(self.mark());
                self.stream.push(op);
            }
            _ => {
                let (site, call) = (self.site(), self.call());
                self.stream.push(Op::Call { site, call });
            }
        }
    }

    fn repeated(&mut self, depth: usize) {
        let start = self.stream.len();
        let count = self.count();
        self.stream.push(Op::Loop { count, body: 0 });
        for _ in 0..1 + self.choices.below(4) {
            self.entry(depth + 1);
        }
        let length = self.stream.len() - start - 1;
        self.stream[start] = Op::Loop {
            count,
            body: length as u32,
        };
    }

    fn count(&mut self) -> Count {
        let count = self.choices.below(1000) as u64;
        let assumptions = self.data.assumptions.len();
        match self.choices.below(3) {
            0 => Count::Constant(count),
            1 if assumptions > 0 => Count::Assumed {
                count,
                assumption: self.choices.below(assumptions) as u32,
            },
            _ => Count::Invariant(count),
        }
    }

    fn block(&mut self) -> Op {
        let number = self.choices.below(self.data.variants.len());
        let block = self.data.variants[number].block;
        let same: Vec<i64> = (0..self.data.variants.len())
            .filter(|&i| self.data.variants[i].block == block)
            .map(|i| i as i64)
            .collect();
        let variant = match self.choices.flag() {
            true => self.table(|choices, _| choices.pick(&same)),
            false => Operand::Constant(number as i64),
        };
        Op::Block { block, variant }
    }

    fn mark(&mut self) -> Mark {
        let (site, paths) = (self.site(), self.data.call_paths.len());
        let path = (paths > 0 && self.choices.flag()).then(|| self.choices.below(paths) as u32);
        self.choices.pick(&[
            Mark::Clock { site, path },
            Mark::SectionBegin,
            Mark::SectionEnd,
        ])
    }

    fn site(&mut self) -> CallSiteId {
        CallSiteId(self.choices.below(self.data.table.call_sites.len()) as u32)
    }

    fn table(&mut self, mut value: impl FnMut(&mut Choices, usize) -> i64) -> Operand {
        let values = (0..self.ranks.len())
            .map(|position| value(self.choices, position))
            .collect();
        self.data.tables.push(values);
        Operand::Table(TableId(self.data.tables.len() as u32 - 1))
    }

    /// Any value at all.
    fn free(&mut self) -> Operand {
        let (value, small) = (self.choices.signed(), self.choices.below(100) as i64 - 50);
        let formula = FormulaId(self.choices.below(self.data.formulas.len()) as u32);
        match self.choices.below(5) {
            0 => Operand::Constant(value),
            1 => Operand::RankPlus(small),
            2 => Operand::RankXor(value),
            3 => Operand::Formula(formula),
            _ => self.table(|choices, _| choices.signed()),
        }
    }

    fn not_negative(&mut self) -> Operand {
        let value = self.choices.signed() & i64::MAX;
        match self.choices.below(5) {
            0 => Operand::Constant(value),
            1 => Operand::RankPlus(value % 100),
            2 => Operand::RankXor(value),
            3 => Operand::Formula(FormulaId(0)),
            _ => self.table(|choices, _| choices.below(9) as i64),
        }
    }

    /// A communicator that all ranks of the class belong to, one or several.
    fn communicator(&mut self) -> Operand {
        match self.choices.below(3) {
            0 => Operand::Constant(0),
            1 => Operand::Constant(self.choices.below(3) as i64),
            _ => self.table(|choices, _| choices.below(3) as i64),
        }
    }

    fn size(&self, communicator: Operand, position: usize) -> usize {
        let rank = self.ranks.get(position).unwrap();
        match self.data.value(communicator, rank, position).unwrap() {
            1 => 1,
            id => self.data.communicators[id as usize].group.len(),
        }
    }

    fn rank_of(&mut self, communicator: Operand) -> Operand {
        let is_world = communicator == Operand::Constant(CommId::WORLD.0.into());
        match self.choices.below(4) {
            0 if is_world => Operand::RankPlus(0),
            1 if is_world => Operand::Formula(FormulaId(0)),
            2 => {
                let sizes: Vec<usize> = (0..self.ranks.len())
                    .map(|position| self.size(communicator, position))
                    .collect();
                self.table(|choices, position| choices.below(sizes[position]) as i64)
            }
            _ => Operand::Constant(0),
        }
    }

    fn transfer(&mut self) -> Transfer {
        let communicator = self.communicator();
        let rank = self.rank_of(communicator);
        let tag = self.free();
        Transfer {
            peer: self
                .choices
                .pick(&[Peer::Rank(rank), Peer::Any, Peer::Null]),
            tag: self.choices.pick(&[Tag::Value(tag), Tag::Any]),
            count: self.not_negative(),
            datatype: self.datatype(),
            communicator,
        }
    }

    fn datatype(&mut self) -> u32 {
        self.choices.below(self.data.datatypes.len()) as u32
    }

    fn start(&mut self) -> RequestId {
        self.starts += 1;
        let request = RequestId(self.choices.below(self.starts as usize) as u32);
        self.started.push(request);
        request
    }

    fn maybe_start(&mut self) -> Option<RequestId> {
        let starts = self.choices.flag();
        starts.then(|| self.start())
    }

    fn requests(&mut self) -> Vec<RequestId> {
        let started = self.started.clone();
        if started.is_empty() {
            Vec::new()
        } else {
            self.choices.list(4, |c| c.pick(&started))
        }
    }

    fn mode(&mut self) -> SendMode {
        self.choices.pick(&[
            SendMode::Standard,
            SendMode::Synchronous,
            SendMode::Ready,
            SendMode::Buffered,
        ])
    }

    fn call(&mut self) -> Call {
        match self.choices.below(14) {
            0 => Call::Init,
            1 => Call::Finalize,
            2 => Call::Abort,
            3 => Call::Send {
                mode: self.mode(),
                transfer: self.transfer(),
                request: self.maybe_start(),
            },
            4 => Call::Receive {
                transfer: self.transfer(),
                request: self.maybe_start(),
                observed: self.choices.maybe(observed),
            },
            5 => Call::SendReceive {
                send: self.transfer(),
                receive: self.transfer(),
                observed: self.choices.maybe(observed),
            },
            6 => self.wait(),
            7 => self.test(),
            8 => Call::Probe {
                transfer: self.transfer(),
                blocking: self.choices.flag(),
                observed: self.choices.maybe(observed),
            },
            9 => {
                let mode = self.mode();
                Call::MakePersistent {
                    send: self.choices.maybe(|_| mode),
                    transfer: self.transfer(),
                    request: self.start(),
                }
            }
            10 => Call::StartPersistent {
                requests: self.requests(),
            },
            11 => Call::MakeCommunicator {
                parent: self.communicator(),
                made: self.table(|choices, _| choices.below(4) as i64 - 1),
            },
            _ => self.collective(),
        }
    }

    fn completion(&mut self, requests: &[RequestId]) -> (Completion, Vec<RequestId>) {
        let completion = self
            .choices
            .pick(&[Completion::All, Completion::Any, Completion::Some]);
        let most = if completion == Completion::Any {
            1
        } else {
            requests.len()
        };
        (
            completion,
            requests
                .iter()
                .take(self.choices.below(most + 1))
                .copied()
                .collect(),
        )
    }

    fn wait(&mut self) -> Call {
        let requests = self.requests();
        let (completion, completed) = self.completion(&requests);
        let observed = self.choices.list(requests.len() + 1, observed);
        Call::Wait {
            completion,
            requests,
            completed,
            observed,
        }
    }

    fn test(&mut self) -> Call {
        let requests = self.requests();
        let (completion, completed) = self.completion(&requests);
        Call::Test {
            completion,
            requests,
            completed,
        }
    }

    fn collective(&mut self) -> Call {
        const KINDS: [CollectiveKind; 11] = [
            CollectiveKind::Barrier,
            CollectiveKind::Broadcast,
            CollectiveKind::Reduce,
            CollectiveKind::Allreduce,
            CollectiveKind::Gather,
            CollectiveKind::Scatter,
            CollectiveKind::Allgather,
            CollectiveKind::Alltoall,
            CollectiveKind::ReduceScatter,
            CollectiveKind::Scan,
            CollectiveKind::ExclusiveScan,
        ];
        let communicator = self.communicator();
        let counts = self.counts(communicator);
        let more_counts = self.counts(communicator);
        Call::Collective {
            kind: self.choices.pick(&KINDS),
            communicator,
            root: Some(self.rank_of(communicator)),
            counts,
            receive_counts: self.choices.maybe(|_| more_counts),
            datatype: self.datatype(),
            reduce_op: Some(reduce_op(self.choices)),
            request: self.maybe_start(),
        }
    }

    fn counts(&mut self, communicator: Operand) -> Counts {
        if self.choices.flag() {
            return Counts::Same(self.not_negative());
        }
        let sizes: Vec<usize> = (0..self.ranks.len())
            .map(|position| self.size(communicator, position))
            .collect();
        let rows = sizes
            .iter()
            .map(|&size| (0..size).map(|_| self.choices.number()).collect());
        let rows = rows.collect();
        self.data.count_tables.push(rows);
        Counts::PerRank(self.data.count_tables.len() as u32 - 1)
    }
}

fn observed(choices: &mut Choices) -> ObservedMatch {
    ObservedMatch {
        source: choices.signed(),
        tag: choices.signed(),
    }
}

pub fn reduce_op(choices: &mut Choices) -> ReduceOp {
    let commutes = choices.flag();
    choices.pick(&[
        ReduceOp::Sum,
        ReduceOp::Product,
        ReduceOp::Maximum,
        ReduceOp::Minimum,
        ReduceOp::LogicalAnd,
        ReduceOp::LogicalOr,
        ReduceOp::LogicalXor,
        ReduceOp::BitAnd,
        ReduceOp::BitOr,
        ReduceOp::BitXor,
        ReduceOp::MaximumLocation,
        ReduceOp::MinimumLocation,
        ReduceOp::User { commutes },
    ])
}
