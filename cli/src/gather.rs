//! `mpiete observe --gather`: merges the parts that the ranks of an observed run wrote into one observation. The first rank
//! calls it at the end of the run; a user calls it if that failed.

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

/// Writes the observation and removes the parts. If they cannot be merged, an observation that contains the reason is written,
/// and the parts stay.
pub fn gather(folder: &Path, arguments: &ObserveArgs) -> Result<()> {
    let parts = read(folder)?;
    let (ranks, provenance) = (parts.len() as u32, provenance(&parts, arguments));
    let merged = merge(parts, provenance.clone(), arguments);
    let written = merged.and_then(|merged| {
        files::write(&arguments.output, &merged)?;
        Ok(merged)
    });
    match written {
        Ok(observation) => {
            // Only now: the parts are the only copy of a run that may have taken hours.
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
            // If this fails as well, the file still contains the placeholder of `observe`, which is incomplete, too.
            if let Err(again) = files::write(&arguments.output, &unfinished) {
                report!("mpiete: {again:#}");
            }
            Err(error)
        }
    }
}

fn print_summary(observation: &Observation, output: &Path) -> Result<()> {
    let entries: usize = observation.ranks.iter().map(|rank| rank.gaps.len()).sum();
    files::print_line(format!(
        "mpiete: {} observed, {entries} entries; written to {}",
        crate::view::numbers::ranks(observation.ranks.len() as u32),
        output.display()
    ))?;
    for sentence in &observation.missing {
        files::print_line(format!("mpiete: incomplete: {sentence}"))?;
    }
    Ok(())
}

/// The parts, by rank.
fn read(folder: &Path) -> Result<Vec<RankObservation>> {
    let first = read_part(folder, 0)?;
    // The first communicator is MPI_COMM_WORLD. Its size says how many parts there must be: a rank that was killed left none.
    let ranks = match first.recording.communicators.first() {
        Some(world) => world.group.len() as u32,
        None => 0,
    };
    let mut parts = vec![first];
    for rank in 1..ranks {
        parts.push(read_part(folder, rank)?);
    }
    Ok(parts)
}

fn read_part(folder: &Path, rank: u32) -> Result<RankObservation> {
    let path = termination::recording_path(folder, rank);
    termination::read(&path).with_context(|| {
        format!(
            "{} is missing or incomplete, so these parts cannot be merged",
            path.display()
        )
    })
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
        // All ranks of a run load the same library.
        mpi_library: match parts.first() {
            Some(part) => part.mpi_library.clone(),
            None => String::new(),
        },
        method: method(parts).into(),
        ..origin::now()
    }
}

fn method(parts: &[RankObservation]) -> &'static str {
    if parts.iter().any(|part| part.one_at_a_time) {
        "observed over a real MPI, one rank of a computer computing at a time"
    } else {
        "observed over a real MPI"
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
    // Before the merge, which consumes the recordings with the paths of the objects.
    let objects = Objects::of(&recordings);
    let table = match &study {
        Some(study) => study.table.clone(),
        None => BlockTable::default(),
    };
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

/// Checks consistency. Marks without a row in the study's block table belong to a probe of another study.
fn check(observation: &Observation, marked: bool) -> Result<()> {
    let Err(why) = observation.check() else {
        return Ok(());
    };
    let remedy = if marked {
        "the probe was not made from this study: name its own with --study"
    } else {
        "please report this program"
    };
    bail!("the ranks' parts are inconsistent ({why}); {remedy}")
}

/// Whether the recording contains a probe's marks, which only the study's tables explain.
fn is_marked(recording: &RankRecording) -> bool {
    if !recording.variants.is_empty() {
        return true;
    }
    recording
        .stream
        .iter()
        .any(|op| matches!(op, Op::Call { site, .. } if site.0 < RankRecording::UNMARKED))
}

fn study(arguments: &ObserveArgs) -> Result<Study> {
    let program = arguments.command.first().map_or("", String::as_str);
    let folder: Option<PathBuf> = match &arguments.study {
        Some(named) => Some(named.clone()),
        None => observe::study_of(program),
    };
    let folder = folder.with_context(|| {
        format!("'{program}' is a probe, and no study was found in the folders above it; name its study with --study")
    })?;
    study::read(&folder)
}

/// The ranks' times, each with its beginning relative to that of the first rank.
fn times(parts: &mut [RankObservation]) -> Vec<ObservedRank> {
    let first = parts.iter().map(|part| part.entered).min().unwrap_or(0);
    let mut ranks = Vec::new();
    for part in parts {
        ranks.push(ObservedRank {
            begin: Time::from_nanoseconds(part.entered - first),
            ..std::mem::take(&mut part.times)
        });
    }
    ranks
}

/// What the ranks could not observe, equal sentences of several ranks once.
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
    let mut missing = Vec::new();
    for (sentence, ranks) in sentences {
        let ranks = RankSet::from_ranks(ranks);
        // Counts differ between ranks, so they are added here and are not part of the sentence by which ranks are grouped.
        let function = sentence.split(' ').next().unwrap_or_default();
        missing.push(match calls.get(function) {
            Some(times) => format!("ranks {ranks}: {sentence} ({times} calls)"),
            None => format!("ranks {ranks}: {sentence}"),
        });
    }
    missing
}
