//! `mpiete show collective NAME`: the algorithm that a platform's MPI library chooses, its messages and its time.

use crate::args::CollectiveArgs;
use crate::platform;
use crate::view::collective::{Shown, ShownMessage};
use anyhow::{Result, bail};
use base_data::program_data::CollectiveKind;
use base_data::program_text;
use estimator::{Inputs, Options};
use machine::collective::selection::{Case, Form};
use machine::collective::{self, Blocks, Operation, traffic};

/// Collectives by name: MPI's in lower case without its prefix, and ours.
const NAMES: &[(&str, &str, CollectiveKind)] = &[
    ("barrier", "barrier", CollectiveKind::Barrier),
    ("bcast", "broadcast", CollectiveKind::Broadcast),
    ("reduce", "reduce", CollectiveKind::Reduce),
    ("allreduce", "allreduce", CollectiveKind::Allreduce),
    ("gather", "gather", CollectiveKind::Gather),
    ("scatter", "scatter", CollectiveKind::Scatter),
    ("allgather", "allgather", CollectiveKind::Allgather),
    ("alltoall", "alltoall", CollectiveKind::Alltoall),
    (
        "reduce_scatter",
        "reduce-scatter",
        CollectiveKind::ReduceScatter,
    ),
    (
        "reduce_scatter_block",
        "reduce-scatter-block",
        CollectiveKind::ReduceScatter,
    ),
    ("scan", "scan", CollectiveKind::Scan),
    ("exscan", "exclusive-scan", CollectiveKind::ExclusiveScan),
];

/// The collective of a name: ours, or MPI's with or without `MPI_`.
pub fn kind_of(name: &str) -> Result<(&'static str, CollectiveKind)> {
    let lower = name.to_lowercase();
    let plain = lower.strip_prefix("mpi_").unwrap_or(&lower);
    for (of_mpi, ours, kind) in NAMES {
        if plain == *of_mpi || plain == *ours {
            return Ok((ours, *kind));
        }
    }
    let names: Vec<&str> = NAMES.iter().map(|(_, ours, _)| *ours).collect();
    bail!(
        "there is no collective '{name}'; the collectives are {}",
        names.join(", ")
    )
}

/// What is shown of a collective.
pub fn shown(name: &str, arguments: &CollectiveArgs) -> Result<Shown> {
    let (name, kind) = kind_of(name)?;
    let (ranks, root, bytes) = (arguments.ranks, arguments.root, arguments.bytes);
    if root >= ranks {
        bail!(
            "--root {root} is no rank of {ranks}; ranks are 0 to {}",
            ranks - 1
        );
    }
    let platform_name = arguments.platform.as_deref().unwrap_or("fast-ethernet");
    let mut platform = platform::named(platform_name, &[], ranks)?;
    platform.check_capacity(ranks)?;
    if let Some(algorithm) = &arguments.algorithm {
        platform.force_algorithm(kind, algorithm)?;
    }
    let has_blocks = matches!(
        kind,
        CollectiveKind::Gather
            | CollectiveKind::Scatter
            | CollectiveKind::Allgather
            | CollectiveKind::Alltoall
            | CollectiveKind::ReduceScatter
    );
    // Operands are doubles where their length allows it.
    let element = if bytes.is_multiple_of(8) { 8 } else { 1 };
    let nodes = platform.shared_nodes(ranks);
    let blocks = if has_blocks { u64::from(ranks) } else { 1 };
    let case = Case {
        kind,
        form: Form {
            is_block: name == "reduce-scatter-block",
            ..Form::default()
        },
        ranks,
        bytes,
        total: bytes.saturating_mul(blocks),
        elements: bytes / element,
        built_in: true,
        commutes: true,
        nodes: &nodes,
    };
    let choice = platform.library().choose(&case);
    if let Some(asked) = &arguments.algorithm
        && choice.algorithm.name != asked
    {
        bail!("algorithm '{asked}' cannot be used for {ranks} ranks and {bytes} bytes");
    }
    if case.form.is_block {
        // Program text has no name for this form, so that its time is that of the chosen algorithm by force.
        platform.force_algorithm(kind, choice.algorithm.name)?;
    }
    let mut operations = Vec::new();
    for rank in 0..ranks {
        operations.push(Operation {
            rank,
            ranks,
            root,
            bytes,
            element,
            sent: Blocks::Same(bytes),
            received: Blocks::Same(bytes),
            commutes: true,
            nodes: &nodes,
            parameters: choice.parameters,
        });
    }
    let is_empty = bytes == 0 && kind != CollectiveKind::Barrier;
    let mut messages = Vec::new();
    if !is_empty {
        for message in traffic::messages(choice.algorithm.schedule, &operations) {
            messages.push(ShownMessage {
                round: message.round,
                from: message.from,
                to: message.to,
                bytes: message.bytes,
                order: message.order,
            });
        }
    }
    let others = collective::algorithms(kind).map(|algorithm| algorithm.name.to_owned());
    Ok(Shown {
        collective: name.into(),
        ranks,
        root,
        bytes,
        platform: platform.name().into(),
        library: platform.library().description().into(),
        algorithm: choice.algorithm.name.into(),
        reason: choice.reason.into_owned(),
        rounds: messages
            .iter()
            .map(|message| message.round)
            .max()
            .unwrap_or(0),
        time: time(name, kind, &case, root, &platform)?,
        algorithms: others.collect(),
        messages,
    })
}

/// Time of a program that is this call alone.
fn time(
    name: &str,
    kind: CollectiveKind,
    case: &Case<'_>,
    root: u32,
    platform: &machine::Platform,
) -> Result<base_data::Time> {
    let mut call = name.trim_end_matches("-block").to_owned();
    if matches!(
        kind,
        CollectiveKind::Broadcast
            | CollectiveKind::Reduce
            | CollectiveKind::Gather
            | CollectiveKind::Scatter
    ) {
        call += &format!(" root={root}");
    }
    if kind != CollectiveKind::Barrier {
        let datatype = if case.elements < case.bytes {
            " type=real8"
        } else {
            ""
        };
        call += &format!(" count={}{datatype}", case.elements);
    }
    if matches!(
        kind,
        CollectiveKind::Reduce
            | CollectiveKind::Allreduce
            | CollectiveKind::ReduceScatter
            | CollectiveKind::Scan
            | CollectiveKind::ExclusiveScan
    ) {
        call += " op=sum";
    }
    let text = format!(
        "mpiete program text 1\nranks {}\nclass 0-{}\n{call}\n",
        case.ranks,
        case.ranks - 1
    );
    let program = program_text::read(&text)?;
    let inputs = Inputs {
        program: &program,
        compute: &[],
    };
    let options = Options {
        draws: 0,
        ..Options::default()
    };
    Ok(estimator::estimate_total(&inputs, platform, &options)?.headline)
}
