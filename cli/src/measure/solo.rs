//! Measuring by representatives: a few ranks, one after the other, each alone. What the sequence of their
//! calls depends on is kept by a run of the program probe, everything else they receive is fed.
//!
//! Not here: all ranks in turn (the parent module), which ranks are representatives
//! (`token_runtime::representatives`).

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
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::ids::BlockId;
use base_data::program_data::{ProgramData, Variant};
use base_data::rank_recording::RankRecording;
use base_data::time::Time;
use sampling::{RankWork, SamplingDecision};
use std::cell::{Cell, RefCell};
use std::path::Path;
use std::time::Duration;
use token_runtime::host::{Launch, MeasureSettings, Measuring, Mode, Output, TemporaryFolder};
use token_runtime::replay_input::{call_counts_path, echo_all_types_path};
use token_runtime::representatives::{self, Representatives};

/// So few ranks run all together, with real data, where what they compute depends on data that others may send: as many would
/// be sampled anyway.
const SMALL_RUN: u32 = sampling::MINIMUM_RANKS as u32;
/// Why they do, where it changes.
const CHANGING_REASON: &str = "their work changes with data that other ranks may send";
/// Why they do, where it does not.
const RECEIVED_REASON: &str = "their work depends on data that other ranks may send";
/// Warm executions of a variant that no other rank is asked for again.
const KNOWN_EXECUTIONS: u64 = 2;
/// Why by default sampling ends with half of the ranks, where that depends on data that others may send: all of them cost
/// twice as much at most, with real data.
const CHANGING_SAMPLE_REASON: &str = "the ranks' work changes with data at run time, and half of \
    them are not a representative sample";
/// The same where it does not change.
const RECEIVED_SAMPLE_REASON: &str = "the ranks' work depends on data that other ranks may send, \
    and half of them are not a representative sample";
/// Seconds that a rank may compute without a call of MPI, however short the run is.
const MINIMUM_CALL_TIMEOUT: f64 = 20.0;
/// Representatives that a run of all ranks keeps a log for.
const MAXIMUM_LOGGED: usize = 16;

/// The folder that representatives are fed from, and which they are.
struct SoloRunInputs {
    folder: TemporaryFolder,
    program: ProgramData,
    chosen: Representatives,
    cost: Time,
}

/// Measures by representatives, or where they cannot run or tell too little, by all ranks.
pub fn measure(job: &Job) -> Result<Measured> {
    let spent = Cell::new(Time::ZERO);
    let mut prepared = None;
    let measured = prepare(job).and_then(|found| {
        spent.set(found.cost);
        by_representatives(job, prepared.insert(found), &spent)
    });
    let data = measured.or_else(|error| {
        report_once!("mpiete: all ranks run in turn, since {}", reason(error)?);
        cache_correction::measure(job, prepared.as_ref(), &spent)
    })?;
    Ok(Measured {
        data,
        cost: spent.get(),
    })
}

/// Why all ranks have to run, as the end of a sentence; the error if that is not why.
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

/// Whether something of the program is why ranks could not run alone, and not the user's wish or bad input.
fn is_program_failure(error: &anyhow::Error) -> bool {
    let failed = error.is::<ProgramFailed>() || error.is::<FailedAfterCut>();
    error.is::<RanksNotSeparable>() || failed && !crate::interrupt::is_interrupted()
}

/// What is `spent` is told also where that fails.
fn by_representatives(
    job: &Job,
    prepared: &SoloRunInputs,
    spent: &Cell<Time>,
) -> Result<ComputeData> {
    let echo = || {
        let run = |measure| run_all(job, prepared, &measure, (Feed::Echo, spent));
        let settings = settings(job.measurement);
        // The budget is that of all ranks together.
        let part = (settings.budget / job.ranks).max(settings.budget.min(settings.minimum_time));
        let settings = MeasureSettings {
            budget: part,
            ..settings
        };
        let (recordings, cutting) = with_tolerated_cuts(settings, run)?;
        job.data(
            &recordings,
            cutting,
            Feed::Echo,
            &method(&recordings, Feed::Echo),
        )
    };
    let log = || {
        let cutting = cache_correction::run_all_with_log(job, prepared, spent)?.cutting;
        let recordings = cache_correction::run_solo(job, prepared, spent)?;
        job.data(
            &recordings,
            cutting,
            Feed::Log,
            &method(&recordings, Feed::Log),
        )
    };
    match job.measurement.solo_input {
        SoloInput::Auto | SoloInput::Echo => echo(),
        SoloInput::Log => log(),
        SoloInput::Both => {
            let echo = echo();
            let log = log()?;
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
    recordings
        .iter()
        .filter_map(|recording| Some(recording.rank?.0.to_string()))
        .collect()
}

/// Runs the program probe, which keeps what the sequence of calls depends on, and chooses representatives.
fn prepare(job: &Job) -> Result<SoloRunInputs> {
    let folder =
        TemporaryFolder::create("kept-").context("cannot make a folder for temporary files")?;
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

/// Representatives in the order in which they run: those that are needed, then those that may be.
fn ranks(prepared: &SoloRunInputs) -> impl Iterator<Item = u32> + '_ {
    let Representatives { cover, further } = &prepared.chosen;
    cover.iter().chain(further).copied()
}

fn run_all(
    job: &Job,
    prepared: &SoloRunInputs,
    measure: &MeasureSettings,
    (feed, spent): (Feed, &Cell<Time>),
) -> Result<Vec<RankRecording>> {
    if feed == Feed::Echo {
        remove_logs(prepared.folder.path())?;
    }
    if job.measurement.solo_input == SoloInput::Echo {
        token_runtime::termination::write(&echo_all_types_path(prepared.folder.path()), &())?;
    }
    let program = compile::binary(job.folder, job.study, Probe::Compute, &job.compiler)?;
    let work = workdir::copy(job.input.workdir.as_deref())?;
    let folder = Some(prepared.folder.path().to_path_buf());
    let run_settings = RunSettings {
        mode: Mode::Measure,
        measure: measure.clone(),
        feed: folder,
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
    // A rank that fails alone is run again with all others, and says so then.
    let launch = Launch {
        silence: call_timeout(job, prepared),
        output: Output::Capture,
        ..launch
    };
    let later_representative = later_representative(measure, prepared.chosen.cover.len() as u32);
    let later_representative = Launch {
        measure: later_representative,
        ..launch.clone()
    };
    let mut first = Some(Measuring::new(&launch).map_err(record::failure)?);
    let mut others = Measuring::new(&later_representative).map_err(record::failure)?;
    let (mut recordings, mut works, mut known) = (Vec::new(), Vec::new(), Vec::new());
    let may_run = |rank: &u32| cache_correction::may_run(prepared, feed, *rank);
    // All ranks have run where they are fed a log.
    let may_give_up = job.measurement.solo_input == SoloInput::Auto && feed == Feed::Echo;
    let mut cover = prepared.chosen.cover.iter().copied();
    loop {
        let further = || {
            let may_go_on = sampling::is_affordable(job, prepared.cost, &works);
            let ranks = ranks(prepared).filter(may_run).filter(|_| may_go_on);
            inconsistent_blocks::next_rank(job, &prepared.program, &recordings, ranks)
        };
        let next = match cover.next().or_else(further) {
            Some(rank) => Some(rank),
            None => sample(job, prepared, (&recordings, &works), (may_run, may_give_up))?,
        };
        let Some(rank) = next else { break };
        let recorded = representatives::recorded_calls(&prepared.program, rank);
        token_runtime::termination::write(
            &call_counts_path(prepared.folder.path(), rank),
            &recorded,
        )?;
        let mut measurement = first.take();
        let measurement = RefCell::new(measurement.as_mut().unwrap_or(&mut others));
        let run = |stop: Stop| match stop {
            None => measurement.borrow_mut().run(rank, &known),
            Some(stop) => Measuring::new(&Launch {
                interrupt: Some(stop.clone()),
                ..later_representative.clone()
            })?
            .run(rank, &known),
        };
        let recording = job.synchronized(|stop| run(stop).map_err(record::failure))?;
        spent.set(spent.get() + recording.cpu);
        let work = RankWork::of(job, &prepared.program, &recording);
        if may_give_up {
            require_joint_run(job, prepared, (&recording, work))?;
        }
        works.push(work);
        known.extend(well_measured(job, &recording));
        recordings.push(recording);
    }
    recordings.sort_by_key(|recording| recording.rank);
    Ok(recordings)
}

/// Ranks have to run all together where others may have sent what decides how much a rank computes, if they are few or all
/// of them cost no more than sampling may.
fn require_joint_run(
    job: &Job,
    prepared: &SoloRunInputs,
    (recording, work): (&RankRecording, RankWork),
) -> Result<()> {
    let are_few = job.ranks <= SMALL_RUN;
    if are_few && has_changing_work(recording) {
        return Err(SampleTooSmall(CHANGING_REASON).into());
    }
    let may_all = || sampling::are_all_affordable(job, prepared.cost, work);
    match depends_on_received_data(job, prepared, recording) && (are_few || may_all()) {
        true => Err(SampleTooSmall(RECEIVED_REASON).into()),
        false => Ok(()),
    }
}

/// Whether blocks whose work depends on data that others may send are more than the interval's share of a rank's work.
fn depends_on_received_data(
    job: &Job,
    prepared: &SoloRunInputs,
    recording: &RankRecording,
) -> bool {
    let depends_on_received_data = |block: BlockId| job.study.message_dependent.contains(&block);
    sampling::share(&prepared.program, recording, depends_on_received_data)
        >= job.measurement.interval
}

/// Whether a rank has executed blocks whose work changes while the loops around them run.
fn has_changing_work(recording: &RankRecording) -> bool {
    recording
        .measured
        .iter()
        .any(|variant| !variant.course.is_empty())
}

/// The next rank that is sampled for blocks whose work depends on data; `None` if they are known well enough.
fn sample(
    job: &Job,
    prepared: &SoloRunInputs,
    (recordings, works): (&[RankRecording], &[RankWork]),
    (may_run, may_give_up): (impl Fn(&u32) -> bool, bool),
) -> Result<Option<u32>> {
    let further = sampling::decide(job, prepared.cost, works);
    if further == SamplingDecision::Stop {
        return Ok(None);
    }
    let has_run = |rank: &u32| {
        recordings
            .iter()
            .any(|recording| recording.rank == Some(Rank(*rank)))
    };
    let next = prepared
        .chosen
        .further
        .iter()
        .copied()
        .find(|rank| !has_run(rank) && may_run(rank));
    let is_most = recordings.len() >= sampling::MINIMUM_RANKS.max(job.ranks.div_ceil(2) as usize);
    if next.is_none() || !is_most || further == SamplingDecision::Free || !may_give_up {
        return Ok(next);
    }
    if recordings.iter().any(has_changing_work) {
        return Err(SampleTooSmall(CHANGING_SAMPLE_REASON).into());
    }
    match recordings
        .iter()
        .any(|recording| depends_on_received_data(job, prepared, recording))
    {
        true => Err(SampleTooSmall(RECEIVED_SAMPLE_REASON).into()),
        false => Ok(next),
    }
}

/// How long a rank may go on without a call of MPI: longer than loops are measured, and than all ranks took
/// for what decides their calls.
fn call_timeout(job: &Job, prepared: &SoloRunInputs) -> Option<Duration> {
    let all = MINIMUM_CALL_TIMEOUT
        + job.measurement.budget.as_secs_f64()
        + 10.0 * prepared.cost.seconds();
    Duration::try_from_secs_f64(all).ok()
}

/// The rule for representatives after the first: they measure other variants of the same blocks, whose
/// scatter is known, and share among them what the first may take.
fn later_representative(measure: &MeasureSettings, representatives: u32) -> MeasureSettings {
    let [budget, minimum_time] =
        [measure.budget, measure.minimum_time].map(|time| time / representatives.max(1));
    MeasureSettings {
        minimum_samples: 2,
        budget,
        minimum_time,
        ..measure.clone()
    }
}

/// Logs of an earlier way to run, if there are any.
fn remove_logs(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if name.starts_with("log-") {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Variants that no other rank needs to measure: how long a loop went on for them, the rule has decided.
fn well_measured<'a>(
    job: &'a Job,
    recording: &'a RankRecording,
) -> impl Iterator<Item = Variant> + 'a {
    let measured = recording.measured.iter().filter(move |measured| {
        let block = job.study.table.blocks.get(measured.block.index());
        block.is_some_and(|block| !block.data_dependent) && measured.warm.count >= KNOWN_EXECUTIONS
    });
    measured.map(|measured| Variant {
        block: measured.block,
        terms: measured.terms.clone(),
    })
}

/// Entries of blocks that take as long whatever they are fed, and those of the log for the others.
fn select_solo_inputs(echo: ComputeData, log: &ComputeData, interval: f64) -> ComputeData {
    let differs = |a: &ComputeEntry, b: &ComputeEntry| {
        let (a, b) = match a.warm.count.min(b.warm.count) {
            0 => (&a.first, &b.first),
            _ => (&a.warm, &b.warm),
        };
        let error = a.standard_error().hypot(b.standard_error());
        a.count > 0 && b.count > 0 && (a.mean - b.mean).abs() > interval * b.mean + 2.0 * error
    };
    let is_same = |a: &ComputeEntry, b: &ComputeEntry| {
        (a.block, &a.terms, &a.coordinates) == (b.block, &b.terms, &b.coordinates)
    };
    let of_block = |block| move |entry: &&ComputeEntry| entry.block == block;
    let takes_log = |entry: &ComputeEntry| {
        let fed: Vec<&ComputeEntry> = echo.entries.iter().filter(of_block(entry.block)).collect();
        let logged: Vec<&ComputeEntry> = log.entries.iter().filter(of_block(entry.block)).collect();
        let is_alike = |logged: &&ComputeEntry| {
            let mut fed = fed.iter().filter(|fed| is_same(fed, logged)).peekable();
            fed.peek().is_some() && !fed.any(|fed| differs(fed, logged))
        };
        // What one of them does not know, the other has been led to by what it was fed.
        !logged.is_empty() && (logged.len() != fed.len() || !logged.iter().all(is_alike))
    };
    let kept = echo.entries.iter().filter(|entry| !takes_log(entry));
    let taken = log.entries.iter().filter(|entry| takes_log(entry));
    let mut entries: Vec<ComputeEntry> = kept.chain(taken).cloned().collect();
    entries.sort_by(|a, b| {
        (a.block, &a.terms, &a.coordinates).cmp(&(b.block, &b.terms, &b.coordinates))
    });
    ComputeData { entries, ..echo }
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
