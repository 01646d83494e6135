//! From sources to an [`Analysis`]: the order in which the analyses run.

use crate::analysis_diagnostics;
use crate::assumptions::error_exits::{self, ErrorExits};
use crate::assumptions::proposals::{self, Purpose};
use crate::assumptions::removal_conditions;
use crate::assumptions::suggested_assumptions;
use crate::assumptions::user_assumptions::{Choice, UserAssumptions};
use crate::blocks::block_finder::{self, Found, What};
use crate::blocks::digests::Digests;
use crate::blocks::section;
use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::LoopCarriedAnalysis;
use crate::effects::model::Model;
use crate::graphs::call_graph::CallGraph;
use crate::io::shared_file_ordering::SharedFileOrdering;
use crate::ir::analysis::{Analysis, Replacement, SectionPlace, SitePlace, Substitution};
use crate::ir::source_map::SourceMap;
use crate::ir::statement_tree::Outline;
use crate::ir::{Program, StatementId};
use crate::language::{self, Lowered};
use crate::memory::locations::Locations;
use crate::memory::passed_sections;
use crate::nondeterminism::mpi_outputs::Readers;
use crate::nondeterminism::outstanding_requests;
use crate::nondeterminism::time_dependence::{self, TimeDependence};
use crate::options::Options;
use crate::slice::counting_loops;
use crate::slice::invariant;
use crate::slice::reasons::Because;
use crate::slice::slice_cause;
use crate::slice::slicer::Slicer;
use crate::source::diagnostics::Severity;
use crate::source::{Loader, Sources};
use crate::work::allocations;
use crate::work::block_tables::{self, Parts, Spans, Tables};
use crate::work::data_indexed_loops;
use crate::work::iteration_dependent_loops;
use crate::work::message_dependent_work;
use crate::work::parallel_regions::Regions;
use crate::work::unequal_callees;
use crate::work::work_terms;
use base_data::block_table::BlockKind;
use base_data::ids::BlockId;
use base_data::program_data::{Assumption, TimeDependentPlace};

/// Analyses a program: all that the instrumenter needs to write its probes. Included files that
/// `loader` finds are added to `sources`. Never fails: what is wrong is in the diagnostics.
pub fn analyze(sources: &mut Sources, options: &Options, loader: &Loader) -> Analysis {
    let lowered = language::lower(sources, &options.dialect, loader);
    analyze_lowered(lowered, sources, options, true)
}

/// Analyses what a language's door gave; `precise` as for [`Model::new`].
pub(crate) fn analyze_lowered(
    lowered: Lowered,
    sources: &Sources,
    options: &Options,
    precise: bool,
) -> Analysis {
    let Lowered {
        mut program,
        source_map,
        parse_statistics,
        mut diagnostics,
    } = lowered;
    passed_sections::mark(&mut program);
    let outline = Outline::of(&program);
    let calls = CallGraph::of(&program, &outline, &options.data_only);
    let order: Vec<StatementId> = outline.all().collect();
    let locations = Locations::of(&program, &order, &calls);
    let spans = Spans { map: &source_map };
    let (section, section_remark) = options.section.as_ref().map_or((None, None), |request| {
        section::find(request, &program, &outline, &calls, &source_map, sources)
    });
    diagnostics.extend(section_remark.clone());
    let lines = lines(&program, &source_map);
    let mut model = Model::new(&program, outline, calls, locations, lines, precise);
    let (found, exits) = find_blocks(&mut model, section.as_ref());
    let error_exits = &exits.tests;
    let computes = compute_blocks(&found);
    let requests = UserAssumptions {
        model: &model,
        map: &source_map,
        sources,
    };
    let (given, wrong) = requests.choices(&options.assumptions);
    diagnostics.extend(wrong);
    let purpose = Purpose {
        model: &model,
        blocks: &computes,
    };
    let (control, choices) = proposals::decide(purpose, given, &exits, options.proposals);
    let offer = options
        .suggested_assumptions
        .then(|| suggested_assumptions::find(&model, &control, &purpose.needs(&control)))
        .flatten();
    let mut slicer = slice(&model, &control, &computes, section.as_ref());
    let all = model.outline.all().count();
    let is_large = slicer.kept.iter().filter(|kept| **kept).count() * 10 > all * 3;
    let slice_cause = match options.slice_cause && is_large {
        true => slice_cause::find(&model, &control, &purpose.needs(&control)),
        false => None,
    };
    let removal_conditions = options.removal_conditions.as_ref().and_then(|asked| {
        let statement = source_map.statement_at(sources, &asked.file, asked.line, &slicer.kept)?;
        Some(removal_conditions::find(
            &model,
            &control,
            &purpose.needs(&control),
            statement,
        ))
    });
    // Names that mean something of the program's own in lines that are written into probes.
    let mut ambiguous = language::macros(sources, &options.dialect);
    ambiguous.extend(work_terms::own_names(&program));
    let work = work_terms::find(&model, &found, spans, &ambiguous, &mut slicer, error_exits);
    let changing: Vec<&[StatementId]> = work.iter().map(|work| &work.changing_in[..]).collect();
    let changing_loops = iteration_dependent_loops::loops(&model, &found, &changing);
    let memory = allocations::find(&model, spans, &ambiguous, &mut slicer);
    let ordered = SharedFileOrdering::of(&model, &slicer.kept);
    slicer.messages.order = ordered.order.clone();
    let mut probed = work_terms::read_at(&model, &found, &work);
    for (&statement, read) in &memory.read {
        probed.entry(statement).or_default().extend(read);
    }
    let (kept, needed) = (&slicer.kept[..], &slicer.messages);
    let readers = Readers {
        model: &model,
        control: &control,
        kept,
        needed,
        probed: &probed,
    };
    let time_dependence::Found {
        places: hanging_on_time,
        any_order,
    } = time_dependence::find(&readers);
    let decided_by_time = hanging_on_time
        .iter()
        .filter(|place| place.decided_by.is_some())
        .map(|place| place.statement);
    let counted = choices
        .iter()
        .filter_map(|choice| counted(choice.substitution));
    let fickle = counted.chain(decided_by_time).collect();
    let mut carriers = LoopCarriedAnalysis::new(
        &model,
        &control,
        &slicer.kept,
        &slicer.messages,
        probed,
        fickle,
    );
    let invariant = invariant::find(&mut carriers, &found, &ambiguous);
    let marks = section.iter().flat_map(SectionPlace::marks);
    let counts = memory
        .allocations
        .iter()
        .filter(|place| place.bytes.is_some())
        .map(|place| place.statement);
    let counts = counts.chain(memory.frees.iter().map(|free| free.statement));
    let marked = marks
        .chain(counts)
        .chain(computes.iter().filter_map(|block| block.first().copied()))
        .collect();
    let counting = counting_loops::find(&carriers, &marked, &ambiguous);
    let mut unpredicted = analysis_diagnostics::without_source(&model, &source_map);
    unpredicted.extend(analysis_diagnostics::beside_blocks(
        &model,
        &found,
        &source_map,
        sources,
    ));
    diagnostics.extend(unpredicted.clone());
    diagnostics.extend(analysis_diagnostics::all(
        &model,
        &hanging_on_time,
        &source_map,
        sources,
    ));
    diagnostics.extend(analysis_diagnostics::shared_files(
        &ordered,
        &source_map,
        sources,
    ));
    let regions = Regions {
        model: &model,
        map: &source_map,
        sources,
        kept: &slicer.kept,
    };
    diagnostics.extend(regions.remarks());
    let parallel_regions = regions.asked();
    diagnostics.sort_by_key(|d| (d.span, d.severity));
    let mut slice = slicer.result();
    slice.assumptions = choices
        .iter()
        .map(|choice| assumption(choice, spans))
        .collect();
    slice.substitutions = choices.iter().map(|choice| choice.substitution).collect();
    let digests = Digests::new(&program, &source_map, sources, &model.calls.pairs);
    let (needed, effects, kept) = (&slicer.messages, &model.effects, &slicer.kept);
    let parts = Parts {
        program: &program,
        sources,
        spans,
        digests,
        work,
        needed,
        effects,
        kept,
        invariant: &invariant,
        holding_requests: &outstanding_requests::loops(&model, &found),
        over_data: &data_indexed_loops::loops(&model, &found),
        changing: &changing_loops,
    };
    let tables = block_tables::build(parts, &found);
    let sent = message_dependent_work::find(
        &model,
        &found,
        message_dependent_work::Base {
            kept,
            needed,
            control: &control,
        },
    );
    let decided_by_others = of_data(&tables, &sent);
    let unequal_callees = of_data(&tables, &unequal_callees::find(&model, &found));
    let unsupported = unsupported(&found);
    let call_graph = model.calls.pairs.clone();
    let time_dependent = time_dependent(&hanging_on_time, &tables, spans);
    let is_any_order = |site: &&SitePlace| any_order.contains(&site.statement);
    let any_order = tables
        .sites
        .iter()
        .filter(is_any_order)
        .map(|site| site.id)
        .collect();
    Analysis {
        call_graph,
        decided_by_others,
        unequal_callees,
        table: tables.table,
        blocks: tables.blocks,
        sites: tables.sites,
        loops: tables.loops,
        structure: tables.structure,
        unsupported,
        section,
        section_remark,
        unpredicted,
        time_dependent,
        any_order,
        counting,
        allocations: memory.allocations,
        frees: memory.frees,
        parallel_regions,
        static_memory: allocations::static_memory(&program),
        slice,
        offer,
        slice_cause,
        removal_conditions,
        parse_statistics,
        diagnostics,
        program,
        source_map,
    }
}

/// What there is, and the error exits, which cut no block: only now that they are known is it known what
/// leads to MPI.
fn find_blocks(model: &mut Model, section: Option<&SectionPlace>) -> (Vec<Found>, ErrorExits) {
    let error_exits = error_exits::exits(model);
    let marks = section.into_iter().flat_map(SectionPlace::marks).collect();
    model.calls =
        model
            .calls
            .clone()
            .with(model.program, &model.outline, &error_exits.inside, marks);
    let found = block_finder::find(
        model.program,
        &model.outline,
        &model.calls,
        &error_exits.inside,
        section,
    );
    (found, error_exits)
}

/// Compute blocks that depend on data and are `chosen`, which tells of all of them in their order.
fn of_data(tables: &Tables, chosen: &[bool]) -> Vec<BlockId> {
    let blocks = &tables.table.blocks;
    let computes = (0..blocks.len()).filter(|&block| blocks[block].kind == BlockKind::Compute);
    let chosen = computes
        .zip(chosen)
        .filter(|&(block, &is)| is && blocks[block].data_dependent);
    chosen
        .map(|(block, _)| BlockId::from_index(block))
        .collect()
}

/// The slice without the work terms.
fn slice<'a>(
    model: &'a Model<'a>,
    control: &'a Control,
    computes: &[Vec<StatementId>],
    section: Option<&SectionPlace>,
) -> Slicer<'a> {
    let mut slicer = Slicer::new(model, control);
    slicer.start(computes);
    for end in section.into_iter().flat_map(SectionPlace::marks) {
        slicer.keep_path(&[end], None, Because::Section(end));
    }
    slicer.run();
    slicer
}

/// The statements of the compute blocks, in order; of others than runs of statements those beside which they are marked.
fn compute_blocks(found: &[Found]) -> Vec<Vec<StatementId>> {
    let statements = found.iter().flat_map(|found| match &found.what {
        What::Compute(statements) => vec![statements.clone()],
        own @ What::Own(..) => own
            .marks()
            .into_iter()
            .map(|mark| vec![mark.statement()])
            .collect(),
        What::Site(..) | What::Loop(_) | What::Unknown(..) | What::Structure(_) => Vec::new(),
    });
    statements.collect()
}

fn lines(program: &Program, map: &SourceMap) -> Vec<u32> {
    let line = |id: usize| {
        map.statements
            .get(id)
            .map_or(0, |place| map.line(place.whole.file, place.whole.start))
    };
    (0..program.statements.len()).map(line).collect()
}

/// The statement of a substitution that counts how often it is asked.
fn counted(substitution: Substitution) -> Option<StatementId> {
    match substitution.replacement {
        Replacement::Counted { .. } | Replacement::LeftAfter(_) | Replacement::Turns { .. } => {
            Some(substitution.statement)
        }
        Replacement::Conjunct(part) => part.is_counted.then_some(substitution.statement),
        Replacement::Constant(_) | Replacement::Bound(_) | Replacement::Goes(_) => None,
    }
}

/// So many places where a clock is read are named of one decision.
const READINGS: usize = 4;

/// The places by call site; a decision with its own place and those where what it decides by is read, by the
/// first of these that is a call of MPI, or else by the decision itself, the first site behind it or any.
fn time_dependent(
    places: &[TimeDependence],
    tables: &Tables,
    spans: Spans,
) -> Vec<TimeDependentPlace> {
    let find = |is_it: &dyn Fn(&&SitePlace) -> bool| tables.sites.iter().find(is_it);
    let at = |id: StatementId| tables.table.place(&spans.between(id, id));
    let site = |place: &TimeDependence| {
        let Some(readings) = &place.decided_by else {
            let site = find(&|site| site.statement == place.statement)?;
            return Some(TimeDependentPlace {
                site: site.id,
                reason: place.reason.clone(),
            });
        };
        let site = find(&|site| readings.contains(&site.statement))
            .or_else(|| find(&|site| site.statement >= place.statement))
            .or_else(|| tables.sites.last())?;
        let mut lines: Vec<String> = readings.iter().map(|&id| at(id)).collect();
        lines.dedup();
        let more = lines.split_off(lines.len().min(READINGS));
        let more = if more.is_empty() {
            String::new()
        } else {
            format!(" and {} more places", more.len())
        };
        let (reason, read, decided) = (
            &place.reason,
            lines.join(", "),
            spans.condition(place.statement, 0),
        );
        let decided = tables.table.place(&decided);
        let reason = format!("{reason}; the data read at {read}{more} determine {decided}");
        Some(TimeDependentPlace {
            site: site.id,
            reason,
        })
    };
    let mut found: Vec<TimeDependentPlace> = Vec::new();
    for place in places.iter().filter_map(site) {
        if !found.contains(&place) {
            found.push(place);
        }
    }
    found
}

fn assumption(choice: &Choice, spans: Spans) -> (StatementId, Assumption) {
    let Substitution {
        statement, clause, ..
    } = choice.substitution;
    let assumption = Assumption {
        span: spans.condition(statement, clause),
        outcome: choice.outcome,
        reason: choice.reason.clone(),
        origin: choice.origin,
    };
    (statement, assumption)
}

fn unsupported(found: &[Found]) -> Vec<(StatementId, String)> {
    let names = found.iter().filter_map(|found| match &found.what {
        What::Site(id, function) if !function.support.is_predicted() => {
            Some((*id, function.name.to_string()))
        }
        What::Unknown(id, name) => Some((*id, name.clone())),
        What::Site(..) | What::Loop(_) | What::Compute(_) | What::Own(..) | What::Structure(_) => {
            None
        }
    });
    names.collect()
}

impl Analysis {
    /// Whether something keeps probes from being written: an error in the sources or an MPI function
    /// that is not supported.
    pub fn is_refused(&self) -> bool {
        !self.unsupported.is_empty()
            || self
                .diagnostics
                .iter()
                .any(|d| d.severity == Severity::Error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Following scalars by reaching definitions leaves out statements, and adds none.
    #[test]
    fn precision_never_adds_statements() {
        let source = "program t
  use mpi
  integer :: i, n, ierr
  real :: x(10)
  call mpi_init(ierr)
  do i = 1, 10
    x(i) = i
  end do
  i = 3
  n = i
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
";
        let kept = |precise| {
            let mut sources = Sources::default();
            sources.add("t.f90", source.as_bytes());
            let options = Options::default();
            let lowered = language::lower(&mut sources, &options.dialect, &|_, _| None);
            analyze_lowered(lowered, &sources, &options, precise)
                .slice
                .kept
        };
        let (close, coarse) = (kept(true), kept(false));
        assert!(
            close
                .iter()
                .zip(&coarse)
                .all(|(close, coarse)| !close || *coarse)
        );
        assert!(close != coarse);
    }
}
