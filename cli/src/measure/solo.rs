//! Measurement by representatives: a few ranks run solo, in sequence. A run of the program probe logs the messages that their
//! call sequence depends on; all other messages come from the solo input (echo or log).
//!
//! `token_runtime::representatives` chooses the representatives; the parent module runs all ranks in turn.

mod cache_correction;
mod inconsistent_blocks;
mod sampling;

use super::{Job, Measured, SoloInput, Stop, settings, with_tolerated_cuts};
use crate::compile;
use crate::failure::{FailedAfterCut, ProgramFailed, RanksNotSeparable, SampleTooSmall};
use crate::record::{self, RunSettings};
use crate::study::Probe;
use crate::workdir;
use anyhow::{Context, Result};
use base_data::Rank;
use base_data::compute_data::{ComputeData, ComputeEntry, Coordinates, Feed};
use base_data::ids::BlockId;
use base_data::program_data::{ProgramData, Variant};
use base_data::rank_recording::RankRecording;
use base_data::time::Time;
use sampling::{RankWork, SamplingDecision};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use token_runtime::host::{Launch, MeasureSettings, Measuring, Mode, Output, TemporaryFolder};
use token_runtime::replay_input::{call_counts_path, echo_all_types_path};
use token_runtime::representatives::{self, Representatives};

/// Up to this number of ranks, all run together with real data if their work depends on received data: sampling would measure
/// as many anyway.
const SMALL_RUN: u32 = sampling::MINIMUM_RANKS as u32;
/// Reason to run all ranks of a small run: iteration-dependent work.
const CHANGING_REASON: &str = "their work changes with data that other ranks may send";
/// Reason to run all ranks of a small run: message-dependent work.
const RECEIVED_REASON: &str = "their work depends on data that other ranks may send";
/// Warm executions of a variant after which no other rank measures it again.
const KNOWN_EXECUTIONS: u64 = 2;
/// Reason to give up sampling after half of the ranks. All ranks together cost at most twice as much, and use real data.
const CHANGING_SAMPLE_REASON: &str = "the ranks' work changes with data at run time, and half of \
    them are not a representative sample";
/// Reason to give up sampling where the work does not change while loops run.
const RECEIVED_SAMPLE_REASON: &str = "the ranks' work depends on data that other ranks may send, \
    and half of them are not a representative sample";
/// Seconds that a rank may compute without an MPI call, even if the recorded run was short.
const MINIMUM_CALL_TIMEOUT: f64 = 20.0;
/// Maximum number of representatives whose messages a run of all ranks logs.
const MAXIMUM_LOGGED: usize = 16;

/// What solo runs need: the representatives and the folder with their messages.
struct SoloRunInputs {
    folder: TemporaryFolder,
    program: ProgramData,
    chosen: Representatives,
    /// Processor time of the recording run.
    cost: Time,
}

/// Which solo ranks run, and on which messages.
struct SoloRun<'a> {
    job: &'a Job<'a>,
    prepared: &'a SoloRunInputs,
    feed: Feed,
}

/// The ranks measured so far, in the order in which they ran.
#[derive(Default)]
struct SoloResults {
    recordings: Vec<RankRecording>,
    works: Vec<RankWork>,
    /// Variants that later ranks need not measure again.
    known: Vec<Variant>,
}

/// Measures by representatives, or by all ranks where representatives cannot run or are not a sufficient sample.
pub fn measure(job: &Job) -> Result<Measured> {
    let spent = Cell::new(Time::ZERO);
    let mut prepared = None;
    let measured = prepare(job).and_then(|found| {
        spent.set(found.cost);
        by_representatives(job, prepared.insert(found), &spent)
    });
    let data = measured.or_else(|error| {
        report_once!("mpiete: all ranks run in turn, since {}", reason(error)?);
        // Logs of this run correct the times of ranks that evict each other's caches.
        cache_correction::measure(job, prepared.as_ref(), &spent)
    })?;
    Ok(Measured {
        data,
        cost: spent.get(),
    })
}

/// Why all ranks have to run, as the end of a sentence; any other error is returned.
fn reason(error: anyhow::Error) -> Result<String> {
    if is_program_failure(&error) {
        return Ok(format!("representatives cannot run alone: {error}"));
    }
    if error.is::<SampleTooSmall>() {
        Ok(error.to_string())
    } else {
        Err(error)
    }
}

/// Whether the program itself cannot run rank by rank. Bad input and an interrupt by the user are no reason to run all ranks.
fn is_program_failure(error: &anyhow::Error) -> bool {
    let failed = error.is::<ProgramFailed>() || error.is::<FailedAfterCut>();
    error.is::<RanksNotSeparable>() || failed && !crate::interrupt::is_interrupted()
}

/// Adds the cost of the runs to `spent`, also if they fail.
fn by_representatives(
    job: &Job,
    prepared: &SoloRunInputs,
    spent: &Cell<Time>,
) -> Result<ComputeData> {
    match job.measurement.solo_input {
        SoloInput::Auto | SoloInput::Echo => with_echo(job, prepared, spent),
        SoloInput::Log => with_log(job, prepared, spent),
        SoloInput::Both => {
            let echo = with_echo(job, prepared, spent);
            let log = with_log(job, prepared, spent)?;
            match echo {
                Ok(echo) => Ok(select_solo_inputs(echo, &log, job.measurement.interval)),
                Err(error) if is_program_failure(&error) => {
                    report_once!(
                        "mpiete: solo ranks receive messages logged in a run of all ranks, since \
                        otherwise {error}"
                    );
                    Ok(log)
                }
                Err(error) => Err(error),
            }
        }
    }
}

fn with_echo(job: &Job, prepared: &SoloRunInputs, spent: &Cell<Time>) -> Result<ComputeData> {
    let feed = Feed::Echo;
    let run = SoloRun {
        job,
        prepared,
        feed,
    };
    let settings = settings(job.measurement);
    // The budget is that of all ranks together.
    // But no less than a loop needs at least, or its mean would be from too few executions.
    let budget = (settings.budget / job.ranks).max(settings.budget.min(settings.minimum_time));
    let settings = MeasureSettings { budget, ..settings };
    let (recordings, cutting) =
        with_tolerated_cuts(settings, |measure| run_all(&run, &measure, spent))?;
    job.data(&recordings, cutting, feed, &method(&recordings, feed))
}

fn with_log(job: &Job, prepared: &SoloRunInputs, spent: &Cell<Time>) -> Result<ComputeData> {
    let feed = Feed::Log;
    let cutting = cache_correction::run_all_with_log(job, prepared, spent)?.cutting;
    let recordings = cache_correction::run_solo(job, prepared, spent)?;
    job.data(&recordings, cutting, feed, &method(&recordings, feed))
}

fn method(recordings: &[RankRecording], feed: Feed) -> String {
    let fed = match feed {
        Feed::All | Feed::Echo => "with echoed messages",
        Feed::Log => "with logged messages",
    };
    match &rank_numbers(recordings)[..] {
        [one] => format!("rank {one} for all, solo, {fed}"),
        all => format!("ranks {} for all, each solo, {fed}", all.join(", ")),
    }
}

/// The ranks of recordings.
fn rank_numbers(recordings: &[RankRecording]) -> Vec<String> {
    let mut numbers = Vec::new();
    for recording in recordings {
        if let Some(rank) = recording.rank {
            numbers.push(rank.0.to_string());
        }
    }
    numbers
}

/// Runs the program probe, which logs the messages that the call sequence depends on, and chooses representatives.
fn prepare(job: &Job) -> Result<SoloRunInputs> {
    let folder = TemporaryFolder::create("kept-").context("nothing was run")?;
    let recorded =
        record::record_with_log(job.folder, job.study, job.ranks, job.input, folder.path())?;
    let (program, cost) = (recorded.data, recorded.cpu);
    let chosen = representatives::choose(&program);
    Ok(SoloRunInputs {
        folder,
        program,
        chosen,
        cost,
    })
}

/// Representatives in the order in which they run: the required ones, then candidates for sampling.
fn ranks(prepared: &SoloRunInputs) -> impl Iterator<Item = u32> + '_ {
    let Representatives { cover, further } = &prepared.chosen;
    cover.iter().chain(further).copied()
}

/// Runs the representatives of the cover, then further ranks while sampling needs them.
fn run_all(
    run: &SoloRun,
    measure: &MeasureSettings,
    spent: &Cell<Time>,
) -> Result<Vec<RankRecording>> {
    let SoloRun {
        job,
        prepared,
        feed,
    } = *run;
    // A rank whose log exists would replay it instead of echoed messages.
    if feed == Feed::Echo {
        remove_logs(prepared.folder.path())?;
    }
    if job.measurement.solo_input == SoloInput::Echo {
        token_runtime::termination::write(&echo_all_types_path(prepared.folder.path()), &())?;
    }
    let program = compile::binary(job.folder, job.study, Probe::Compute, &job.compiler)?;
    let work = workdir::copy(job.input.workdir.as_deref())?;
    let run_settings = RunSettings {
        mode: Mode::Measure,
        measure: measure.clone(),
        feed: Some(prepared.folder.path().to_path_buf()),
        ..RunSettings::default()
    };
    let launch = record::launch(
        &program,
        job.ranks,
        run_settings,
        Some(&job.study.table),
        job.input,
        &work,
    )?;
    let launch = Launch {
        silence: call_timeout(job, prepared),
        // A rank that fails alone is run again with all others, and its output is shown then.
        output: Output::Capture,
        ..launch
    };
    let later_launch = Launch {
        measure: later_representative(measure, prepared.chosen.cover.len() as u32),
        ..launch.clone()
    };
    // The first representative measures with the full budget; the others only add variants and share
    // it.
    let mut first = Some(Measuring::new(&launch).map_err(record::failure)?);
    let mut others = Measuring::new(&later_launch).map_err(record::failure)?;
    let mut results = SoloResults::default();
    let mut cover = prepared.chosen.cover.iter().copied();
    loop {
        let mut next = cover.next();
        if next.is_none() {
            next = run.next_inconsistent(&results);
        }
        if next.is_none() {
            next = run.next_sample(&results)?;
        }
        let Some(rank) = next else { break };
        let recorded = representatives::recorded_calls(&prepared.program, rank);
        token_runtime::termination::write(
            &call_counts_path(prepared.folder.path(), rank),
            &recorded,
        )?;
        let mut measurement = first.take();
        let measurement = RefCell::new(measurement.as_mut().unwrap_or(&mut others));
        let recording = job.synchronized(|stop: Stop| {
            let ended = match stop {
                None => measurement.borrow_mut().run(rank, &results.known),
                // A process that measures can only be stopped by the flag that it was started with.
                Some(stop) => {
                    let launch = Launch {
                        interrupt: Some(stop.clone()),
                        ..later_launch.clone()
                    };
                    let mut measurement = Measuring::new(&launch).map_err(record::failure)?;
                    measurement.run(rank, &results.known)
                }
            };
            ended.map_err(record::failure)
        })?;
        spent.set(spent.get() + recording.cpu);
        let work = RankWork::of(job, &prepared.program, &recording);
        if run.may_give_up() {
            require_joint_run(job, prepared, &recording, work)?;
        }
        results.works.push(work);
        results.known.extend(well_measured(job, &recording));
        results.recordings.push(recording);
    }
    // Ranks ran in the order of their usefulness. Files are written in order of ranks, so that equal
    // measurements give equal files.
    results.recordings.sort_by_key(|recording| recording.rank);
    Ok(results.recordings)
}

impl SoloRun<'_> {
    /// Whether a run of all ranks may replace this one. With logged messages, all ranks have run already.
    fn may_give_up(&self) -> bool {
        self.job.measurement.solo_input == SoloInput::Auto && self.feed == Feed::Echo
    }

    fn may_run(&self, rank: u32) -> bool {
        cache_correction::may_run(self.prepared, self.feed, rank)
    }

    /// The next rank whose variants are needed since measured ones contradict the work terms.
    fn next_inconsistent(&self, results: &SoloResults) -> Option<u32> {
        if !sampling::is_affordable(self.job, self.prepared.cost, &results.works) {
            return None;
        }
        let candidates = ranks(self.prepared).filter(|rank| self.may_run(*rank));
        let program = &self.prepared.program;
        inconsistent_blocks::next_rank(self.job, program, &results.recordings, candidates)
    }

    /// The next rank that is sampled for data-dependent blocks; `None` if they are known well enough.
    fn next_sample(&self, results: &SoloResults) -> Result<Option<u32>> {
        let decision = sampling::decide(self.job, self.prepared.cost, &results.works);
        if decision == SamplingDecision::Stop {
            return Ok(None);
        }
        let mut candidates = self.prepared.chosen.further.iter().copied();
        let next = candidates.find(|rank| !results.has_run(*rank) && self.may_run(*rank));
        let half = self.job.ranks.div_ceil(2) as usize;
        let is_half_measured = results.recordings.len() >= sampling::MINIMUM_RANKS.max(half);
        let must_continue =
            next.is_some() && is_half_measured && decision == SamplingDecision::Dissimilar;
        if must_continue && self.may_give_up() {
            for recording in &results.recordings {
                if has_changing_work(recording) {
                    return Err(SampleTooSmall(CHANGING_SAMPLE_REASON).into());
                }
            }
            for recording in &results.recordings {
                if depends_on_received_data(self.job, self.prepared, recording) {
                    return Err(SampleTooSmall(RECEIVED_SAMPLE_REASON).into());
                }
            }
        }
        Ok(next)
    }
}

impl SoloResults {
    fn has_run(&self, rank: u32) -> bool {
        self.recordings
            .iter()
            .any(|recording| recording.rank == Some(Rank(rank)))
    }
}

/// Fails where all ranks have to run together: the work depends on received data, and the ranks are few, or running all of
/// them is within the sampling budget.
fn require_joint_run(
    job: &Job,
    prepared: &SoloRunInputs,
    recording: &RankRecording,
    work: RankWork,
) -> Result<()> {
    let are_few = job.ranks <= SMALL_RUN;
    if are_few && has_changing_work(recording) {
        return Err(SampleTooSmall(CHANGING_REASON).into());
    }
    if !depends_on_received_data(job, prepared, recording) {
        return Ok(());
    }
    if are_few || sampling::are_all_affordable(job, prepared.cost, work) {
        return Err(SampleTooSmall(RECEIVED_REASON).into());
    }
    Ok(())
}

/// Whether message-dependent blocks are at least the requested interval's share of a rank's work.
fn depends_on_received_data(
    job: &Job,
    prepared: &SoloRunInputs,
    recording: &RankRecording,
) -> bool {
    let blocks = job.study.message_dependent.iter().copied().collect();
    let share = sampling::share(&prepared.program, recording, &blocks);
    share >= job.measurement.interval
}

/// Whether a rank has executed blocks with iteration-dependent work.
fn has_changing_work(recording: &RankRecording) -> bool {
    recording
        .measured
        .iter()
        .any(|variant| !variant.course.is_empty())
}

/// How long a rank may run without an MPI call: longer than the budget of a loop, and longer than the recording run took.
fn call_timeout(job: &Job, prepared: &SoloRunInputs) -> Option<Duration> {
    let all = MINIMUM_CALL_TIMEOUT
        + job.measurement.budget.as_secs_f64()
        + 10.0 * prepared.cost.seconds();
    Duration::try_from_secs_f64(all).ok()
}

/// Settings for representatives after the first. They measure other variants of blocks whose scatter is known, and share
/// the first one's budget.
fn later_representative(measure: &MeasureSettings, representatives: u32) -> MeasureSettings {
    let representatives = representatives.max(1);
    MeasureSettings {
        minimum_samples: 2,
        budget: measure.budget / representatives,
        minimum_time: measure.minimum_time / representatives,
        ..measure.clone()
    }
}

/// Removes the message logs of an earlier run.
fn remove_logs(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with("log-") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Variants that no other rank needs to measure. Data-dependent blocks stay: their time differs between ranks.
fn well_measured(job: &Job, recording: &RankRecording) -> Vec<Variant> {
    let mut known = Vec::new();
    for measured in &recording.measured {
        let Some(block) = job.study.table.blocks.get(measured.block.index()) else {
            continue;
        };
        if !block.data_dependent && measured.warm.count >= KNOWN_EXECUTIONS {
            known.push(Variant {
                block: measured.block,
                terms: measured.terms.clone(),
            });
        }
    }
    known
}

/// Takes the entries with echoed messages for blocks that take equally long with both inputs, and those with logged messages
/// for the others.
fn select_solo_inputs(echo: ComputeData, log: &ComputeData, interval: f64) -> ComputeData {
    let mut echoed = entries_by_block(&echo);
    let logged = entries_by_block(log);
    for (block, logged) in logged {
        let is_same = echoed
            .get(&block)
            .is_some_and(|echoed| are_alike(echoed, &logged, interval));
        if !is_same {
            echoed.insert(block, logged);
        }
    }
    let mut entries: Vec<ComputeEntry> = echoed.into_values().flatten().cloned().collect();
    entries.sort_by(|a, b| key(a).cmp(&key(b)));
    ComputeData { entries, ..echo }
}

fn entries_by_block(data: &ComputeData) -> BTreeMap<BlockId, Vec<&ComputeEntry>> {
    let mut blocks: BTreeMap<BlockId, Vec<&ComputeEntry>> = BTreeMap::new();
    for entry in &data.entries {
        blocks.entry(entry.block).or_default().push(entry);
    }
    blocks
}

/// What identifies an entry among those of one solo input.
fn key(entry: &ComputeEntry) -> (BlockId, &[i64], &[Coordinates]) {
    (entry.block, &entry.terms, &entry.coordinates)
}

/// Whether a block's entries are the same and take equally long with both inputs. An entry that one input lacks means that the
/// messages led the rank elsewhere.
fn are_alike(echoed: &[&ComputeEntry], logged: &[&ComputeEntry], interval: f64) -> bool {
    if echoed.len() != logged.len() {
        return false;
    }
    for logged in logged {
        let mut is_present = false;
        for echoed in echoed {
            if key(echoed) == key(logged) {
                is_present = true;
                if differs(echoed, logged, interval) {
                    return false;
                }
            }
        }
        if !is_present {
            return false;
        }
    }
    true
}

/// Whether the times differ by more than the requested interval and twice the standard error of their difference.
fn differs(echoed: &ComputeEntry, logged: &ComputeEntry, interval: f64) -> bool {
    let (echoed, logged) = if echoed.warm.count > 0 && logged.warm.count > 0 {
        (&echoed.warm, &logged.warm)
    } else {
        (&echoed.first, &logged.first)
    };
    if echoed.count == 0 || logged.count == 0 {
        return false;
    }
    let error = echoed.standard_error().hypot(logged.standard_error());
    (echoed.mean - logged.mean).abs() > interval * logged.mean + 2.0 * error
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::BlockId;
    use base_data::distribution::Distribution;

    fn data(feed: Feed, blocks: &[(u32, i64)]) -> ComputeData {
        let entry = |&(block, time): &(u32, i64)| ComputeEntry {
            block: BlockId(block),
            terms: Vec::new(),
            ranks_per_node: 1,
            threads: 1,
            feed,
            first: Distribution::default(),
            warm: Distribution::of(vec![time; 5]),
            disturbed: 0,
            coordinates: Vec::new(),
        };
        ComputeData {
            entries: blocks.iter().map(entry).collect(),
            ..ComputeData::default()
        }
    }

    #[test]
    fn blocks_that_differ_with_the_log_use_the_log() {
        let echo = data(Feed::Echo, &[(0, 1000), (1, 1000), (2, 1000)]);
        let log = data(Feed::Log, &[(0, 1010), (1, 1300)]);
        let chosen = select_solo_inputs(echo, &log, 0.02);
        let shown: Vec<(u32, Feed)> = chosen
            .entries
            .iter()
            .map(|entry| (entry.block.0, entry.feed))
            .collect();
        assert_eq!(shown, [(0, Feed::Echo), (1, Feed::Log), (2, Feed::Echo)]);
    }

    #[test]
    fn single_executions_and_single_inputs_are_compared() {
        let once = |feed, blocks: &[(u32, i64)]| {
            let mut data = data(feed, blocks);
            for entry in &mut data.entries {
                entry.first = std::mem::take(&mut entry.warm);
            }
            data
        };
        let mut echo = once(Feed::Echo, &[(0, 1000), (1, 1000), (2, 1000)]);
        echo.entries[2].terms = vec![4];
        let log = once(Feed::Log, &[(0, 1000), (1, 1300), (2, 1000)]);
        let chosen = select_solo_inputs(echo, &log, 0.02);
        let shown: Vec<(u32, Feed)> = chosen
            .entries
            .iter()
            .map(|entry| (entry.block.0, entry.feed))
            .collect();
        assert_eq!(shown, [(0, Feed::Echo), (1, Feed::Log), (2, Feed::Log)]);
    }
}
