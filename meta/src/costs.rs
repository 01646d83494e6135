//! The cost methods of Yuyama et al. 2005, table 1: expectations of what a meta-program computes and communicates.

use crate::flow::{Amount, Flow, Iterations};
use crate::random::Generator;
use crate::syntax::Action;

/// Expected costs of one rank, in the units of the meta-program.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// compute.
    pub computation: f64,
    /// input.
    pub stream_input: f64,
    /// output.
    pub stream_output: f64,
    /// Number of input and output.
    pub stream_count: f64,
    /// msgsend.
    pub message_send: f64,
    /// msgrecv.
    pub message_receive: f64,
    /// Number of msgsend and msgrecv.
    pub message_count: f64,
    /// Costs of collectives.
    pub collective: f64,
    /// Number of collectives.
    pub collective_count: f64,
}

/// A value of all costs of a rank.
pub type CostMethod = fn(&Costs) -> f64;

/// Names of the cost methods, and the value of each. The last two are additions to table 1, which knows no collectives.
pub const COST_METHODS: [(&str, CostMethod); 11] = [
    ("comp_cost", |costs| costs.computation),
    ("strmcomm_cost", |costs| {
        costs.stream_input + costs.stream_output
    }),
    ("strmin_cost", |costs| costs.stream_input),
    ("strmout_cost", |costs| costs.stream_output),
    ("strmcomm_count", |costs| costs.stream_count),
    ("msgcomm_cost", |costs| {
        costs.message_send + costs.message_receive
    }),
    ("msgsend_cost", |costs| costs.message_send),
    ("msgrecv_cost", |costs| costs.message_receive),
    ("msgcomm_count", |costs| costs.message_count),
    ("collcomm_cost", |costs| costs.collective),
    ("collcomm_count", |costs| costs.collective_count),
];

impl Costs {
    fn combined(&self, other: &Self, combine: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            computation: combine(self.computation, other.computation),
            stream_input: combine(self.stream_input, other.stream_input),
            stream_output: combine(self.stream_output, other.stream_output),
            stream_count: combine(self.stream_count, other.stream_count),
            message_send: combine(self.message_send, other.message_send),
            message_receive: combine(self.message_receive, other.message_receive),
            message_count: combine(self.message_count, other.message_count),
            collective: combine(self.collective, other.collective),
            collective_count: combine(self.collective_count, other.collective_count),
        }
    }

    /// The sum.
    pub fn sum(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a + b)
    }
}

impl Amount for Costs {
    fn none() -> Self {
        Self::default()
    }

    fn of_action(action: Action, cost: f64) -> Self {
        let none = Self::default();
        match action {
            Action::Compute => Self {
                computation: cost,
                ..none
            },
            Action::Input => Self {
                stream_input: cost,
                stream_count: 1.0,
                ..none
            },
            Action::Output => Self {
                stream_output: cost,
                stream_count: 1.0,
                ..none
            },
            Action::Send | Action::StartSend => Self {
                message_send: cost,
                message_count: 1.0,
                ..none
            },
            Action::Receive | Action::StartReceive => Self {
                message_receive: cost,
                message_count: 1.0,
                ..none
            },
            Action::Exchange => Self {
                message_send: cost,
                message_receive: cost,
                // A send and a receive: as many as the two calls of the MegaScript paper (2005) that it replaces.
                message_count: 2.0,
                ..none
            },
            // Messages count where they start.
            Action::Wait | Action::Probe => none,
            Action::Barrier
            | Action::Broadcast
            | Action::Reduce
            | Action::Allreduce
            | Action::Gather
            | Action::Scatter
            | Action::Allgather
            | Action::Alltoall
            | Action::ReduceScatter
            | Action::Scan
            | Action::ExclusiveScan => Self {
                collective: cost,
                collective_count: 1.0,
                ..none
            },
        }
    }

    fn plus(&self, other: &Self, _: &mut Generator) -> Self {
        self.sum(other)
    }

    fn times(&self, count: f64, _: &mut Generator) -> Self {
        self.combined(self, |cost, _| cost * count)
    }

    fn or(&self, probability: f64, other: &Self, _: &mut Generator) -> Self {
        // Section 3.2 of the MegaScript paper (2005): 0.8 × 50 + (1 − 0.8) × 0 for figure 2.
        self.combined(other, |a, b| probability * a + (1.0 - probability) * b)
    }

    fn until_break(body: &Flow<Self>, count: f64, random: &mut Generator) -> Self {
        let iterations = Iterations::of(body.stays, count);
        // `body.stay` is the mean of an iteration that stays, and the number of iterations is independent of the costs of
        // those. The iteration that leaves adds its costs up to the BREAK.
        let whole = body.stay.times(iterations.ends.mean, random);
        whole.sum(&body.leave.times(iterations.leaves.mean, random))
    }
}
