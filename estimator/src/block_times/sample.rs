//! A sample of a data-dependent block: what [`super::data_regression`] and [`super::local_distribution`] are fitted to.

/// A sample: a rank's time for some work.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) rank: u32,
    /// Ranks of its run.
    pub(super) ranks: u32,
    /// Values of the work terms.
    pub(super) terms: Vec<f64>,
    pub(super) time: f64,
    /// Standard error of the time, relative to it.
    pub(super) error: f64,
    /// How many executions it is the mean of.
    pub(super) count: f64,
}
