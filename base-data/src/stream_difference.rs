//! The first place where two recordings differ, entry by entry and on values: operands evaluated;
//! datatypes, communicators, variants, blocks and call sites by what they are, not by their number
//! in a file. So a sliced and a whole program, a recording and an observed run can be compared.
//!
//! Where a recording knows no more of a datatype than its size and extent, nothing else of those so large is compared.
//!
//! Not compared: what wildcards matched; for calls of which it is known that their order does not matter
//! (`any_order`), that order; blocks and section marks where one side has none at all;
//! places of calls that the other side knows no line of.

use crate::block_table::{BlockTable, CallSite};
use crate::ids::{BlockId, CallSiteId, Rank};
use crate::mpi::{BasicDatatype, Datatype};
use crate::program_data::{
    Call, Counts, Mark, Op, Operand, Peer, ProgramData, Tag, Transfer, Variant,
};
use crate::stream::entries;

/// The first place where two recordings differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// On which rank; `None` if the numbers of ranks differ.
    pub rank: Option<Rank>,
    /// Number of the entry among those compared, 0-based.
    pub index: u64,
    /// What the first recording has there, if anything: in terms of its own tables, operands
    /// evaluated.
    pub first: Option<Op>,
    /// What the second has.
    pub second: Option<Op>,
}

/// Compares two recordings; both must have passed their check.
pub fn first_difference(first: &ProgramData, second: &ProgramData) -> Option<Difference> {
    first_difference_but_for(first, second, &[])
}

/// The same, but for the order in which the calls of some sites (of both recordings) complete requests, what is
/// computed between those, and how often they asked in vain.
pub fn first_difference_but_for(
    first: &ProgramData,
    second: &ProgramData,
    any_order: &[CallSiteId],
) -> Option<Difference> {
    if first.ranks != second.ranks {
        return Some(Difference {
            rank: None,
            index: 0,
            first: None,
            second: None,
        });
    }
    let scope = Scope::of(first, second);
    // The first recording is the reference: numbers of both are translated to places in its lists.
    let (own, other) = (
        Meanings::own(first, second),
        Meanings::of_second(first, second),
    );
    let scope = &scope;
    (0..first.ranks).map(Rank).find_map(|rank| {
        let walk = |data, meanings| Walk {
            data,
            meanings,
            scope,
            any_order,
            rank,
        };
        difference_on(walk(first, &own), walk(second, &other))
    })
}

/// One recording on one rank, as it is compared.
#[derive(Clone, Copy)]
struct Walk<'a> {
    data: &'a ProgramData,
    meanings: &'a Meanings,
    scope: &'a Scope,
    any_order: &'a [CallSiteId],
    rank: Rank,
}

impl<'a> Walk<'a> {
    /// The entries in an order that does not depend on time, evaluated by `values`.
    fn entries(self, values: &'a Values<'a>) -> impl Iterator<Item = EvaluatedEntry> + 'a {
        let entries = self.scope.entries(self.data, self.rank).map(move |op| {
            let op = values.evaluate(op);
            EvaluatedEntry {
                means: self.meanings.of(op.clone()),
                op,
            }
        });
        unordered_entries::sorted(entries, self.any_order)
    }
}

/// A stream entry with evaluated operands, and its form that is comparable between recordings.
#[derive(Clone, Debug)]
struct EvaluatedEntry {
    op: Op,
    means: Op,
}

fn difference_on(first: Walk, second: Walk) -> Option<Difference> {
    // Each rank has a class in both, since both have passed their check: `?` never ends the comparison.
    let (in_first, in_second) = (
        Values::new(first.data, first.rank)?,
        Values::new(second.data, second.rank)?,
    );
    let (mut left, mut right) = (first.entries(&in_first), second.entries(&in_second));
    for index in 0.. {
        let (a, b) = match (left.next(), right.next()) {
            (None, None) => return None,
            pair => pair,
        };
        let means =
            |entry: &Option<EvaluatedEntry>| entry.as_ref().map(|entry| entry.means.clone());
        let (same, a, b) = (
            means(&a) == means(&b),
            a.map(|entry| entry.op),
            b.map(|entry| entry.op),
        );
        if !same || in_first.count_lists(&a) != in_second.count_lists(&b) {
            return Some(Difference {
                rank: Some(first.rank),
                index,
                first: a,
                second: b,
            });
        }
    }
    None
}

/// Which entries are compared: blocks and section marks only where both recordings contain them. Recordings of unsliced
/// programs have no blocks.
#[derive(Clone, Copy)]
struct Scope {
    blocks: bool,
    section: bool,
}

impl Scope {
    fn of(first: &ProgramData, second: &ProgramData) -> Self {
        let both = |has: fn(&Op) -> bool| {
            let any =
                |data: &ProgramData| data.classes.iter().flat_map(|class| &class.stream).any(has);
            any(first) && any(second)
        };
        Self {
            blocks: both(|op| matches!(op, Op::Block { .. })),
            section: both(|op| matches!(op, Op::Mark(Mark::SectionBegin | Mark::SectionEnd))),
        }
    }

    fn entries(self, data: &ProgramData, rank: Rank) -> impl Iterator<Item = &Op> {
        entries(data, rank).filter(move |&op| match op {
            Op::Block { .. } => self.blocks,
            Op::Mark(Mark::SectionBegin | Mark::SectionEnd) => self.section,
            Op::Mark(Mark::Clock { .. }) | Op::Call { .. } | Op::Loop { .. } => true,
        })
    }
}

/// Numbers in a recording's own lists as numbers that mean the same in both.
struct Meanings {
    datatypes: Vec<u32>,
    communicators: Vec<i64>,
    blocks: Vec<u32>,
    variants: Vec<i64>,
    sites: Vec<u32>,
}

/// Entries of the second recording that the first lacks are numbered from here on, beyond the length of any list, so
/// that they equal no entry of the first.
const BEYOND: usize = 1 << 30;

fn places<T>(list: &[T], known: &[T], same: impl Fn(usize, &T, usize, &T) -> bool) -> Vec<usize> {
    let place = |(i, item): (usize, &T)| {
        known
            .iter()
            .enumerate()
            .position(|(j, own)| same(i, item, j, own))
            // Distinct numbers, so that two entries that the first lacks do not become equal to each other.
            .unwrap_or(BEYOND + i)
    };
    list.iter().enumerate().map(place).collect()
}

impl Meanings {
    fn own(first: &ProgramData, second: &ProgramData) -> Self {
        Self {
            sites: sites(&first.table, &first.table, &second.table),
            ..Self::among(first, first, &opaque(first, second))
        }
    }

    fn of_second(first: &ProgramData, second: &ProgramData) -> Self {
        Self {
            sites: sites(&second.table, &first.table, &second.table),
            ..Self::among(second, first, &opaque(first, second))
        }
    }

    /// Datatypes as large as one of `alike` mean the same.
    fn among(data: &ProgramData, known: &ProgramData, alike: &[&Datatype]) -> Self {
        let blocks = places(&data.table.blocks, &known.table.blocks, |_, a, _, b| {
            a.key == b.key
        });
        let same_variant = |_: usize, a: &Variant, _: usize, b: &Variant| {
            blocks
                .get(a.block.index())
                .is_some_and(|&block| block == b.block.index())
                && a.terms == b.terms
        };
        let communicators = &known.communicators;
        Self {
            datatypes: numbers(places(&data.datatypes, &known.datatypes, |_, a, _, b| {
                alike
                    .iter()
                    .any(|opaque| is_as_large(a, opaque) && is_as_large(b, opaque))
                    || a == b
            })),
            // The first two are the world and self, whatever their groups.
            communicators: numbers(places(&data.communicators, communicators, |i, a, j, b| {
                if i.min(j) < 2 { i == j } else { a == b }
            })),
            variants: numbers(places(&data.variants, &known.variants, same_variant)),
            blocks: numbers(blocks),
            sites: Vec::new(),
        }
    }

    fn of(&self, op: Op) -> Op {
        match op {
            Op::Block { block, variant } => Op::Block {
                block: BlockId(self.blocks.get(block.index()).copied().unwrap_or(block.0)),
                variant: through(&self.variants, variant),
            },
            Op::Call { site, call } => Op::Call {
                site: self.site(site),
                call: self.call(call),
            },
            Op::Mark(Mark::Clock { site, .. }) => Op::Mark(Mark::Clock {
                site: self.site(site),
                path: None,
            }),
            // Loops do not occur: entries are those of an unrolled stream.
            same @ (Op::Loop { .. } | Op::Mark(Mark::SectionBegin | Mark::SectionEnd)) => same,
        }
    }

    fn site(&self, site: CallSiteId) -> CallSiteId {
        CallSiteId(self.sites.get(site.index()).copied().unwrap_or(site.0))
    }

    fn call(&self, mut call: Call) -> Call {
        match &mut call {
            Call::Send { transfer, .. } | Call::MakePersistent { transfer, .. } => {
                self.transfer(transfer)
            }
            Call::Receive {
                transfer, observed, ..
            }
            | Call::Probe {
                transfer, observed, ..
            } => {
                self.transfer(transfer);
                // Two runs of one program may match a wildcard with different messages.
                *observed = None;
            }
            Call::SendReceive {
                send,
                receive,
                observed,
            } => {
                self.transfer(send);
                self.transfer(receive);
                *observed = None;
            }
            Call::Wait { observed, .. } => observed.clear(),
            Call::Collective {
                communicator,
                datatype,
                counts,
                receive_counts,
                ..
            } => {
                *communicator = through(&self.communicators, *communicator);
                *datatype = self.datatype(*datatype);
                // Lists are compared separately; here it only counts that there is one.
                for counts in std::iter::once(counts).chain(receive_counts) {
                    if matches!(counts, Counts::PerRank(_)) {
                        *counts = Counts::PerRank(0);
                    }
                }
            }
            Call::MakeCommunicator { parent, made } => {
                *parent = through(&self.communicators, *parent);
                *made = through(&self.communicators, *made);
            }
            Call::Init
            | Call::Finalize
            | Call::Abort
            | Call::Test { .. }
            | Call::StartPersistent { .. } => {}
        }
        call
    }

    fn transfer(&self, transfer: &mut Transfer) {
        transfer.datatype = self.datatype(transfer.datatype);
        transfer.communicator = through(&self.communicators, transfer.communicator);
    }

    fn datatype(&self, index: u32) -> u32 {
        self.datatypes.get(index as usize).copied().unwrap_or(index)
    }
}

/// Datatypes of the programs' own of which a recording knows no more than size and extent. Those of one byte are
/// as MPI_BYTE is.
fn opaque<'a>(first: &'a ProgramData, second: &'a ProgramData) -> Vec<&'a Datatype> {
    let is_opaque = |datatype: &&Datatype| match datatype.runs.as_slice() {
        [(BasicDatatype::Byte, bytes, 0)] => *bytes > 1 || datatype.extent > 1,
        _ => false,
    };
    first
        .datatypes
        .iter()
        .chain(&second.datatypes)
        .filter(is_opaque)
        .collect()
}

fn is_as_large(datatype: &Datatype, other: &Datatype) -> bool {
    (datatype.bytes(), datatype.extent) == (other.bytes(), other.extent)
}

fn numbers<N: TryFrom<usize> + Default>(places: Vec<usize>) -> Vec<N> {
    places
        .into_iter()
        .map(|place| N::try_from(place).unwrap_or_default())
        .collect()
}

fn through(map: &[i64], operand: Operand) -> Operand {
    let Operand::Constant(index) = operand else {
        return operand;
    };
    let mapped = usize::try_from(index)
        .ok()
        .and_then(|index| map.get(index).copied());
    Operand::Constant(mapped.unwrap_or(index))
}

/// Sites of `table` as numbers that are equal where the site is the same: the lowest site of the
/// first table with the same key or, if both know lines, the same function on the same line. A site
/// that one side has no line of means only its function.
fn sites(table: &BlockTable, first: &BlockTable, second: &BlockTable) -> Vec<u32> {
    let mean = |site: &CallSite| {
        let same_in = |known: &BlockTable| {
            let same = known
                .call_sites
                .iter()
                .position(|own| same_site((table, site), (known, own)));
            same.map(|index| index as u32)
        };
        match (same_in(first), same_in(second)) {
            (Some(own), Some(_)) => own,
            // Both sides must fall back together, or the same call would have two meanings.
            (Some(_), None) | (None, Some(_)) | (None, None) => {
                by_function(&site.function, first, second)
            }
        }
    };
    table.call_sites.iter().map(mean).collect()
}

/// A number beyond those of sites, equal for equal functions of the two tables.
fn by_function(function: &str, first: &BlockTable, second: &BlockTable) -> u32 {
    let functions = &crate::mpi::functions::FUNCTIONS;
    if let Some(row) = functions.iter().position(|row| row.name == function) {
        return (BEYOND + row) as u32;
    }
    // Files of other tools may name functions that the API table lacks.
    let all = first.call_sites.iter().chain(&second.call_sites);
    let named = all
        .into_iter()
        .position(|site| site.function == function)
        .unwrap_or_default();
    (BEYOND + functions.len() + named) as u32
}

/// Whether two call sites of different tables are the same place of the program: the same function on
/// the same line of a file of the same name or, where one side knows no line, the same key.
pub fn same_site(
    (a_table, a): (&BlockTable, &CallSite),
    (b_table, b): (&BlockTable, &CallSite),
) -> bool {
    if a.function != b.function {
        return false;
    }
    let (Some(a_span), Some(b_span)) = (&a.span, &b.span) else {
        return a.key == b.key;
    };
    // A statement of several lines: one side knows all of them, debug information one.
    let overlap = a_span.first_line <= b_span.last_line && b_span.first_line <= a_span.last_line;
    overlap && file_name(a_table, a_span.file) == file_name(b_table, b_span.file)
}

/// Compilers and users name folders differently; the file's own name is what both have.
fn file_name(table: &BlockTable, file: u32) -> Option<&str> {
    table.files.get(file as usize)?.path.rsplit('/').next()
}

/// One rank's view of its recording.
struct Values<'a> {
    data: &'a ProgramData,
    rank: Rank,
    position: usize,
}

impl<'a> Values<'a> {
    fn new(data: &'a ProgramData, rank: Rank) -> Option<Self> {
        let (_, position) = data.class_of(rank)?;
        Some(Self {
            data,
            rank,
            position,
        })
    }

    fn value(&self, operand: Operand) -> Operand {
        self.data
            .value(operand, self.rank, self.position)
            .map_or(operand, Operand::Constant)
    }

    /// The counts per rank that a collective of this rank refers to.
    fn count_lists(&self, op: &Option<Op>) -> Vec<Option<&'a [u64]>> {
        let Some(Op::Call {
            call:
                Call::Collective {
                    counts,
                    receive_counts,
                    ..
                },
            ..
        }) = op
        else {
            return Vec::new();
        };
        let list = |counts: &Counts| match counts {
            Counts::PerRank(table) => {
                let table = self.data.count_tables.get(*table as usize);
                Some(
                    table
                        .and_then(|table| table.get(self.position))
                        .map(Vec::as_slice),
                )
            }
            Counts::Same(_) => None,
        };
        std::iter::once(counts)
            .chain(receive_counts)
            .filter_map(list)
            .collect()
    }

    fn evaluate(&self, op: &Op) -> Op {
        match op {
            Op::Block { block, variant } => Op::Block {
                block: *block,
                variant: self.value(*variant),
            },
            Op::Call { site, call } => Op::Call {
                site: *site,
                call: self.call(call.clone()),
            },
            Op::Loop { .. } | Op::Mark(_) => op.clone(),
        }
    }

    fn call(&self, mut call: Call) -> Call {
        match &mut call {
            Call::Send { transfer, .. }
            | Call::Receive { transfer, .. }
            | Call::Probe { transfer, .. }
            | Call::MakePersistent { transfer, .. } => self.transfer(transfer),
            Call::SendReceive { send, receive, .. } => {
                self.transfer(send);
                self.transfer(receive);
            }
            Call::Collective {
                communicator,
                root,
                counts,
                receive_counts,
                ..
            } => {
                *communicator = self.value(*communicator);
                *root = root.map(|root| self.value(root));
                *counts = self.counts(*counts);
                *receive_counts = receive_counts.map(|counts| self.counts(counts));
            }
            Call::MakeCommunicator { parent, made } => {
                *parent = self.value(*parent);
                *made = self.value(*made);
            }
            Call::Init
            | Call::Finalize
            | Call::Abort
            | Call::Wait { .. }
            | Call::Test { .. }
            | Call::StartPersistent { .. } => {}
        }
        call
    }

    fn transfer(&self, transfer: &mut Transfer) {
        if let Peer::Rank(rank) = &mut transfer.peer {
            *rank = self.value(*rank);
        }
        if let Tag::Value(tag) = &mut transfer.tag {
            *tag = self.value(*tag);
        }
        transfer.count = self.value(transfer.count);
        transfer.communicator = self.value(transfer.communicator);
    }

    fn counts(&self, counts: Counts) -> Counts {
        match counts {
            Counts::Same(operand) => Counts::Same(self.value(operand)),
            Counts::PerRank(table) => Counts::PerRank(table),
        }
    }
}

#[cfg(test)]
mod tests;
mod unordered_entries;
