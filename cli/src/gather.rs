//! `mpiete observe --gather`: what the ranks of an observed run left in a folder becomes one
//! observation. The first rank calls it when the run is over, and a person whose run could not.

use crate::args::ObserveArgs;
use crate::study::{self, Study};
use crate::symbolization::Objects;
use crate::{files, observe, origin, symbolization};
use anyhow::{Context, Result, bail};
use base_data::Time;
use base_data::block_table::BlockTable;
use base_data::format::FileContent;
use base_data::ids::Rank;
use base_data::observation::{Observation, ObservedRank};
use base_data::program_data::{Op, RecordMethod};
use base_data::provenance::Provenance;
use base_data::rank_recording::{RankObservation, RankRecording};
use base_data::rank_set::RankSet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use token_runtime::{observed_run, termination};

/// Writes the observation and removes the parts; if they do not make one, the observation says so
/// and the parts stay.
pub fn gather(folder: &Path, arguments: &ObserveArgs) -> Result<()> {
    let parts = read(folder)?;
    let (ranks, provenance) = (parts.len() as u32, provenance(&parts, arguments));
    let merged = merge(parts, provenance.clone(), arguments);
    match merged.and_then(|merged| files::write(&arguments.output, &merged).map(|()| merged)) {
        Ok(observation) => {
            std::fs::remove_dir_all(folder)
                .with_context(|| format!("{} cannot be removed", folder.display()))?;
            print_summary(&observation, &arguments.output)
        }
        Err(error) => {
            let sentence = format!(
                "the parts in {} were not merged: {error:#}",
                folder.display()
            );
            let unfinished = observed_run::unfinished(ranks, provenance, vec![sentence]);
            // If not even that can be written, the file that is there says that it is incomplete, too.
            files::write(&arguments.output, &unfinished)
                .unwrap_or_else(|again| report!("mpiete: {again:#}"));
            Err(error)
        }
    }
}

fn print_summary(observation: &Observation, output: &Path) -> Result<()> {
    let entries: usize = observation.ranks.iter().map(|rank| rank.gaps.len()).sum();
    files::print_line(format!(
        "mpiete: {} ranks observed, {entries} entries; written to {}",
        observation.ranks.len(),
        output.display()
    ))?;
    observation
        .missing
        .iter()
        .try_for_each(|sentence| files::print_line(format!("mpiete: incomplete: {sentence}")))
}

/// The parts, by rank.
fn read(folder: &Path) -> Result<Vec<RankObservation>> {
    let part = |rank: u32| -> Result<RankObservation> {
        let path = termination::recording_path(folder, rank);
        termination::read(&path).with_context(|| {
            format!(
                "{} is missing or incomplete, so these parts cannot be merged",
                path.display()
            )
        })
    };
    let first = part(0)?;
    let world = first
        .recording
        .communicators
        .first()
        .map_or(0, |world| world.group.len());
    let others = (1..u32::try_from(world).unwrap_or(0)).map(part);
    std::iter::once(Ok(first)).chain(others).collect()
}

fn provenance(parts: &[RankObservation], arguments: &ObserveArgs) -> Provenance {
    let (program, words) = match arguments.command.as_slice() {
        [program, words @ ..] => (program.clone(), words.to_vec()),
        [] => (String::new(), Vec::new()),
    };
    Provenance {
        program,
        arguments: words,
        ranks: parts.len() as u32,
        pu: origin::processing_unit().model,
        mpi_library: parts
            .first()
            .map(|part| part.mpi_library.clone())
            .unwrap_or_default(),
        method: method(parts).into(),
        ..origin::now()
    }
}

fn method(parts: &[RankObservation]) -> &'static str {
    match parts.iter().any(|part| part.one_at_a_time) {
        true => "observed over a real MPI, one rank of a computer computing at a time",
        false => "observed over a real MPI",
    }
}

fn merge(
    mut parts: Vec<RankObservation>,
    provenance: Provenance,
    arguments: &ObserveArgs,
) -> Result<Observation> {
    let missing = missing(&parts);
    let one_at_a_time = parts.iter().any(|part| part.one_at_a_time);
    let ranks = times(&mut parts);
    let recordings: Vec<RankRecording> = parts.into_iter().map(|part| part.recording).collect();
    let unit = recordings[0].unit;
    if recordings.iter().any(|recording| recording.unit != unit) {
        bail!(
            "some ranks counted statements and others measured time; start the same probe on all \
            ranks"
        );
    }
    let study = if recordings.iter().any(is_marked) {
        Some(study(arguments)?)
    } else {
        None
    };
    let provenance = match &study {
        Some(study) => Provenance {
            block_map: study.provenance().block_map,
            sources: Some(study.sources),
            ..provenance
        },
        None => provenance,
    };
    let objects = Objects::of(&recordings);
    let table = study
        .as_ref()
        .map_or_else(BlockTable::default, |study| study.table.clone());
    let mut program = token_runtime::classes::merge_program(
        recordings,
        table,
        provenance,
        RecordMethod::Unsliced,
    )?;
    symbolization::resolve(&mut program.table, &objects);
    if let Some(study) = &study {
        study.complete(&mut program, &[])?;
    }
    let observation = Observation {
        program,
        unit,
        one_at_a_time,
        ranks,
        missing,
    };
    check(&observation, study.is_some())?;
    Ok(observation)
}

/// Marks that mean nothing in the study are another study's.
fn check(observation: &Observation, marked: bool) -> Result<()> {
    let remedy = match marked {
        true => "the probe was not made from this study: name its own with --study",
        false => "please report this program",
    };
    observation
        .check()
        .map_err(|why| anyhow::anyhow!("the ranks' parts are inconsistent ({why}); {remedy}"))
}

/// Whether the recording contains a probe's marks, whose meaning only the study contains.
fn is_marked(recording: &RankRecording) -> bool {
    !recording.variants.is_empty()
        || recording
            .stream
            .iter()
            .any(|op| matches!(op, Op::Call { site, .. } if site.0 < RankRecording::UNMARKED))
}

fn study(arguments: &ObserveArgs) -> Result<Study> {
    let program = arguments.command.first().map_or("", String::as_str);
    let folder: Option<PathBuf> = arguments
        .study
        .clone()
        .or_else(|| observe::study_of(program));
    let folder = folder.with_context(|| {
        format!("'{program}' is a probe, and no study was found in the folders above it; name its study with --study")
    })?;
    study::read(&folder)
}

/// The ranks' times, each with its beginning since the first rank's.
fn times(parts: &mut [RankObservation]) -> Vec<ObservedRank> {
    let first = parts.iter().map(|part| part.entered).min().unwrap_or(0);
    let of_rank = |part: &mut RankObservation| ObservedRank {
        begin: Time::from_nanoseconds(part.entered - first),
        ..std::mem::take(&mut part.times)
    };
    parts.iter_mut().map(of_rank).collect()
}

/// What the ranks say they could not observe, equal sentences of several ranks once.
fn missing(parts: &[RankObservation]) -> Vec<String> {
    let mut sentences: BTreeMap<String, Vec<Rank>> = BTreeMap::new();
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    for (rank, part) in (0..).map(Rank).zip(parts) {
        for (function, times) in &part.left_out {
            *calls.entry(function).or_default() += times;
            sentences
                .entry(format!("{function} is not in the stream"))
                .or_default()
                .push(rank);
        }
        for sentence in &part.missing {
            sentences.entry(sentence.clone()).or_default().push(rank);
        }
    }
    let of_ranks = |(sentence, ranks): (String, Vec<Rank>)| {
        let ranks = RankSet::from_ranks(ranks);
        match calls.get(sentence.split(' ').next().unwrap_or_default()) {
            Some(times) => format!("ranks {ranks}: {sentence} ({times} calls)"),
            None => format!("ranks {ranks}: {sentence}"),
        }
    };
    sentences.into_iter().map(of_ranks).collect()
}
