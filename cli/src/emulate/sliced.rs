//! `mpiete emulate STUDY`: the slice of a study in virtual time. It makes the calls of the program, and what it leaves out passes
//! at the marks of its compute blocks, in the time that compute data give for them.
//!
//! Which blocks are executed, with which work terms, is known only from a run. So the slice is emulated until a run executes no
//! block that had no time before it: mostly twice, first to list them.

use super::{EmulatedRun, Slice, Subject};
use crate::args::EmulateArgs;
use crate::compile::{self, Compiler};
use crate::input::ProgramInput;
use crate::study::{self, Probe, Study};
use crate::study_lock::StudyLock;
use crate::view::numbers;
use crate::{assumption_check, clock_dependence, estimate, platform, predict, slice_share};
use anyhow::{Context, Result, bail};
use base_data::emulation::SlicedBlocks;
use base_data::program_data::{ProgramData, Variant};
use base_data::provenance::Provenance;
use estimator::emulation::{MeanBlockTimes, mean_block_times};
use std::collections::BTreeSet;
use std::path::Path;
use token_runtime::emulation::sliced_blocks_path;
use token_runtime::host::TemporaryFolder;
use token_runtime::termination;

/// So often a slice is emulated at most: work terms may change with each order of messages.
const MOST_EMULATIONS: u32 = 8;
/// So many blocks without compute data are named.
const MOST_NAMED: usize = 5;

/// The emulation of a slice.
pub(super) struct SlicedRun {
    pub(super) run: EmulatedRun,
    pub(super) warnings: Vec<String>,
}

/// Emulates the slice of a study with the times of its compute data.
pub(super) fn run(
    arguments: &EmulateArgs,
    folder: &Path,
    input: &ProgramInput,
) -> Result<SlicedRun> {
    if arguments.save_times.is_some() || arguments.replay_times.is_some() {
        bail!(
            "--save-times and --replay-times are for programs; the slice of a study takes its times from compute data"
        );
    }
    let _lock = StudyLock::shared(folder)?;
    let study = study::read(folder)?;
    report!("mpiete: {}", slice_share::sentence(&study));
    let compute = estimate::compute_of_study(folder, arguments.ranks)?;
    let target = platform::resolve(&arguments.platform, arguments.ranks)?;
    predict::report_progress("compiling the slice");
    let compiler = Compiler::find(&study)?;
    let program = compile::binary(folder, &study, Probe::Program, &compiler)?;
    let times = TemporaryFolder::create("blocks-").context("nothing was run")?;
    let mut variants: BTreeSet<Variant> = BTreeSet::new();
    let mut means = MeanBlockTimes::default();
    let mut emulations = 0;
    let (run, untimed) = loop {
        write_times(times.path(), arguments.ranks, &variants, &means)?;
        predict::report_progress("emulating the slice");
        let run = super::run(&Subject {
            program: &program,
            name: &study.name,
            ranks: arguments.ranks,
            platform: &arguments.platform,
            input,
            in_place: arguments.in_place,
            spawn: arguments.spawn,
            given: None,
            tasks: None,
            slice: Some(Slice {
                study: &study,
                times: times.path(),
            }),
        })
        .map_err(|error| assumption_check::with_suspects(error, &study))?;
        emulations += 1;
        let untimed = run.untimed.len();
        if untimed == 0 || emulations == MOST_EMULATIONS {
            break (run, untimed);
        }
        variants.extend(run.untimed);
        let executed = executed(&study, arguments.ranks, input, &variants);
        means = mean_block_times(&executed, &compute, &target)?;
    };
    report!(
        "mpiete: {} of the slice took the times of compute data, after {}",
        numbers::counted(variants.len() as u64, "block variant", "block variants"),
        numbers::counted(emulations.into(), "emulation", "emulations"),
    );
    let mut warnings = warnings(&study, means, untimed);
    warnings.extend(clock_dependence::real_clock_note(&program, &study.name));
    Ok(SlicedRun { run, warnings })
}

/// Writes the times of the blocks of each rank.
fn write_times(
    folder: &Path,
    ranks: u32,
    variants: &BTreeSet<Variant>,
    means: &MeanBlockTimes,
) -> Result<()> {
    for rank in 0..ranks {
        let own = means.times.get(rank as usize).into_iter().flatten();
        let blocks = SlicedBlocks {
            times: variants.iter().cloned().zip(own.copied()).collect(),
        };
        let path = sliced_blocks_path(folder, rank);
        termination::write(&path, &blocks)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

/// What compute data are looked up for.
fn executed(
    study: &Study,
    ranks: u32,
    input: &ProgramInput,
    variants: &BTreeSet<Variant>,
) -> ProgramData {
    ProgramData {
        provenance: Provenance {
            ranks,
            input: Some(input.digest()),
            arguments: input.arguments.clone(),
            ..study.provenance()
        },
        ranks,
        table: study.table.clone(),
        variants: variants.iter().cloned().collect(),
        ..ProgramData::default()
    }
}

fn warnings(study: &Study, means: MeanBlockTimes, untimed: usize) -> Vec<String> {
    let mut warnings = vec![
        "tasks whose times depend on data are equally long, and the interval does not include the error of compute data: each block \
         takes the mean of its measured times"
            .to_string(),
    ];
    if study.section.is_some() {
        warnings.push("the whole run is predicted: an emulated run has no section".into());
    }
    if untimed > 0 {
        warnings.push(format!(
            "{} took no time: with each order of messages, blocks are executed with other work terms",
            numbers::counted(untimed as u64, "block variant", "block variants")
        ));
    }
    if !means.missing.is_empty() {
        let blocks = means.missing.iter();
        let known = blocks.filter_map(|block| study.table.blocks.get(block.index()));
        let places: Vec<String> = known.map(|block| study.table.place(&block.span)).collect();
        warnings.push(format!(
            "the blocks at {} take no time, since compute data have none for them; measure this version of the program",
            numbers::named(&places, MOST_NAMED)
        ));
    }
    warnings.extend(means.warnings);
    warnings
}
