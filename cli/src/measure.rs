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
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use token_runtime::host::{Copies, Cutting, MeasureSettings, Mode, Recording};

/// Executions of a block below which its interval says nothing.
const MINIMUM_SAMPLES: u32 = 5;
/// Time that a loop is measured at least.
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
    let (copies, threads) = (arguments.co_run, co_run::threads(&job, arguments.co_run)?);
    let default = || study::compute_data(folder, ranks, (copies, threads));
    let output = arguments.output.clone().unwrap_or_else(default);
    files::check_output(&output)?;
    let measured = co_run::measure(&job, copies)?;
    files::write(&output, &measured.data)?;
    files::print_line(format!(
        "{} block variants measured on {}; {:.3} s of processor time; written to {}",
        measured.data.entries.len(),
        ranks_measured(&measured.data),
        measured.cost.seconds(),
        output.display()
    ))?;
    Ok(())
}

fn ranks_measured(data: &ComputeData) -> String {
    match data.peak_memory.len() {
        1 => format!("1 of {} ranks", data.provenance.ranks),
        ran if ran as u32 == data.provenance.ranks => format!("all {ran} ranks"),
        ran => format!("{ran} of {} ranks", data.provenance.ranks),
    }
}

/// What measuring gives.
pub struct Measured {
    /// The data.
    pub data: ComputeData,
    /// Processor time of all ranks of all runs that it took.
    pub cost: Time,
}

/// What is to be measured.
#[derive(Clone)]
struct Job<'a> {
    folder: &'a Path,
    study: &'a Study,
    ranks: u32,
    measurement: &'a MeasurementArgs,
    input: &'a ProgramInput,
    compiler: Compiler,
    /// Those that measure at the same time, if this is one of several copies.
    copies: Option<&'a Copies>,
}

/// Compute data of a study.
pub fn study_probe(
    folder: &Path,
    study: &Study,
    ranks: u32,
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
    co_run::measure(&job, 1)
}

/// One copy of the program.
fn measure_copy(job: &Job) -> Result<Measured> {
    if job.ranks > 1 && !job.measurement.all_ranks {
        if job.study.probes.contains(&Probe::Program) {
            return solo::measure(job);
        }
        if job.measurement.solo_input != SoloInput::Auto {
            let folder = job.folder.display();
            bail!(
                "{folder}: --solo-input needs the program probe, which this study lacks; prepare it with --kind program,compute"
            );
        }
    }
    let serial = SerialRun::run(job, None)?;
    Ok(Measured {
        data: serial.data(job)?,
        cost: serial.cost(),
    })
}

/// What all ranks have measured, on one PU in turn.
struct SerialRun {
    ranks: Vec<RankRecording>,
    cutting: Cutting,
}

impl SerialRun {
    /// How they did, as the method of provenance.
    const METHOD: &'static str = "all ranks on one PU in turn";

    /// Runs them; those that are asked to keep in a folder what calls bring to them.
    fn run(job: &Job, keep: Option<&Path>) -> Result<Self> {
        let program = compile::binary(job.folder, job.study, Probe::Compute, &job.compiler)?;
        let run = |measure: MeasureSettings| {
            job.synchronized(|stop| job.start(&program, &measure, (stop, keep)))
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

/// What ends a run once true, where that is not the user.
type Stop<'a> = Option<&'a Arc<AtomicBool>>;

impl Job<'_> {
    /// Measures at the same time as other copies do.
    fn synchronized<T>(&self, run: impl Fn(Stop<'_>) -> Result<T>) -> Result<T> {
        self.copies
            .map_or_else(|| run(None), |copies| copies.together(&run))
    }

    /// All ranks of the compute probe in turn, which may keep something in a folder.
    fn start(
        &self,
        program: &Path,
        measure: &MeasureSettings,
        (stop, keep): (Stop<'_>, Option<&Path>),
    ) -> Result<Recording> {
        let (measure, stop, keep) = (measure.clone(), stop.cloned(), keep.map(Path::to_path_buf));
        let run_settings = RunSettings {
            mode: Mode::Measure,
            measure,
            stop,
            keep,
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

    /// What ranks have measured.
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
        data.entries
            .iter_mut()
            .filter(|entry| self.has_real_data(entry, recordings.len() < self.ranks as usize))
            .for_each(|entry| entry.feed = Feed::All);
        data.requested_memory
            .iter_mut()
            .for_each(|one| one.bytes += self.study.static_memory);
        Ok(data)
    }

    /// Whether an entry is of a block whose work depends on data that no message brings: whatever its rank was fed, they
    /// are those of a run of all ranks. Where it may call another procedure than was seen on ranks that measured `in_part`, its
    /// time is no surer than one that was fed.
    fn has_real_data(&self, entry: &ComputeEntry, in_part: bool) -> bool {
        let block = self.study.table.blocks.get(entry.block.index());
        block.is_some_and(|block| block.data_dependent)
            && !self.study.message_dependent.contains(&entry.block)
            && !(in_part && self.study.callee_dependent.contains(&entry.block))
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

/// Runs with as many loops cut short as the program bears.
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

/// Of a message that tells of every rank, what it tells of the first.
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
