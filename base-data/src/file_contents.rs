//! Which types have a kind of binary file, and what its reader may rely on: ids within
//! their tables, curves in order. The container is in [`crate::format`], the check of program data
//! in `program_check`.

use crate::block_table::BlockTable;
use crate::comm_data::{CollectiveCurve, CommData, CurvePoint, ModelFit};
use crate::compute_data::ComputeData;
use crate::estimate_file::{Activity, Estimate};
use crate::explanation::{Explanation, PathItem, Varied};
use crate::format::{FileContent, FileKind};
use crate::format_migration;
use crate::ids::Rank;
use crate::observation::{Observation, ObservedRank};
use crate::program_check::{self, Checked, check_span, check_table};
use crate::program_data::ProgramData;
use crate::stream;

impl FileContent for ProgramData {
    const KIND: FileKind = FileKind::ProgramData;

    fn renewed(version: u32, content: Vec<u8>) -> Option<Vec<u8>> {
        Some(format_migration::with_memory_at_end(version, content))
    }

    fn check(&self) -> Checked {
        program_check::check(self)
    }
}

impl FileContent for ComputeData {
    const KIND: FileKind = FileKind::ComputeData;

    fn renewed(version: u32, content: Vec<u8>) -> Option<Vec<u8>> {
        Some(format_migration::with_memory_at_end(version, content))
    }

    fn check(&self) -> Checked {
        check_table(&self.table)?;
        match self.entries.iter().find(|entry| self.key(entry).is_none()) {
            Some(entry) => Err(format!(
                "an entry names block {} of {}",
                entry.block,
                self.table.blocks.len()
            )),
            None => Ok(()),
        }
    }
}

impl FileContent for CommData {
    const KIND: FileKind = FileKind::CommData;

    fn check(&self) -> Checked {
        check_comm_data(self)
    }
}

/// Also for data that are embedded in a platform.
pub(crate) fn check_comm_data(data: &CommData) -> Checked {
    data.fits.iter().try_for_each(check_fit)?;
    check_distinct(data)?;
    let disordered = data
        .collectives
        .iter()
        .find(|curve| !is_ascending(&curve.points));
    match disordered {
        Some(curve) => Err(format!(
            "the curve of {:?} does not ascend in bytes",
            curve.kind
        )),
        None => Ok(()),
    }
}

/// Rejects duplicates: a reader would use one of the two, and the file does not determine which.
fn check_distinct(data: &CommData) -> Checked {
    if let Some(fit) = repeated(&data.fits, |a, b| a.model == b.model && a.link == b.link) {
        return Err(format!(
            "parameters of {} for {} are given twice; keep one",
            fit.model, fit.link
        ));
    }
    let same_run = |a: &CollectiveCurve, b: &CollectiveCurve| {
        a.kind == b.kind && a.ranks == b.ranks && a.ranks_per_node == b.ranks_per_node
    };
    if let Some(curve) = repeated(&data.collectives, same_run) {
        return Err(format!(
            "the curve of {:?} on {} ranks is given twice; keep one",
            curve.kind, curve.ranks
        ));
    }
    if let Some(rate) = repeated(&data.reduction_rates, |a, b| {
        a.op == b.op && a.element == b.element
    }) {
        return Err(format!(
            "the reduction rate of {:?} is given twice; keep one",
            rate.op
        ));
    }
    Ok(())
}

/// The first element that is the same as an earlier one.
fn repeated<T>(all: &[T], same: impl Fn(&T, &T) -> bool) -> Option<&T> {
    for (number, one) in all.iter().enumerate() {
        if all[..number].iter().any(|earlier| same(earlier, one)) {
            return Some(one);
        }
    }
    None
}

fn check_fit(fit: &ModelFit) -> Checked {
    if let Some(again) = repeated(&fit.parameters, |a, b| a.name == b.name) {
        return Err(format!(
            "{} has parameter {} twice; keep one",
            fit.model, again.name
        ));
    }
    let (parameters, covariances) = (fit.parameters.len(), fit.covariance.len());
    if covariances != 0 && covariances != parameters.saturating_mul(parameters) {
        let model = &fit.model;
        return Err(format!(
            "{model} has {covariances} covariances for {parameters} parameters"
        ));
    }
    if is_ascending(&fit.curve) {
        return Ok(());
    }
    Err(format!(
        "the curve of {} for {} does not ascend in bytes",
        fit.model, fit.link
    ))
}

fn is_ascending(curve: &[CurvePoint]) -> bool {
    curve.windows(2).all(|pair| pair[0].bytes < pair[1].bytes)
}

impl FileContent for Estimate {
    const KIND: FileKind = FileKind::Estimate;
    // Estimates are large and are written again after each change of an input.
    const DEFLATE_LEVEL: u8 = 1;
    // Version 2 added the program data and the unit.
    const OLDEST: u32 = 2;

    fn renewed(version: u32, content: Vec<u8>) -> Option<Vec<u8>> {
        format_migration::estimate(version, content)
    }

    fn check(&self) -> Checked {
        // First: the checks below rely on the tables of the program.
        self.program.check()?;
        let table = &self.program.table;
        for assumption in &self.assumptions {
            check_span(&assumption.span, table)?;
        }
        if let Some(cell) = self.cells.iter().find(|cell| cell.rank >= self.ranks) {
            return Err(format!("a cell names rank {} of {}", cell.rank, self.ranks));
        }
        let blocks = self.unsteady_blocks.iter().copied().map(Activity::Block);
        blocks
            .into_iter()
            .try_for_each(|block| check_activity(block, table))?;
        let booked = self.cells.iter().map(|cell| cell.activity);
        let segments = self
            .timeline
            .ranks
            .iter()
            .flatten()
            .filter_map(|segment| segment.activity);
        check_explanation(&self.explanation, self.ranks, table)?;
        let reads = self
            .clock_intervals
            .iter()
            .flat_map(|interval| [interval.from, interval.to]);
        booked
            .chain(segments)
            .chain(reads.map(Activity::Site))
            .try_for_each(|activity| check_activity(activity, table))
    }
}

fn check_explanation(found: &Explanation, ranks: u32, table: &BlockTable) -> Checked {
    // Reports index their tables with these numbers.
    let of_rank = |rank: u32| match rank < ranks.max(1) {
        true => Ok(()),
        false => Err(format!("the explanation names rank {rank} of {ranks}")),
    };
    let path = &found.critical_path;
    of_rank(path.last_rank)?;
    path.segments
        .iter()
        .try_for_each(|stay| of_rank(stay.rank))?;
    path.shares.iter().try_for_each(|share| match share.item {
        PathItem::Block(block) => check_activity(Activity::Block(block), table),
        PathItem::Call(site) => check_activity(Activity::Site(site), table),
        PathItem::Message { send, receive } => check_activity(Activity::Site(send), table)
            .and_then(|()| check_activity(Activity::Site(receive), table)),
    })?;
    found.wait_states.iter().try_for_each(|late| {
        of_rank(late.rank).and(of_rank(late.late_rank))?;
        check_activity(Activity::Site(late.site), table)?;
        check_activity(Activity::Site(late.other), table)
    })?;
    found
        .sensitivities
        .iter()
        .try_for_each(|found| match found.varied {
            Varied::Block(block) => check_activity(Activity::Block(block), table),
            Varied::Network { .. } => Ok(()),
        })
}

fn check_activity(activity: Activity, table: &BlockTable) -> Checked {
    let (what, number, length) = match activity {
        Activity::Block(block) => ("block", block.index(), table.blocks.len()),
        Activity::Site(site) => ("call site", site.index(), table.call_sites.len()),
    };
    if number < length {
        Ok(())
    } else {
        Err(format!("a time is booked on {what} {number} of {length}"))
    }
}

impl FileContent for Observation {
    const KIND: FileKind = FileKind::Observation;
    // Version 1 had times of calls only.
    const OLDEST: u32 = 2;

    fn renewed(version: u32, content: Vec<u8>) -> Option<Vec<u8>> {
        format_migration::observation(version, content)
    }

    fn check(&self) -> Checked {
        self.program.check()?;
        if self.ranks.len() > self.program.ranks as usize {
            return Err(format!(
                "it holds times of {} ranks of {}",
                self.ranks.len(),
                self.program.ranks
            ));
        }
        self.ranks
            .iter()
            .zip(0u32..)
            .try_for_each(|(times, rank)| check_times(&self.program, rank, times))
    }
}

/// Times stand beside every entry; a rank that left nothing has none.
fn check_times(program: &ProgramData, rank: u32, times: &ObservedRank) -> Checked {
    let (gaps, durations) = (times.gaps.len(), times.durations.len());
    // A rank that crashed or was killed leaves no times.
    if gaps == 0 && durations == 0 {
        return Ok(());
    }
    let entries = stream::entry_count(program, Rank(rank));
    if gaps as u64 != entries || durations as u64 != entries {
        return Err(format!(
            "rank {rank} has {gaps} gaps and {durations} durations for {entries} entries"
        ));
    }
    match times
        .processor
        .iter()
        .find(|processor| u64::from(processor.entry) >= entries)
    {
        Some(wrong) => Err(format!(
            "rank {rank} has a processor time of entry {} of {entries}",
            wrong.entry
        )),
        None => Ok(()),
    }
}
