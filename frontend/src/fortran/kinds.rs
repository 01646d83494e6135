//! Type specifications: kinds in bytes and lengths of CHARACTER, in all spellings.

use super::constants::fold_integer;
use super::lower::Lowering;
use super::names::{Entity, ScopeId};
use super::syntax::At;
use super::tokens::{Phrase, TokenKind, tokens};
use crate::ir::{Callee, Expression, Type, VariableId};

/// Whether a type is CHARACTER.
pub fn is_character(at: At) -> bool {
    at.is("intrinsic_type") && at.name().trim_start().starts_with("character")
}

impl<'a> Lowering<'a> {
    /// Type of an `intrinsic_type` or `derived_type` node, and the length of CHARACTER.
    pub fn declared_type(&mut self, scope: ScopeId, at: At<'a>) -> (Type, Option<Expression>) {
        let text: String = at.name().chars().filter(|c| !c.is_whitespace()).collect();
        let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
        if at.is("derived_type") || ["type", "class"].contains(&word.as_str()) {
            return (self.derived(scope, at), None);
        }
        let kind = at.field("kind");
        let star =
            kind.is_some_and(|kind| kind.children().first().is_some_and(|first| first.is("*")));
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

    /// Length of `CHARACTER*8`, `CHARACTER(8)`, `CHARACTER(LEN=8)`; 1 without, `None` if assumed or deferred.
    fn length(&mut self, scope: ScopeId, kind: Option<At<'a>>) -> Option<Expression> {
        let one = Some(Expression::Integer(1));
        let Some(kind) = kind else { return one };
        let starred = |node: &At| node.is("assumed_size") && node.start() == kind.start();
        let nodes: Vec<At<'a>> = kind
            .named()
            .into_iter()
            .filter(|node| !starred(node))
            .collect();
        let by_name = |word: &str| {
            nodes
                .iter()
                .find(|node| super::expressions::keyword_of(**node).as_deref() == Some(word))
                .copied()
        };
        let only_kind = nodes.len() == 1 && by_name("kind").is_some();
        let node = by_name("len")
            .or_else(|| nodes.first().copied())
            .filter(|_| !only_kind);
        let Some(node) = node else { return one };
        let node = node.field("value").unwrap_or(node);
        let is_covered =
            !node.is("assumed_size") && !node.is("extent_specifier") && !node.is("assumed_shape");
        is_covered.then(|| self.expression(scope, node))
    }

    /// Length of a name of CHARACTER by the IMPLICIT rules.
    pub fn implicit_length(&mut self, scope: ScopeId, name: &str) -> Option<Expression> {
        let (stated_in, at) = self.scope(scope).implicit_rule(name)?.text?;
        self.declared_type(stated_in, at).1
    }

    /// A length of the name's own: `n*8`, `n*(8)`; for other types the size in bytes, `x*8`.
    pub fn set_length(&mut self, scope: ScopeId, id: VariableId, at: At<'a>) {
        let length = self.own_length(scope, &at.name());
        let bytes = length
            .as_ref()
            .and_then(|length| fold_integer(&self.program, length));
        let small = bytes.and_then(|bytes| u8::try_from(bytes).ok());
        let variable = &mut self.program.variables[id.0 as usize];
        match (&variable.of_type, small) {
            (Type::Character, _) => variable.length = length,
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

    /// `*8`, `*(8)`, `*(n+1)`: of what is no number, the names. `None` for `*(*)`.
    fn own_length(&mut self, scope: ScopeId, text: &str) -> Option<Expression> {
        let text = text.trim_start_matches('*');
        if let Ok(length) = text.trim_matches(['(', ')', ' ']).parse() {
            return Some(Expression::Integer(length));
        }
        let list = tokens(text.as_bytes(), 0..text.len());
        let phrase = Phrase {
            text: text.as_bytes(),
            tokens: &list,
        };
        let is_name = |&at: &usize| {
            phrase.kind(at) == Some(TokenKind::Word)
                && at.checked_sub(1).is_none_or(|at| !phrase.is(at, "%"))
        };
        let names: Vec<String> = (0..list.len())
            .filter(is_name)
            .map(|at| phrase.lower(at))
            .collect();
        let named: Vec<_> = names
            .iter()
            .filter_map(|name| self.read_in_length(scope, name))
            .collect();
        (!names.is_empty()).then_some(Expression::Other(named))
    }

    /// A name in a length: a place, or a function of the program.
    fn read_in_length(&mut self, scope: ScopeId, name: &str) -> Option<Expression> {
        match self.lookup(scope, name) {
            Some(Entity::Procedure(id)) => Some(Expression::Call {
                callee: Callee::Procedure(id),
                arguments: Vec::new(),
            }),
            _ => self.known(scope, name),
        }
    }
}
