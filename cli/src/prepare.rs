//! `mpiete prepare`: sources to a study.

use crate::args::{PrepareArgs, ProbeClock, ProbeKind};
use crate::build::{Language, references};
use crate::diagnostics::ColorMode;
use crate::failure::Differs;
use crate::input::ProgramInput;
use crate::project::{self, Project};
use crate::study::{self, Probe, Study, StudyFile};
use crate::study_lock::{self, StudyLock};
use crate::{
    assumption_check, compile, diagnostics, files, library, main_program, makefile, record,
    slice_share, study_files, trip_counts,
};
use anyhow::{Context, Result, bail};
use base_data::block_table::CallSite;
use base_data::compute_data::Unit;
use base_data::ids::Digest;
use base_data::mpi::Datatype;
use base_data::program_data::{Allocation, Op, ProgramData};
use base_data::stream_difference::first_difference_but_for;
use frontend::analysis::{AllocationPlace, Slice};
use instrumenter::ProbePlan;
use instrumenter::plan::structure::Structure;
use instrumenter::plan::{self, counters};
use std::path::{Path, PathBuf};
use token_runtime::host::TemporaryFolder;

/// Contents of a study.
pub struct StudyContents {
    /// Its probes.
    pub probes: Vec<Probe>,
    /// Unit in which the compute and the observed probe measure.
    pub unit: Unit,
}

impl Default for StudyContents {
    /// The probes of `predict`, and the original with which `--check` compares the slice.
    fn default() -> Self {
        Self {
            probes: vec![Probe::Program, Probe::Compute, Probe::Reference],
            unit: Unit::Time,
        }
    }
}

impl StudyContents {
    fn of(arguments: &PrepareArgs) -> Self {
        let mut probes = Vec::new();
        for probe in Probe::ALL {
            let kind = match probe {
                Probe::Program | Probe::Reference => ProbeKind::Program,
                Probe::Compute | Probe::Plain | Probe::Profile => ProbeKind::Compute,
                Probe::Observed => ProbeKind::Observed,
            };
            if arguments.kind.contains(&kind) {
                probes.push(probe);
            }
        }
        let unit = match arguments.clock {
            ProbeClock::Time => Unit::Time,
            ProbeClock::Statements => Unit::Statements,
        };
        Self { probes, unit }
    }
}

/// Writes the study and, with `--check`, compares slice and original.
pub fn prepare(arguments: &PrepareArgs) -> Result<()> {
    if arguments.check && !arguments.kind.contains(&ProbeKind::Program) {
        bail!("--check compares the slice with the original; add program to --kind");
    }
    let project = project::load(&arguments.project)?;
    let (study, _lock) = write(&project, &StudyContents::of(arguments), &arguments.output)?;
    // After the study is written: an error above would make the limitations irrelevant.
    diagnostics::report_limitations(&project);
    let (kept, all) = study.slice_share;
    files::print_line(format!(
        "{}: {} blocks, {} MPI calls, {kept} of {all} statements kept, written to {}",
        study.name,
        study.table.blocks.len(),
        study.table.call_sites.len(),
        arguments.output.display()
    ))?;
    if !study.slice_cause.is_empty() {
        report!("{}", slice_share::sentence(&study));
    }
    if study.unit == Unit::Statements {
        warn_uncounted_statements(&project)?;
    }
    if arguments.check {
        check(arguments, &study, &project.analysis.slice)?;
    }
    Ok(())
}

fn warn_uncounted_statements(project: &Project) -> Result<()> {
    let procedures = counters::uncounted(&project.analysis);
    let names: Vec<&str> = procedures
        .map(|id| project.analysis.program.procedure(id).name.as_str())
        .collect();
    if !names.is_empty() {
        files::print_line(format!(
            "statements in PURE procedures are not counted: {}",
            names.join(", ")
        ))?;
    }
    let loops = counters::uncounted_loops(&project.analysis);
    let places: Vec<String> = loops.map(|id| diagnostics::place_of(project, id)).collect();
    if !places.is_empty() {
        files::print_line(format!(
            "statements in DO CONCURRENT are not counted: {}",
            places.join(", ")
        ))?;
    }
    Ok(())
}

/// Writes the study of `project` into `folder`, whole or not at all. The lock excludes other commands.
pub fn write(
    project: &Project,
    contents: &StudyContents,
    folder: &Path,
) -> Result<(Study, StudyLock)> {
    write_under(project, contents, folder, None)
}

/// The same for a study that this command has locked.
pub fn write_again(
    project: &Project,
    contents: &StudyContents,
    folder: &Path,
    lock: StudyLock,
) -> Result<(Study, StudyLock)> {
    write_under(project, contents, folder, Some(lock))
}

fn write_under(
    project: &Project,
    contents: &StudyContents,
    folder: &Path,
    lock: Option<StudyLock>,
) -> Result<(Study, StudyLock)> {
    check_supported_calls(project)?;
    if let Some(remark) = &project.analysis.section_remark {
        // `predict` may write the study twice.
        report_once!(
            "{}",
            diagnostics::render(project, remark, ColorMode::for_stderr()).trim_end()
        );
    }
    // Before any work. A folder with only a lock is a study whose first `prepare` was killed.
    files::check_output_folder(folder, &[study::MARKER, study_lock::USE])?;
    let study = describe(project, contents);
    let parent = folder
        .parent()
        .filter(|parent| *parent != Path::new(""))
        .unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent)
        .with_context(|| format!("{} cannot be made", parent.display()))?;
    // In the same parent, so that the renames below stay within one file system.
    let fresh = TemporaryFolder::create_in(parent, ".mpiete-study-").with_context(|| {
        let place = match parent {
            here if here == Path::new(".") => "the current folder".to_string(),
            other => other.display().to_string(),
        };
        format!(
            "the study {} was not written: {place} cannot be written; name a study elsewhere (-o STUDY; `mpiete sweep`: --study)",
            folder.display()
        )
    })?;
    // Everything is written before the lock is taken: other commands can use the old study until
    // then.
    write_files(project, &study, fresh.path())?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("{} cannot be made", folder.display()))?;
    let lock = match lock {
        Some(lock) => lock,
        None => StudyLock::exclusive(folder)?,
    };
    install(fresh.path(), folder)?;
    remove_others(&study, folder)?;
    publish(fresh.path(), folder)?;
    Ok((study, lock))
}

fn check_supported_calls(project: &Project) -> Result<()> {
    diagnostics::check_errors(project)?;
    let unsupported = &project.analysis.unsupported;
    if let Some((statement, name)) = unsupported.first() {
        let place = diagnostics::place_of(project, *statement);
        let more = unsupported.len() - 1;
        let others = if more > 0 {
            format!(" (and {more} more calls, see `mpiete analyze`)")
        } else {
            String::new()
        };
        bail!(
            "{place}: {name} is not supported by this version{others}; the program cannot be prepared with it"
        );
    }
    main_program::require_fortran_main(project)
}

fn describe(project: &Project, contents: &StudyContents) -> Study {
    let analysis = &project.analysis;
    let texts = project
        .sources
        .files
        .iter()
        .map(|file| file.text.as_slice());
    let files = study_files::all(project);
    let name = match analysis.program.main {
        Some(id) => analysis.program.procedure(id).name.clone(),
        None => String::new(),
    };
    let mut assumptions = Vec::new();
    for (_, assumption) in &analysis.slice.assumptions {
        assumptions.push(assumption.clone());
    }
    let (section, section_reason) = match &analysis.section {
        Some(section) => (Some(section.span.clone()), section.reason.clone()),
        None => (None, String::new()),
    };
    let link = match &project.recorded {
        Some(recorded) => recorded.link.clone(),
        None => Vec::new(),
    };
    Study {
        format: Study::format(),
        name,
        sources: Digest::of_parts(texts),
        table: structure(project, contents.unit).table(analysis),
        assumptions,
        time_dependent: analysis.time_dependent.clone(),
        order_independent: analysis.any_order.clone(),
        external_clock: analysis.external_clock,
        message_dependent: analysis.decided_by_others.clone(),
        callee_dependent: analysis.unequal_callees.clone(),
        unpredicted: diagnostics::unpredicted(project),
        section,
        section_reason,
        slice_share: analysis.slice.share,
        slice_cause: slice_share::cause(project),
        allocations: analysis.allocations.iter().map(allocation).collect(),
        static_memory: analysis.static_memory,
        compiler: fortran_compiler(project),
        flags: compile::flags(&files),
        files,
        link,
        uses_module: project::uses_module(project, "mpi"),
        uses_mpi_f08: project::uses_module(project, "mpi_f08"),
        probes: contents.probes.clone(),
        unit: contents.unit,
    }
}

/// The compiler of the probes: what FC names, else that of the build; empty for the default.
fn fortran_compiler(project: &Project) -> String {
    let named = compile::named_compiler();
    let Some(recorded) = &project.recorded else {
        return named;
    };
    if !named.is_empty() {
        return named;
    }
    let compilers = &recorded.compilers;
    if compilers.len() > 1 {
        report_once!(
            "mpiete: the probes are compiled by {}, but the build used {}; set FC to the compiler of the \
             procedures that take most of the time",
            compilers[0],
            compilers.join(", ")
        );
    }
    match compilers.first() {
        Some(first) if first != compile::DEFAULT_COMPILER => first.clone(),
        Some(_) | None => String::new(),
    }
}

fn allocation(place: &AllocationPlace) -> Allocation {
    let expression = place.bytes.clone().unwrap_or_default();
    Allocation {
        span: place.span.clone(),
        name: place.name.clone(),
        expression,
    }
}

fn write_files(project: &Project, study: &Study, folder: &Path) -> Result<()> {
    let names = study_files::fortran(&project.sources);
    let mut probes = study.probes.clone();
    // The plain program is the reference for the code alignment of the compute probe. A count of statements does not depend
    // on alignment.
    if study.probes.contains(&Probe::Compute) && study.unit == Unit::Time {
        probes.push(Probe::Plain);
    }
    for probe in probes {
        let plan = plan(project, probe, study.unit);
        let files = instrumenter::instrument(&project.sources, &project.analysis, &plan)?;
        let probe = folder.join(probe.folder());
        for (file, name) in files.iter().zip(&names) {
            write_file(&probe.join(name), &file.text)?;
        }
        write_references(project, &probe)?;
    }
    for (name, text) in study_files::others(project) {
        write_file(&folder.join(name), text)?;
    }
    for (name, text) in token_runtime::headers::ALL {
        write_file(&folder.join("include").join(name), text.as_bytes())?;
    }
    link_libraries(study, folder)?;
    write_file(&folder.join("Makefile"), makefile::of(study).as_bytes())?;
    study::write(folder, study)
}

fn write_references(project: &Project, probe: &Path) -> Result<()> {
    match study_files::reference_source(project) {
        Some(text) => write_file(&probe.join(references::FILE), text.as_bytes()),
        None => Ok(()),
    }
}

/// Source of the clock and the output of a profiled program.
const PROFILE_LIBRARY: &str = "mpiete-profile.f90";

/// Writes a study with the profiled program alone, and the source file that it needs beside its own, if it needs one. A program
/// with sampled tasks is one.
pub fn write_profiled(
    project: &Project,
    plan: &ProbePlan,
    library: Option<&str>,
    folder: &Path,
) -> Result<Study> {
    check_supported_calls(project)?;
    let contents = StudyContents {
        probes: vec![Probe::Profile],
        unit: Unit::Time,
    };
    let mut study = describe(project, &contents);
    let is_recorded = project.recorded.is_some();
    if library.is_some() {
        study.files.push(StudyFile {
            path: PROFILE_LIBRARY.into(),
            language: Language::Fortran,
            flags: if is_recorded { Some(Vec::new()) } else { None },
        });
    }
    let probe = folder.join(Probe::Profile.folder());
    let files = instrumenter::instrument(&project.sources, &project.analysis, plan)?;
    for (file, name) in files.iter().zip(study_files::fortran(&project.sources)) {
        write_file(&probe.join(name), &file.text)?;
    }
    write_references(project, &probe)?;
    if let Some(library) = library {
        write_file(&probe.join(PROFILE_LIBRARY), library.as_bytes())?;
    }
    for (name, text) in study_files::others(project) {
        write_file(&folder.join(name), text)?;
    }
    for (name, text) in token_runtime::headers::ALL {
        write_file(&folder.join("include").join(name), text.as_bytes())?;
    }
    study::write(folder, &study)?;
    Ok(study)
}

/// The blocks beside all compute blocks, which only a count of statements has.
fn structure(project: &Project, unit: Unit) -> Structure {
    match unit {
        Unit::Time => Structure::default(),
        Unit::Statements => Structure::of(&project.analysis),
    }
}

fn plan(project: &Project, probe: Probe, unit: Unit) -> ProbePlan {
    let analysis = &project.analysis;
    let structure = structure(project, unit);
    let measuring = |plan: ProbePlan| match unit {
        Unit::Time => plan,
        Unit::Statements => counters::counted(analysis, &structure, plan),
    };
    match probe {
        Probe::Program => plan::program::sliced_with(analysis, &structure),
        Probe::Compute => measuring(plan::compute::timed(analysis)),
        Probe::Reference => plan::program::reference_with(analysis, &structure),
        Probe::Observed => measuring(plan::compute::observed(analysis)),
        // A profiled program is written from a plan of its own.
        Probe::Plain | Probe::Profile => ProbePlan::default(),
    }
}

/// Links to the libraries that exist: without them nothing can be recorded or observed, but the probes can be read. The
/// observer has a folder of its own, since the other links have the names of the user's MPI. The links are relative, so they stay
/// valid when a folder with both the study and this program is copied to another machine.
fn link_libraries(study: &Study, folder: &Path) -> Result<()> {
    let links = folder.join("lib");
    if let Ok(library) = library::path() {
        token_runtime::host::relative_library_folder(&links, &library)?;
    }
    if let Ok(observer) = library::observer()
        && study.probes.contains(&Probe::Observed)
        && let Some(name) = observer.file_name()
    {
        let place = links.join("observer");
        std::fs::create_dir_all(&place)?;
        let target =
            token_runtime::host::relative_path(&observer.canonicalize()?, &place.canonicalize()?);
        std::os::unix::fs::symlink(target, place.join(name))?;
    }
    Ok(())
}

/// Removes the probes of an earlier study that this one does not contain.
fn remove_others(study: &Study, folder: &Path) -> Result<()> {
    for probe in Probe::ALL {
        let other = folder.join(probe.folder());
        if !study.probes.contains(&probe) && other.is_dir() {
            std::fs::remove_dir_all(&other)
                .with_context(|| format!("{} cannot be removed", other.display()))?;
        }
    }
    Ok(())
}

fn write_file(path: &Path, text: &[u8]) -> Result<()> {
    let cannot = || {
        format!(
            "{} cannot be written; check that there is room",
            path.display()
        )
    };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).with_context(cannot)?;
    }
    std::fs::write(path, text).with_context(cannot)
}

/// Moves the new files into the study, replacing those of an earlier one except its data files. Until [`publish`], the folder is
/// no study: the marker file is removed first and moved last.
fn install(fresh: &Path, folder: &Path) -> Result<()> {
    let marker = folder.join(study::MARKER);
    if let Err(error) = std::fs::remove_file(&marker)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error).with_context(|| format!("{} cannot be replaced", marker.display()));
    }
    // Listed before the first rename, since renaming changes the folder that is read.
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(fresh)?.flatten() {
        entries.push(entry.path());
    }
    for from in entries {
        let Some(name) = from.file_name() else {
            continue;
        };
        if name == study::MARKER {
            continue;
        }
        let to = folder.join(name);
        // A rename replaces a file, but not a folder with files.
        if to.is_dir() {
            std::fs::remove_dir_all(&to)
                .with_context(|| format!("{} cannot be replaced", to.display()))?;
        }
        std::fs::rename(&from, &to)
            .with_context(|| format!("{} cannot be written", to.display()))?;
    }
    Ok(())
}

/// Makes the folder a study.
fn publish(fresh: &Path, folder: &Path) -> Result<()> {
    let marker = folder.join(study::MARKER);
    std::fs::rename(fresh.join(study::MARKER), &marker)
        .with_context(|| format!("{} cannot be written", marker.display()))
}

/// Records the slice and the whole program side by side and compares their event streams entry by entry.
fn check(arguments: &PrepareArgs, study: &Study, slice: &Slice) -> Result<()> {
    let (folder, ranks) = (&arguments.output, arguments.ranks);
    let input = ProgramInput::read(&arguments.input)?;
    let recorded = |probe| record::study_probe(folder, study, probe, ranks, &input);
    let mut others = Vec::new();
    // The original first: a slice under an assumption that does not hold may never end.
    for (probe, name) in [
        (Probe::Reference, "original"),
        (Probe::Observed, "observed"),
    ] {
        if study.probes.contains(&probe) {
            let mut whole = recorded(probe)?;
            if probe == Probe::Reference {
                // Kept in the study: `predict` uses the trip counts that the original showed.
                whole.data.assumptions = trip_counts::observed(slice, &whole.conditions);
                files::write(&study::reference_data(folder, ranks), &whole.data)?;
            }
            assumption_check::check(study, slice, &whole.conditions)?;
            others.push((name, whole.data));
        }
    }
    let sliced = recorded(Probe::Program)?.data;
    for (name, whole) in &others {
        compare(name, study, &sliced, whole)?;
    }
    Ok(())
}

fn compare(name: &str, study: &Study, sliced: &ProgramData, whole: &ProgramData) -> Result<()> {
    let Some(difference) = first_difference_but_for(sliced, whole, &study.order_independent) else {
        let ranks = crate::view::numbers::ranks(sliced.ranks);
        return files::print_line(format!(
            "sliced and {name} program make equal event streams on {ranks}"
        ));
    };
    // Addresses differ between the two executables. If nothing but displacements differs, the messages are the same.
    if uses_addresses(study)
        && first_difference_but_for(
            &without_gaps(sliced),
            &without_gaps(whole),
            &study.order_independent,
        )
        .is_none()
    {
        let ranks = crate::view::numbers::ranks(sliced.ranks);
        return files::print_line(format!(
            "sliced and {name} program make equal event streams on {ranks}, except for \
            displacements in datatypes: the program computes them from addresses \
            (MPI_Get_address), which depend on where the compiler places variables"
        ));
    }
    let does = |data, entry: &Option<Op>| estimator::comparison::describe(data, entry.as_ref());
    Err(Differs(format!(
        "sliced and {name} program differ on rank {} at entry {}: the slice has {}, the {name} program has {}; {}",
        difference.rank.map_or_else(|| "?".into(), |rank| rank.to_string()),
        difference.index + 1,
        does(sliced, &difference.first),
        does(whole, &difference.second),
        remedy(study, whole),
    ))
    .into())
}

/// The data with datatypes whose parts are adjacent, wherever the variables are in memory.
fn without_gaps(data: &ProgramData) -> ProgramData {
    ProgramData {
        datatypes: data
            .datatypes
            .iter()
            .map(Datatype::close_together)
            .collect(),
        ..data.clone()
    }
}

/// Whether the program queries addresses of its variables.
fn uses_addresses(study: &Study) -> bool {
    let queries_address =
        |site: &CallSite| site.function == "MPI_Get_address" || site.function == "MPI_Address";
    study.table.call_sites.iter().any(queries_address)
}

/// The remedy for a difference.
fn remedy(study: &Study, whole: &ProgramData) -> String {
    let mut places = Vec::new();
    for place in &study.time_dependent {
        places.push(study.table.site_place(place.site));
    }
    if let Some(place) = whole.clock_outside() {
        places.push(whole.table.site_place(place.site));
    }
    if places.is_empty() {
        return "please report this program".into();
    }
    format!(
        "two runs of this program may differ anyway, since its control flow depends on timing \
        (see {})",
        places.join(", ")
    )
}
