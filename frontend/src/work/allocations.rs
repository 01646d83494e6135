//! Memory demand: the sizes of ALLOCATE statements as expressions that probes evaluate, the matching DEALLOCATE statements,
//! and static storage of constant size. The operands of a size enter the slice like those of a work term, if they cost next
//! to nothing; a size that depends on data is reported without a value.
//!
//! Automatic arrays, reallocation on assignment, SOURCE= and MOVE_ALLOC are not covered.

use crate::dataflow::loop_carried::read_by;
use crate::effects::model::Model;
use crate::expressions::count_factors::{Factor, clamped};
use crate::expressions::name_visibility;
use crate::expressions::name_visibility::is_unshadowed;
use crate::fortran::is_integer;
use crate::graphs::call_graph;
use crate::ir::analysis::{AllocationPlace, FreePlace};
use crate::ir::constant_values;
use crate::ir::expression_builders::binary;
use crate::ir::iterations::trips;
use crate::ir::references;
use crate::ir::spans::Spans;
use crate::ir::{
    Callee, Expression, Operator, ProcedureId, Program, StatementId, StatementKind, Storage,
    Subscript, Type, Variable,
};
use crate::memory::location_id::LocationId;
use crate::slice::reasons::Because;
use crate::slice::slicer::Slicer;
use std::collections::{BTreeMap, BTreeSet};

/// Arrays of constant size that are local to procedures and smaller than this (bytes) are no storage of their own:
/// they lie on the stack (gfortran's `-fmax-stack-var-size`).
const STACKED: u64 = 65_536;

/// Tasks of the slice that telling one amount may take: few statements are enough for extents that are cheap.
const MAX_TASKS: usize = 500;

/// What a program allocates and frees.
#[derive(Clone, Debug, Default)]
pub(crate) struct Allocations {
    /// Every object of every ALLOCATE that may run.
    pub(crate) allocations: Vec<AllocationPlace>,
    /// DEALLOCATE statements of objects that are counted.
    pub(crate) frees: Vec<FreePlace>,
    /// What the probes read, by the statement before which they stand.
    pub(crate) read: BTreeMap<StatementId, Vec<LocationId>>,
}

/// Finds allocations; the operands of their sizes are added to the slice. No expression names one of the `ambiguous` names.
pub(crate) fn find<'a>(
    model: &'a Model<'a>,
    spans: Spans,
    ambiguous: &BTreeSet<String>,
    slicer: &mut Slicer<'a>,
) -> Allocations {
    let mut statements: Vec<StatementId> = model.outline.all().collect();
    statements.retain(|id| !slicer.control.dead[id.0 as usize]);
    let mut finder = AllocationFinder {
        model,
        ambiguous,
        ways: AllocationPaths::of(model),
        found: Allocations::default(),
    };
    let mut asked = Vec::new();
    for &id in &statements {
        asked.extend(finder.asked(id));
    }
    // First, since a DEALLOCATE that cannot be kept makes the sizes of its object useless.
    finder.frees(&statements, &mut asked, slicer);
    for one in asked {
        finder.allocation(one, spans, slicer);
    }
    let mut counted = BTreeSet::new();
    for place in &finder.found.allocations {
        if place.bytes.is_some() {
            counted.insert(place.object);
        }
    }
    let mut found = finder.found;
    found.frees.retain(|free| counted.contains(&free.object));
    found
}

/// An object of an ALLOCATE statement.
struct Asked {
    statement: StatementId,
    name: String,
    object: u32,
    replaces: bool,
    /// Its bytes, and their text.
    bytes: Option<(Expression, String)>,
}

/// Collects the allocations of a program.
struct AllocationFinder<'a, 'b> {
    model: &'a Model<'a>,
    ambiguous: &'b BTreeSet<String>,
    ways: AllocationPaths,
    found: Allocations,
}

impl<'a> AllocationFinder<'a, '_> {
    /// The objects of an ALLOCATE statement.
    fn asked(&self, statement: StatementId) -> Vec<Asked> {
        let program = self.model.program;
        let StatementKind::Allocate { objects, .. } = &program.statement(statement).kind else {
            return Vec::new();
        };
        let mut asked = Vec::new();
        for object in objects {
            let Some(number) = self.place(object) else {
                continue;
            };
            asked.push(Asked {
                statement,
                name: name(program, object),
                object: number,
                replaces: replaces(program, object),
                bytes: self.spelled_bytes(object, statement),
            });
        }
        asked
    }

    /// The size of an object, if a probe before the statement can evaluate it.
    fn spelled_bytes(
        &self,
        object: &Expression,
        statement: StatementId,
    ) -> Option<(Expression, String)> {
        let bytes = bytes(self.model.program, object)?;
        let text =
            name_visibility::spell(self.model.program, &self.model.outline, &bytes, statement)?;
        if is_unshadowed(&text, self.ambiguous) {
            Some((bytes, text))
        } else {
            None
        }
    }

    /// Adds the DEALLOCATE statements of objects whose sizes are known. If one cannot be kept, the size of an object that is
    /// allocated again and again under its name is dropped: the sum would only grow.
    fn frees(&mut self, statements: &[StatementId], asked: &mut [Asked], slicer: &mut Slicer<'a>) {
        let mut sized = BTreeSet::new();
        for one in asked.iter() {
            if one.bytes.is_some() {
                sized.insert(one.object);
            }
        }
        for &statement in statements {
            let StatementKind::Deallocate { objects, .. } =
                &self.model.program.statement(statement).kind
            else {
                continue;
            };
            let mut freed = BTreeSet::new();
            for object in objects {
                freed.extend(self.place(object));
            }
            for &object in freed.intersection(&sized) {
                if self.add_within_budget(slicer, statement, None) {
                    self.found.frees.push(FreePlace { statement, object });
                    continue;
                }
                for one in asked.iter_mut() {
                    if one.object == object && !one.replaces {
                        one.bytes = None;
                    }
                }
            }
        }
    }

    fn allocation(&mut self, asked: Asked, spans: Spans, slicer: &mut Slicer<'a>) {
        let Asked {
            statement,
            name,
            object,
            replaces,
            bytes,
        } = asked;
        let bytes = bytes.and_then(|(bytes, text)| {
            if !self.add_within_budget(slicer, statement, Some(&bytes)) {
                return None;
            }
            self.found
                .read
                .entry(statement)
                .or_default()
                .extend(read_by(self.model, &bytes));
            Some(text)
        });
        let span = spans.between(statement, statement);
        let place = AllocationPlace {
            statement,
            span,
            name,
            object,
            bytes,
            replaces,
        };
        self.found.allocations.push(place);
    }

    /// The number that identifies an object in probes.
    fn place(&self, object: &Expression) -> Option<u32> {
        let place = self.model.locations.at(references::designated(object)?)?;
        Some(place.index() as u32)
    }

    /// Adds the way to a statement and what an expression there reads to the slice, unless that writes arrays, repeats
    /// more than the statement itself or needs more messages. Whether it did.
    fn add_within_budget(
        &self,
        slicer: &mut Slicer<'a>,
        statement: StatementId,
        bytes: Option<&Expression>,
    ) -> bool {
        let model = self.model;
        let procedure = model.program.statement(statement).procedure;
        let Some(calls) = self.ways.to(model, procedure) else {
            return false;
        };
        let because = Because::Memory(statement);
        slicer.attempt(|larger| {
            for &at in calls.iter().chain(&[statement]) {
                larger.keep_path(&[at], None, because);
            }
            for &call in calls.iter() {
                larger.keep(call, None, because);
            }
            for bytes in bytes.iter() {
                larger.need_expression(bytes, statement, because);
            }
            if !larger.run_at_most(MAX_TASKS) || larger.attempt_needs_messages() {
                return false;
            }
            let around = repeated_around(model, statement);
            let is_costly = |id: StatementId| match &model.program.statement(id).kind {
                StatementKind::Do { .. } => !around.contains(&id),
                StatementKind::While { .. } | StatementKind::Opaque { .. } => true,
                _ => !calls.contains(&id) && model.effects.writes_array(id),
            };
            !larger.attempted().into_iter().any(is_costly)
        })
    }
}

/// The DO loops that execute a statement in each of their iterations: in the slice they cost no more than the statement.
fn repeated_around(model: &Model, statement: StatementId) -> Vec<StatementId> {
    let mut around = Vec::new();
    for above in model.outline.ancestors(statement) {
        match model.program.statement(above).kind {
            StatementKind::Do { .. } | StatementKind::Scoped { .. } => around.push(above),
            _ => break,
        }
    }
    around
}

/// Who calls each procedure: what has to stay for its statements to run.
struct AllocationPaths {
    /// Calls by CALL; `None` where a procedure may be called otherwise. Index = procedure id.
    calls: Vec<Option<Vec<StatementId>>>,
}

impl AllocationPaths {
    fn of(model: &Model) -> Self {
        let program = model.program;
        let plain =
            |one: &crate::ir::Procedure| !one.is_pure && !one.is_final && one.entries.is_empty();
        let mut calls: Vec<Option<Vec<StatementId>>> = program
            .procedures
            .iter()
            .map(|procedure| plain(procedure).then(Vec::new))
            .collect();
        for id in model.outline.all() {
            for call in call_graph::calls(&program.statement(id).kind) {
                for target in model.calls.targets(call.callee) {
                    let known = &mut calls[target.0 as usize];
                    match (known.as_mut(), call.callee) {
                        (Some(known), Callee::Procedure(_)) if !call.is_function => known.push(id),
                        (_, _) => *known = None,
                    }
                }
            }
        }
        AllocationPaths { calls }
    }

    /// The calls on the paths to a procedure, without those that are kept anyway because they reach MPI.
    fn to(&self, model: &Model, procedure: ProcedureId) -> Option<BTreeSet<StatementId>> {
        // No probe may be inserted into a pure procedure.
        if model.program.procedure(procedure).is_pure {
            return None;
        }
        let mut found = BTreeSet::new();
        let mut open = vec![procedure];
        while let Some(procedure) = open.pop() {
            let reaches_mpi = model.calls.procedure_leads[procedure.0 as usize];
            if Some(procedure) == model.program.main || reaches_mpi {
                continue;
            }
            for &call in self.calls[procedure.0 as usize].as_ref()? {
                if found.insert(call) {
                    open.push(model.program.statement(call).procedure);
                }
            }
        }
        Some(found)
    }
}

/// The bytes that an object of an ALLOCATE gets; `None` where its type or an extent does not tell.
fn bytes(program: &Program, object: &Expression) -> Option<Expression> {
    let (base, path, subscripts) = match object {
        Expression::Variable(base) => (*base, &[][..], &[][..]),
        Expression::Reference {
            base,
            path,
            subscripts,
        } => (*base, &path[..], &subscripts[..]),
        Expression::Integer(_)
        | Expression::Literal(_)
        | Expression::Call { .. }
        | Expression::Unary { .. }
        | Expression::Binary { .. }
        | Expression::Other(_) => return None,
    };
    let rank = match path.split_last() {
        None => program.variable(base).shape.len(),
        Some((last, front)) => match program.type_of_part(base, front) {
            Type::Derived(of) => program.component(&of, last)?.rank,
            _ => return None,
        },
    };
    // Components of a derived type may be padded, so only intrinsic types have a size.
    let element = element(&program.type_of_part(base, path))?;
    let bounds = &subscripts[subscripts.len().checked_sub(rank)?..];
    let mut product = Expression::Literal(format!("{element}_8"));
    for bound in bounds {
        let extent = extent(program, bound)?;
        // An extent that calls a procedure may have side effects.
        if !calls_intrinsics_only(&extent) {
            return None;
        }
        product = binary(Operator::Multiply, product, clamped(&Factor::Count(extent)));
    }
    Some(product)
}

fn extent(program: &Program, bound: &Subscript) -> Option<Expression> {
    match bound {
        Subscript::Element(upper) => Some(upper.clone()),
        Subscript::Section {
            lower,
            upper,
            stride: None,
        } => trips(
            program,
            lower.as_ref().unwrap_or(&Expression::Integer(1)),
            upper.as_ref()?,
            None,
            is_integer,
        ),
        Subscript::Section {
            stride: Some(_), ..
        } => None,
    }
}

/// Bytes of one element.
fn element(of_type: &Type) -> Option<u64> {
    match of_type {
        Type::Integer(bytes) | Type::Real(bytes) | Type::Complex(bytes) | Type::Logical(bytes) => {
            Some(u64::from(*bytes))
        }
        Type::Character | Type::Derived(_) | Type::Unknown => None,
    }
}

/// Whether an expression calls no procedure of the program.
fn calls_intrinsics_only(extent: &Expression) -> bool {
    let calls = references::calls(extent);
    calls
        .iter()
        .all(|call| matches!(call.callee, Callee::Intrinsic(_)))
}

/// Whether an object is one and the same each time: allocating it again means that it was freed. What is pointed at,
/// given as an argument or an element of something is not.
fn replaces(program: &Program, object: &Expression) -> bool {
    let Some(base) = references::base(object) else {
        return false;
    };
    let variable = program.variable(base);
    let whole = match object {
        Expression::Reference { path, .. } => path.is_empty(),
        _ => true,
    };
    whole && !variable.attributes.pointer && !matches!(variable.storage, Storage::Dummy(_))
}

fn name(program: &Program, object: &Expression) -> String {
    let base = references::base(object).map_or("", |base| &program.variable(base).name);
    let path = references::designated(object).map_or(&[][..], |named| named.path);
    path.iter()
        .fold(base.to_string(), |text, part| format!("{text}%{part}"))
}

/// Bytes of all storage of constant size: COMMON blocks, variables of modules, SAVE, the main program's, and large
/// local arrays.
pub(crate) fn static_memory(program: &Program) -> u64 {
    let mut blocks: BTreeMap<(bool, String), u64> = BTreeMap::new();
    let mut own = 0u64;
    for variable in &program.variables {
        let Some(size) = size(program, variable) else {
            continue;
        };
        match &variable.storage {
            Storage::Static => own += size,
            Storage::Local if size >= STACKED => own += size,
            Storage::Local | Storage::Dummy(_) | Storage::Constant(_) => {}
            Storage::Common { block, offset, .. } => {
                let end = offset.unwrap_or(0).saturating_add(size);
                let most = blocks.entry((true, block.clone())).or_default();
                *most = end.max(*most);
            }
            Storage::Module(module) => {
                blocks.insert((false, format!("{module} {}", variable.name)), size);
            }
        }
    }
    blocks.into_values().fold(own, u64::saturating_add)
}

/// Bytes of a variable of constant size.
fn size(program: &Program, variable: &Variable) -> Option<u64> {
    if variable.attributes.pointer || variable.attributes.allocatable {
        return None;
    }
    variable
        .shape
        .iter()
        .try_fold(element(&variable.of_type)?, |bytes, dimension| {
            let lower = dimension
                .lower
                .as_ref()
                .map_or(Some(1), |lower| constant_values::constant(program, lower))?;
            let upper = constant_values::constant(program, dimension.upper.as_ref()?)?;
            let extent = upper.checked_sub(lower)?.checked_add(1)?.max(0);
            bytes.checked_mul(u64::try_from(extent).ok()?)
        })
}
