//! `mpiete measure`: runs the compute probe and writes compute data.

mod alignment;
mod co_run;
mod page_faults;
mod solo;
mod threads;

pub use crate::args::SoloInput;
use crate::args::{MeasureArgs, MeasurementArgs};
use crate::compile::{self, Compiler};
use crate::failure::{self, FailedAfterCut};
use crate::input::ProgramInput;
use crate::record::{self, RunSettings};
use crate::study::{self, Probe, Study};
use crate::study_lock::StudyLock;
use crate::{files, origin};
use anyhow::{Result, bail};
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::provenance::Provenance;
use base_data::rank_recording::RankRecording;
use base_data::time::Time;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use token_runtime::host::{Copies, Cutting, MeasureSettings, Mode, Recording};

/// Executions of a block that its confidence interval needs at least.
const MINIMUM_SAMPLES: u32 = 5;
/// The shortest time for which a loop is measured.
const MINIMUM_LOOP_TIME: Duration = Duration::from_millis(100);

/// Measures a study.
pub fn measure(arguments: &MeasureArgs) -> Result<()> {
    let _lock = StudyLock::shared(&arguments.study)?;
    let study = study::read(&arguments.study)?;
    let input = ProgramInput::read(&arguments.input)?;
    let (folder, ranks, measurement) = (&arguments.study, arguments.ranks, &arguments.measurement);
    let job = Job {
        folder,
        study: &study,
        ranks,
        measurement,
        input: &input,
        compiler: Compiler::find(&study)?,
        copies: None,
    };
    let copies = arguments.co_run.unwrap_or(1);
    let threads = co_run::threads(&job, copies)?;
    let output = match &arguments.output {
        Some(named) => named.clone(),
        None => study::compute_data(folder, ranks, copies, threads),
    };
    files::check_output(&output)?;
    let measured = match arguments.co_run {
        Some(copies) => co_run::measure(&job, copies)?,
        // The platform is not known yet: the node may be as full as this one can be.
        None => co_run::measure_one_and_full(&job, ranks)?,
    };
    files::write(&output, &measured.data)?;
    let (variants, occupancies) = variants_measured(&measured.data);
    files::print_line(format!(
        "{variants} block variants measured on {}{occupancies}; {:.3} s of processor time; written to {}",
        ranks_measured(&measured.data),
        measured.cost.seconds(),
        output.display()
    ))?;
    Ok(())
}

/// The number of block variants, and the numbers of ranks on a node with which they were measured.
fn variants_measured(data: &ComputeData) -> (usize, String) {
    let mut variants: BTreeMap<u32, usize> = BTreeMap::new();
    for entry in &data.entries {
        *variants.entry(entry.ranks_per_node).or_default() += 1;
    }
    let most = variants.values().copied().max().unwrap_or(0);
    // One rank on the node is the usual case, which the line does not mention.
    if variants.keys().eq([&1]) || variants.is_empty() {
        return (most, String::new());
    }
    let numbers: Vec<String> = variants.keys().map(u32::to_string).collect();
    (most, format!(" with {} on the node", numbers.join(" and ")))
}

fn ranks_measured(data: &ComputeData) -> String {
    match data.peak_memory.len() {
        1 => format!("1 of {} ranks", data.provenance.ranks),
        ran if ran as u32 == data.provenance.ranks => format!("all {ran} ranks"),
        ran => format!("{ran} of {} ranks", data.provenance.ranks),
    }
}

/// Result of a measurement.
pub struct Measured {
    /// The data.
    pub data: ComputeData,
    /// Processor time of all ranks of all runs that it took.
    pub cost: Time,
}

/// A study to measure, with the settings for it.
#[derive(Clone)]
struct Job<'a> {
    folder: &'a Path,
    study: &'a Study,
    ranks: u32,
    measurement: &'a MeasurementArgs,
    input: &'a ProgramInput,
    compiler: Compiler,
    /// All copies that measure at the same time, if this is one of several.
    copies: Option<&'a Copies>,
}

/// Compute data of a study, for nodes with one rank and with up to `ranks_per_node` ranks, as far as this computer has
/// processing units and memory for them.
pub fn study_probe(
    folder: &Path,
    study: &Study,
    ranks: u32,
    ranks_per_node: u32,
    measurement: &MeasurementArgs,
    input: &ProgramInput,
) -> Result<Measured> {
    let job = Job {
        folder,
        study,
        ranks,
        measurement,
        input,
        compiler: Compiler::find(study)?,
        copies: None,
    };
    co_run::measure_one_and_full(&job, ranks_per_node)
}

/// Measures one copy of the program.
fn measure_copy(job: &Job) -> Result<Measured> {
    // A single rank is its own representative.
    if job.ranks > 1 && !job.measurement.all_ranks {
        if job.study.probes.contains(&Probe::Program) {
            return solo::measure(job);
        }
        // Solo ranks need the call sequence that the program probe records. By default all ranks run
        // instead.
        if job.measurement.solo_input != SoloInput::Auto {
            let folder = job.folder.display();
            bail!(
                "{folder} contains no program probe, which --solo-input requires; prepare the study with --kind program,compute"
            );
        }
    }
    let serial = SerialRun::run(job, None)?;
    Ok(Measured {
        data: serial.data(job)?,
        cost: serial.cost(),
    })
}

/// Measurements of all ranks, which ran on one PU in turn.
struct SerialRun {
    ranks: Vec<RankRecording>,
    cutting: Cutting,
}

impl SerialRun {
    /// The method in the provenance.
    const METHOD: &'static str = "all ranks on one PU in turn";

    /// Runs all ranks. With `keep`, messages of the selected ranks are logged in that folder.
    fn run(job: &Job, keep: Option<&Path>) -> Result<Self> {
        let program = compile::binary(job.folder, job.study, Probe::Compute, &job.compiler)?;
        let run = |measure: MeasureSettings| {
            job.synchronized(|stop| job.start(&program, &measure, stop, keep))
        };
        let (recording, cutting) = with_tolerated_cuts(settings(job.measurement), run)?;
        Ok(Self {
            ranks: recording.ranks,
            cutting,
        })
    }

    fn data(&self, job: &Job) -> Result<ComputeData> {
        job.data(&self.ranks, self.cutting, Feed::All, Self::METHOD)
    }

    fn cost(&self) -> Time {
        self.ranks.iter().map(|rank| rank.cpu).sum()
    }
}

/// A flag that ends a run once it is true; an interrupt by the user has its own.
type Stop<'a> = Option<&'a Arc<AtomicBool>>;

impl Job<'_> {
    /// Runs in step with the other copies, if there are any.
    fn synchronized<T>(&self, run: impl Fn(Stop<'_>) -> Result<T>) -> Result<T> {
        match self.copies {
            Some(copies) => copies.together(&run),
            None => run(None),
        }
    }

    /// Runs all ranks of the compute probe in turn. With `keep`, messages of the selected ranks are logged in that folder.
    fn start(
        &self,
        program: &Path,
        measure: &MeasureSettings,
        stop: Stop<'_>,
        keep: Option<&Path>,
    ) -> Result<Recording> {
        let run_settings = RunSettings {
            mode: Mode::Measure,
            measure: measure.clone(),
            stop: stop.cloned(),
            keep: keep.map(Path::to_path_buf),
            ..RunSettings::default()
        };
        record::start(
            program,
            self.ranks,
            run_settings,
            Some(&self.study.table),
            self.input,
        )
    }

    /// Compute data from the ranks' recordings; `how` is the method in the provenance.
    fn data(
        &self,
        recordings: &[RankRecording],
        cutting: Cutting,
        feed: Feed,
        how: &str,
    ) -> Result<ComputeData> {
        page_faults::warn(recordings);
        let pu = origin::processing_unit();
        let provenance = Provenance {
            ranks: self.ranks,
            input: Some(self.input.digest()),
            arguments: self.input.arguments.clone(),
            compiler: self.compiler.version.clone(),
            flags: self.compiler.flags(),
            pu: pu.model.clone(),
            method: method(how, self.measurement, cutting),
            ..self.study.provenance()
        };
        let table = self.study.table.clone();
        let mut data =
            token_runtime::compute::merge_compute(recordings, table, provenance, pu, feed);
        let is_partial = recordings.len() < self.ranks as usize;
        for entry in &mut data.entries {
            if self.has_real_data(entry, is_partial) {
                // Then the estimator does not report the entry as measured with substitute messages.
                entry.feed = Feed::All;
            }
        }
        for requested in &mut data.requested_memory {
            // Ranks count allocations only; the compiler reserves static storage.
            requested.bytes += self.study.static_memory;
        }
        Ok(data)
    }

    /// Whether an entry's time is that of a run of all ranks, whatever messages its rank received: the block depends on data,
    /// but not on messages. A block whose callee may differ between ranks is excluded if the run is partial: an unmeasured
    /// rank may call another procedure.
    fn has_real_data(&self, entry: &ComputeEntry, is_partial: bool) -> bool {
        let block = self.study.table.blocks.get(entry.block.index());
        block.is_some_and(|block| block.data_dependent)
            && !self.study.message_dependent.contains(&entry.block)
            && !(is_partial && self.study.callee_dependent.contains(&entry.block))
    }
}

fn method(how: &str, measurement: &MeasurementArgs, cutting: Cutting) -> String {
    let usual = format!(
        "{how}; interval {}, budget {} s",
        measurement.interval,
        measurement.budget.as_secs_f64()
    );
    match cutting {
        Cutting::Every => usual,
        Cutting::Outermost | Cutting::Never => format!("{usual}; {}", whole_loops(cutting)),
    }
}

/// Runs with as many loops cut short as the program tolerates: a program may fail because a loop ended early.
fn with_tolerated_cuts<T>(
    settings: MeasureSettings,
    run: impl Fn(MeasureSettings) -> Result<T>,
) -> Result<(T, Cutting)> {
    let [every, others @ ..] = Cutting::ALL;
    let mut cutting = every;
    let mut ended = run(MeasureSettings {
        cutting,
        ..settings.clone()
    });
    for less in others {
        let Err(error) = &ended else { break };
        // Other failures are not caused by a loop that ended early, and would occur again.
        if !error.is::<FailedAfterCut>() {
            break;
        }
        report_once!(
            "mpiete: measuring again with {}, since otherwise {}",
            whole_loops(less),
            first_rank_message(error)
        );
        cutting = less;
        ended = run(MeasureSettings {
            cutting,
            ..settings.clone()
        });
    }
    Ok((ended?, cutting))
}

/// Which loops are not cut short.
fn whole_loops(cutting: Cutting) -> &'static str {
    match cutting {
        Cutting::Every => "",
        Cutting::Outermost => "loops inside others whole",
        Cutting::Never => "all loops whole",
    }
}

/// The part about the first rank of a message about several.
fn first_rank_message(error: &anyhow::Error) -> String {
    let text = error.to_string();
    failure::sanitized(text.split([';', '\n']).next().unwrap_or_default())
}

fn settings(measurement: &MeasurementArgs) -> MeasureSettings {
    MeasureSettings {
        relative_interval: measurement.interval,
        minimum_samples: MINIMUM_SAMPLES,
        cutting: Cutting::default(),
        budget: measurement.budget,
        minimum_time: MINIMUM_LOOP_TIME,
    }
}
