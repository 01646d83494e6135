//! `mpiete show collective NAME`: the algorithm that a platform's MPI library chooses, its messages and its time.

use crate::args::CollectiveArgs;
use crate::platform;
use crate::view::collective::{Shown, ShownMessage};
use anyhow::{Result, bail};
use base_data::program_data::CollectiveKind;
use base_data::program_text;
use estimator::{Inputs, Options};
use machine::collective::selection::{Case, Form, Level};
use machine::collective::{self, Blocks, Operation, Within, traffic};

/// A collective of MPI.
struct Named {
    /// MPI's name in lower case, without its prefix.
    of_mpi: &'static str,
    kind: CollectiveKind,
    /// Whether it is the form of a reduce-scatter with equal blocks.
    is_block: bool,
}

const fn named(of_mpi: &'static str, kind: CollectiveKind) -> Named {
    Named {
        of_mpi,
        kind,
        is_block: false,
    }
}

const NAMES: &[Named] = &[
    named("barrier", CollectiveKind::Barrier),
    named("bcast", CollectiveKind::Broadcast),
    named("reduce", CollectiveKind::Reduce),
    named("allreduce", CollectiveKind::Allreduce),
    named("gather", CollectiveKind::Gather),
    named("scatter", CollectiveKind::Scatter),
    named("allgather", CollectiveKind::Allgather),
    named("alltoall", CollectiveKind::Alltoall),
    named("reduce_scatter", CollectiveKind::ReduceScatter),
    Named {
        is_block: true,
        ..named("reduce_scatter_block", CollectiveKind::ReduceScatter)
    },
    named("scan", CollectiveKind::Scan),
    named("exscan", CollectiveKind::ExclusiveScan),
];

impl Named {
    /// Our name of it.
    fn name(&self) -> String {
        if self.is_block {
            format!("{}-block", self.kind.name())
        } else {
            self.kind.name().into()
        }
    }
}

/// The collective of a name: ours, or MPI's with or without `MPI_`.
fn find(name: &str) -> Result<&'static Named> {
    let lower = name.to_lowercase();
    let plain = lower.strip_prefix("mpi_").unwrap_or(&lower);
    for row in NAMES {
        if plain == row.of_mpi || plain == row.name() {
            return Ok(row);
        }
    }
    let names: Vec<String> = NAMES.iter().map(Named::name).collect();
    bail!(
        "there is no collective '{name}'; the collectives are {}",
        names.join(", ")
    )
}

/// The kind of collective of a name.
///
/// # Errors
/// There is no collective of that name.
pub fn kind_of(name: &str) -> Result<CollectiveKind> {
    Ok(find(name)?.kind)
}

/// The collective of a name, and whether it is the nonblocking form: MPI's name of that, with or without `MPI_`.
fn find_form(name: &str) -> Result<(&'static Named, bool)> {
    let lower = name.to_lowercase();
    let plain = lower.strip_prefix("mpi_").unwrap_or(&lower);
    let stem = plain.strip_prefix('i').unwrap_or_default();
    match NAMES.iter().find(|row| row.of_mpi == stem) {
        Some(row) => Ok((row, true)),
        None => Ok((find(name)?, false)),
    }
}

/// What is shown of a collective.
pub fn shown(name: &str, arguments: &CollectiveArgs) -> Result<Shown> {
    let (row, is_nonblocking) = find_form(name)?;
    let kind = row.kind;
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
        // Libraries choose differently for the form with equal blocks.
        form: Form {
            is_block: row.is_block,
            is_nonblocking,
            ..Form::default()
        },
        ranks,
        bytes,
        total: bytes.saturating_mul(blocks),
        elements: bytes / element,
        built_in: true,
        commutes: true,
        nodes: &nodes,
        level: Level::All,
    };
    let library = platform.library().clone();
    let choice = library.choose(&case);
    let within = Within {
        library: &library,
        built_in: true,
        is_nonblocking,
    };
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
            within: Some(within),
            parameters: choice.parameters,
        });
    }
    // Calls without data send no messages; a barrier synchronises all the same.
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
        collective: match is_nonblocking {
            true => format!("nonblocking {}", row.name()),
            false => row.name(),
        },
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
        time: time(kind, &case, root, &platform)?,
        algorithms: others.collect(),
        messages,
    })
}

/// Time of a program that is this call alone.
fn time(
    kind: CollectiveKind,
    case: &Case<'_>,
    root: u32,
    platform: &machine::Platform,
) -> Result<base_data::Time> {
    let mut call = kind.name().to_owned();
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
    if kind.reduces() {
        call += " op=sum";
    }
    if case.form.is_nonblocking {
        call += " request=0\nwait all 0";
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
