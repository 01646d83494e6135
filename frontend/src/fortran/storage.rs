//! Storage association: offsets of COMMON members in bytes, and EQUIVALENCE.

use super::constants::fold_integer;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use crate::ir::{Expression, Storage, Subscript, Type, VariableId};
use crate::source::diagnostics::Severity;

impl<'a> Lowering<'a> {
    /// Gives the members of COMMON blocks their places. gfortran aligns each member to its type's
    /// size, COMPLEX to its parts' (`-falign-commons`, its default).
    pub fn lay_out_commons(&mut self, scope: ScopeId, commons: &[(String, Vec<String>)]) {
        for (block, members) in commons {
            let mut next = Some(0u64);
            for member in members {
                let Some(id) = self.member(scope, member) else {
                    continue;
                };
                let (size, alignment) = (self.bytes(id), self.alignment(id));
                // Behind a member of unknown size, no offset is known.
                let offset = next
                    .zip(alignment)
                    .map(|(next, alignment)| next.next_multiple_of(alignment));
                next = offset
                    .zip(size)
                    .and_then(|(offset, size)| offset.checked_add(size));
                let storage = Storage::Common {
                    block: block.clone(),
                    offset,
                    bytes: size,
                };
                self.program.variables[id.0 as usize].storage = storage;
            }
        }
    }

    fn member(&self, scope: ScopeId, name: &str) -> Option<VariableId> {
        match self.scope(scope).names.get(name) {
            Some(Entity::Variable(id)) => Some(*id),
            _ => None,
        }
    }

    /// Bytes of one element.
    fn element(&self, id: VariableId) -> Option<u64> {
        match self.program.variable(id).of_type {
            Type::Integer(bytes)
            | Type::Real(bytes)
            | Type::Complex(bytes)
            | Type::Logical(bytes) => Some(u64::from(bytes)),
            Type::Character => self.length_of(id),
            Type::Derived(_) | Type::Unknown => None,
        }
    }

    /// Length of a CHARACTER variable, where it is constant.
    fn length_of(&self, id: VariableId) -> Option<u64> {
        let length = fold_integer(&self.program, self.program.variable(id).length.as_ref()?)?;
        u64::try_from(length).ok()
    }

    fn alignment(&self, id: VariableId) -> Option<u64> {
        match self.program.variable(id).of_type {
            Type::Integer(bytes) | Type::Real(bytes) | Type::Logical(bytes) => {
                Some(u64::from(bytes).max(1))
            }
            Type::Complex(bytes) => Some(u64::from(bytes / 2).max(1)),
            Type::Character => Some(1),
            Type::Derived(_) | Type::Unknown => None,
        }
    }

    /// Extents of an array, where all bounds are constant.
    fn extents(&self, id: VariableId) -> Option<Vec<(i64, u64)>> {
        let shape = &self.program.variable(id).shape;
        let extent = |dimension: &crate::ir::Dimension| {
            let lower = match &dimension.lower {
                Some(lower) => fold_integer(&self.program, lower)?,
                None => 1,
            };
            let upper = fold_integer(&self.program, dimension.upper.as_ref()?)?;
            Some((
                lower,
                u64::try_from(upper.checked_sub(lower)?.checked_add(1)?).unwrap_or(0),
            ))
        };
        shape.iter().map(extent).collect()
    }

    /// Bytes of a variable, where known.
    fn bytes(&self, id: VariableId) -> Option<u64> {
        let extents = self.extents(id)?;
        extents
            .iter()
            .try_fold(self.element(id)?, |bytes, (_, extent)| {
                bytes.checked_mul(*extent)
            })
    }

    /// Gives the members of each EQUIVALENCE set a common place: in the COMMON block one of them is
    /// a member of, or in a block of their own.
    pub fn merge_equivalences(&mut self, scope: ScopeId, sets: &[At<'a>]) {
        for (number, set) in sets.iter().enumerate() {
            let mut members: Vec<(VariableId, Option<u64>)> = Vec::new();
            for member in set.named() {
                let expression = self.expression(scope, member);
                members.extend(self.place_in(expression));
            }
            let unit = self.scope(scope).procedure.map_or(u32::MAX, |id| id.0);
            let own = format!("equivalence {unit} {number}");
            self.merge(members, own, *set);
        }
    }

    /// The variable of an EQUIVALENCE member and the bytes before the element named.
    fn place_in(&self, member: Expression) -> Option<(VariableId, Option<u64>)> {
        match member {
            Expression::Variable(id) => Some((id, Some(0))),
            Expression::Reference {
                base, subscripts, ..
            } => Some((base, self.distance(base, &subscripts))),
            Expression::Integer(_)
            | Expression::Literal(_)
            | Expression::Call { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Other(_) => None,
        }
    }

    fn distance(&self, base: VariableId, subscripts: &[Subscript]) -> Option<u64> {
        let extents = self.extents(base)?;
        let mut stride = self.element(base)?;
        let mut bytes = 0u64;
        for (subscript, (lower, extent)) in subscripts.iter().zip(extents) {
            let Subscript::Element(index) = subscript else {
                return None;
            };
            let index = fold_integer(&self.program, index)?.checked_sub(lower)?;
            bytes = bytes.checked_add(u64::try_from(index).ok()?.checked_mul(stride)?)?;
            // Column-major order: the first subscript varies fastest.
            stride = stride.checked_mul(extent)?;
        }
        Some(bytes)
    }

    fn merge(&mut self, members: Vec<(VariableId, Option<u64>)>, own: String, set: At<'a>) {
        let home =
            members
                .iter()
                .find_map(|(id, distance)| match &self.program.variable(*id).storage {
                    Storage::Common { block, offset, .. } => {
                        Some((block.clone(), offset.zip(*distance).map(|(a, b)| a + b)))
                    }
                    Storage::Local
                    | Storage::Static
                    | Storage::Dummy(_)
                    | Storage::Constant(_)
                    | Storage::Module(_) => None,
                });
        // In a block of its own, the member with the most bytes before the common place begins at
        // 0.
        let farthest = members
            .iter()
            .try_fold(0, |most: u64, (_, distance)| Some(most.max((*distance)?)));
        let (block, anchor) = home.unwrap_or((own, farthest));
        for (id, distance) in members {
            let offset = anchor
                .zip(distance)
                .and_then(|(anchor, distance)| anchor.checked_sub(distance));
            if offset.is_none() {
                let sentence = format!(
                    "{}: how this EQUIVALENCE overlaps is not known: all of it counts as one",
                    self.line(set.statement_span())
                );
                self.say(Severity::Warning, set.statement_span(), sentence);
            }
            let bytes = self.bytes(id);
            self.program.variables[id.0 as usize].storage = Storage::Common {
                block: block.clone(),
                offset,
                bytes,
            };
        }
    }
}
