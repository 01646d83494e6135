//! Procedure pointers: the dummies of calls through them, the position of the passed object, and initial
//! targets. The procedures that a call may execute are in [`crate::graphs::call_graph`].

use super::arguments::{Given, insert_object, placed};
use super::declared_attributes::Said;
use super::interfaces::{DeclaredEntity, Through};
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use crate::ir::{Expression, FromStart, Holder, ProcedureId};
use crate::source::diagnostics::Severity;

impl<'a> Lowering<'a> {
    /// Remembers what a declaration says of a pointer.
    pub fn note_pointer(&mut self, scope: ScopeId, place: DeclaredEntity, said: &Said<'a>) {
        if let Some(target) = said.points_at {
            let holder = match &place {
                DeclaredEntity::Variable(id) => Holder::Variable(*id),
                DeclaredEntity::Component(of, _) => Holder::Type(of.clone()),
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
        let mut dummies = Vec::new();
        if let Some(list) = header.field("parameters") {
            dummies.extend(list.named().iter().map(At::name));
        }
        let dummies = Some(dummies);
        let bodies = &mut self.interfaces.bodies;
        let known = bodies.entry(name.name()).or_insert_with(|| dummies.clone());
        // Bodies of one name in different scopes may declare different procedures.
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
            if let (DeclaredEntity::Variable(id), Some(dummies)) =
                (place, self.dummies_through(&through))
            {
                self.interfaces.variables.insert(id, dummies);
            }
        }
    }

    /// Names of the dummies of a pointer's interface; `None` if they are not known.
    fn dummies_through(&mut self, through: &Through) -> Option<Vec<String>> {
        let name = through.interface.as_ref()?;
        let written = match self.lookup(through.scope, name) {
            Some(Entity::Procedure(id)) => return Some(self.dummy_names(id)),
            Some(Entity::External(written)) => written,
            _ => name.clone(),
        };
        self.interfaces.bodies.get(&written)?.clone()
    }

    /// Names of a procedure's dummies; empty for an alternate return.
    pub fn dummy_names(&self, id: ProcedureId) -> Vec<String> {
        let mut names = Vec::new();
        for dummy in &self.program.procedure(id).dummies {
            names.push(match dummy {
                Some(id) => self.program.variable(*id).name.clone(),
                None => String::new(),
            });
        }
        names
    }

    /// Arguments of a call through a component, with its object, in the order of the dummies.
    pub fn component_arguments(
        &mut self,
        of: &str,
        member: At<'a>,
        object: Expression,
        mut arguments: Vec<Given>,
    ) -> Vec<Option<Expression>> {
        let name = match member.child("type_member") {
            Some(name) => name.name(),
            None => String::new(),
        };
        let through = self.pointer_component(of, &name);
        let mut dummies: Vec<String> = Vec::new();
        let (mut passes, mut pass) = (true, None);
        if let Some(through) = through {
            dummies = self.dummies_through(&through).unwrap_or_default();
            (passes, pass) = (through.passes, through.pass);
        }
        let position = |dummy: &str| dummies.iter().position(|one| one == dummy);
        let object_at = match &pass {
            Some(pass) => position(pass),
            None => Some(0),
        };
        let mut is_known = !passes || object_at.is_some();
        for (keyword, _) in &arguments {
            if let Some(keyword) = keyword {
                is_known &= position(keyword).is_some();
            }
        }
        if !is_known {
            let span = member.statement_span();
            let sentence = format!(
                "{}: which dummies a call of the component {name} has is not known: declare it like a \
                 procedure or interface that has source here, or pass all arguments by position",
                self.line(span)
            );
            self.say(Severity::Error, span, sentence);
        }
        if passes && let Some(at) = object_at {
            insert_object(at, dummies.get(at).cloned(), object, &mut arguments);
        }
        placed(arguments, position)
    }

    /// The declaration of a procedure component, of the type itself or one that it extends.
    fn pointer_component(&self, of: &str, name: &str) -> Option<Through> {
        for one in self.program.lineage(of) {
            let place = DeclaredEntity::Component(one.name.clone(), name.to_string());
            if let Some(through) = self.interfaces.pointers.get(&place) {
                return Some(through.clone());
            }
        }
        None
    }
}

/// Whether an object is passed, and as which dummy, by the attributes of a binding or component.
pub fn passing(at: At) -> (bool, Option<String>) {
    let (mut passes, mut pass) = (true, None);
    for attribute in at.all("procedure_attribute") {
        let text = attribute.name();
        if text == "nopass" {
            passes = false;
        }
        if let Some(rest) = text.strip_prefix("pass")
            && let Some(name) = rest.trim().strip_prefix('(')
            && pass.is_none()
        {
            pass = Some(name.trim_end_matches(')').trim().to_string());
        }
    }
    (passes, pass)
}
