//! Type specifications: kinds in bytes and lengths of CHARACTER, in all spellings.

use super::constants::fold_integer;
use super::lower::Lowering;
use super::names::ScopeId;
use super::syntax::At;
use crate::ir::{Type, VariableId};

impl<'a> Lowering<'a> {
    /// Type of an `intrinsic_type` or `derived_type` node, and the length of CHARACTER.
    pub fn declared_type(&mut self, scope: ScopeId, at: At<'a>) -> (Type, Option<u64>) {
        let text: String = at.name().chars().filter(|c| !c.is_whitespace()).collect();
        let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
        if at.is("derived_type") || ["type", "class"].contains(&word.as_str()) {
            return (self.derived(scope, at), None);
        }
        let kind = at.field("kind");
        let star = kind.is_some_and(|kind| kind.children().first().is_some_and(|first| first.is("*")));
        if word == "character" {
            return (Type::Character, self.length(scope, kind));
        }
        let value = kind.and_then(|kind| self.kind_value(scope, kind));
        let bytes = |default: u8| match kind {
            Some(_) => value,
            None => Some(default),
        };
        let of_type = match word.as_str() {
            "integer" => bytes(4).map(Type::Integer),
            "byte" => Some(Type::Integer(1)),
            "real" => bytes(4).map(Type::Real),
            "doubleprecision" => Some(Type::Real(8)),
            "logical" => bytes(4).map(Type::Logical),
            // COMPLEX*16 has parts of 8 bytes, COMPLEX(8) too.
            "complex" if star => bytes(8).map(Type::Complex),
            "complex" => bytes(4).map(|part| Type::Complex(part.saturating_mul(2))),
            "doublecomplex" => Some(Type::Complex(16)),
            _ => None,
        };
        (of_type.unwrap_or(Type::Unknown), None)
    }

    /// TYPE and CLASS; of `CLASS(*)` nothing is known, and `TYPE(INTEGER)` is INTEGER.
    fn derived(&mut self, scope: ScopeId, at: At<'a>) -> Type {
        match at.field("name") {
            Some(name) if name.is("intrinsic_type") => self.declared_type(scope, name).0,
            Some(name) => self.type_by_name(scope, &name.name()),
            None => Type::Unknown,
        }
    }

    fn kind_value(&mut self, scope: ScopeId, kind: At<'a>) -> Option<u8> {
        let named = kind.named();
        let node = named.iter().find(|node| !node.is("assumed_size"))?;
        let expression = self.expression(scope, *node);
        fold_integer(&self.program, &expression).and_then(|bytes| u8::try_from(bytes).ok())
    }

    /// Length of `CHARACTER*8`, `CHARACTER(8)`, `CHARACTER(LEN=8)`; 1 without.
    fn length(&mut self, scope: ScopeId, kind: Option<At<'a>>) -> Option<u64> {
        let Some(kind) = kind else { return Some(1) };
        let nodes = kind.named();
        let by_name = |word: &str| {
            nodes.iter().find(|node| super::expressions::keyword_of(**node).as_deref() == Some(word)).copied()
        };
        let only_kind = nodes.len() == 1 && by_name("kind").is_some();
        let node = by_name("len").or_else(|| nodes.first().copied()).filter(|_| !only_kind);
        let Some(node) = node else { return Some(1) };
        let expression = self.expression(scope, node);
        fold_integer(&self.program, &expression).and_then(|length| u64::try_from(length).ok())
    }

    /// A length of the name's own: `n*8`, `n*(8)`; for other types the size in bytes, `x*8`.
    pub fn set_length(&mut self, _scope: ScopeId, id: VariableId, at: At<'a>) {
        let digits: String = at.name().chars().filter(char::is_ascii_digit).collect();
        let bytes: Option<u64> = digits.parse().ok();
        let variable = &mut self.program.variables[id.0 as usize];
        let small = bytes.and_then(|bytes| u8::try_from(bytes).ok());
        match (&variable.of_type, small) {
            (Type::Character, _) => self.lengths[id.0 as usize] = bytes,
            (Type::Integer(_), Some(bytes)) => variable.of_type = Type::Integer(bytes),
            (Type::Real(_), Some(bytes)) => variable.of_type = Type::Real(bytes),
            (Type::Complex(_), Some(bytes)) => variable.of_type = Type::Complex(bytes),
            (Type::Logical(_), Some(bytes)) => variable.of_type = Type::Logical(bytes),
            (
                Type::Integer(_)
                | Type::Real(_)
                | Type::Complex(_)
                | Type::Logical(_)
                | Type::Derived(_)
                | Type::Unknown,
                _,
            ) => {}
        }
    }
}
