//! One stream for a class of ranks: each operand becomes the shortest expression that gives every
//! rank its own value.

use super::operands;
use base_data::ids::TableId;
use base_data::program_data::{Op, Operand};
use std::collections::HashMap;

/// Tables of operand values, each kept once.
#[derive(Default)]
pub(crate) struct OperandTables {
    tables: Vec<Vec<i64>>,
    index: HashMap<Vec<i64>, TableId>,
    /// Of each table of counts, the list of every rank of its class.
    count_tables: Vec<Vec<u32>>,
    count_index: HashMap<Vec<u32>, u32>,
}

impl OperandTables {
    fn add(&mut self, values: Vec<i64>) -> TableId {
        let next = TableId::from_index(self.tables.len());
        let id = *self.index.entry(values.clone()).or_insert(next);
        if id == next {
            self.tables.push(values);
        }
        id
    }

    pub(crate) fn add_counts(&mut self, lists: Vec<u32>) -> u32 {
        let next = self.count_tables.len() as u32;
        let id = *self.count_index.entry(lists.clone()).or_insert(next);
        if id == next {
            self.count_tables.push(lists);
        }
        id
    }

    /// The tables of operands, and those of counts, from the lists they refer to.
    pub(crate) fn into_tables(self, lists: &[Vec<u64>]) -> (Vec<Vec<i64>>, Vec<Vec<Vec<u64>>>) {
        let table = |of_class: Vec<u32>| {
            of_class
                .into_iter()
                .map(|list| lists[list as usize].clone())
                .collect()
        };
        (
            self.tables,
            self.count_tables.into_iter().map(table).collect(),
        )
    }
}

/// The common stream of `ranks`, whose streams have one shape.
pub(crate) fn stream(ranks: &[u32], streams: &[Vec<Op>], tables: &mut OperandTables) -> Vec<Op> {
    let Some(&first) = ranks.first() else {
        return Vec::new();
    };
    let mut common = streams[first as usize].clone();
    for (at, op) in common.iter_mut().enumerate() {
        // The operands of this op on each rank, in the order in which `operands::each` visits them.
        let mut all: Vec<Vec<i64>> = Vec::with_capacity(ranks.len());
        for &rank in ranks {
            all.push(values(&streams[rank as usize][at]));
        }
        let mut number = 0;
        operands::each(op, &mut |operand, _| {
            *operand = expression(ranks, all.iter().map(|own| own[number]).collect(), tables);
            number += 1;
        });
        if count_lists(op).is_empty() {
            continue;
        }
        let mut lists: Vec<Vec<u32>> = Vec::with_capacity(ranks.len());
        for &rank in ranks {
            lists.push(count_lists(&streams[rank as usize][at]));
        }
        let mut number = 0;
        operands::each_count_list(op, &mut |list| {
            *list = tables.add_counts(lists.iter().map(|own| own[number]).collect());
            number += 1;
        });
    }
    common
}

fn count_lists(op: &Op) -> Vec<u32> {
    let mut lists = Vec::new();
    operands::each_count_list(&mut op.clone(), &mut |list| lists.push(*list));
    lists
}

fn values(op: &Op) -> Vec<i64> {
    let mut values = Vec::new();
    operands::each(&mut op.clone(), &mut |operand, _| {
        // Streams of single ranks hold constants only; `tables` has made sure.
        if let Operand::Constant(value) = operand {
            values.push(*value);
        }
    });
    values
}

/// The shortest expression that gives the ranks these values.
pub(crate) fn expression(ranks: &[u32], values: Vec<i64>, tables: &mut OperandTables) -> Operand {
    let (rank, value) = (i64::from(ranks[0]), values[0]);
    let all = |f: &dyn Fn(i64) -> i64| {
        ranks
            .iter()
            .zip(&values)
            .all(|(&r, &v)| f(i64::from(r)) == v)
    };
    // XOR is the partner of butterfly exchanges (recursive doubling), an offset that of shifts.
    if all(&|_| value) {
        Operand::Constant(value)
    } else if all(&|r| r + (value - rank)) {
        Operand::RankPlus(value - rank)
    } else if all(&|r| r ^ (value ^ rank)) {
        Operand::RankXor(value ^ rank)
    } else {
        Operand::Table(tables.add(values))
    }
}
