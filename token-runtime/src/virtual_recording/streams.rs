//! Streams as shapes with values, and back: a stream without its operands is a shape, and the values are
//! what its operands mean. A number stands for itself, a block for its work terms, a communicator for the
//! constructor call that made it, of whose communicators each rank has one.

use super::fitting::Fit;
use super::model::{Behaviour, Model};
use crate::classes::operands::{self, Meaning};
use crate::classes::tables::SharedTables;
use crate::classes::unify::{self, OperandTables};
use crate::classes::{MergeError, Merged, section};
use base_data::block_table::BlockTable;
use base_data::ids::{FormulaId, Rank};
use base_data::program_data::{Formula, Op, Operand, RankClass, Variant};
use base_data::provenance::Provenance;
use base_data::rank_recording::RankRecording;
use base_data::rank_set::RankSet;
use std::collections::HashMap;

/// The streams of the ranks that were run.
pub(super) struct Streams {
    ranks: u32,
    shared: SharedTables,
    shapes: Vec<Vec<Op>>,
    numbers: HashMap<Vec<Op>, u32>,
    constructor_calls: ConstructorCalls,
}

/// Constructor calls, and the communicator that each rank got of each.
struct ConstructorCalls {
    ranks: u32,
    /// By communicator: the call that made it.
    of: Vec<i64>,
    /// Calls on what another call made, by their sequence there.
    numbers: HashMap<(i64, u32), i64>,
    /// By call: communicators by rank.
    made: Vec<Vec<Option<u32>>>,
    /// Whether a rank has several communicators of one call.
    is_ambiguous: bool,
}

impl Streams {
    pub fn new(ranks: u32, table: BlockTable, provenance: &Provenance) -> Self {
        let shared = SharedTables::new(table, provenance, ranks);
        let constructor_calls = ConstructorCalls {
            ranks,
            of: Vec::new(),
            numbers: HashMap::new(),
            made: Vec::new(),
            is_ambiguous: false,
        };
        Self {
            ranks,
            shared,
            shapes: Vec::new(),
            numbers: HashMap::new(),
            constructor_calls,
        }
    }

    /// Takes in what a rank left.
    pub fn adopt(&mut self, rank: u32, recording: RankRecording) -> Result<Behaviour, MergeError> {
        if !recording.finalized {
            return Err(MergeError::NotFinalized(rank));
        }
        let mut stream = self.shared.adopt(rank, recording)?;
        self.constructor_calls
            .take_in(self.shared.communicators.list());
        let values = stream
            .iter_mut()
            .flat_map(|op| self.taken_values(op))
            .collect();
        let next = self.shapes.len() as u32;
        let shape = *self.numbers.entry(stream.clone()).or_insert(next);
        if shape == next {
            self.shapes.push(stream);
        }
        Ok(Behaviour { shape, values })
    }

    /// The values of an entry's operands, which are blanked out: of a block's, the number of terms stays.
    fn taken_values(&self, op: &mut Op) -> Vec<i64> {
        let mut values = Vec::new();
        operands::each(op, &mut |operand, meaning| {
            let Operand::Constant(value) = *operand else {
                return;
            };
            *operand = Operand::Constant(0);
            match meaning {
                Meaning::Number => values.push(value),
                Meaning::Communicator => values.push(self.constructor_calls.call_of(value)),
                Meaning::Variant => {
                    let terms = &self.shared.variants.list()[value as usize].terms;
                    // `is_known` and `Writer` read the values back in this order and need their number.
                    *operand = Operand::Constant(terms.len() as i64);
                    values.extend(terms);
                }
            }
        });
        operands::each_count_list(op, &mut |list| {
            values.push(i64::from(*list));
            *list = 0;
        });
        values
    }

    /// Whether all communicators that a rank has are known, and lists of counts.
    pub fn is_known(&self, rank: u32, does: &Behaviour) -> bool {
        // World and self exist on every rank.
        if self.constructor_calls.made.len() <= 2 && self.shared.count_lists.list().is_empty() {
            return true;
        }
        let (mut at, mut is_known) = (0, true);
        let mut next = || {
            at += 1;
            does.values[at - 1]
        };
        for op in &self.shapes[does.shape as usize] {
            let mut op = op.clone();
            operands::each(&mut op, &mut |operand, meaning| match meaning {
                Meaning::Number => drop(next()),
                Meaning::Communicator => {
                    is_known &= self.constructor_calls.communicator(next(), rank).is_some()
                }
                Meaning::Variant => (0..terms(operand)).for_each(|_| _ = next()),
            });
            operands::each_count_list(&mut op, &mut |_| {
                let list = usize::try_from(next());
                is_known &= list.is_ok_and(|list| list < self.shared.count_lists.list().len());
            });
        }
        is_known
    }

    /// Whether what the ranks did can be written as values at all.
    pub fn is_ambiguous(&self) -> bool {
        self.constructor_calls.is_ambiguous
    }

    /// What all ranks do by a model that knows them.
    pub fn into_data(mut self, model: &Model) -> Result<Merged, MergeError> {
        let mut order: Vec<u32> = Vec::new();
        let mut members: HashMap<u32, Vec<u32>> = HashMap::new();
        for rank in 0..self.ranks {
            let shape = model.shape(rank);
            let ranks = members.entry(shape).or_default();
            if ranks.is_empty() {
                order.push(shape);
            }
            ranks.push(rank);
        }
        let (mut tables, mut formulas) = (OperandTables::default(), Formulas::default());
        let mut classes = Vec::with_capacity(order.len());
        for shape in order {
            let ranks = &members[&shape];
            let mut writer = Writer {
                model,
                shape,
                ranks,
                at: 0,
                tables: &mut tables,
                formulas: &mut formulas,
            };
            let mut stream = std::mem::take(&mut self.shapes[shape as usize]);
            stream
                .iter_mut()
                .for_each(|op| writer.write(op, &mut self.shared, &self.constructor_calls));
            let ranks = RankSet::from_ranks(ranks.iter().copied().map(Rank));
            classes.push(RankClass { ranks, stream });
        }
        section::check(
            classes
                .iter()
                .filter_map(|class| Some((class.ranks.get(0)?.0, &class.stream[..]))),
        )?;
        Ok(Merged {
            shared: self.shared,
            classes,
            tables,
            formulas: formulas.list,
        })
    }
}

/// Number of work terms in a blanked operand of a block.
fn terms(operand: &Operand) -> usize {
    match operand {
        Operand::Constant(terms) => *terms as usize,
        Operand::RankPlus(_) | Operand::RankXor(_) | Operand::Formula(_) | Operand::Table(_) => 0,
    }
}

impl ConstructorCalls {
    /// Takes in communicators that are new at the end of the list; the first two are the world and self.
    fn take_in(&mut self, communicators: &[base_data::program_data::Communicator]) {
        for (id, communicator) in (0..).zip(communicators).skip(self.of.len()) {
            // Communicators without a parent get distinct negative keys, which no call number equals.
            let parent = communicator
                .parent
                .map_or(-1 - i64::from(id), |parent| self.of[parent.index()]);
            let next = self.made.len() as i64;
            let call = *self
                .numbers
                .entry((parent, communicator.sequence))
                .or_insert(next);
            if call == next {
                self.made.push(vec![None; self.ranks as usize]);
            }
            self.of.push(call);
            let all_ranks = RankSet::all(self.ranks);
            // Self has no group: each rank has its own.
            let group = if id == 1 {
                &all_ranks
            } else {
                &communicator.group
            };
            for rank in group.iter() {
                let place = &mut self.made[call as usize][rank.index()];
                self.is_ambiguous |= place.replace(id).is_some();
            }
        }
    }

    /// The call that made a communicator; −1 for none.
    fn call_of(&self, communicator: i64) -> i64 {
        usize::try_from(communicator).map_or(-1, |id| self.of[id])
    }

    /// The communicator that a rank has of a call; −1 for none.
    fn communicator(&self, call: i64, rank: u32) -> Option<i64> {
        if call == -1 {
            return Some(-1);
        }
        let made = self.made.get(usize::try_from(call).ok()?)?;
        made[rank as usize].map(i64::from)
    }
}

/// Formulas, each once.
#[derive(Default)]
struct Formulas {
    list: Vec<Formula>,
    numbers: HashMap<Formula, FormulaId>,
}

impl Formulas {
    fn add(&mut self, formula: Formula) -> FormulaId {
        let next = FormulaId::from_index(self.list.len());
        let id = *self.numbers.entry(formula.clone()).or_insert(next);
        if id == next {
            self.list.push(formula);
        }
        id
    }
}

/// Writes operands into the stream of a class.
struct Writer<'a> {
    model: &'a Model,
    shape: u32,
    ranks: &'a [u32],
    /// The next value.
    at: usize,
    tables: &'a mut OperandTables,
    formulas: &'a mut Formulas,
}

impl<'a> Writer<'a> {
    fn write(
        &mut self,
        op: &mut Op,
        shared: &mut SharedTables,
        constructor_calls: &ConstructorCalls,
    ) {
        let block = match op {
            Op::Block { block, .. } => Some(*block),
            Op::Loop { .. } | Op::Mark(_) | Op::Call { .. } => None,
        };
        operands::each(op, &mut |operand, meaning| {
            *operand = match (meaning, block) {
                (Meaning::Number, _) => self.number(),
                (Meaning::Communicator, _) => self.decoded(1, |rank, call| {
                    constructor_calls.communicator(call[0], rank).unwrap_or(-1)
                }),
                (Meaning::Variant, None) => *operand,
                (Meaning::Variant, Some(block)) => self.decoded(terms(operand), |_, terms| {
                    shared.variants.add(Variant {
                        block,
                        terms: terms.to_vec(),
                    }) as i64
                }),
            };
        });
        operands::each_count_list(op, &mut |list| {
            let fit = self.next();
            let lists = self
                .ranks
                .iter()
                .map(|&rank| fit.value(rank) as u32)
                .collect();
            *list = self.tables.add_counts(lists);
        });
    }

    fn next(&mut self) -> &'a Fit {
        self.at += 1;
        self.model.fit(self.shape, self.at - 1)
    }

    /// A value that stands for itself.
    fn number(&mut self) -> Operand {
        let ranks = self.ranks;
        let values = match self.next() {
            Fit::One(expression) => match (expression.operand(), ranks) {
                // In a class of one rank, every expression is a constant.
                (_, [only]) => return Operand::Constant(expression.value(*only)),
                (Some(operand), _) => return operand,
                (None, _) => {
                    let formula = Formula(expression.steps());
                    return Operand::Formula(self.formulas.add(formula));
                }
            },
            fit @ Fit::Several { .. } => ranks.iter().map(|&rank| fit.value(rank)).collect(),
        };
        unify::expression(ranks, values, self.tables)
    }

    /// So many values that together stand for something, which `decode` gives for a rank.
    fn decoded(&mut self, count: usize, mut decode: impl FnMut(u32, &[i64]) -> i64) -> Operand {
        let fits: Vec<&Fit> = (self.at..self.at + count)
            .map(|at| self.model.fit(self.shape, at))
            .collect();
        self.at += count;
        let mut values = vec![0; count];
        let each = self.ranks.iter().map(|&rank| {
            values
                .iter_mut()
                .zip(&fits)
                .for_each(|(value, fit)| *value = fit.value(rank));
            decode(rank, &values)
        });
        let each = each.collect();
        unify::expression(self.ranks, each, self.tables)
    }
}
