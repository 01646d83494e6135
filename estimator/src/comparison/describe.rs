//! Descriptions of stream entries: the call, its place, partners and amount of data.

use super::names;
use base_data::CommId;
use base_data::block_table::BlockTable;
use base_data::ids::RequestId;
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::{
    Call, CollectiveKind, Counts, Mark, Op, Operand, Peer, ProgramData, Tag, Transfer,
};
use std::collections::BTreeMap;

/// One entry whose operands were evaluated, as a phrase: `MPI_Send at cg.f:140 to rank 1, tag 3, 700 x
/// real8`.
pub fn describe(program: &ProgramData, entry: Option<&Op>) -> String {
    let table = &program.table;
    match entry {
        None => "nothing more".into(),
        Some(Op::Block { block, variant }) => {
            let place = table
                .blocks
                .get(block.index())
                .map(|block| names::span(table, &block.span));
            let place = place.unwrap_or_else(|| format!("number {block}"));
            format!("compute block {place}{}", terms(program, *variant))
        }
        Some(Op::Mark(Mark::SectionBegin)) => "begin of the section".into(),
        Some(Op::Mark(Mark::SectionEnd)) => "end of the section".into(),
        Some(Op::Mark(Mark::Clock { site, .. })) => {
            format!("MPI_Wtime at {}", names::site(table, *site))
        }
        Some(Op::Loop { count, .. }) => format!("loop of {} rounds", count.get()),
        Some(Op::Call { site, call }) => {
            let function = function(table, *site, call);
            format!(
                "{function} at {}{}",
                names::site(table, *site),
                operands(program, call)
            )
        }
    }
}

fn function(table: &BlockTable, site: base_data::CallSiteId, call: &Call) -> String {
    match table.call_sites.get(site.index()) {
        Some(site) if !site.function.is_empty() => site.function.clone(),
        Some(_) | None => kind(call).into(),
    }
}

fn kind(call: &Call) -> &'static str {
    match call {
        Call::Init => "MPI_Init",
        Call::Finalize => "MPI_Finalize",
        Call::Abort => "MPI_Abort",
        Call::Send { .. } => "a send",
        Call::Receive { .. } => "a receive",
        Call::SendReceive { .. } => "MPI_Sendrecv",
        Call::Wait { .. } => "a wait",
        Call::Test { .. } => "a test",
        Call::Probe { .. } => "a probe",
        Call::MakePersistent { .. } => "the making of a persistent request",
        Call::StartPersistent { .. } => "MPI_Start",
        Call::Collective { .. } => "a collective",
        Call::MakeCommunicator { .. } => "the making of a communicator",
    }
}

fn terms(program: &ProgramData, variant: Operand) -> String {
    let index = constant(variant).and_then(|index| usize::try_from(index).ok());
    let terms = index
        .and_then(|index| program.variants.get(index))
        .map_or(&[][..], |found| &found.terms);
    let words: Vec<String> = terms.iter().map(i64::to_string).collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(" (work terms {})", words.join(", "))
    }
}

fn constant(operand: Operand) -> Option<i64> {
    match operand {
        Operand::Constant(value) => Some(value),
        Operand::RankPlus(_) | Operand::RankXor(_) | Operand::Formula(_) | Operand::Table(_) => {
            None
        }
    }
}

fn number(operand: Operand) -> String {
    constant(operand).map_or_else(|| "?".into(), |value| value.to_string())
}

fn operands(program: &ProgramData, call: &Call) -> String {
    match call {
        Call::Init | Call::Finalize | Call::Abort => String::new(),
        Call::Send { transfer, .. } => moved(program, "to", transfer),
        Call::Receive { transfer, .. } | Call::Probe { transfer, .. } => {
            moved(program, "from", transfer)
        }
        Call::SendReceive { send, receive, .. } => {
            format!(
                "{} and{}",
                moved(program, "to", send),
                moved(program, "from", receive)
            )
        }
        Call::MakePersistent { send, transfer, .. } => moved(
            program,
            if send.is_some() { "to" } else { "from" },
            transfer,
        ),
        Call::Wait {
            requests,
            completed,
            ..
        }
        | Call::Test {
            requests,
            completed,
            ..
        } => waited(requests, completed),
        Call::StartPersistent { requests } => waited(requests, &[]),
        Call::Collective {
            kind,
            communicator,
            root,
            counts,
            datatype,
            reduce_op,
            ..
        } => {
            let root = root.map_or(String::new(), |root| format!(" with root {}", number(root)));
            let combined = reduce_op
                .as_ref()
                .map_or(String::new(), |op| format!(", {op:?}").to_lowercase());
            // A barrier moves nothing.
            let moves = *kind != CollectiveKind::Barrier;
            let amount = if moves {
                format!(" of {}", amount(program, *counts, *datatype))
            } else {
                String::new()
            };
            format!("{root}{amount}{combined}{}", on_communicator(*communicator))
        }
        Call::MakeCommunicator { parent, made } => {
            format!(
                " of communicator {} (gives {})",
                number(*parent),
                number(*made)
            )
        }
    }
}

/// How many requests that are named.
const NAMED_REQUESTS: usize = 8;

fn waited(requests: &[RequestId], completed: &[RequestId]) -> String {
    let plural = if requests.len() == 1 { "" } else { "s" };
    let done = if completed.is_empty() {
        String::new()
    } else {
        format!(", completed {}", numbers(completed))
    };
    format!(
        " of {} request{plural} ({}){done}",
        requests.len(),
        numbers(requests)
    )
}

fn numbers(requests: &[RequestId]) -> String {
    let named = requests
        .iter()
        .take(NAMED_REQUESTS)
        .map(|request| request.0.to_string());
    let more = if requests.len() > NAMED_REQUESTS {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", named.collect::<Vec<_>>().join(", "))
}

fn moved(program: &ProgramData, direction: &str, transfer: &Transfer) -> String {
    let peer = match transfer.peer {
        Peer::Rank(rank) => format!("rank {}", number(rank)),
        Peer::Null => "none (MPI_PROC_NULL)".into(),
        Peer::Any => "any source".into(),
    };
    let tag = match transfer.tag {
        Tag::Value(tag) => format!("tag {}", number(tag)),
        Tag::Any => "any tag".into(),
    };
    let amount = amount(program, Counts::Same(transfer.count), transfer.datatype);
    format!(
        " {direction} {peer}, {tag}, {amount}{}",
        on_communicator(transfer.communicator)
    )
}

fn on_communicator(communicator: Operand) -> String {
    match constant(communicator) {
        Some(world) if world == i64::from(CommId::WORLD.0) => String::new(),
        _ => format!(", communicator {}", number(communicator)),
    }
}

fn amount(program: &ProgramData, counts: Counts, datatype: u32) -> String {
    let datatype = program
        .datatypes
        .get(datatype as usize)
        .map_or_else(|| "elements".into(), element);
    match counts {
        Counts::Same(count) => format!("{} x {datatype}", number(count)),
        Counts::PerRank(_) => format!("a count per rank x {datatype}"),
    }
}

/// `real8`; a datatype made by the program by its size, and what distinguishes it from others of that size:
/// `16 bytes (2 x real8 in 2 runs, extent 88)`.
fn element(datatype: &Datatype) -> String {
    match datatype.runs.as_slice() {
        [(basic, 1, 0)] if datatype.extent == basic.bytes() as i64 => name(*basic),
        runs => {
            let kinds: Vec<String> = elements(runs)
                .map(|(basic, count)| format!("{count} x {}", name(basic)))
                .collect();
            let (bytes, kinds, extent) = (datatype.bytes(), kinds.join(", "), datatype.extent);
            format!(
                "{bytes} bytes ({kinds} in {} runs, extent {extent})",
                runs.len()
            )
        }
    }
}

/// How many elements of each kind, in the order of kinds.
fn elements(runs: &[(BasicDatatype, u64, i64)]) -> impl Iterator<Item = (BasicDatatype, u64)> {
    let mut counts: BTreeMap<BasicDatatype, u64> = BTreeMap::new();
    for &(basic, count, _) in runs {
        let sum = counts.entry(basic).or_default();
        *sum = sum.saturating_add(count);
    }
    counts.into_iter()
}

fn name(basic: BasicDatatype) -> String {
    match basic {
        BasicDatatype::Byte => "byte".into(),
        BasicDatatype::Character => "character".into(),
        BasicDatatype::Integer(bytes) => format!("integer{bytes}"),
        BasicDatatype::Unsigned(bytes) => format!("unsigned{bytes}"),
        BasicDatatype::Real(bytes) => format!("real{bytes}"),
        BasicDatatype::Complex(bytes) => format!("complex{bytes}"),
        BasicDatatype::Logical(bytes) => format!("logical{bytes}"),
        BasicDatatype::Pair(value, index) => format!("pair of {value} and {index} bytes"),
    }
}
