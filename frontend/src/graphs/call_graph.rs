//! The call graph, and which procedures and statements reach MPI or an end of the section (least fixpoint, bottom up over the
//! strongly connected components, by Kosaraju's algorithm). A call through a procedure variable may reach any procedure that is passed or pointed at
//! somewhere, and anything if one of those has no source. A procedure without source may call MPI, unless the user
//! declares that it only computes, or symbols prove that it does not ([`crate::graphs::externals`]).

use crate::graphs::externals::{ExternalEffects, Externals};
use crate::ir::references;
use crate::ir::statement_tree::{self, Outline};
use crate::ir::{Callee, Expression, ProcedureId, Program, StatementId, StatementKind};
use base_data::mpi::FunctionKind;
use petgraph::algo::kosaraju_scc;
use petgraph::graph::DiGraph;
use std::collections::BTreeSet;

/// A call in a statement: its CALL, or a function reference in one of its expressions.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a> {
    /// Who is called.
    pub(crate) callee: &'a Callee,
    /// With what; `None` for what a dummy is not passed.
    pub(crate) arguments: Vec<Option<&'a Expression>>,
    /// Whether its value is used in an expression.
    pub(crate) is_function: bool,
}

/// Procedures after which arithmetic may end the run, though they only compute.
const TRAPPING: [&str; 4] = [
    "ieee_set_halting_mode",
    "ieee_set_modes",
    "ieee_set_status",
    "feenableexcept",
];

/// Whether an intrinsic subroutine gives a command to the operating system.
pub(crate) fn is_command(intrinsic: &str) -> bool {
    ["execute_command_line", "system"].contains(&intrinsic)
}

/// The calls of a statement itself, not of statements inside it, in order.
pub(crate) fn calls(kind: &StatementKind) -> Vec<Call<'_>> {
    let mut found = Vec::new();
    if let StatementKind::Call { callee, arguments } = kind {
        found.push(Call {
            callee,
            arguments: arguments.iter().map(Option::as_ref).collect(),
            is_function: false,
        });
    }
    references::each_expression(kind, &mut |expression| {
        references::walk(expression, &mut |part| {
            if let Expression::Call { callee, arguments } = part {
                found.push(Call {
                    callee,
                    arguments: arguments.iter().map(Some).collect(),
                    is_function: true,
                });
            }
        });
    });
    found
}

/// Who calls whom.
#[derive(Clone, Debug)]
pub(crate) struct CallGraph {
    /// Caller and callee, each pair once, in source order of the first call.
    pub(crate) pairs: Vec<(ProcedureId, ProcedureId)>,
    /// Whom each procedure calls, each once; index = procedure id.
    pub(crate) callees: Vec<Vec<ProcedureId>>,
    /// All procedures, callees before their callers; those that call each other stand together. What callers
    /// take from callees needs few rounds in this order.
    pub(crate) bottom_up: Vec<ProcedureId>,
    /// Whether a procedure contains or reaches a call of MPI or an end of the section; index = procedure id.
    pub(crate) procedure_leads: Vec<bool>,
    /// Whether a statement's own calls are or reach calls of MPI, or reach an end of the section; index =
    /// statement id.
    pub(crate) own_reaches_mpi: Vec<bool>,
    /// The same with all statements inside it; and whether an end of the section is inside it.
    pub(crate) reaches_mpi: Vec<bool>,
    /// Whether a statement, with all inside it, is or reaches a call of MPI that is not merely local
    /// or a clock.
    pub(crate) communicates: Vec<bool>,
    /// The statements at which the section begins or ends.
    pub(crate) marks: Vec<StatementId>,
    /// Whether a statement itself calls anything but intrinsic procedures.
    pub(crate) has_calls: Vec<bool>,
    /// Whether a procedure, or one that it calls, has a loop or goes over an array; index = procedure id.
    repeating: Vec<bool>,
    /// What is known of procedures without source.
    pub(crate) externals: Externals,
    /// The procedures that a procedure variable may stand for.
    callable: Vec<ProcedureId>,
    /// Whether a procedure variable may stand for a procedure without source.
    open: bool,
    /// Whether arithmetic may be made to end the run.
    pub(crate) may_trap: bool,
    /// Whether something is called that may do what cannot be seen.
    pub(crate) calls_unknown: bool,
    /// Whether something is called that may call procedures of the program: code that is neither known nor confined.
    pub(crate) may_be_called_back: bool,
}

impl CallGraph {
    /// The call graph of a program. `externals` contains what is known of procedures without source, as far as
    /// [`crate::graphs::passed_addresses`] does not withdraw it; `goes_over_array` returns whether a statement operates on a whole
    /// array or a section.
    pub(crate) fn of(
        program: &Program,
        outline: &Outline,
        externals: Externals,
        goes_over_array: fn(&Program, &StatementKind) -> bool,
    ) -> Self {
        let (callable, passed) = named_as_values(program, outline);
        let mut graph = CallGraph {
            pairs: Vec::new(),
            callees: vec![Vec::new(); program.procedures.len()],
            bottom_up: Vec::new(),
            procedure_leads: vec![false; program.procedures.len()],
            own_reaches_mpi: vec![false; program.statements.len()],
            reaches_mpi: vec![false; program.statements.len()],
            communicates: vec![false; program.statements.len()],
            marks: Vec::new(),
            has_calls: vec![false; program.statements.len()],
            repeating: Vec::new(),
            externals,
            callable,
            open: false,
            may_trap: false,
            calls_unknown: false,
            may_be_called_back: false,
        };
        // What is proven of a procedure holds for calls by its name, so it is open for others.
        graph.open = passed.iter().any(|name| graph.may_be_anything(name));
        for id in outline.all() {
            for call in calls(&program.statement(id).kind) {
                let is_intrinsic = matches!(call.callee, Callee::Intrinsic(_));
                graph.has_calls[id.0 as usize] |= !is_intrinsic;
                graph.calls_unknown |= graph.is_unknown(call.callee);
                graph.may_be_called_back |=
                    graph.is_unknown(call.callee) && !graph.is_confined(call.callee);
                graph.may_trap |= graph.may_set_traps(call.callee);
            }
        }
        graph.find_pairs(program, outline);
        graph.bottom_up = bottom_up(program.procedures.len(), &graph.pairs);
        graph.repeating = graph.repeating(program, outline, goes_over_array);
        graph.find_mpi_reaching(program, outline, &vec![false; program.statements.len()]);
        graph
    }

    /// All statements, those of callees before those of their callers.
    pub(crate) fn bottom_up_statements<'a>(
        &'a self,
        outline: &'a Outline,
    ) -> impl Iterator<Item = StatementId> {
        self.bottom_up
            .iter()
            .flat_map(|&procedure| outline.of_procedure(procedure))
            .copied()
    }

    /// The procedures of the program that a call may reach.
    pub(crate) fn targets(&self, callee: &Callee) -> Vec<ProcedureId> {
        match callee {
            Callee::Procedure(procedure) => vec![*procedure],
            Callee::OneOf(all) => all.clone(),
            Callee::Variable(_) => self.callable.clone(),
            Callee::Mpi(_) | Callee::UnknownMpi(_) | Callee::Intrinsic(_) | Callee::External(_) => {
                vec![]
            }
        }
    }

    /// Whether a procedure is passed or pointed at somewhere.
    pub(crate) fn is_named(&self, procedure: ProcedureId) -> bool {
        self.callable.contains(&procedure)
    }

    /// Whether a callee may do what cannot be seen: no source, and not vouched for.
    pub(crate) fn is_unknown(&self, callee: &Callee) -> bool {
        match callee {
            Callee::External(name) => {
                self.may_be_anything(name) && self.externals.known(name).is_none()
            }
            Callee::Variable(_) => self.open,
            Callee::Procedure(_)
            | Callee::OneOf(_)
            | Callee::Mpi(_)
            | Callee::UnknownMpi(_)
            | Callee::Intrinsic(_) => false,
        }
    }

    /// The same of a callee that MPI calls: what symbols prove is not used there.
    pub(crate) fn is_unknown_callback(&self, callee: &Callee) -> bool {
        match callee {
            Callee::External(name) => self.may_be_anything(name),
            _ => self.is_unknown(callee),
        }
    }

    /// Whether a callee may communicate, but reaches nothing of the program beside its arguments.
    fn is_confined(&self, callee: &Callee) -> bool {
        match callee {
            Callee::External(name) => self.externals.confined(name).is_some(),
            _ => false,
        }
    }

    /// What is proven of a callee without source.
    pub(crate) fn proven(&self, callee: &Callee) -> Option<&ExternalEffects> {
        match callee {
            Callee::External(name) => self.externals.known(name),
            _ => None,
        }
    }

    /// Whether a call is, or reaches, a call of MPI, or reaches an end of the section.
    pub(crate) fn call_reaches_mpi(&self, callee: &Callee) -> bool {
        self.reaches(callee, &self.procedure_leads)
    }

    /// The same if these procedures (index = procedure id) reach MPI.
    fn reaches(&self, callee: &Callee, procedures: &[bool]) -> bool {
        let any = |targets: &[ProcedureId]| targets.iter().any(|p| procedures[p.0 as usize]);
        match callee {
            Callee::Mpi(_) | Callee::UnknownMpi(_) => true,
            Callee::Procedure(procedure) => procedures[procedure.0 as usize],
            Callee::OneOf(all) => any(all),
            Callee::External(_) => self.is_unknown(callee),
            Callee::Variable(_) => self.open || any(&self.callable),
            Callee::Intrinsic(_) => false,
        }
    }

    /// Whether a call may exchange something with other processes if these procedures do: MPI's clocks and local functions do not.
    fn may_communicate(&self, callee: &Callee, procedures: &[bool]) -> bool {
        match callee {
            Callee::Mpi(function) => {
                !matches!(function.kind, FunctionKind::Local | FunctionKind::Clock)
            }
            _ => self.reaches(callee, procedures),
        }
    }

    /// Whether a callee makes arithmetic end the run, or has no source and may do so.
    fn may_set_traps(&self, callee: &Callee) -> bool {
        let is_named = matches!(callee, Callee::External(name) if TRAPPING.contains(&&name[..]));
        is_named || self.is_unknown(callee)
    }

    fn may_be_anything(&self, external: &str) -> bool {
        !self.externals.is_data_only(external) && !base_data::mpi::functions::is_mpi_name(external)
    }

    fn find_pairs(&mut self, program: &Program, outline: &Outline) {
        for statement in outline.all() {
            if !self.has_calls[statement.0 as usize] {
                continue;
            }
            let caller = program.statement(statement).procedure;
            for call in calls(&program.statement(statement).kind) {
                for callee in self.targets(call.callee) {
                    let known = &mut self.callees[caller.0 as usize];
                    if !known.contains(&callee) {
                        known.push(callee);
                        self.pairs.push((caller, callee));
                    }
                }
            }
        }
    }

    /// The same graph, except that `ignored` statements (index = statement id) lead nowhere, and that
    /// what reaches one of `marks` leads: its ends must be passed on the way.
    pub(crate) fn with(
        mut self,
        program: &Program,
        outline: &Outline,
        ignored: &[bool],
        marks: Vec<StatementId>,
    ) -> Self {
        self.marks = marks;
        self.find_mpi_reaching(program, outline, ignored);
        self
    }

    fn find_mpi_reaching(&mut self, program: &Program, outline: &Outline, ignored: &[bool]) {
        let mut begun: BTreeSet<ProcedureId> = BTreeSet::new();
        for &mark in &self.marks {
            begun.insert(program.statement(mark).procedure);
        }
        loop {
            (self.procedure_leads, self.own_reaches_mpi) =
                self.reaching(program, outline, ignored, &begun, Self::reaches);
            // A procedure that may be called in place of one that reaches MPI has blocks of its own as that one has.
            let beside = self.callers_beside_mpi(program, outline, ignored);
            if beside.is_empty() {
                break;
            }
            // The set grows in each round, at most to all procedures.
            begun.extend(beside);
        }
        self.reaches_mpi = with_enclosing(outline, &self.own_reaches_mpi);
        for &mark in &self.marks {
            for above in outline.ancestors(mark) {
                self.reaches_mpi[above.0 as usize] = true;
            }
        }
        let none = BTreeSet::new();
        let (_, own) = self.reaching(program, outline, ignored, &none, Self::may_communicate);
        self.communicates = with_enclosing(outline, &own);
    }

    /// Procedures that do not reach MPI and are called where no block is: in place of one that does, and in expressions of a
    /// statement another part of which reaches MPI (`call mpi_bcast(…, count(x), …)`, the condition of a loop with messages), if they
    /// have loops. Their work is in blocks of their own.
    fn callers_beside_mpi(
        &self,
        program: &Program,
        outline: &Outline,
        ignored: &[bool],
    ) -> Vec<ProcedureId> {
        let reaches_mpi = with_enclosing(outline, &self.own_reaches_mpi);
        let mut found = Vec::new();
        for id in outline.all() {
            if !self.has_calls[id.0 as usize] || ignored[id.0 as usize] {
                continue;
            }
            if !reaches_mpi[id.0 as usize] && !self.leaves(program, &reaches_mpi, id) {
                continue;
            }
            for call in calls(&program.statement(id).kind) {
                let is_mixed = matches!(call.callee, Callee::OneOf(_) | Callee::Variable(_))
                    && self.call_reaches_mpi(call.callee);
                for target in self.targets(call.callee) {
                    // A pure procedure contains no probes: its work belongs to the calling statement
                    // (`crate::blocks::control_statement_blocks`).
                    let is_pure = program.procedure(target).is_pure;
                    if self.procedure_leads[target.0 as usize] || is_pure {
                        continue;
                    }
                    if is_mixed || self.repeats(target) {
                        found.push(target);
                    }
                }
            }
        }
        found
    }

    /// Whether an IF of a procedure that reaches MPI may jump out of its statement list: then it is in no block.
    fn leaves(&self, program: &Program, reaches_mpi: &[bool], id: StatementId) -> bool {
        let statement = program.statement(id);
        if !matches!(statement.kind, StatementKind::If { .. })
            || !self.procedure_leads[statement.procedure.0 as usize]
        {
            return false;
        }
        for inner in statement_tree::subtree(program, id) {
            let is_jump = match program.statement(inner).kind {
                // A jump that only leaves a loop without MPI stays inside the block.
                StatementKind::Exit(left) | StatementKind::Cycle(left) => {
                    reaches_mpi[left.0 as usize]
                }
                StatementKind::Return | StatementKind::Goto { .. } => true,
                _ => false,
            };
            if is_jump {
                return true;
            }
        }
        false
    }

    /// Whether a procedure, or one that it calls, has a loop or goes over an array.
    pub(crate) fn repeats(&self, procedure: ProcedureId) -> bool {
        self.repeating[procedure.0 as usize]
    }

    /// The same of all procedures.
    fn repeating(
        &self,
        program: &Program,
        outline: &Outline,
        goes_over_array: fn(&Program, &StatementKind) -> bool,
    ) -> Vec<bool> {
        let mut all = vec![false; program.procedures.len()];
        for id in outline.all() {
            let statement = program.statement(id);
            let is_loop = statement.kind.is_loop();
            if is_loop || goes_over_array(program, &statement.kind) {
                all[statement.procedure.0 as usize] = true;
            }
        }
        let mut grown = true;
        while grown {
            grown = false;
            for &procedure in &self.bottom_up {
                let number = procedure.0 as usize;
                let callees = &self.callees[number];
                if !all[number] && callees.iter().any(|callee| all[callee.0 as usize]) {
                    all[number] = true;
                    grown = true;
                }
            }
        }
        all
    }

    /// The procedures and statements of which `test` holds for some call, given the procedures found
    /// so far; initially those that are `begun`.
    fn reaching(
        &self,
        program: &Program,
        outline: &Outline,
        ignored: &[bool],
        begun: &BTreeSet<ProcedureId>,
        test: fn(&Self, &Callee, &[bool]) -> bool,
    ) -> (Vec<bool>, Vec<bool>) {
        let mut procedures = vec![false; program.procedures.len()];
        for procedure in begun {
            procedures[procedure.0 as usize] = true;
        }
        let mut statements = vec![false; program.statements.len()];
        let mut grown = true;
        while grown {
            grown = false;
            for id in self.bottom_up_statements(outline) {
                let number = id.0 as usize;
                // The test is monotone in `procedures`, so what is found stays found and the rounds
                // end.
                if statements[number] || ignored[number] || !self.has_calls[number] {
                    continue;
                }
                let statement = program.statement(id);
                let mut calls = calls(&statement.kind).into_iter();
                if calls.any(|call| test(self, call.callee, &procedures)) {
                    statements[number] = true;
                    procedures[statement.procedure.0 as usize] = true;
                    grown = true;
                }
            }
        }
        (procedures, statements)
    }
}

/// Procedures in the order of the strongly connected components of who calls whom, from the bottom.
fn bottom_up(procedures: usize, pairs: &[(ProcedureId, ProcedureId)]) -> Vec<ProcedureId> {
    let mut graph = DiGraph::<(), (), u32>::default();
    let nodes: Vec<_> = (0..procedures).map(|_| graph.add_node(())).collect();
    for (caller, callee) in pairs {
        graph.add_edge(nodes[caller.0 as usize], nodes[callee.0 as usize], ());
    }
    // Postorder of the condensed graph: components of callees come before those of their callers.
    kosaraju_scc(&graph)
        .into_iter()
        .flatten()
        .map(|node| ProcedureId(node.index() as u32))
        .collect()
}

/// The procedures that are passed or pointed at somewhere, and the names of those without source. A name without
/// a list is one; so is a function without arguments, which does no harm.
fn named_as_values(program: &Program, outline: &Outline) -> (Vec<ProcedureId>, BTreeSet<String>) {
    let (mut own, mut others) = (BTreeSet::new(), BTreeSet::new());
    let expressions = outline
        .all()
        .flat_map(|id| references::expressions(&program.statement(id).kind));
    for expression in expressions.chain(program.from_start.iter().map(|one| &one.target)) {
        for call in references::calls(expression)
            .iter()
            .filter(|call| call.arguments.is_empty())
        {
            match call.callee {
                Callee::Procedure(procedure) => drop(own.insert(*procedure)),
                Callee::OneOf(all) => own.extend(all),
                Callee::External(name) => drop(others.insert(name.clone())),
                Callee::Mpi(_)
                | Callee::UnknownMpi(_)
                | Callee::Intrinsic(_)
                | Callee::Variable(_) => {}
            }
        }
    }
    (own.into_iter().collect(), others)
}

/// Statements with the constructs around them.
fn with_enclosing(outline: &Outline, own: &[bool]) -> Vec<bool> {
    let mut all = own.to_vec();
    for id in outline.all() {
        if own[id.0 as usize] {
            for above in outline.ancestors(id) {
                all[above.0 as usize] = true;
            }
        }
    }
    all
}
