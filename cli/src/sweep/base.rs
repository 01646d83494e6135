//! Base data of a sweep: program data for each number of ranks, and compute data. They come from a study, from sources that are
//! prepared as one, or from files. Missing program data of a study are recorded, as by `predict`.
//!
//! An observation or another tool's trace contains both for its number of ranks. Its blocks are places of this one run, so
//! its times are used for its program data alone.

use crate::args::{ProjectArgs, SweepArgs};
use crate::base_files::{self, BaseFile};
use crate::bounded_run::LockedStudy;
use crate::input::ProgramInput;
use crate::project::Project;
use crate::study::{self, Probe, Study};
use crate::study_lock::StudyLock;
use crate::{
    bounded_run, diagnostics, estimate, files, measure, predict, prepare, project, record, traces,
};
use anyhow::{Result, bail};
use base_data::compute_data::ComputeData;
use base_data::program_data::ProgramData;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Base data of all points.
#[derive(Default)]
pub struct SweepData {
    /// By number of ranks.
    pub programs: BTreeMap<u32, ProgramData>,
    /// Compute data of all points but those of runs.
    compute: Vec<ComputeData>,
    /// By number of ranks, the compute data for the program data of a run: its own times and the given compute data.
    of_runs: BTreeMap<u32, Vec<ComputeData>>,
    /// Limitations of their estimates, one sentence each.
    pub unpredicted: Vec<String>,
}

/// Kind of input of a sweep.
pub enum SweepInput {
    /// Files of base data.
    Files(SweepData),
    /// A study, which can be recorded for more numbers of ranks.
    Study(PathBuf),
    /// Sources.
    Project,
}

impl SweepInput {
    /// Determines the kind of input that the arguments name, and reads files.
    ///
    /// # Errors
    /// Files of other kinds, or files that do not fit together.
    pub fn of(arguments: &ProjectArgs) -> Result<Self> {
        let [first, others @ ..] = arguments.sources.as_slice() else {
            return Ok(SweepInput::Project);
        };
        if first.join(study::MARKER).is_file() && others.is_empty() {
            return Ok(SweepInput::Study(first.clone()));
        }
        if is_base_data(first)? {
            read(&arguments.sources).map(SweepInput::Files)
        } else {
            Ok(SweepInput::Project)
        }
    }

    /// The numbers of ranks with program data, if no others can be recorded.
    pub fn known_ranks(&self) -> Vec<u32> {
        match self {
            SweepInput::Files(base) => base.programs.keys().copied().collect(),
            SweepInput::Study(_) | SweepInput::Project => Vec::new(),
        }
    }

    /// The base data for all numbers of ranks; with each, the most of them on one node.
    ///
    /// # Errors
    /// Base data that cannot be read, recorded or measured.
    pub fn base(self, ranks: &BTreeMap<u32, u32>, arguments: &SweepArgs) -> Result<SweepData> {
        match self {
            SweepInput::Files(base) => {
                for &ranks in ranks.keys() {
                    base.check_ranks(ranks)?;
                }
                Ok(base)
            }
            SweepInput::Study(folder) => of_study(&folder, ranks.keys().copied(), arguments),
            SweepInput::Project => of_project(ranks, arguments),
        }
    }
}

fn listed<'a>(numbers: impl Iterator<Item = &'a u32>) -> String {
    numbers.map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// Whether a file is an mpiete file or another tool's trace.
fn is_base_data(path: &Path) -> Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let bytes = files::read_bytes(path)?;
    Ok(files::kind(path, &bytes).is_ok() || traces::is_trace(path, &bytes))
}

impl SweepData {
    /// Compute data for a number of ranks.
    pub fn compute(&self, ranks: u32) -> &[ComputeData] {
        self.of_runs.get(&ranks).unwrap_or(&self.compute)
    }

    fn check_ranks(&self, ranks: u32) -> Result<()> {
        if self.programs.contains_key(&ranks) {
            return Ok(());
        }
        let known = listed(self.programs.keys());
        if self.of_runs.is_empty() {
            bail!(
                "no program data for {ranks} ranks are among the files (there are those for {known}); create them with \
                `mpiete record -n {ranks}`, or name the study instead"
            );
        }
        bail!(
            "no run on {ranks} ranks is among the files (there are those on {known}), and a run cannot be changed to another \
            number of ranks; add an observation or trace of {ranks} ranks, or name the sources or a study instead"
        );
    }

    fn add_program(&mut self, path: &Path, program: ProgramData) -> Result<()> {
        let ranks = program.ranks;
        match self.programs.insert(ranks, program) {
            None => Ok(()),
            Some(_) => {
                bail!(
                    "{} contains program data for {ranks} ranks, as another file does; give one",
                    path.display()
                )
            }
        }
    }
}

/// The files that a sweep takes.
const EXPECTED_FILES: &str = "a sweep takes sources, a study, observations, or program data and compute data (communication \
    data go with --comm)";

fn read(paths: &[PathBuf]) -> Result<SweepData> {
    let mut base = SweepData::default();
    for path in paths {
        match base_files::read(path, EXPECTED_FILES)? {
            BaseFile::Program(program) => base.add_program(path, *program)?,
            BaseFile::Compute(data) => base.compute.push(*data),
            BaseFile::Run(run) => {
                base.of_runs.insert(run.program.ranks, vec![run.compute]);
                base.add_program(path, run.program)?;
            }
        }
    }
    for of_run in base.of_runs.values_mut() {
        of_run.extend(base.compute.iter().cloned());
    }
    if base.programs.is_empty() {
        bail!("no program data are among the files; create them with `mpiete record`");
    }
    Ok(base)
}

fn of_study(
    folder: &Path,
    ranks: impl Iterator<Item = u32> + Clone,
    arguments: &SweepArgs,
) -> Result<SweepData> {
    let _lock = StudyLock::shared(folder)?;
    let study = study::read(folder)?;
    let is_recorded = |ranks: u32| study::program_data(folder, ranks).is_file();
    // Missing data are reported before the first recording, which may take long.
    for ranks in ranks.clone() {
        if is_recorded(ranks) {
            estimate::load_study_data(folder, ranks)?;
        } else {
            estimate::compute_of_study(folder, ranks)?;
        }
    }
    let mut input = None;
    for ranks in ranks.clone() {
        if !is_recorded(ranks) {
            let input = match &mut input {
                Some(input) => input,
                // Only if something is recorded: reading standard input may wait for its end.
                none => none.insert(ProgramInput::read(&arguments.input)?),
            };
            record_ranks(folder, &study, ranks, input)?;
        }
    }
    let mut base = SweepData {
        unpredicted: study.unpredicted,
        ..SweepData::default()
    };
    for ranks in ranks {
        let (program, compute) = estimate::load_study_data(folder, ranks)?;
        base.programs.insert(ranks, program);
        base.compute = compute;
    }
    Ok(base)
}

fn of_project(ranks: &BTreeMap<u32, u32>, arguments: &SweepArgs) -> Result<SweepData> {
    let input = ProgramInput::read(&arguments.input)?;
    predict::report_progress("analyzing");
    let mut project = project::load(&arguments.project)?;
    let folder = arguments
        .study
        .clone()
        .unwrap_or_else(|| predict::default_folder(&project));
    let (study, lock) = prepare::write(&project, &prepare::StudyContents::default(), &folder)?;
    let prepared = LockedStudy {
        study,
        folder: &folder,
        lock,
    };
    let result = measure_ranks(ranks, arguments, &mut project, prepared, &input);
    if result.is_err() {
        // The report of a sweep lists them; without one they may explain the error.
        diagnostics::report_limitations(&project);
    }
    result
}

/// Records and measures a prepared program on each number of ranks; with each, the most of them on one node.
fn measure_ranks(
    ranks: &BTreeMap<u32, u32>,
    arguments: &SweepArgs,
    project: &mut Project,
    prepared: LockedStudy<'_>,
    input: &ProgramInput,
) -> Result<SweepData> {
    let folder = prepared.folder;
    // Trip counts are assumed equal on all numbers of ranks, and the smallest run is the cheapest.
    let fewest = ranks.keys().copied().next().unwrap_or(1);
    let (study, _lock) =
        bounded_run::refine_trip_counts(project, prepared, fewest, &arguments.bounded_run, input)?;
    let mut base = SweepData::default();
    for (&ranks, &ranks_per_node) in ranks {
        base.programs
            .insert(ranks, record_ranks(folder, &study, ranks, input)?);
        predict::report_progress(&format!(
            "measuring compute blocks on {}",
            crate::view::numbers::ranks(ranks)
        ));
        let compute = measure::study_probe(
            folder,
            &study,
            ranks,
            ranks_per_node,
            &arguments.measurement,
            input,
        )?
        .data;
        files::write(&study::compute_data(folder, ranks, 1, 1), &compute)?;
        base.compute.push(compute);
    }
    base.unpredicted = study.unpredicted;
    Ok(base)
}

fn record_ranks(
    folder: &Path,
    study: &Study,
    ranks: u32,
    input: &ProgramInput,
) -> Result<ProgramData> {
    predict::report_progress(&format!(
        "recording {} of the slice",
        crate::view::numbers::ranks(ranks)
    ));
    let program = record::study_probe(folder, study, Probe::Program, ranks, input)?.data;
    files::write(&study::program_data(folder, ranks), &program)?;
    Ok(program)
}
