//! What `mpiete tasks` finds: a time for each combination of ranks, masters and chunks.

use base_data::Time;
use estimator::tasks::{MasterWorker, ParameterRange, SampleCheck, Simulation, TaskRun};
use serde::Serialize;

/// All estimates of a program.
#[derive(Clone, Debug, Serialize)]
pub struct TaskStudy {
    /// Name of the table.
    pub table: String,
    /// Name of the platform.
    pub platform: String,
    /// Name of the network model.
    pub model: String,
    /// Parameters with their values.
    pub ranges: Vec<ParameterRange>,
    /// Number of tasks.
    pub tasks: u64,
    /// Number of measured ones.
    pub measured: u64,
    /// Time of these.
    pub measured_time: Time,
    /// Time of all tasks, as interpolated.
    pub total: Time,
    /// The error of the interpolation, if a sample was given.
    pub check: Option<SampleCheck>,
    /// Whether ranks, masters and tasks per message are varied.
    #[serde(skip)]
    pub varies: [bool; 3],
    /// In the order given, the last option fastest.
    pub estimates: Vec<TaskEstimate>,
    /// Sentences, each once.
    pub warnings: Vec<String>,
}

/// One combination.
#[derive(Clone, Debug, Serialize)]
pub struct TaskEstimate {
    /// Number of ranks.
    pub ranks: u32,
    /// Number of masters.
    pub masters: u32,
    /// Tasks that the master sends at a time.
    pub chunk: u64,
    /// Predicted time; with a sample, with the corrected total.
    pub time: Time,
    /// Lower end of the 80 % interval, if there is a sample.
    pub p10: Option<Time>,
    /// Upper end.
    pub p90: Option<Time>,
    /// Time of all tasks on the measured PU relative to the predicted time.
    pub speed_up: Option<f64>,
    /// Whether no other combination is faster, nor as fast with fewer ranks.
    pub fastest: bool,
    /// The run of the predicted time.
    pub run: TaskRun,
}

impl TaskStudy {
    /// Adds a warning, once.
    pub(super) fn warn(&mut self, warning: &str) {
        if !self.warnings.iter().any(|known| known == warning) {
            self.warnings.push(warning.into());
        }
    }

    /// Marks the fastest estimate; of equally fast ones that with the fewest ranks, then the first.
    pub(super) fn mark_fastest(&mut self) {
        let key = |estimate: &&mut TaskEstimate| (estimate.time, estimate.ranks);
        if let Some(fastest) = self.estimates.iter_mut().min_by_key(key) {
            fastest.fastest = true;
        }
    }
}

impl TaskEstimate {
    /// Simulates a combination; with a sample, also at both ends of its interval.
    pub(super) fn new(
        program: &MasterWorker,
        simulation: &Simulation,
        times: &[Time],
        check: Option<&SampleCheck>,
    ) -> Self {
        let factor = check.map_or(1.0, |check| check.factor);
        let run = simulation.run(times, factor);
        let (mut p10, mut p90) = (None, None);
        if let Some(check) = check {
            let [lower, upper] =
                [check.lower, check.upper].map(|factor| simulation.run(times, factor).time);
            // Longer tasks may be distributed better and end earlier, so the ends may be out of order.
            p10 = Some(lower.min(upper).min(run.time));
            p90 = Some(lower.max(upper).max(run.time));
        }
        let total = times.iter().copied().sum::<Time>().seconds() * factor;
        let speed_up = if run.time > Time::ZERO {
            Some(total / run.time.seconds())
        } else {
            None
        };
        Self {
            ranks: program.ranks,
            masters: program.masters,
            chunk: program.tasks_per_message,
            time: run.time,
            p10,
            p90,
            speed_up,
            fastest: false,
            run,
        }
    }
}
