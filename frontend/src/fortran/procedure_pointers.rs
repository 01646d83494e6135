//! Procedure pointers: which dummies the calls through them have, where their object goes, and what
//! pointers point at from the start. Who may be called through them is in [`crate::graphs::call_graph`].

use super::declared_attributes::Said;
use super::lower::Lowering;
use super::modules::{Given, placed};
use super::names::{Entity, ScopeId};
use super::syntax::At;
use crate::ir::{Expression, FromStart, Holder, ProcedureId, Program, VariableId};
use crate::source::diagnostics::Severity;
use std::collections::BTreeMap;

/// What is declared: a variable, or a component of a derived type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A variable.
    Variable(VariableId),
    /// Type and name of a component.
    Component(String, String),
}

/// What a declaration says of the calls through a procedure pointer.
#[derive(Clone, Debug)]
struct Through {
    scope: ScopeId,
    /// The procedure or interface body whose dummies it has.
    interface: Option<String>,
    /// Whether the object is passed.
    passes: bool,
    /// The dummy it is passed as; the first without.
    pass: Option<String>,
}

/// What is known of procedure pointers and of interface bodies.
#[derive(Default)]
pub struct Interfaces {
    pointers: BTreeMap<Place, Through>,
    /// Names of the dummies of interface bodies; `None` where bodies of one name differ.
    bodies: BTreeMap<String, Option<Vec<String>>>,
    /// The same of the procedures that variables are declared like.
    variables: BTreeMap<VariableId, Vec<String>>,
}

impl Interfaces {
    /// Whether a variable is a procedure pointer.
    pub fn is_pointer(&self, id: VariableId) -> bool {
        self.pointers.contains_key(&Place::Variable(id))
    }

    /// Position of a dummy of a procedure pointer or dummy procedure.
    pub fn position(&self, program: &Program, id: VariableId, dummy: &str) -> Option<usize> {
        let body = || {
            self.bodies
                .get(&program.variable(id).name)
                .and_then(Option::as_ref)
        };
        self.variables
            .get(&id)
            .or_else(body)?
            .iter()
            .position(|one| one == dummy)
    }

    /// Position of a dummy of an interface body.
    pub fn place_in_body(&self, name: &str, dummy: &str) -> Option<usize> {
        self.bodies
            .get(name)?
            .as_ref()?
            .iter()
            .position(|one| one == dummy)
    }
}

impl<'a> Lowering<'a> {
    /// Remembers what a declaration says of a pointer.
    pub fn note_pointer(&mut self, scope: ScopeId, place: Place, said: &Said<'a>) {
        if let Some(target) = said.points_at {
            let holder = match &place {
                Place::Variable(id) => Holder::Variable(*id),
                Place::Component(of, _) => Holder::Type(of.clone()),
            };
            self.starts.push((scope, holder, target));
        }
        if let Some(procedure) = said.procedure {
            let interface = procedure
                .child("procedure_interface")
                .map(|name| name.name());
            let (passes, pass) = passing(procedure);
            self.interfaces.pointers.insert(
                place,
                Through {
                    scope,
                    interface,
                    passes,
                    pass,
                },
            );
        }
    }

    /// Remembers the dummies of an interface body.
    pub fn note_interface(&mut self, header: At<'a>) {
        let Some(name) = header.field("name") else {
            return;
        };
        let dummies = header
            .field("parameters")
            .map_or(Vec::new(), |list| list.named());
        let dummies = Some(dummies.iter().map(At::name).collect());
        let known = self
            .interfaces
            .bodies
            .entry(name.name())
            .or_insert_with(|| dummies.clone());
        if *known != dummies {
            *known = None;
        }
    }

    /// Reads what pointers point at from the start, once all names are known.
    pub fn point_from_start(&mut self) {
        for (scope, holder, target) in std::mem::take(&mut self.starts) {
            let target = self.expression(scope, target);
            self.program.from_start.push(FromStart { holder, target });
        }
    }

    /// Finds the dummies of procedure pointers that are variables, before calls are read.
    pub fn find_interfaces(&mut self) {
        for (place, through) in self.interfaces.pointers.clone() {
            if let (Place::Variable(id), Some(dummies)) = (place, self.dummies_through(&through)) {
                self.interfaces.variables.insert(id, dummies);
            }
        }
    }

    /// Names of the dummies of what a pointer was declared like; `None` if they cannot be told.
    fn dummies_through(&mut self, through: &Through) -> Option<Vec<String>> {
        let name = through.interface.as_ref()?;
        let written = match self.lookup(through.scope, name) {
            Some(Entity::Procedure(id)) => return Some(self.dummy_names(id)),
            Some(Entity::External(written)) => written,
            _ => name.clone(),
        };
        self.interfaces.bodies.get(&written).cloned().flatten()
    }

    /// Names of a procedure's dummies; of an alternate return none.
    pub fn dummy_names(&self, id: ProcedureId) -> Vec<String> {
        let name =
            |dummy: &Option<VariableId>| dummy.map(|id| self.program.variable(id).name.clone());
        self.program
            .procedure(id)
            .dummies
            .iter()
            .map(|dummy| name(dummy).unwrap_or_default())
            .collect()
    }

    /// Arguments of a call through a component, with its object, in the order of the dummies.
    pub fn component_arguments(
        &mut self,
        of: &str,
        member: At<'a>,
        object: Expression,
        mut arguments: Vec<Given>,
    ) -> Vec<Option<Expression>> {
        let name = member
            .child("type_member")
            .map_or(String::new(), |name| name.name());
        let mut line = self
            .program
            .lineage(of)
            .map(|one| Place::Component(one.name.clone(), name.clone()));
        let through = line
            .find_map(|place| self.interfaces.pointers.get(&place))
            .cloned();
        drop(line);
        let dummies = through
            .as_ref()
            .and_then(|through| self.dummies_through(through));
        let position = |dummy: &str| dummies.as_ref()?.iter().position(|one| one == dummy);
        let (passes, pass) = through.map_or((true, None), |through| (through.passes, through.pass));
        let object_at = pass.as_deref().map_or(Some(0), position);
        let keywords = arguments
            .iter()
            .filter_map(|(keyword, _)| keyword.as_deref());
        if (passes && object_at.is_none())
            || !keywords.into_iter().all(|one| position(one).is_some())
        {
            let span = member.statement_span();
            let sentence = format!(
                "{}: which dummies a call of the component {name} has is not known: declare it like a \
                 procedure or interface that has source here, or pass all arguments by position",
                self.line(span)
            );
            self.say(Severity::Error, span, sentence);
        }
        if let (true, Some(at)) = (passes, object_at) {
            let dummy = dummies.as_ref().and_then(|all| all.get(at).cloned());
            insert_object(at, dummy, object, &mut arguments);
        }
        placed(arguments, position)
    }
}

/// Whether an object is passed, and as which dummy, by the attributes of a binding or component.
pub fn passing(at: At) -> (bool, Option<String>) {
    let attributes: Vec<String> = at.all("procedure_attribute").iter().map(At::name).collect();
    let pass = attributes.iter().find_map(|one| {
        let rest = one.strip_prefix("pass")?.trim().strip_prefix('(')?;
        Some(rest.trim_end_matches(')').trim().to_string())
    });
    (!attributes.iter().any(|one| one == "nopass"), pass)
}

/// Puts the object among the arguments as the dummy at a position, by its name if it is behind keywords.
pub fn insert_object(
    at: usize,
    dummy: Option<String>,
    object: Expression,
    arguments: &mut Vec<Given>,
) {
    let before = arguments
        .iter()
        .take_while(|(keyword, _)| keyword.is_none())
        .count();
    if at <= before {
        arguments.insert(at, (None, object));
    } else {
        arguments.push((dummy, object));
    }
}
