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
        // DOUBLE PRECISION may be one word or two (F2018 table 6.2); the kind follows.
        let mut word = String::new();
        for character in at.name().chars() {
            if character.is_ascii_alphabetic() {
                word.push(character);
            } else if !character.is_whitespace() {
                break;
            }
        }
        if at.is("derived_type") || word == "type" || word == "class" {
            return (self.derived(scope, at), None);
        }
        let kind = at.field("kind");
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
            // BYTE and DOUBLE COMPLEX are extensions that gfortran accepts.
            "byte" => Some(Type::Integer(1)),
            "real" => bytes(4).map(Type::Real),
            "doubleprecision" => Some(Type::Real(8)),
            "logical" => bytes(4).map(Type::Logical),
            // COMPLEX*16 has parts of 8 bytes, COMPLEX(8) too.
            "complex" if kind.is_some_and(has_star) => bytes(8).map(Type::Complex),
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
        // The grammar gives the star of `*8` as a node of its own.
        let node = named.iter().find(|node| !node.is("assumed_size"))?;
        let expression = self.expression(scope, *node);
        let bytes = fold_integer(&self.program, &expression)?;
        u8::try_from(bytes).ok()
    }

    /// Length of `CHARACTER*8`, `CHARACTER(8)`, `CHARACTER(LEN=8)`; 1 without, `None` if assumed or deferred.
    fn length(&mut self, scope: ScopeId, kind: Option<At<'a>>) -> Option<Expression> {
        let one = Some(Expression::Integer(1));
        let Some(kind) = kind else { return one };
        let mut nodes: Vec<At<'a>> = Vec::new();
        for node in kind.named() {
            // The first star of `*8` and `*(*)` is no length.
            if !node.is("assumed_size") || node.start() != kind.start() {
                nodes.push(node);
            }
        }
        let node = match (node_of_keyword(&nodes, "len"), &nodes[..]) {
            (Some(len), _) => len,
            (None, []) => return one,
            (None, [_]) if node_of_keyword(&nodes, "kind").is_some() => return one,
            (None, [first, ..]) => *first,
        };
        let node = node.field("value").unwrap_or(node);
        match node.kind() {
            "assumed_size" => None,
            "extent_specifier" => None,
            "assumed_shape" => None,
            _ => Some(self.expression(scope, node)),
        }
    }

    /// Length of a name of CHARACTER by the IMPLICIT rules.
    pub fn implicit_length(&mut self, scope: ScopeId, name: &str) -> Option<Expression> {
        let (stated_in, at) = self.scope(scope).implicit_rule(name)?.text?;
        self.declared_type(stated_in, at).1
    }

    /// A length of the name's own: `n*8`, `n*(8)`; for other types the size in bytes, `x*8`.
    pub fn set_length(&mut self, scope: ScopeId, id: VariableId, at: At<'a>) {
        let length = self.own_length(scope, &at.name());
        let bytes = match &length {
            Some(length) => fold_integer(&self.program, length),
            None => None,
        };
        let variable = &mut self.program.variables[id.0 as usize];
        if variable.of_type == Type::Character {
            variable.length = length;
            return;
        }
        let Some(bytes) = bytes.and_then(|bytes| u8::try_from(bytes).ok()) else {
            return;
        };
        variable.of_type = match &variable.of_type {
            Type::Integer(_) => Type::Integer(bytes),
            Type::Real(_) => Type::Real(bytes),
            Type::Complex(_) => Type::Complex(bytes),
            Type::Logical(_) => Type::Logical(bytes),
            Type::Character | Type::Derived(_) | Type::Unknown => return,
        };
    }

    /// `*8`, `*(8)`, `*(n+1)`: for an expression the names that it reads. `None` for `*(*)`.
    fn own_length(&mut self, scope: ScopeId, text: &str) -> Option<Expression> {
        let text = text.trim_start_matches('*');
        if let Ok(length) = text.trim_matches(['(', ')', ' ']).parse() {
            return Some(Expression::Integer(length));
        }
        // The grammar has no expression node here, so that only the tokens are known.
        let list = tokens(text.as_bytes(), 0..text.len());
        let phrase = Phrase {
            text: text.as_bytes(),
            tokens: &list,
        };
        let mut has_name = false;
        let mut read = Vec::new();
        for at in 0..list.len() {
            let is_component = at > 0 && phrase.is(at - 1, "%");
            if phrase.kind(at) == Some(TokenKind::Word) && !is_component {
                has_name = true;
                read.extend(self.read_in_length(scope, &phrase.lower(at)));
            }
        }
        if has_name {
            Some(Expression::Other(read))
        } else {
            None
        }
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

/// Whether a kind is written as `*8`.
fn has_star(kind: At) -> bool {
    match kind.children().first() {
        Some(first) => first.is("*"),
        None => false,
    }
}

/// The argument with this keyword.
fn node_of_keyword<'a>(nodes: &[At<'a>], keyword: &str) -> Option<At<'a>> {
    nodes
        .iter()
        .find(|node| super::arguments::keyword_of(**node).as_deref() == Some(keyword))
        .copied()
}
