//! The stages of the analysis, in order: from sources to an [`Analysis`].

use crate::analysis_diagnostics;
use crate::assumptions::error_exits::{self, ErrorExits};
use crate::assumptions::proposals::{self, Allowed, Purpose};
use crate::assumptions::removal_conditions;
use crate::assumptions::slice_cause;
use crate::assumptions::suggested_assumptions;
use crate::assumptions::user_assumptions::{AppliedAssumption, UserAssumptions};
use crate::blocks::block_finder::{self, ElementKind, ProgramElement};
use crate::blocks::digests::Digests;
use crate::blocks::section;
use crate::dataflow::control::Control;
use crate::dataflow::loop_carried::LoopCarriedAnalysis;
use crate::effects::model::Model;
use crate::graphs::call_graph::CallGraph;
use crate::graphs::externals::Externals;
use crate::graphs::passed_addresses;
use crate::io::io_ordering::IoOrdering;
use crate::io::shared_file_ordering::SharedFileOrdering;
use crate::ir::analysis::{
    Analysis, RemovalConditions, Replacement, SectionPlace, Slice, SliceCause, Substitution,
    SuggestedAssumption,
};
use crate::ir::parallel;
use crate::ir::source_map::SourceMap;
use crate::ir::spans::Spans;
use crate::ir::statement_tree::Outline;
use crate::ir::{Program, StatementId};
use crate::language::{self, Lowered};
use crate::memory::array_operations;
use crate::memory::location_id::LocationId;
use crate::memory::locations::Locations;
use crate::memory::passed_sections;
use crate::nondeterminism::mpi_outputs::Readers;
use crate::nondeterminism::outstanding_requests;
use crate::nondeterminism::time_dependence::{self, TimeDependence};
use crate::options::Options;
use crate::slice::counting_loops;
use crate::slice::invariant;
use crate::slice::reasons::Because;
use crate::slice::slicer::Slicer;
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::{Loader, Sources};
use crate::work::allocations::{self, Allocations};
use crate::work::block_splits;
use crate::work::block_tables::{self, Parts, Tables};
use crate::work::data_indexed_loops;
use crate::work::iteration_dependent_loops;
use crate::work::message_dependent_work;
use crate::work::parallel_regions::Regions;
use crate::work::trip_counts::TripCounts;
use crate::work::unequal_callees;
use crate::work::work_terms::{self, BlockWork, RankVaryingValues, TermContext};
use base_data::block_table::BlockKind;
use base_data::ids::{BlockId, CallSiteId};
use base_data::program_data::{Assumption, TimeDependentPlace};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// Analyses a program: everything that the instrumenter needs to write its probes. Included files that
/// `loader` finds are added to `sources`. Never fails: errors are in [`Analysis::diagnostics`].
pub fn analyze(sources: &mut Sources, options: &Options, loader: &Loader) -> Analysis {
    analyze_by_stage(sources, options, loader, &|_| {})
}

/// As [`analyze`]; `begins` is called whenever a stage begins.
pub fn analyze_by_stage(
    sources: &mut Sources,
    options: &Options,
    loader: &Loader,
    begins: &dyn Fn(Stage),
) -> Analysis {
    begins(Stage::Reading);
    let lowered = language::lower(sources, &options.dialect, loader);
    analyze_lowered(lowered, sources, options, true, begins)
}

/// A stage of the analysis, for reports of its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Sources are read and represented.
    Reading,
    /// Structure, memory and effects of the program; blocks.
    Effects,
    /// Assumptions are proposed.
    Assumptions,
    /// The slice, and why it is as large as it is.
    Slice,
    /// Work terms and allocation sizes.
    Work,
    /// What may differ from run to run.
    Nondeterminism,
    /// Loops of the slice, diagnostics and tables.
    Tables,
}

impl Stage {
    /// What is done, as a phrase.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Reading => "reading sources",
            Stage::Effects => "effects of statements",
            Stage::Assumptions => "assumptions",
            Stage::Slice => "slice",
            Stage::Work => "work terms",
            Stage::Nondeterminism => "nondeterminism",
            Stage::Tables => "loops and tables",
        }
    }
}

/// Analyses the program that a language frontend lowered; `precise` as for [`Model::new`].
///
/// The stages run in this order; each reads only results of stages above it. Two results grow:
/// the slice, to which work terms and allocation sizes add what their probes read, and the diagnostics.
pub(crate) fn analyze_lowered(
    lowered: Lowered,
    sources: &Sources,
    options: &Options,
    precise: bool,
    begins: &dyn Fn(Stage),
) -> Analysis {
    let Lowered {
        mut program,
        source_map,
        parse_statistics,
        mut diagnostics,
    } = lowered;
    begins(Stage::Effects);
    passed_sections::mark(&mut program);
    let inputs = Inputs {
        program: &program,
        map: &source_map,
        sources,
        options,
        ambiguous: ambiguous_names(&program, sources, options),
    };
    let foundation = inputs.foundation(precise);
    let Foundation {
        model,
        file_order,
        error_exits,
        found,
        section,
        section_remark,
        ..
    } = &foundation;
    diagnostics.extend(section_remark.clone());

    // Assumptions, and control flow under them.
    begins(Stage::Assumptions);
    let purpose = foundation.purpose();
    let (given, wrong) = inputs.user_choices(model);
    diagnostics.extend(wrong);
    let (control, choices) = inputs.decide(purpose, given, error_exits);

    let spans = inputs.spans();
    let ambiguous = &inputs.ambiguous;
    let tests = &error_exits.tests;
    let context = inputs.term_context(model);
    let split = OnceCell::new();
    let sliced = || {
        // The slice, and why it is as large as it is.
        begins(Stage::Slice);
        let mut slicer = slice(purpose, &control, section.as_ref());
        let explanations = inputs.explanations(purpose, &control, &slicer);

        // Work terms and allocation sizes; their probes extend the slice.
        begins(Stage::Work);
        let mut counts = TripCounts::new(model, tests);
        let found =
            split.get_or_init(|| block_splits::split(context, found, &mut counts, &mut slicer));
        let terms = work_terms::choose(context, found, &mut counts, &mut slicer);
        (slicer, explanations, found, terms)
    };
    // What does not depend on the slice.
    let unsliced = || {
        let varying = RankVaryingValues::of(model, &control, tests);
        let digests = Digests::new(&program, &source_map, sources, &model.calls.pairs);
        (varying, digests)
    };
    let ((mut slicer, explanations, found, terms), (varying, digests)) =
        parallel::both(sliced, unsliced);
    let work = work_terms::classify(model, found, terms, &slicer, varying, tests);
    let memory = allocations::find(model, spans, ambiguous, &mut slicer);
    let file_ordering = SharedFileOrdering::of(model, file_order, &slicer.kept);
    slicer.messages.order = file_ordering.order.clone();
    let slicer = slicer;

    // Nondeterminism: what may differ from run to run.
    begins(Stage::Nondeterminism);
    let probed = read_by_probes(model, found, &work, &memory);
    let time_dependence::TimeDependences {
        places: time_dependent_places,
        any_order,
    } = time_dependence::find(&Readers {
        model,
        control: &control,
        kept: &slicer.kept,
        needed: &slicer.messages,
        probed: &probed,
    });

    // Loops of the slice: recorded once, or replaced by a closed form.
    begins(Stage::Tables);
    let unrepeatable = unrepeatable_statements(&choices, &time_dependent_places);
    let mut loop_carried = LoopCarriedAnalysis::new(
        model,
        &control,
        &slicer.kept,
        &slicer.messages,
        probed,
        unrepeatable,
    );
    let invariant = invariant::find(&mut loop_carried, found, ambiguous);
    let marked = marked_statements(section.as_ref(), &memory, &compute_blocks(found));
    let counting = counting_loops::find(&loop_carried, &marked, ambiguous);

    // Diagnostics, in source order.
    let mut unpredicted = analysis_diagnostics::without_source(model, &source_map);
    unpredicted.extend(analysis_diagnostics::beside_blocks(
        model,
        found,
        &source_map,
        sources,
    ));
    let regions = Regions {
        model,
        map: &source_map,
        sources,
        kept: &slicer.kept,
    };
    diagnostics.extend(unpredicted.clone());
    diagnostics.extend(analysis_diagnostics::all(
        model,
        &time_dependent_places,
        &source_map,
        sources,
    ));
    diagnostics.extend(analysis_diagnostics::shared_files(
        &file_ordering,
        &source_map,
        sources,
    ));
    diagnostics.extend(regions.remarks());
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.severity));

    // Tables of blocks, call sites and loops.
    let sent_work = message_dependent_work::find(
        model,
        found,
        message_dependent_work::Base {
            kept: &slicer.kept,
            needed: &slicer.messages,
            control: &control,
        },
    );
    let iteration_dependent: Vec<&[StatementId]> =
        work.iter().map(|work| &work.changing_in[..]).collect();
    let parts = Parts {
        program: &program,
        sources,
        spans,
        digests,
        needed: &slicer.messages,
        effects: &model.effects,
        kept: &slicer.kept,
        invariant: &invariant,
        holding_requests: &outstanding_requests::loops(model, found),
        over_data: &data_indexed_loops::loops(model, found),
        changing: &iteration_dependent_loops::loops(model, found, &iteration_dependent),
        work,
    };
    let tables = block_tables::build(parts, found);
    Analysis {
        call_graph: model.calls.pairs.clone(),
        proven_externals: proven(model),
        external_clock: model.calls.externals.has_clock_of_compilers(),
        decided_by_others: data_dependent_among(&tables, &sent_work),
        unequal_callees: data_dependent_among(&tables, &unequal_callees::find(model, found)),
        time_dependent: time_dependent_sites(&time_dependent_places, &tables, spans),
        any_order: order_independent_sites(&tables, &any_order),
        table: tables.table,
        blocks: tables.blocks,
        sites: tables.sites,
        loops: tables.loops,
        structure: tables.structure,
        unsupported: unsupported(found),
        section: section.clone(),
        section_remark: section_remark.clone(),
        unpredicted,
        counting,
        allocations: memory.allocations,
        frees: memory.frees,
        parallel_regions: regions.asked(),
        static_memory: allocations::static_memory(&program),
        slice: slice_with_assumptions(&slicer, &choices, spans),
        offer: explanations.suggested_assumption,
        slice_cause: explanations.slice_cause,
        removal_conditions: explanations.removal_conditions,
        parse_statistics,
        diagnostics,
        program,
        source_map,
    }
}

/// The executable statements that the slice of an analysed program keeps, and all, under other options of the slice:
/// procedures that are declared data-only, assumptions, section. The sources are not read again, and nothing else that an
/// analysis contains is computed.
pub fn slice_share(analysis: &Analysis, sources: &Sources, options: &Options) -> (u64, u64) {
    let inputs = Inputs {
        program: &analysis.program,
        map: &analysis.source_map,
        sources,
        options,
        ambiguous: ambiguous_names(&analysis.program, sources, options),
    };
    let foundation = inputs.foundation(true);
    let model = &foundation.model;
    let purpose = foundation.purpose();
    let (given, _) = inputs.user_choices(model);
    let exits = &foundation.error_exits;
    let (control, _) = inputs.decide(purpose, given, exits);
    let mut slicer = slice(purpose, &control, foundation.section.as_ref());
    // The probes of work terms and allocation sizes read what belongs to the slice.
    let (spans, ambiguous) = (inputs.spans(), &inputs.ambiguous);
    let found = &foundation.found;
    let context = inputs.term_context(model);
    let mut counts = TripCounts::new(model, &exits.tests);
    let found = &block_splits::split(context, found, &mut counts, &mut slicer);
    work_terms::choose(context, found, &mut counts, &mut slicer);
    allocations::find(model, spans, ambiguous, &mut slicer);
    slicer.share()
}

/// What every stage may read besides the results of the stages before it.
struct Inputs<'a> {
    program: &'a Program,
    map: &'a SourceMap,
    sources: &'a Sources,
    options: &'a Options,
    /// Names that a probe's expression must not contain.
    ambiguous: BTreeSet<String>,
}

/// The results of the stages before the slice: structure, memory, effects and blocks.
struct Foundation<'a> {
    model: Model<'a>,
    /// In which order files are written and read.
    file_order: IoOrdering,
    error_exits: ErrorExits,
    found: Vec<ProgramElement>,
    /// The statements of each compute block.
    computes: Vec<Vec<StatementId>>,
    /// The section to predict, if the user requests one, and what is wrong with the request.
    section: Option<SectionPlace>,
    section_remark: Option<Diagnostic>,
}

impl Foundation<'_> {
    fn purpose(&self) -> Purpose<'_> {
        Purpose {
            model: &self.model,
            file_order: &self.file_order,
            blocks: &self.computes,
        }
    }
}

/// Optional results that explain the slice to the user.
struct Explanations {
    suggested_assumption: Option<SuggestedAssumption>,
    slice_cause: Option<SliceCause>,
    removal_conditions: Option<RemovalConditions>,
}

impl<'a> Inputs<'a> {
    fn spans(&self) -> Spans<'a> {
        Spans { map: self.map }
    }

    /// What work terms are chosen with.
    fn term_context<'b>(&'b self, model: &'b Model<'b>) -> TermContext<'b, 'b> {
        TermContext {
            model,
            sources: self.sources,
            spans: self.spans(),
            ambiguous: &self.ambiguous,
        }
    }

    /// The stages before the slice; `precise` as for [`Model::new`].
    fn foundation(&self, precise: bool) -> Foundation<'a> {
        let program = self.program;
        let outline = Outline::of(program);
        let mut externals = Externals::of(program, &outline, self.options);
        passed_addresses::withdraw(program, &outline, &mut externals);
        let calls = CallGraph::of(program, &outline, externals, array_operations::is_any);
        let (section, section_remark) = self.section(&outline, &calls);
        let statements: Vec<StatementId> = outline.all().collect();
        let locations = Locations::of(program, &statements, &calls);
        let lines = self.first_lines();
        let mut model = Model::new(program, outline, calls, locations, lines, precise);
        // Error exits divide no block, so they come before blocks.
        let exits = || {
            let error_exits = error_exits::exits(&model);
            let calls = calls_without_exits(&model, &error_exits, section.as_ref());
            (error_exits, calls)
        };
        let ((error_exits, calls), file_order) = parallel::both(exits, || IoOrdering::of(&model));
        model.calls = calls;
        let found = self.blocks(&model, &error_exits, section.as_ref());
        let computes = compute_blocks(&found);
        Foundation {
            model,
            file_order,
            error_exits,
            found,
            computes,
            section,
            section_remark,
        }
    }

    /// What the user assumes, and what is wrong with it.
    fn user_choices(&self, model: &Model) -> (Vec<AppliedAssumption>, Vec<Diagnostic>) {
        self.user_assumptions(model)
            .choices(&self.options.assumptions)
    }

    /// Adds to what the user assumes what the options allow to propose.
    fn decide(
        &self,
        purpose: Purpose,
        given: Vec<AppliedAssumption>,
        exits: &ErrorExits,
    ) -> (Control, Vec<AppliedAssumption>) {
        let users = self.user_assumptions(purpose.model);
        let allowed = Allowed {
            proposals: self.options.proposals,
            computed: &users.conditions_at(&self.options.computed),
        };
        proposals::decide(purpose, given, exits, allowed)
    }

    fn user_assumptions<'b>(&'b self, model: &'b Model<'b>) -> UserAssumptions<'b> {
        UserAssumptions {
            model,
            map: self.map,
            sources: self.sources,
        }
    }

    /// The section to predict, if the user requests one, and what is wrong with the request.
    fn section(
        &self,
        outline: &Outline,
        calls: &CallGraph,
    ) -> (Option<SectionPlace>, Option<Diagnostic>) {
        match &self.options.section {
            Some(request) => section::find(
                request,
                self.program,
                outline,
                calls,
                self.map,
                self.sources,
            ),
            None => (None, None),
        }
    }

    /// The first line of each statement; 0 for a statement without source.
    fn first_lines(&self) -> Vec<u32> {
        let mut lines = vec![0; self.program.statements.len()];
        for (line, place) in lines.iter_mut().zip(&self.map.statements) {
            *line = self.map.line(place.whole.file, place.whole.start);
        }
        lines
    }

    fn blocks(
        &self,
        model: &Model,
        error_exits: &ErrorExits,
        section: Option<&SectionPlace>,
    ) -> Vec<ProgramElement> {
        block_finder::find(
            self.program,
            &model.outline,
            &model.calls,
            &error_exits.inside,
            section,
        )
    }

    /// The explanations that the options request.
    fn explanations(&self, purpose: Purpose, control: &Control, slicer: &Slicer) -> Explanations {
        let (model, options) = (purpose.model, self.options);
        let mut explanations = Explanations {
            suggested_assumption: None,
            slice_cause: None,
            removal_conditions: None,
        };
        // Of a large program, the dependence graph takes longer to make than either explanation.
        let graph = OnceCell::new();
        let needs = || graph.get_or_init(|| purpose.needs(control));
        if options.suggested_assumptions {
            explanations.suggested_assumption =
                suggested_assumptions::find(model, control, needs());
        }
        if options.slice_cause && proposals::is_large(model, &slicer.kept) {
            explanations.slice_cause = slice_cause::find(model, control, needs());
        }
        if let Some(place) = &options.removal_conditions {
            let statement =
                self.map
                    .statement_at(self.sources, &place.file, place.line, &slicer.kept);
            if let Some(statement) = statement {
                let conditions = removal_conditions::find(model, control, needs(), statement);
                explanations.removal_conditions = Some(conditions);
            }
        }
        explanations
    }
}

/// Names that may mean something else where a probe is inserted than where its expression comes from:
/// macros of the preprocessor, and names that the program gives to its own procedures.
fn ambiguous_names(program: &Program, sources: &Sources, options: &Options) -> BTreeSet<String> {
    let mut names = language::macros(sources, &options.dialect);
    names.extend(work_terms::own_names(program));
    names
}

/// The call graph in which error exits do not reach MPI, and the ends of the section do.
fn calls_without_exits(
    model: &Model,
    error_exits: &ErrorExits,
    section: Option<&SectionPlace>,
) -> CallGraph {
    let marks = section.into_iter().flat_map(SectionPlace::marks).collect();
    let calls = model.calls.clone();
    calls.with(model.program, &model.outline, &error_exits.inside, marks)
}

/// The slice without what work terms need.
fn slice<'a>(
    purpose: Purpose<'a>,
    control: &'a Control,
    section: Option<&SectionPlace>,
) -> Slicer<'a> {
    let mut slicer = Slicer::new(purpose.model, control, purpose.file_order);
    slicer.start(purpose.blocks);
    for end in section.into_iter().flat_map(SectionPlace::marks) {
        slicer.keep_path(&[end], None, Because::Section(end));
    }
    slicer.run();
    slicer
}

/// The locations that probes read, by the statement that they precede.
fn read_by_probes(
    model: &Model,
    found: &[ProgramElement],
    work: &[BlockWork],
    memory: &Allocations,
) -> BTreeMap<StatementId, Vec<LocationId>> {
    let mut probed = work_terms::read_at(model, found, work);
    for (&statement, read) in &memory.read {
        probed.entry(statement).or_default().extend(read);
    }
    probed
}

/// Statements whose outcome differs from one evaluation to the next although they read the same data:
/// assumed conditions that count their evaluations, and branches that depend on a clock.
fn unrepeatable_statements(
    choices: &[AppliedAssumption],
    time_dependent: &[TimeDependence],
) -> BTreeSet<StatementId> {
    let mut found = BTreeSet::new();
    for choice in choices {
        if counts_evaluations(choice.substitution.replacement) {
            found.insert(choice.substitution.statement);
        }
    }
    for place in time_dependent {
        if place.decided_by.is_some() {
            found.insert(place.statement);
        }
    }
    found
}

/// Whether a condition with this replacement counts how often it is evaluated.
fn counts_evaluations(replacement: Replacement) -> bool {
    match replacement {
        Replacement::Counted { .. } | Replacement::LeftAfter(_) | Replacement::Turns { .. } => true,
        Replacement::Conjunct(part) => part.is_counted,
        Replacement::Constant(_) | Replacement::Bound(_) | Replacement::Goes(_) => false,
    }
}

/// Statements at which a probe stands: a loop that contains one runs iteration by iteration.
fn marked_statements(
    section: Option<&SectionPlace>,
    memory: &Allocations,
    computes: &[Vec<StatementId>],
) -> BTreeSet<StatementId> {
    let mut marked = BTreeSet::new();
    if let Some(section) = section {
        marked.extend(section.marks());
    }
    for place in &memory.allocations {
        if place.bytes.is_some() {
            marked.insert(place.statement);
        }
    }
    for free in &memory.frees {
        marked.insert(free.statement);
    }
    for block in computes {
        marked.extend(block.first());
    }
    marked
}

/// The statements of each compute block, in order; for a block of a control statement, the statements
/// beside which its probes stand.
fn compute_blocks(found: &[ProgramElement]) -> Vec<Vec<StatementId>> {
    let mut blocks = Vec::new();
    for found in found {
        match &found.kind {
            ElementKind::Compute(statements) => blocks.push(statements.clone()),
            own @ ElementKind::Own(..) => {
                for mark in own.marks() {
                    blocks.push(vec![mark.statement()]);
                }
            }
            ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Unknown(..)
            | ElementKind::Structure(_) => {}
        }
    }
    blocks
}

/// The procedures without source of which symbols prove that they reach neither MPI nor the program.
fn proven(model: &Model) -> Vec<String> {
    let externals = &model.calls.externals;
    externals.concluded().map(String::from).collect()
}

/// The data-dependent compute blocks that are `chosen`; index = position among the compute blocks.
fn data_dependent_among(tables: &Tables, chosen: &[bool]) -> Vec<BlockId> {
    let mut found = Vec::new();
    let mut chosen = chosen.iter();
    for (index, block) in tables.table.blocks.iter().enumerate() {
        if block.kind != BlockKind::Compute {
            continue;
        }
        let is_chosen = chosen.next().copied().unwrap_or(false);
        if is_chosen && block.data_dependent {
            found.push(BlockId::from_index(index));
        }
    }
    found
}

/// Most places of clock readings, and of branches that they determine, that a message lists.
const MAX_PLACES: usize = 4;

/// Where the sequence of MPI calls may depend on time, by call site, each once.
fn time_dependent_sites(
    places: &[TimeDependence],
    tables: &Tables,
    spans: Spans,
) -> Vec<TimeDependentPlace> {
    // With the branches that the same readings determine: loops of a master read a clock once and branch often.
    let mut found: Vec<(TimeDependentPlace, Vec<String>)> = Vec::new();
    for place in places {
        let Some((site, branch)) = time_dependent_site(place, tables, spans) else {
            continue;
        };
        match found.iter_mut().find(|(known, _)| *known == site) {
            Some((_, branches)) => branches.extend(branch),
            None => found.push((site, Vec::from_iter(branch))),
        }
    }
    let mut sites = Vec::new();
    for (mut site, branches) in found {
        if !branches.is_empty() {
            site.reason = format!("{} determine {}", site.reason, listed_places(branches));
        }
        sites.push(site);
    }
    sites
}

/// Places without repetition, the first of them by name.
fn listed_places(mut places: Vec<String>) -> String {
    places.dedup();
    let omitted = places.len().saturating_sub(MAX_PLACES);
    places.truncate(MAX_PLACES);
    let mut listed = places.join(", ");
    if omitted > 0 {
        listed.push_str(&format!(" and {omitted} more places"));
    }
    listed
}

/// The call site of an MPI call whose outcome depends on time; for a branch, the MPI call that reads the clock or else the
/// first call site after the branch. The reason at a branch ends with the readings; the branch is returned beside it.
fn time_dependent_site(
    place: &TimeDependence,
    tables: &Tables,
    spans: Spans,
) -> Option<(TimeDependentPlace, Option<String>)> {
    let sites = &tables.sites;
    let Some(readings) = &place.decided_by else {
        let site = sites
            .iter()
            .find(|site| site.statement == place.statement)?;
        let site = TimeDependentPlace {
            site: site.id,
            reason: place.reason.clone(),
        };
        return Some((site, None));
    };
    let reading = sites.iter().find(|site| readings.contains(&site.statement));
    let behind = || sites.iter().find(|site| site.statement >= place.statement);
    let site = reading.or_else(behind).or(sites.last())?;
    let mut lines: Vec<String> = Vec::new();
    for &id in readings {
        lines.push(tables.table.place(&spans.between(id, id)));
    }
    let branch = tables.table.place(&spans.condition(place.statement, 0));
    let site = TimeDependentPlace {
        site: site.id,
        reason: format!(
            "{}; the data read at {}",
            place.reason,
            listed_places(lines)
        ),
    };
    Some((site, Some(branch)))
}

/// The sites of calls that complete requests in an order that does not matter.
fn order_independent_sites(tables: &Tables, any_order: &[StatementId]) -> Vec<CallSiteId> {
    let mut found = Vec::new();
    for site in &tables.sites {
        if any_order.contains(&site.statement) {
            found.push(site.id);
        }
    }
    found
}

/// The slice with the assumptions that it is valid under.
fn slice_with_assumptions(slicer: &Slicer, choices: &[AppliedAssumption], spans: Spans) -> Slice {
    let mut slice = slicer.result();
    for choice in choices {
        let Substitution {
            statement, clause, ..
        } = choice.substitution;
        let assumption = Assumption {
            span: spans.condition(statement, clause),
            outcome: choice.outcome,
            reason: choice.reason.clone(),
            origin: choice.origin,
        };
        slice.assumptions.push((statement, assumption));
        slice.substitutions.push(choice.substitution);
    }
    slice
}

/// Calls of MPI functions that have no prediction.
fn unsupported(found: &[ProgramElement]) -> Vec<(StatementId, String)> {
    let mut names = Vec::new();
    for found in found {
        match &found.kind {
            ElementKind::Site(id, function) if !function.support.is_predicted() => {
                names.push((*id, function.name.to_string()));
            }
            ElementKind::Unknown(id, name) => names.push((*id, name.clone())),
            ElementKind::Site(..)
            | ElementKind::Loop(_)
            | ElementKind::Compute(_)
            | ElementKind::Own(..)
            | ElementKind::Structure(_) => {}
        }
    }
    names
}

impl Analysis {
    /// Whether no probe can be written: the sources have an error, or call an MPI function without support.
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
    use crate::ir::{IoOperation, StatementKind};

    #[test]
    fn each_stage_begins_once_and_in_order() {
        let mut sources = Sources::default();
        sources.add("t.f90", b"program t\nend program\n");
        let begun = std::cell::RefCell::new(Vec::new());
        let begins = |stage| begun.borrow_mut().push(stage);
        analyze_by_stage(&mut sources, &Options::default(), &|_, _| None, &begins);
        let begun = begun.into_inner();
        assert!(begun.is_sorted() && begun.len() == 7, "{begun:?}");
    }

    /// FINAL procedures are called where an object ends. Effects contain these calls; the call graph has only those that are written,
    /// so that a passage through `free` would be computed before that through `finish` and never again.
    #[test]
    fn order_of_files_contains_calls_of_final_procedures() {
        let source = "module m
  use mpi
  type t
    integer :: n
  contains
    final :: finish
  end type
contains
  subroutine free(p)
    type(t), pointer :: p
    deallocate(p)
  end subroutine
  subroutine finish(x)
    type(t), intent(inout) :: x
    integer :: ierr
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end module
program p
  use m
  type(t), pointer :: x
  integer :: ierr
  call mpi_init(ierr)
  allocate(x)
  call free(x)
  open(10, file='a')
  write(10, *) 1
  call mpi_finalize(ierr)
end program
";
        with_foundation(source, |foundation| {
            let Foundation {
                model, file_order, ..
            } = foundation;
            let procedure = |name| model.program.find(name).expect("it is in the source");
            let (free, finish) = (procedure("free"), procedure("finish"));
            assert!(!model.calls.callees[free.0 as usize].contains(&finish));
            assert!(model.effects.summaries.callees(free).contains(&finish));
            let is_write = |id: &StatementId| match &model.program.statement(*id).kind {
                StatementKind::InputOutput(io) => io.operation == IoOperation::Write,
                _ => false,
            };
            let write = model.outline.all().find(is_write).expect("there is one");
            // The barrier may have been passed or not: not every DEALLOCATE is one of an object that exists.
            let before = file_order.synchronisations_before(write)[0];
            assert_eq!((before.clean | before.mixed) & 0b11, 0b11);
        });
    }

    /// Each of these calls may read and write every variable that was passed to any of them. Listed at each call, MOM6 needed more
    /// than 8 GB.
    #[test]
    fn effects_of_calls_without_source_grow_with_the_program() {
        let listed = |procedures: usize| {
            let mut source = String::new();
            for number in 0..procedures {
                source += &format!(
                    "subroutine s{number}()\ninteger :: v(3), i\ncall outside(v)\ncall outside(i)\nend subroutine\n"
                );
            }
            let mut listed = 0;
            with_foundation(&(source + "end\n"), |foundation| {
                for id in foundation.model.outline.all() {
                    let effects = foundation.model.effects.of_statement(id);
                    listed += effects.uses.len() + effects.definitions.len();
                }
                for writers in &foundation.model.writers {
                    listed += writers.len();
                }
            });
            listed
        };
        assert!(listed(10) > 0);
        assert_eq!(listed(100), 10 * listed(10));
    }

    /// Each of these statements may read and write whatever code without source was passed the address of. Listed at each statement,
    /// FESOM2 without its libraries needed more than 10 GB.
    #[test]
    fn effects_through_foreign_pointers_are_bounded() {
        let mut source = String::from(
            "subroutine s()
use elsewhere
real, pointer :: p(:)
",
        );
        // Arrays: private scalars are listed for reaching definitions.
        for number in 0..2500 {
            source += &format!("real :: v{number}(2)\n");
        }
        source += "call let_point(p)\n";
        for number in 0..2500 {
            source += &format!("call outside(v{number})\np(1) = {number}\n");
        }
        source += "end subroutine\nend\n";
        with_foundation(&source, |foundation| {
            let Model {
                effects, outline, ..
            } = &foundation.model;
            let mut listed = 0;
            let mut touching = 0;
            for id in outline.all() {
                let of_statement = effects.of_statement(id);
                listed += of_statement.uses.len() + of_statement.definitions.len();
                touching += usize::from(of_statement.touches_globals);
            }
            assert!(listed < 100 * outline.all().count(), "{listed}");
            assert!(touching >= 5001);
        });
    }

    fn with_foundation(source: &str, check: impl FnOnce(&Foundation)) {
        let mut sources = Sources::default();
        sources.add("t.f90", source.as_bytes());
        let options = Options::default();
        let lowered = language::lower(&mut sources, &options.dialect, &|_, _| None);
        let inputs = Inputs {
            program: &lowered.program,
            map: &lowered.source_map,
            sources: &sources,
            options: &options,
            ambiguous: BTreeSet::new(),
        };
        check(&inputs.foundation(true));
    }

    /// Reaching definitions of scalars remove statements from the slice, and add none.
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
            analyze_lowered(lowered, &sources, &options, precise, &|_| {})
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
