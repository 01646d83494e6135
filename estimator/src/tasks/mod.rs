//! Master/worker programs from a table of task times (Mizutani, Ino and Hagihara, MSS, 2004). A part of the tasks is measured,
//! the times of the others are interpolated, and a simulation of master and workers determines which worker executes which
//! task, and so the time of the program.
//!
//! The path: [`TaskTable::parse`] reads measured times, [`MeasuredGrid`] checks that they form a grid, [`interpolate`]
//! computes the times of all tasks of a [`TaskSpace`], and [`Simulation`] executes them on a platform. [`check_sample`]
//! bounds the error of the interpolation by a second, random sample.

mod interpolation;
mod messages;
mod sample;
mod simulation;
mod table;
mod task_space;

pub use interpolation::{MeasuredGrid, interpolate};
pub use messages::MessageLength;
pub use sample::{
    LEAST_SAMPLE, ResidualTotal, SampleCheck, check_sample, random_numbers, random_sample,
};
pub use simulation::{MasterTime, MasterWorker, Simulation, TaskRun, WorkerTime};
pub use table::TaskTable;
pub use task_space::{ParameterRange, TaskSpace};

use crate::EstimateError;

/// Why task times or a master/worker program cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TaskError {
    /// A table of task times.
    #[error("{what}")]
    Table {
        /// Line of the table, from 1; `None` if the error concerns the table as a whole.
        line: Option<usize>,
        /// What is wrong, what was expected, and what to do.
        what: String,
    },
    /// Values of parameters, numbers of ranks and masters, or lengths of messages.
    #[error("{0}")]
    Value(String),
    /// The platform or the network model.
    #[error(transparent)]
    Platform(#[from] EstimateError),
}

impl TaskError {
    fn at(line: usize, what: impl Into<String>) -> Self {
        Self::Table {
            line: Some(line),
            what: what.into(),
        }
    }

    fn table(what: impl Into<String>) -> Self {
        Self::Table {
            line: None,
            what: what.into(),
        }
    }
}
