//! `mpiete prepare`: sources to a study.

use crate::args::PrepareArgs;
use crate::failure::Differs;
use crate::input::ProgramInput;
use crate::project::{self, IncludedFile, Project};
use crate::study::{self, Probe, Study};
use crate::{compile, diagnostics, files, record};
use anyhow::{Context, Result, bail};
use base_data::ids::Digest;
use instrumenter::plan;
use std::path::{Component, Path, PathBuf};

/// Writes the study and, with `--check`, compares slice and original.
pub fn prepare(arguments: &PrepareArgs) -> Result<()> {
    let project = project::load(&arguments.project)?;
    let study = write(&project, &arguments.output)?;
    let (kept, all) = study.slice_share;
    files::say(format!(
        "{}: {} blocks, {} MPI calls, {kept} of {all} statements kept, written to {}",
        study.name,
        study.table.blocks.len(),
        study.table.call_sites.len(),
        arguments.output.display()
    ))?;
    if arguments.check {
        check(arguments, &study)?;
    }
    Ok(())
}

/// Writes the study of `project` into `folder`, whole or not at all.
pub fn write(project: &Project, folder: &Path) -> Result<Study> {
    refuse_what_cannot_be_probed(project)?;
    files::check_output_folder(folder, study::MARKER)?;
    let study = describe(project);
    let parent = folder.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
    let fresh = tempfile::Builder::new().prefix(".mpiete-study-").tempdir_in(parent)?;
    write_files(project, &study, fresh.path())?;
    put_in_place(fresh.path(), folder)?;
    Ok(study)
}

fn refuse_what_cannot_be_probed(project: &Project) -> Result<()> {
    diagnostics::refuse_errors(project)?;
    let unsupported = &project.analysis.unsupported;
    if let Some((statement, name)) = unsupported.first() {
        let place = diagnostics::place_of(project, *statement);
        let more = unsupported.len() - 1;
        let others =
            if more > 0 { format!(" (and {more} more calls, see `mpiete analyze`)") } else { String::new() };
        bail!(
            "{place}: {name} is not supported by this version{others}; the program cannot be prepared with it"
        );
    }
    refuse_includes_that_cannot_be_kept(project)?;
    if project.analysis.program.main.is_none() {
        bail!("the sources hold no main program; name all files of the program");
    }
    Ok(())
}

/// A study keeps included files by the name that the INCLUDE line has: one file a name, below its folder.
fn refuse_includes_that_cannot_be_kept(project: &Project) -> Result<()> {
    for (index, file) in project.included.iter().enumerate() {
        let stays_below = Path::new(&file.name).components().all(|part| matches!(part, Component::Normal(_)));
        if !stays_below {
            bail!(
                "include '{}': a study keeps included files in a folder of its own; write the name alone and give its folder with -I",
                file.name
            );
        }
        let same_name = |other: &&IncludedFile| other.name == file.name && other.text != file.text;
        if let Some(other) = project.included[..index].iter().find(same_name) {
            bail!(
                "include '{}' means two different files, {} and {}; rename one of them",
                file.name,
                other.path.display(),
                file.path.display()
            );
        }
    }
    Ok(())
}

fn describe(project: &Project) -> Study {
    let analysis = &project.analysis;
    let texts = project.sources.files.iter().map(|file| file.text.as_slice());
    let main = analysis.program.main.map(|id| analysis.program.procedure(id).name.clone());
    let own: Vec<&str> = own_paths(project);
    Study {
        format: Study::format(),
        name: main.unwrap_or_default(),
        sources: Digest::of_parts(texts),
        table: analysis.table.clone(),
        assumptions: analysis.slice.assumptions.iter().map(|(_, assumption)| assumption.clone()).collect(),
        time_dependent: analysis.time_dependent.clone(),
        section: analysis.section.as_ref().map(|section| section.span.clone()),
        slice_share: analysis.slice.share,
        files: project::compile_order(project).into_iter().map(|index| relative(own[index], &own)).collect(),
        uses_module: project::uses_module(project, "mpi"),
    }
}

fn own_paths(project: &Project) -> Vec<&str> {
    project.sources.files.iter().filter(|file| !file.included).map(|file| file.path.as_str()).collect()
}

/// A path below the folder that all sources share.
fn relative(path: &str, all: &[&str]) -> String {
    let parents = all.iter().filter_map(|path| Path::new(path).parent());
    let shared = parents.map(Path::to_path_buf).reduce(|a, b| {
        let common = a.components().zip(b.components()).take_while(|(x, y)| x == y);
        common.map(|(component, _)| component).collect()
    });
    let shared = shared.unwrap_or_default();
    let below = Path::new(path).strip_prefix(&shared).unwrap_or(Path::new(path));
    below.to_string_lossy().trim_start_matches(['/', '.']).to_string()
}

fn write_files(project: &Project, study: &Study, folder: &Path) -> Result<()> {
    let plans = [
        (Probe::Program, plan::program::sliced(&project.analysis)),
        (Probe::Compute, plan::compute::timed(&project.analysis)),
        (Probe::Reference, plan::program::reference(&project.analysis)),
    ];
    let own = own_paths(project);
    for (probe, plan) in plans {
        for file in instrumenter::instrument(&project.sources, &project.analysis, &plan)? {
            put(&folder.join(probe.folder()).join(relative(&file.path, &own)), &file.text)?;
        }
    }
    let included = folder.join("included");
    std::fs::create_dir_all(&included).with_context(|| format!("{} cannot be made", included.display()))?;
    for file in &project.included {
        put(&included.join(&file.name), &file.text)?;
    }
    for (name, text) in token_runtime::headers::ALL {
        put(&folder.join("include").join(name), text.as_bytes())?;
    }
    // Without the library nothing can be recorded, but the probes can be looked at.
    if let Ok(library) = crate::library::path() {
        token_runtime::host::library_folder(&folder.join("lib"), &library)?;
    }
    put(&folder.join("Makefile"), compile::makefile(study).as_bytes())?;
    study::write(folder, study)
}

fn put(path: &Path, text: &[u8]) -> Result<()> {
    let cannot = || format!("{} cannot be written; check that there is room", path.display());
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).with_context(cannot)?;
    }
    std::fs::write(path, text).with_context(cannot)
}

/// Moves what was written into the study, replacing an earlier one but for its data files.
fn put_in_place(fresh: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let entries: Vec<PathBuf> =
        std::fs::read_dir(fresh)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    for from in entries {
        let Some(name) = from.file_name() else { continue };
        let to = folder.join(name);
        if to.is_dir() {
            std::fs::remove_dir_all(&to).with_context(|| format!("{} cannot be replaced", to.display()))?;
        }
        std::fs::rename(&from, &to).with_context(|| format!("{} cannot be written", to.display()))?;
    }
    Ok(())
}

/// Records slice and original side by side and compares their event streams entry by entry.
fn check(arguments: &PrepareArgs, study: &Study) -> Result<()> {
    let (folder, input) = (&arguments.output, ProgramInput::read(&arguments.input)?);
    let sliced = record::study_probe(folder, study, Probe::Program, arguments.ranks, &input)?;
    let whole = record::study_probe(folder, study, Probe::Reference, arguments.ranks, &input)?;
    match base_data::stream_difference::first_difference(&sliced.data, &whole.data) {
        None => {
            files::say(format!("sliced and original program make equal event streams on {} ranks", arguments.ranks))?;
            Ok(())
        }
        Some(difference) => Err(Differs(format!(
            "sliced and original program differ on rank {} at entry {}: {} in the slice, {} in the original; please report this program",
            difference.rank.map_or_else(|| "?".into(), |rank| rank.to_string()),
            difference.index,
            difference.first.map_or_else(|| "nothing".into(), |op| format!("{op:?}")),
            difference.second.map_or_else(|| "nothing".into(), |op| format!("{op:?}")),
        ))
        .into()),
    }
}
