//! The derivative of the total with respect to one parameter: each rank's state is the derivative of its clock, and a
//! rank that waits continues with the derivative of the clock that it waited for. This is exact as long as the same
//! sides stay the later ones, because every time is linear in the parameter.

use super::cause_propagation::{Ended, Propagation};
use super::dependence_edge::CostComponents;
use crate::block_times::BlockTimesTable;
use crate::replay::observer::Start;
use crate::replay::workspace::RankOutcome;
use base_data::Time;

/// What a parameter adds to every time it is in, per unit of its factor, in picoseconds.
pub(crate) enum Gradient<'a> {
    /// By size of message, then by [`CostComponents::index`].
    Network(&'a [[f64; CostComponents::KINDS]]),
    /// Executions of one block; `factor` is the ratio of their time to that of the base run.
    Block {
        block: u32,
        factor: f64,
        times: &'a BlockTimesTable,
    },
}

/// Carries derivatives.
pub(crate) struct Slopes<'a> {
    gradient: Gradient<'a>,
    /// By rank: at the section's begin and end.
    sections: Vec<[f64; 2]>,
}

impl<'a> Slopes<'a> {
    /// Of `ranks` ranks.
    pub(crate) fn new(gradient: Gradient<'a>, ranks: usize) -> Self {
        Self {
            gradient,
            sections: vec![[0.0; 2]; ranks],
        }
    }

    /// Derivative of a rank's time in the section.
    pub(crate) fn of_section(&self, rank: usize) -> f64 {
        let [begin, end] = self.sections[rank];
        end - begin
    }

    fn add(&self, state: &mut f64, size: u32, pieces: CostComponents) {
        match &self.gradient {
            Gradient::Network(table) => *state += table[size as usize][pieces.index()],
            Gradient::Block { .. } => {}
        }
    }
}

/// The rank whose section is the longest; of equals the first.
pub(crate) fn longest(ranks: &[RankOutcome]) -> usize {
    let length = |rank: &usize| ranks[*rank].end - ranks[*rank].begin;
    // `max_by_key` returns the last of equals; in reverse order that is the lowest rank.
    (0..ranks.len()).rev().max_by_key(length).unwrap_or(0)
}

impl Propagation for Slopes<'_> {
    type PathState = f64;

    fn computed(&mut self, state: &mut f64, rank: u32, variant: u32, time: Time) {
        match self.gradient {
            Gradient::Block {
                block,
                factor,
                times,
            } if times.of(rank, variant).block == block => {
                // The present time is factor · time without; its derivative by the factor is the time
                // without.
                *state += time.picoseconds() as f64 / factor;
            }
            Gradient::Block { .. } | Gradient::Network(_) => {}
        }
    }

    fn started(&mut self, state: &mut f64, start: &Start) {
        if !start.blocking {
            self.add(state, start.size, CostComponents::Start);
        }
    }

    fn ended(&mut self, state: &mut f64, ended: &Ended<'_, f64>) {
        match ended.cause {
            Some(cause) => {
                *state = ended.origin(cause).state;
                self.add(state, ended.size, cause.pieces);
            }
            None if ended.end.least > Time::ZERO => {
                self.add(state, ended.own.size, CostComponents::Complete)
            }
            None => {}
        }
    }

    fn section(&mut self, state: f64, rank: u32, begins: bool) {
        self.sections[rank as usize][usize::from(!begins)] = state;
    }
}
