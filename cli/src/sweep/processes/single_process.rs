//! A sweep by one process.

use super::super::base::SweepData;
use super::super::run::PointResult;
use anyhow::Result;

/// This process.
pub struct ProcessGroup;

impl ProcessGroup {
    /// Finds the others: there are none.
    pub fn join() -> Self {
        Self
    }

    /// What every process made for itself, if all succeeded; `None` on those that need not say what failed.
    ///
    /// # Errors
    /// The first failure.
    pub fn agree<T>(&self, made: Result<T>) -> Result<Option<T>> {
        made.map(Some)
    }

    /// The base data.
    ///
    /// # Errors
    /// Those of making them.
    pub fn base(&self, make: impl FnOnce() -> Result<SweepData>) -> Result<Option<SweepData>> {
        make().map(Some)
    }

    /// The numbers of the points that are this process's, of so many.
    pub fn share(&self, points: usize) -> Vec<usize> {
        (0..points).collect()
    }

    /// The results of all points in order, for the leader; `found` are those of this process's share.
    ///
    /// # Errors
    /// None.
    pub fn gather(
        &self,
        found: Vec<Result<PointResult, String>>,
    ) -> Result<Option<Vec<Result<PointResult, String>>>> {
        Ok(Some(found))
    }
}
