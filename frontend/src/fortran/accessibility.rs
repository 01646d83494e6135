//! PUBLIC and PRIVATE: names of a module and components of a type that are accessible through USE.
//! Operators and assignments count as public: their operands determine the procedure.
//!
//! Bindings of derived types are not checked: the compiler has accepted the program.

use super::syntax::At;
use crate::ir::rules::{Rule, holds};
use std::collections::BTreeMap;

/// What a module says of its names, or a derived type of its components.
#[derive(Clone, Default)]
pub struct Accessibility {
    /// PRIVATE without names.
    is_private: bool,
    /// Names of which it says so: whether they are public.
    said: BTreeMap<String, bool>,
}

impl Accessibility {
    /// Whether a name is accessible through USE, as it is written.
    pub fn exports(&self, name: &str) -> bool {
        name.contains('(')
            || !holds(Rule::PrivateHides)
            || *self.said.get(name).unwrap_or(&!self.is_private)
    }

    /// A PUBLIC or PRIVATE statement, or a definition of a derived type.
    pub fn gather(&mut self, item: At) {
        match item.kind() {
            "private_statement" | "public_statement" => {
                let is_public = item.is("public_statement");
                let names = item.named();
                self.is_private |= names.is_empty() && !is_public;
                names
                    .into_iter()
                    .for_each(|name| _ = self.said.insert(name.name(), is_public));
            }
            "derived_type_definition" => {
                let head = item.child("derived_type_statement");
                let said = head.and_then(|head| head.child("access_specifier"));
                let name = head.and_then(|head| head.child("type_name"));
                if let Some((said, name)) = said.zip(name) {
                    self.attribute(&name.name(), &said.name());
                }
            }
            _ => {}
        }
    }

    /// An attribute of a declaration.
    pub fn attribute(&mut self, name: &str, word: &str) {
        if let "public" | "private" = word {
            self.said.insert(name.to_string(), word == "public");
        }
    }
}
