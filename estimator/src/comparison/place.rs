//! Selects a call in a rank's stream by the position that a user gives on the command line.

use super::elements::{Stop, stops};
use super::error::CompareError;
use super::names;
use base_data::block_table::BlockTable;
use base_data::program_data::{Mark, Op, ProgramData};
use base_data::{CallSiteId, Rank};
use std::str::FromStr;

/// Selects one execution of a call site, or of a read of the clock, on each rank: `FILE:LINE` or `FILE:LINE#N`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSelector {
    /// `cg.f:120`, or a position as reports print it (`a.out+0x1f40`).
    name: String,
    /// 1-based; `None` where there is only one.
    execution: Option<u64>,
}

impl FromStr for CallSelector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, number)) = text.rsplit_once('#') else {
            return Ok(Self {
                name: text.into(),
                execution: None,
            });
        };
        match number.parse() {
            Ok(execution @ 1..) => Ok(Self {
                name: name.into(),
                execution: Some(execution),
            }),
            Ok(0) | Err(_) => {
                Err("what follows '#' is the number of an execution, from 1: FILE:LINE#2".into())
            }
        }
    }
}

impl std::fmt::Display for CallSelector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.execution {
            Some(execution) => write!(f, "{}#{execution}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

impl CallSelector {
    /// Whether a table contains a call site at this position.
    pub(super) fn is_known(&self, table: &BlockTable) -> bool {
        (0..table.call_sites.len()).any(|site| self.is_site(table, CallSiteId::from_index(site)))
    }

    /// The number of the selected stop among all stops of a rank.
    pub(super) fn find(
        &self,
        program: &ProgramData,
        rank: Rank,
        sections: bool,
    ) -> Result<u64, CompareError> {
        let here = |(stop, op)| self.is_here(program, stop, op);
        let mut found = (0u64..)
            .zip(stops(program, rank, sections))
            .filter(|&(_, entry)| here(entry));
        let wanted = self.execution.map_or(0, |execution| execution as usize - 1);
        let chosen = found.nth(wanted).map(|(number, _)| number);
        // Without a number, the place must be unique: a first execution is often a warm-up.
        let others = if self.execution.is_none() {
            found.count()
        } else {
            0
        };
        match chosen {
            Some(number) if others == 0 => Ok(number),
            Some(_) => Err(self.error(format!(
                "is executed {} times on rank {rank}; select one execution with {}#N",
                others + 1,
                self.name
            ))),
            None => Err(self.error(format!(
                "rank {rank} does not come there{}",
                self.repetitions()
            ))),
        }
    }

    fn repetitions(&self) -> String {
        self.execution
            .map_or(String::new(), |execution| format!(" {execution} times"))
    }

    /// An error about this selector.
    pub(super) fn error(&self, reason: impl Into<String>) -> CompareError {
        CompareError::Place {
            place: self.to_string(),
            reason: reason.into(),
        }
    }

    /// A read of the clock is also where the routine around it is called.
    fn is_here(&self, program: &ProgramData, stop: Stop, op: &Op) -> bool {
        let Stop::Site(site) = stop else { return false };
        let path = match op {
            Op::Mark(Mark::Clock {
                path: Some(path), ..
            }) => program.call_paths.get(*path as usize),
            Op::Mark(_) | Op::Call { .. } | Op::Block { .. } | Op::Loop { .. } => None,
        };
        let mut sites = std::iter::once(&site).chain(path.into_iter().flatten());
        sites.any(|&site| self.is_site(&program.table, site))
    }

    fn is_site(&self, table: &BlockTable, site: CallSiteId) -> bool {
        names::site(table, site) == self.name || self.is_on_line(table, site).unwrap_or(false)
    }

    fn is_on_line(&self, table: &BlockTable, site: CallSiteId) -> Option<bool> {
        let (file, line) = self.name.rsplit_once(':')?;
        let line: u32 = line.parse().ok()?;
        let span = table.call_sites.get(site.index())?.span.as_ref()?;
        let path = &table.files.get(span.file as usize)?.path;
        let same_file = path
            .strip_suffix(file)
            .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'));
        Some(same_file && (span.first_line..=span.last_line).contains(&line))
    }
}
