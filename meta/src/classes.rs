//! Streams of single ranks to rank classes: ranks whose streams differ in operands alone share one.

use crate::rank_vectors::{RankVectors, VectorId};
use base_data::hashing::{NumberHasher, NumberMap};
use base_data::program_data::{Call, Counts, Op, Operand, Peer, RankClass, Tag, Transfer};
use base_data::{Rank, RankSet, TableId};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Rank classes as far as ranks were added.
#[derive(Default)]
pub(crate) struct Classes {
    classes: Vec<OpenClass>,
    by_shape: NumberMap<u64, Vec<usize>>,
}

struct OpenClass {
    ranks: Vec<Rank>,
    /// The stream with 0 in place of every operand.
    shape: Vec<Op>,
    /// Values of each operand over the ranks.
    columns: Vec<Column>,
    /// Of each vector of counts its number, over the ranks.
    vectors: Vec<Vec<u32>>,
}

/// What the streams of classes refer to.
pub(crate) struct ClassTables {
    /// [`base_data::program_data::ProgramData::tables`].
    pub(crate) values: Vec<Vec<i64>>,
    /// [`base_data::program_data::ProgramData::count_tables`].
    pub(crate) counts: Vec<Vec<Vec<u64>>>,
}

/// Values of an operand.
#[derive(Clone)]
enum Column {
    /// The same on all ranks.
    Same(i64),
    /// One per rank of a set: a vector that other operands may share.
    Vector(Rc<[f64]>),
    /// One per rank.
    Values(Vec<i64>),
}

/// What an operand means.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Meaning {
    /// A number of something, or a rank.
    Number,
    /// An index, which no formula of the rank should give.
    Index,
}

impl Classes {
    /// Adds the stream of ranks that were executed together.
    pub(crate) fn add(&mut self, ranks: &[u32], mut stream: Vec<Op>, by_rank: &RankVectors) {
        let mut columns = Vec::new();
        let mut vectors = Vec::new();
        for op in &mut stream {
            for_each_vector(op, &mut |vector| vectors.push(std::mem::take(vector)));
            for_each_operand(op, &mut |operand, _| {
                match *operand {
                    Operand::Constant(value) => columns.push(Column::Same(value)),
                    Operand::Table(TableId(number)) => {
                        columns.push(Column::Vector(by_rank.values(VectorId(number))));
                    }
                    // Streams of meta-programs have no others.
                    _ => return,
                }
                *operand = Operand::Constant(0);
            });
        }
        let mut hasher = NumberHasher::default();
        stream.hash(&mut hasher);
        let candidates = self.by_shape.entry(hasher.finish()).or_default();
        let known = candidates
            .iter()
            .copied()
            .find(|&index| self.classes[index].shape == stream);
        let ranks: Vec<Rank> = ranks.iter().copied().map(Rank).collect();
        if let Some(index) = known {
            self.classes[index].add(&ranks, columns, &vectors);
            return;
        }
        candidates.push(self.classes.len());
        self.classes.push(OpenClass {
            vectors: vectors
                .into_iter()
                .map(|vector| vec![vector; ranks.len()])
                .collect(),
            ranks,
            shape: stream,
            columns,
        });
    }

    /// The classes and the tables that their operands refer to; `vectors` are those of counts.
    pub(crate) fn finish(self, vectors: &[Vec<u64>]) -> (Vec<RankClass>, ClassTables) {
        let mut tables = Tables::default();
        let classes = self
            .classes
            .into_iter()
            .map(|class| class.finish(&mut tables))
            .collect();
        let counts = |numbers: Vec<u32>| -> Vec<Vec<u64>> {
            let of_rank = |number: u32| vectors.get(number as usize).cloned().unwrap_or_default();
            numbers.into_iter().map(of_rank).collect()
        };
        let tables = ClassTables {
            values: tables.tables,
            counts: tables.vectors.into_iter().map(counts).collect(),
        };
        (classes, tables)
    }
}

impl OpenClass {
    fn add(&mut self, ranks: &[Rank], columns: Vec<Column>, vectors: &[u32]) {
        for (column, &vector) in self.vectors.iter_mut().zip(vectors) {
            column.extend(std::iter::repeat_n(vector, ranks.len()));
        }
        let known = self.ranks.len();
        for (column, more) in self.columns.iter_mut().zip(columns) {
            match (&mut *column, &more) {
                (Column::Same(same), Column::Same(other)) if same == other => {}
                (Column::Values(all), _) => more.write(ranks.len(), all),
                (Column::Same(_) | Column::Vector(_), _) => {
                    let mut all = Vec::with_capacity(known + ranks.len());
                    column.write(known, &mut all);
                    more.write(ranks.len(), &mut all);
                    *column = Column::Values(all);
                }
            }
        }
        self.ranks.extend_from_slice(ranks);
    }

    /// Brings the ranks into ascending order: sets of ranks may come in any.
    fn sort(&mut self) {
        if self.ranks.is_sorted() {
            return;
        }
        let mut order: Vec<usize> = (0..self.ranks.len()).collect();
        order.sort_by_key(|&place| self.ranks[place]);
        self.ranks = order.iter().map(|&place| self.ranks[place]).collect();
        for vector in &mut self.vectors {
            *vector = order.iter().map(|&place| vector[place]).collect();
        }
        for column in &mut self.columns {
            if let Column::Values(values) = column {
                *values = order.iter().map(|&place| values[place]).collect();
            }
        }
    }

    fn finish(mut self, tables: &mut Tables) -> RankClass {
        self.sort();
        tables.of_vectors.clear();
        let mut columns = self.columns.into_iter();
        let mut vectors = self.vectors.into_iter();
        for op in &mut self.shape {
            for_each_vector(op, &mut |vector| {
                if let Some(column) = vectors.next() {
                    *vector = tables.vector(column);
                }
            });
            // The same order as in `add`, so the next column is that of this operand.
            for_each_operand(op, &mut |operand, meaning| {
                if let (Operand::Constant(_), Some(column)) = (*operand, columns.next()) {
                    *operand = tables.operand(column, meaning, &self.ranks);
                }
            });
        }
        RankClass {
            ranks: RankSet::from_ranks(self.ranks),
            stream: self.shape,
        }
    }
}

impl Column {
    /// Adds the values of so many ranks.
    fn write(&self, ranks: usize, all: &mut Vec<i64>) {
        match self {
            Self::Same(value) => all.extend(std::iter::repeat_n(*value, ranks)),
            // Converted to whole numbers before.
            Self::Vector(values) => all.extend(values.iter().map(|value| *value as i64)),
            Self::Values(values) => all.extend(values),
        }
    }
}

/// The place of a vector in memory, and what its numbers mean.
type VectorKey = (*const f64, Meaning);

/// Tables of operands; equal ones are stored once.
#[derive(Default)]
struct Tables {
    tables: Vec<Vec<i64>>,
    numbers: NumberMap<Vec<i64>, TableId>,
    /// Numbers of vectors of counts, by position in the class.
    vectors: Vec<Vec<u32>>,
    /// Operands of the present class for its vectors, by their places in memory and meanings; the vectors are kept, so that places
    /// stay theirs.
    of_vectors: NumberMap<VectorKey, (Rc<[f64]>, Operand)>,
}

impl Tables {
    fn vector(&mut self, column: Vec<u32>) -> u32 {
        let known = self.vectors.iter().position(|known| *known == column);
        let number = known.unwrap_or_else(|| {
            self.vectors.push(column);
            self.vectors.len() - 1
        });
        number as u32
    }

    fn operand(&mut self, column: Column, meaning: Meaning, ranks: &[Rank]) -> Operand {
        match column {
            Column::Same(value) => Operand::Constant(value),
            Column::Values(values) => self.of_values(values, meaning, ranks),
            Column::Vector(vector) => {
                let key = (vector.as_ptr(), meaning);
                if let Some((_, known)) = self.of_vectors.get(&key) {
                    return *known;
                }
                let values = vector.iter().map(|value| *value as i64).collect();
                let operand = self.of_values(values, meaning, ranks);
                self.of_vectors.insert(key, (vector, operand));
                operand
            }
        }
    }

    fn of_values(&mut self, values: Vec<i64>, meaning: Meaning, ranks: &[Rank]) -> Operand {
        if meaning == Meaning::Number {
            let rank = |index: usize| i64::from(ranks[index].0);
            let is_all = |test: &dyn Fn(usize) -> bool| (0..values.len()).all(test);
            // A formula takes less space than a table with a value for each rank.
            let offset = values[0].wrapping_sub(rank(0));
            if is_all(&|index| values[index].wrapping_sub(rank(index)) == offset) {
                return Operand::RankPlus(offset);
            }
            let mask = values[0] ^ rank(0);
            if is_all(&|index| values[index] ^ rank(index) == mask) {
                return Operand::RankXor(mask);
            }
        }
        if let Some(&number) = self.numbers.get(&values) {
            return Operand::Table(number);
        }
        let number = TableId::from_index(self.tables.len());
        self.tables.push(values.clone());
        self.numbers.insert(values, number);
        Operand::Table(number)
    }
}

/// Visits the operands of an entry, always in the same order.
fn for_each_operand(op: &mut Op, visit: &mut dyn FnMut(&mut Operand, Meaning)) {
    match op {
        Op::Loop { .. } | Op::Mark(_) => {}
        Op::Block { variant, .. } => visit(variant, Meaning::Index),
        Op::Call { call, .. } => match call {
            Call::Send { transfer, .. } | Call::Receive { transfer, .. } => {
                of_transfer(transfer, visit);
            }
            Call::SendReceive { send, receive, .. } => {
                of_transfer(send, visit);
                of_transfer(receive, visit);
            }
            Call::Probe { transfer, .. } => of_transfer(transfer, visit),
            Call::Collective {
                communicator,
                root,
                counts,
                receive_counts,
                ..
            } => {
                visit(communicator, Meaning::Index);
                if let Some(root) = root {
                    visit(root, Meaning::Number);
                }
                for counts in [Some(counts), receive_counts.as_mut()]
                    .into_iter()
                    .flatten()
                {
                    if let Counts::Same(count) = counts {
                        visit(count, Meaning::Number);
                    }
                }
            }
            // Meta-programs have no such calls.
            Call::Init
            | Call::Finalize
            | Call::Abort
            | Call::Wait { .. }
            | Call::Test { .. }
            | Call::MakePersistent { .. }
            | Call::StartPersistent { .. }
            | Call::MakeCommunicator { .. } => {}
        },
    }
}

/// Visits the numbers of vectors of counts of an entry, always in the same order.
fn for_each_vector(op: &mut Op, visit: &mut dyn FnMut(&mut u32)) {
    if let Op::Call {
        call:
            Call::Collective {
                counts,
                receive_counts,
                ..
            },
        ..
    } = op
    {
        for counts in [Some(counts), receive_counts.as_mut()]
            .into_iter()
            .flatten()
        {
            if let Counts::PerRank(vector) = counts {
                visit(vector);
            }
        }
    }
}

fn of_transfer(transfer: &mut Transfer, visit: &mut dyn FnMut(&mut Operand, Meaning)) {
    if let Peer::Rank(rank) = &mut transfer.peer {
        visit(rank, Meaning::Number);
    }
    if let Tag::Value(tag) = &mut transfer.tag {
        visit(tag, Meaning::Number);
    }
    visit(&mut transfer.count, Meaning::Number);
}
