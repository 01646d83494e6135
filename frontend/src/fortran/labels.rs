//! Binding labels: the names of procedures in C and in interfaces with BIND(C) (Fortran 2018, 18.10.2).
//! Fortran names are in `names`.

use super::arguments::Given;
use super::declared_attributes::{declared_name, label};
use super::lower::Lowering;
use super::names::Entity;
use super::syntax::At;
use crate::ir::{BindingName, PassedAs, ProcedureId};
use std::collections::BTreeMap;

impl<'a> Lowering<'a> {
    /// Remembers the label of a procedure of the sources; the first one of a label keeps it.
    pub fn note_label(&mut self, header: At<'a>, name: &str, id: ProcedureId) {
        let Some(binding) = header.child("language_binding") else {
            return;
        };
        self.program.procedures[id.0 as usize].is_bound = true;
        match label(binding, name) {
            Some(label) => {
                self.program.labels.insert(label.clone());
                self.labels.entry(label).or_insert(id);
            }
            // `bind(c, name='')` gives none, which is as good as an unknown one here.
            None => self.program.has_unknown_labels = true,
        }
    }

    /// Remembers by which symbol a procedure without source is called under a name.
    pub fn note_symbol(&mut self, name: &str, symbol: BindingName) {
        let labels = &mut self.program.external_labels;
        let mut names = vec![name.to_string()];
        // A call may be by the label, too (see `declared_external`).
        if let BindingName::Label(label) = &symbol {
            names.push(label.to_ascii_lowercase());
        }
        names.dedup();
        for name in names {
            let known = labels.entry(name).or_insert_with(|| symbol.clone());
            if *known != symbol {
                *known = BindingName::Several;
            }
        }
    }

    /// Remembers how an interface body passes its arguments.
    pub fn note_dummies(&mut self, body: At<'a>, header: At<'a>) {
        let (Some(name), Some(list)) = (header.field("name"), header.field("parameters")) else {
            return;
        };
        let mut declared: BTreeMap<String, PassedAs> = BTreeMap::new();
        // `allocatable :: x` and the like as statements of their own are not read here.
        let others = match body.all("variable_modification").is_empty() {
            true => PassedAs::Address,
            false => PassedAs::Object,
        };
        for item in body.all("variable_declaration") {
            let mut how = others;
            let mut is_object = false;
            for attribute in item.fields("attribute") {
                let text: String = attribute.name().split_whitespace().collect();
                match text.as_str() {
                    "value" => how = PassedAs::Value,
                    "pointer" | "allocatable" => is_object = true,
                    _ => {}
                }
            }
            if is_object {
                how = PassedAs::Object;
            }
            for declarator in item.fields("declarator") {
                if let Some(name) = declared_name(declarator) {
                    declared.insert(name.name(), how);
                }
            }
        }
        let mut all = Vec::new();
        for dummy in list.named() {
            all.push(declared.get(&dummy.name()).copied().unwrap_or(others));
        }
        let known = self
            .program
            .external_dummies
            .entry(name.name())
            .or_insert_with(|| all.clone());
        // Bodies of one name in different scopes may declare different procedures.
        if *known != all {
            known.clear();
        }
    }

    /// The entity of a declared external procedure: with a binding label the procedure that has this label, otherwise the
    /// one that has the name. Compilers append a `_` to the names of procedures without label.
    pub fn declared_external(&self, name: &str, label: Option<&str>) -> Entity<'a> {
        let Some(label) = label else {
            let labelled = || self.labels.get(&format!("{name}_"));
            let found = self.globals.get(name).or_else(labelled);
            return found.map_or(Entity::External(name.to_string()), |&id| {
                Entity::Procedure(id)
            });
        };
        let unlabelled = || {
            let id = self.globals.get(label.strip_suffix('_')?)?;
            if self.program.procedure(*id).is_bound {
                return None;
            }
            Some(id)
        };
        match self.labels.get(label).or_else(unlabelled) {
            Some(&id) => Entity::Procedure(id),
            None if self.globals.contains_key(name) => Entity::External(label.to_ascii_lowercase()),
            None => Entity::External(name.to_string()),
        }
    }

    /// Keywords of a call by an interface body, each as the name of the procedure's own dummy at its place.
    pub fn as_own_dummies(&self, id: ProcedureId, name: &str, mut given: Vec<Given>) -> Vec<Given> {
        let own = self.dummy_names(id);
        for (keyword, _) in &mut given {
            let place = keyword
                .as_ref()
                .and_then(|keyword| self.interfaces.place_in_body(name, keyword));
            if let Some(dummy) = place.and_then(|place| own.get(place)) {
                *keyword = Some(dummy.clone());
            }
        }
        given
    }
}
