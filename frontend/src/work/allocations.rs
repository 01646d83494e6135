//! How much memory the program asks for, and where: bytes of its ALLOCATE statements as expressions that probes
//! can evaluate, DEALLOCATE statements, and storage of constant size. An expression enters the slice as a work
//! term does, if that costs next to nothing; what depends on data is named and not told.
//!
//! Not here: automatic arrays, allocation by assignment, SOURCE= and MOVE_ALLOC.

use crate::dataflow::loop_carried::read_by;
use crate::effects::model::Model;
use crate::expressions::name_visibility;
use crate::expressions::trip_count_factors::{Factor, clamped};
use crate::graphs::call_graph;
use crate::ir::analysis::{AllocationPlace, FreePlace};
use crate::ir::constant_values;
use crate::ir::iterations::{binary, trips};
use crate::ir::references;
use crate::ir::{
    Callee, Expression, Operator, ProcedureId, Program, StatementId, StatementKind, Storage,
    Subscript, Type, Variable,
};
use crate::memory::locations::LocationId;
use crate::slice::reasons::Because;
use crate::slice::slicer::Slicer;
use crate::work::block_tables::Spans;
use crate::work::work_terms::is_unshadowed;
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

/// Finds them; what their probes read is added to the slice. No expression names one that is `ambiguous`.
pub(crate) fn find<'a>(
    model: &'a Model<'a>,
    spans: Spans,
    ambiguous: &BTreeSet<String>,
    slicer: &mut Slicer<'a>,
) -> Allocations {
    let live = |id: &StatementId| !slicer.control.dead[id.0 as usize];
    let statements: Vec<StatementId> = model.outline.all().filter(live).collect();
    let mut finder = Finder {
        model,
        ambiguous,
        ways: AllocationPaths::of(model),
        found: Allocations::default(),
    };
    let mut asked: Vec<Asked> = statements.iter().flat_map(|&id| finder.asked(id)).collect();
    finder.frees(&statements, &mut asked, slicer);
    for one in asked {
        finder.allocation(one, spans, slicer);
    }
    let places = &finder.found.allocations;
    let counted: BTreeSet<u32> = places
        .iter()
        .filter(|place| place.bytes.is_some())
        .map(|place| place.object)
        .collect();
    finder
        .found
        .frees
        .retain(|free| counted.contains(&free.object));
    finder.found
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

struct Finder<'a, 'b> {
    model: &'a Model<'a>,
    ambiguous: &'b BTreeSet<String>,
    ways: AllocationPaths,
    found: Allocations,
}

impl<'a> Finder<'a, '_> {
    /// The objects of an ALLOCATE statement.
    fn asked(&self, statement: StatementId) -> Vec<Asked> {
        let program = self.model.program;
        let StatementKind::Allocate { objects, .. } = &program.statement(statement).kind else {
            return Vec::new();
        };
        let spelled = |bytes: Expression| {
            let text = name_visibility::spell(self.model, &bytes, statement)
                .filter(|text| is_unshadowed(text, self.ambiguous))?;
            Some((bytes, text))
        };
        let asked = |object: &Expression| {
            Some(Asked {
                statement,
                name: name(program, object),
                object: self.place(object)?,
                replaces: replaces(program, object),
                bytes: bytes(program, object).and_then(spelled),
            })
        };
        objects.iter().filter_map(asked).collect()
    }

    /// The DEALLOCATE statements of objects that may be told. Where one cannot be, neither can what is allocated again
    /// and again under that name.
    fn frees(&mut self, statements: &[StatementId], asked: &mut [Asked], slicer: &mut Slicer<'a>) {
        let told: BTreeSet<u32> = asked
            .iter()
            .filter(|one| one.bytes.is_some())
            .map(|one| one.object)
            .collect();
        for &statement in statements {
            let StatementKind::Deallocate { objects, .. } =
                &self.model.program.statement(statement).kind
            else {
                continue;
            };
            let objects: BTreeSet<u32> = objects
                .iter()
                .filter_map(|object| self.place(object))
                .collect();
            for &object in objects.intersection(&told) {
                match self.within_budget(slicer, statement, None) {
                    Some(larger) => {
                        *slicer = larger;
                        self.found.frees.push(FreePlace { statement, object });
                    }
                    None => asked
                        .iter_mut()
                        .filter(|one| one.object == object && !one.replaces)
                        .for_each(|one| one.bytes = None),
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
            *slicer = self.within_budget(slicer, statement, Some(&bytes))?;
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

    /// What an object is called among the probes.
    fn place(&self, object: &Expression) -> Option<u32> {
        let place = self.model.locations.at(references::designated(object)?)?;
        Some(place.index() as u32)
    }

    /// The slice with the way to a statement and what an expression there reads, unless that writes arrays, repeats
    /// more than the statement itself or needs more messages.
    fn within_budget(
        &self,
        slicer: &Slicer<'a>,
        statement: StatementId,
        bytes: Option<&Expression>,
    ) -> Option<Slicer<'a>> {
        let model = self.model;
        let calls = self
            .ways
            .to(model, model.program.statement(statement).procedure)?;
        let because = Because::Memory(statement);
        let mut larger = slicer.clone();
        for &at in calls.iter().chain(&[statement]) {
            larger.keep_path(&[at], None, because);
        }
        for &call in calls.iter() {
            larger.keep(call, None, because);
        }
        for bytes in bytes.iter() {
            larger.need_expression(bytes, statement, because);
        }
        larger.run_at_most(MAX_TASKS).then_some(())?;
        let around = repeated_around(model, statement);
        let is_costly = |id: StatementId| match &model.program.statement(id).kind {
            StatementKind::Do { .. } => !around.contains(&id),
            StatementKind::While { .. } | StatementKind::Opaque { .. } => true,
            _ => !calls.contains(&id) && model.effects.writes_array(id),
        };
        let mut added = model
            .outline
            .all()
            .filter(|id| larger.kept[id.0 as usize] && !slicer.kept[id.0 as usize]);
        let costly = added.any(is_costly);
        (!costly && larger.messages == slicer.messages).then_some(larger)
    }
}

/// The DO loops that run a statement in each of their iterations: they cost no more than what it does.
fn repeated_around(model: &Model, statement: StatementId) -> Vec<StatementId> {
    let kind = |id: &StatementId| &model.program.statement(*id).kind;
    let always = |id: &StatementId| {
        matches!(
            kind(id),
            StatementKind::Do { .. } | StatementKind::Scoped { .. }
        )
    };
    model
        .outline
        .ancestors(statement)
        .take_while(always)
        .collect()
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

    /// The calls that lead to a procedure beside those that are kept anyway, since they lead to MPI.
    fn to(&self, model: &Model, procedure: ProcedureId) -> Option<BTreeSet<StatementId>> {
        let (mut found, mut open) = (BTreeSet::new(), vec![procedure]);
        while let Some(procedure) = open.pop() {
            let leads = model.calls.procedure_leads[procedure.0 as usize];
            if Some(procedure) == model.program.main || leads {
                continue;
            }
            for &call in self.calls[procedure.0 as usize].as_ref()? {
                if found.insert(call) {
                    open.push(model.program.statement(call).procedure);
                }
            }
        }
        let is_pure = model.program.procedure(procedure).is_pure;
        (!is_pure).then_some(found)
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
    let element = element(&program.type_of_part(base, path))?;
    let bounds = &subscripts[subscripts.len().checked_sub(rank)?..];
    let mut product = Expression::Literal(format!("{element}_8"));
    for bound in bounds {
        let extent = extent(program, bound)?;
        is_covered(&extent).then_some(())?;
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

/// Whether an extent calls nothing of the program.
fn is_covered(extent: &Expression) -> bool {
    references::calls(extent)
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
