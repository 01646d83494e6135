//! Arbitrary program data that pass the check: header and tables. Streams are in
//! `arbitrary_stream`.

use crate::arbitrary::Choices;
use crate::arbitrary_stream::add_class;
use base_data::block_table::*;
use base_data::mpi::{BasicDatatype, Datatype};
use base_data::program_data::*;
use base_data::provenance::Provenance;
use base_data::{BlockId, CallSiteId, CommId, LoopId, Rank, RankSet};

pub fn program_data(choices: &mut Choices) -> ProgramData {
    let ranks = 1 + choices.below(9) as u32;
    let table = block_table(choices);
    let sites = table.call_sites.len();
    let mut data = ProgramData {
        provenance: provenance(choices),
        ranks,
        method: choices.pick(&[
            RecordMethod::Sliced,
            RecordMethod::Unsliced,
            RecordMethod::Virtual,
            RecordMethod::Given,
        ]),
        variants: variants(choices, &table),
        datatypes: (0..1 + choices.below(4))
            .map(|_| datatype(choices))
            .collect(),
        communicators: communicators(choices, ranks),
        formulas: formulas(choices),
        call_paths: choices.list(3, |c| c.list(4, |c| CallSiteId(c.below(sites) as u32))),
        section: choices.maybe(|c| span(c, &table.files)),
        assumptions: choices.list(3, |c| assumption(c, &table.files)),
        time_dependent: choices.list(3, |c| TimeDependentPlace {
            site: CallSiteId(c.below(sites) as u32),
            reason: c.text(),
        }),
        allocations: choices.list(3, |c| Allocation {
            span: span(c, &table.files),
            name: c.text(),
            expression: c.text(),
        }),
        requested_memory: requested_memory(choices, ranks),
        slice_share: choices.maybe(|c| (c.below(100) as u64, 100 + c.below(9) as u64)),
        table,
        ..ProgramData::default()
    };
    for ranks in class_ranks(choices, ranks) {
        add_class(choices, &mut data, ranks);
    }
    data
}

pub fn provenance(choices: &mut Choices) -> Provenance {
    Provenance {
        tool_version: choices.text(),
        date: choices.text(),
        program: choices.text(),
        sources: choices.maybe(Choices::digest),
        block_map: choices.maybe(Choices::digest),
        input: choices.maybe(Choices::digest),
        arguments: choices.list(3, Choices::text),
        ranks: choices.word(),
        compiler: choices.text(),
        flags: choices.text(),
        pu: choices.text(),
        mpi_library: choices.text(),
        method: choices.text(),
    }
}

/// A table with at least one block and one call site.
pub fn block_table(choices: &mut Choices) -> BlockTable {
    let files = choices.list(4, |c| SourceFileInfo {
        path: c.text(),
        digest: c.digest(),
    });
    let loops = choices.below(4);
    let path = |c: &mut Choices| -> Vec<LoopId> {
        if loops == 0 {
            Vec::new()
        } else {
            c.list(3, |c| LoopId(c.below(loops) as u32))
        }
    };
    BlockTable {
        loops: (0..loops)
            .map(|_| StructureLoop {
                span: span(choices, &files),
                procedure: choices.text(),
                loop_path: path(choices),
            })
            .collect(),
        blocks: (0..1 + choices.below(3))
            .map(|_| Block {
                key: BlockKey {
                    digest: choices.digest(),
                    procedure: choices.text(),
                    ordinal: choices.word(),
                },
                kind: choices.pick(&[
                    BlockKind::Compute,
                    BlockKind::Communication,
                    BlockKind::Wait,
                ]),
                span: span(choices, &files),
                loop_path: path(choices),
                work_terms: choices.list(3, |c| WorkTerm {
                    expression: c.text(),
                    span: span(c, &files),
                }),
                data_dependent: choices.flag(),
            })
            .collect(),
        call_sites: (0..1 + choices.below(4))
            .map(|_| CallSite {
                key: site_key(choices),
                function: choices.text(),
                procedure: choices.text(),
                span: choices.maybe(|c| span(c, &files)),
                loop_path: path(choices),
            })
            .collect(),
        files,
    }
}

fn site_key(choices: &mut Choices) -> CallSiteKey {
    if choices.flag() {
        return CallSiteKey::Object {
            object: choices.text(),
            offset: choices.number(),
        };
    }
    CallSiteKey::Source {
        digest: choices.digest(),
        procedure: choices.text(),
        ordinal: choices.word(),
    }
}

fn span(choices: &mut Choices, files: &[SourceFileInfo]) -> SourceSpan {
    if files.is_empty() {
        return SourceSpan::default();
    }
    SourceSpan {
        file: choices.below(files.len()) as u32,
        first_line: choices.word(),
        last_line: choices.word(),
        included_through: choices.list(3, |c| IncludeLine {
            file: c.below(files.len()) as u32,
            line: c.word(),
        }),
        moved: choices.list(3, |c| (c.word(), c.word(), c.word())),
    }
}

/// At least one variant of each block.
fn variants(choices: &mut Choices, table: &BlockTable) -> Vec<Variant> {
    let count = table.blocks.len() * (1 + choices.below(3));
    (0..count)
        .map(|i| {
            let block = i % table.blocks.len();
            let terms = table.blocks[block]
                .work_terms
                .iter()
                .map(|_| choices.signed())
                .collect();
            Variant {
                block: BlockId(block as u32),
                terms,
            }
        })
        .collect()
}

fn datatype(choices: &mut Choices) -> Datatype {
    if choices.flag() {
        return Datatype::basic(basic(choices));
    }
    Datatype {
        runs: choices.list(3, |c| (basic(c), c.number(), c.signed())),
        extent: choices.signed(),
    }
}

pub fn basic(choices: &mut Choices) -> BasicDatatype {
    let size = choices.number() as u8;
    choices.pick(&[
        BasicDatatype::Byte,
        BasicDatatype::Character,
        BasicDatatype::Integer(size),
        BasicDatatype::Unsigned(size),
        BasicDatatype::Real(size),
        BasicDatatype::Complex(size),
        BasicDatatype::Logical(size),
        BasicDatatype::Pair(size, size.wrapping_add(1)),
    ])
}

/// World, self, the world backwards, and some of it.
fn communicators(choices: &mut Choices, ranks: u32) -> Vec<Communicator> {
    let some = RankSet::from_ranks(
        (0..ranks)
            .filter(|rank| *rank == 0 || choices.flag())
            .map(Rank),
    );
    let backwards = RankSet::from_ranks((0..ranks).rev().map(Rank));
    let mut entry = |parent, group| Communicator {
        parent,
        sequence: choices.word(),
        group,
    };
    vec![
        entry(None, RankSet::all(ranks)),
        entry(None, RankSet::default()),
        entry(Some(CommId::WORLD), backwards),
        entry(Some(CommId(2)), some),
    ]
}

/// The first is `rank mod ranks`.
fn formulas(choices: &mut Choices) -> Vec<Formula> {
    let identity = Formula(vec![
        FormulaStep::Rank,
        FormulaStep::Ranks,
        FormulaStep::Modulo,
    ]);
    let mut all = vec![identity];
    all.extend(choices.list(3, |c| {
        let mut steps = vec![FormulaStep::Number(c.signed())];
        for _ in 0..c.below(4) {
            let number = c.signed();
            steps.push(c.pick(&[
                FormulaStep::Rank,
                FormulaStep::Ranks,
                FormulaStep::Number(number),
            ]));
            steps.push(c.pick(&[
                FormulaStep::Add,
                FormulaStep::Subtract,
                FormulaStep::Multiply,
                FormulaStep::Divide,
                FormulaStep::Modulo,
                FormulaStep::Xor,
            ]));
        }
        Formula(steps)
    }));
    all
}

pub fn assumption(choices: &mut Choices, files: &[SourceFileInfo]) -> Assumption {
    let trips = choices.number();
    Assumption {
        span: span(choices, files),
        outcome: choices.pick(&[
            AssumedOutcome::Taken,
            AssumedOutcome::NotTaken,
            AssumedOutcome::Trips(trips),
            AssumedOutcome::Label(trips as u32),
        ]),
        reason: choices.text(),
        origin: choices.pick(&[
            AssumptionOrigin::Proposed,
            AssumptionOrigin::User,
            AssumptionOrigin::Recording,
            AssumptionOrigin::BoundedRun,
        ]),
    }
}

/// Of some ranks, those of equal amounts together.
fn requested_memory(choices: &mut Choices, ranks: u32) -> Vec<RequestedMemory> {
    let sets = class_ranks(choices, ranks)
        .into_iter()
        .skip(choices.below(2));
    sets.map(|ranks| RequestedMemory {
        ranks,
        bytes: choices.number(),
    })
    .collect()
}

/// The ranks in up to three classes, forwards or backwards.
fn class_ranks(choices: &mut Choices, ranks: u32) -> Vec<RankSet> {
    let class_of: Vec<usize> = (0..ranks).map(|_| choices.below(3)).collect();
    (0..3)
        .filter_map(|class| {
            let mut members: Vec<u32> = (0..ranks)
                .filter(|&rank| class_of[rank as usize] == class)
                .collect();
            if choices.flag() {
                members.reverse();
            }
            (!members.is_empty()).then(|| RankSet::from_ranks(members.into_iter().map(Rank)))
        })
        .collect()
}
