//! Costs of blocks as variables of a meta-program. Program data distinguish executions of a block by their work terms; those of
//! different cost get variables of their own.

use crate::cost_curves::{Curve, curve};
use crate::operands::{ByRank, SAME_COST};
use crate::syntax::Statement;
use base_data::block_table::BlockTable;
use base_data::program_data::{Op, Operand, ProgramData, RankClass};
use base_data::stream::executions;
use base_data::{BlockId, VariantId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Mean time of an execution of a variant on a rank, in the unit of costs.
pub type VariantCosts = BTreeMap<(u32, VariantId), f64>;

/// Levels of nearly the same total with which a cost is compared. Costs are sorted by their sum over the ranks, so that equal ones
/// are neighbours unless ranks exchange roles; then more of them only make the text longer.
const COMPARED_LEVELS: usize = 8;

/// The variables of all blocks.
pub(crate) struct CostVariables<'a> {
    program: &'a ProgramData,
    costs: &'a VariantCosts,
    /// A name for each block.
    names: Vec<String>,
    /// Of each block and variable: the cost on each rank.
    values: BTreeMap<(BlockId, CostKind), BTreeMap<u32, f64>>,
    /// The blocks and variables of names.
    by_name: HashMap<String, (BlockId, CostKind)>,
    /// Ranks of the present class.
    ranks: Vec<u32>,
    /// Number of curves of each block in the present class.
    curves: HashMap<BlockId, usize>,
    /// Levels of the blocks of the present class.
    levels: HashMap<(BlockId, Operand), Option<usize>>,
}

/// What a variable of a block is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CostKind {
    /// One of the costs that executions have.
    Level(usize),
    /// A coefficient of a curve over the index of a loop: the number of the curve, and the power.
    Coefficient(usize, usize),
}

/// Executions of a block by the ranks of a class with one operand.
struct Executed {
    operand: Operand,
    /// By position in the class.
    costs: Vec<f64>,
    count: f64,
}

/// Executions whose costs are equal on every rank.
struct Level {
    executed: Vec<Executed>,
}

impl<'a> CostVariables<'a> {
    pub(crate) fn of(program: &'a ProgramData, costs: &'a VariantCosts) -> Self {
        Self {
            program,
            costs,
            names: block_names(&program.table),
            values: BTreeMap::new(),
            by_name: HashMap::new(),
            ranks: Vec::new(),
            curves: HashMap::new(),
            levels: HashMap::new(),
        }
    }

    /// Begins a class, of which this part of the stream is described.
    pub(crate) fn begin_class(&mut self, class: &RankClass, stream: &[Op]) {
        self.levels.clear();
        self.curves.clear();
        self.ranks = class.ranks.iter().map(|rank| rank.0).collect();
        for (block, executed) in self.executed(class, stream) {
            let mut number = 0;
            for level in levels(executed) {
                let costs = level.mean();
                let takes_time = costs.iter().any(|&cost| cost > 0.0);
                for executed in level.executed {
                    let level = takes_time.then_some(number);
                    self.levels.insert((block, executed.operand), level);
                }
                if takes_time {
                    self.set(block, CostKind::Level(number), &costs);
                    number += 1;
                }
            }
        }
    }

    fn set(&mut self, block: BlockId, kind: CostKind, costs: &[f64]) -> String {
        let values = self.values.entry((block, kind)).or_default();
        values.extend(self.ranks.iter().copied().zip(costs.iter().copied()));
        let name = self.kind_name(block, kind);
        self.by_name.insert(name.clone(), (block, kind));
        name
    }

    /// The variable of an execution; `None` if it takes no time on any rank of the class.
    pub(crate) fn name(&self, block: BlockId, operand: Operand) -> Option<String> {
        let level = self.levels.get(&(block, operand)).copied().flatten()?;
        Some(self.kind_name(block, CostKind::Level(level)))
    }

    fn kind_name(&self, block: BlockId, kind: CostKind) -> String {
        let name = self
            .names
            .get(block.index())
            .map_or("$cost", String::as_str);
        let numbered = |word: &str, number: usize| match number {
            0 => format!("{name}_{word}"),
            _ => format!("{name}_{word}{}", number + 1),
        };
        match kind {
            CostKind::Level(0) => name.into(),
            CostKind::Level(level) => numbered("cost", level),
            CostKind::Coefficient(number, 0) => numbered("first", number),
            CostKind::Coefficient(number, 1) => numbered("step", number),
            CostKind::Coefficient(number, _) => numbered("bend", number),
        }
    }

    /// What variables have in common whose values may be on a curve: the block and the power.
    pub(crate) fn block_name(&self, name: &str) -> Option<String> {
        let &(block, kind) = self.by_name.get(name)?;
        let kind = match kind {
            // The constant of a curve is a cost, too.
            CostKind::Level(_) | CostKind::Coefficient(_, 0) => CostKind::Level(0),
            CostKind::Coefficient(_, power) => CostKind::Coefficient(0, power),
        };
        Some(self.kind_name(block, kind))
    }

    /// Values of a variable on the ranks of the class.
    fn values_of(&self, name: &str) -> Option<Vec<f64>> {
        let values = self.values.get(self.by_name.get(name)?)?;
        let of_rank = |rank: &u32| values.get(rank).copied();
        self.ranks.iter().map(of_rank).collect()
    }

    /// The curve on which the values of variables are, if there is one.
    pub(crate) fn curve(&self, names: &[&str]) -> Option<Curve> {
        // Long loops repeat variables: each is looked up once.
        let mut known: HashMap<&str, Vec<f64>> = HashMap::new();
        for &name in names {
            if !known.contains_key(name) {
                known.insert(name, self.values_of(name)?);
            }
        }
        let costs: Vec<&[f64]> = names.iter().map(|name| &known[name][..]).collect();
        curve(&costs)
    }

    /// Variables of the coefficients of a curve, on which the values of `names` are.
    pub(crate) fn define(&mut self, names: &[&str], curve: Curve) -> Vec<String> {
        let Some(&(block, _)) = names.first().and_then(|name| self.by_name.get(*name)) else {
            return Vec::new();
        };
        let number = self.curves.entry(block).or_default();
        let own = *number;
        *number += 1;
        let coefficients = curve.iter().enumerate();
        coefficients
            .map(|(power, values)| self.set(block, CostKind::Coefficient(own, power), values))
            .collect()
    }

    /// Assignments of the variables that are used: the cost that most ranks have, then those of the others.
    pub(crate) fn assignments(&self, used: &BTreeSet<String>) -> Vec<Statement> {
        let mut statements = Vec::new();
        for (&(block, kind), costs) in &self.values {
            let name = self.kind_name(block, kind);
            if !used.contains(&name) {
                continue;
            }
            let by_rank: ByRank = costs.iter().map(|(&rank, &cost)| (rank, cost)).collect();
            let table = &self.program.table;
            let entry = table.blocks.get(block.index());
            let place = entry.map(|block| table.place(&block.span));
            statements.extend(by_rank.assignments(&name, place));
        }
        statements
    }

    /// Blocks with their executions, each operand once.
    fn executed(&self, class: &RankClass, stream: &[Op]) -> BTreeMap<BlockId, Vec<Executed>> {
        let mut places: HashMap<(BlockId, Operand), usize> = HashMap::new();
        let mut blocks: BTreeMap<BlockId, Vec<Executed>> = BTreeMap::new();
        for (op, count) in executions(stream) {
            let Op::Block { block, variant } = *op else {
                continue;
            };
            let count = count as f64;
            let executed = blocks.entry(block).or_default();
            let next = executed.len();
            let place = *places.entry((block, variant)).or_insert(next);
            match executed.get_mut(place) {
                Some(known) => known.count += count,
                None => executed.push(Executed {
                    operand: variant,
                    costs: self.costs_of(class, variant),
                    count,
                }),
            }
        }
        blocks
    }

    fn costs_of(&self, class: &RankClass, operand: Operand) -> Vec<f64> {
        let cost = |(position, rank)| {
            let variant = self.program.variant(operand, rank, position)?;
            self.costs.get(&(rank.0, variant)).copied()
        };
        let ranks = class.ranks.iter().enumerate();
        ranks.map(|rank| cost(rank).unwrap_or(0.0)).collect()
    }
}

/// Executions of equal cost, cheaper ones first, so that the levels of several classes correspond.
fn levels(mut executed: Vec<Executed>) -> Vec<Level> {
    let sum = |executed: &Executed| executed.costs.iter().sum::<f64>();
    executed.sort_by(|first, second| {
        let by_rank = || {
            let pairs = first.costs.iter().zip(&second.costs);
            let mut orders = pairs.map(|(first, second)| first.total_cmp(second));
            let unequal = orders.find(|order| order.is_ne());
            unequal.unwrap_or(std::cmp::Ordering::Equal)
        };
        sum(first).total_cmp(&sum(second)).then_with(by_rank)
    });
    let mut levels: Vec<Level> = Vec::new();
    for next in executed {
        let mut known = levels.iter_mut().rev().take(COMPARED_LEVELS);
        match known.find(|level| level.includes(&next.costs)) {
            Some(level) => level.executed.push(next),
            None => levels.push(Level {
                executed: vec![next],
            }),
        }
    }
    levels
}

impl Level {
    /// Whether costs are equal to those of the first execution.
    fn includes(&self, costs: &[f64]) -> bool {
        let Some(first) = self.executed.first() else {
            return false;
        };
        let mut pairs = first.costs.iter().zip(costs);
        pairs.all(|(first, cost)| (cost - first).abs() <= SAME_COST * first.abs().max(cost.abs()))
    }

    /// Mean costs of the executions by position in the class.
    fn mean(&self) -> Vec<f64> {
        let ranks = self.executed.first().map_or(0, |first| first.costs.len());
        let all: f64 = self.executed.iter().map(|executed| executed.count).sum();
        let mean_of = |position: usize| {
            let weighted = self.executed.iter();
            let sum: f64 = weighted
                .map(|executed| executed.costs[position] * executed.count)
                .sum();
            sum / all
        };
        match &self.executed[..] {
            // Without rounding.
            [only] => only.costs.clone(),
            _ => (0..ranks).map(mean_of).collect(),
        }
    }
}

/// A name for each block: its procedure and first line.
fn block_names(table: &BlockTable) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut names = Vec::new();
    for block in &table.blocks {
        let procedure: String = block
            .key
            .procedure
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' })
            .collect();
        // Global, so that the definitions of all classes see it.
        let name = format!("${procedure}_{}", block.span.first_line);
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        names.push(if *number == 1 {
            name
        } else {
            format!("{name}_{number}")
        });
    }
    names
}
