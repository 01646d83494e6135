//! Attributes that the declarations of a unit give each name, which may stand in several statements.
//! `declarations` makes variables of them.

use super::accessibility::Accessibility;
use super::names::Inline;
use super::syntax::At;
use std::collections::BTreeMap;

/// Nodes after which no statement function can stand.
pub const EXECUTABLE: [&str; 12] = [
    "assignment_statement",
    "subroutine_call",
    "if_statement",
    "do_loop",
    "keyword_statement",
    "write_statement",
    "read_statement",
    "print_statement",
    "open_statement",
    "select_case_statement",
    "allocate_statement",
    "pointer_association_statement",
];

/// What the statements of a unit say about one name.
#[derive(Clone, Default)]
pub struct Said<'a> {
    /// Node of its type.
    pub of_type: Option<At<'a>>,
    /// Node of a length of its own, `n*8`.
    pub length: Option<At<'a>>,
    /// Node of its dimensions.
    pub dimensions: Option<At<'a>>,
    /// Position as a dummy.
    pub dummy: Option<u32>,
    /// COMMON block.
    pub common: Option<String>,
    /// SAVE, DATA or initial value: lives as long as the process.
    pub lasting: bool,
    /// DATA or initial value.
    pub initial: bool,
    /// That value is a null handle of MPI, or a number that is no handle.
    pub begins_null: bool,
    /// EXTERNAL, or declared by an interface or PROCEDURE statement.
    pub external: bool,
    /// The binding label of an external procedure.
    pub label: Option<String>,
    /// Whether it has BIND(C), also with a label that is not known.
    pub has_label: bool,
    /// INTRINSIC.
    pub intrinsic: bool,
    /// POINTER: a procedure pointer if external too.
    pub pointer: bool,
    /// `PROCEDURE (interface), attributes`.
    pub procedure: Option<At<'a>>,
    /// What it points at from the start.
    pub points_at: Option<At<'a>>,
    /// PARAMETER, with its value.
    pub constant: Option<At<'a>>,
    /// An enumerator, and the one it follows.
    pub enumerator: Option<Option<String>>,
    /// ALLOCATABLE.
    pub allocatable: bool,
    /// OPTIONAL.
    pub optional: bool,
    /// INTENT(OUT).
    pub intent_out: bool,
    /// VALUE.
    pub value: bool,
    /// The function's result.
    pub result: bool,
}

impl Said<'_> {
    /// It holds a value before any statement runs, and lives as long as the process.
    fn begin_with_value(&mut self) {
        self.lasting = true;
        self.initial = true;
    }
}

/// What the statements of a unit say.
#[derive(Default)]
pub struct DeclaredAttributes<'a> {
    /// Names in the order they were met.
    pub names: Vec<(String, Said<'a>)>,
    index: BTreeMap<String, usize>,
    /// Members of COMMON blocks, in order.
    pub commons: Vec<(String, Vec<String>)>,
    /// EQUIVALENCE sets.
    pub equivalences: Vec<At<'a>>,
    /// NAMELIST groups.
    pub namelists: Vec<(String, Vec<String>)>,
    /// Statement functions.
    pub inlines: Vec<(String, Inline<'a>)>,
    /// Definitions of derived types.
    pub types: Vec<At<'a>>,
    /// SAVE without names.
    pub save_all: bool,
    /// Which names are known where the unit is used.
    pub accessibility: Accessibility,
    /// Binding labels of variables; `None` for one that is not known.
    pub bound: Vec<Option<String>>,
}

impl<'a> DeclaredAttributes<'a> {
    /// What is said about a name, to be added to.
    pub fn name(&mut self, name: &str) -> &mut Said<'a> {
        let next = self.names.len();
        let index = *self.index.entry(name.to_string()).or_insert(next);
        if index == next {
            self.names.push((name.to_string(), Said::default()));
        }
        &mut self.names[index].1
    }

    fn is_array(&self, name: &str) -> bool {
        self.index
            .get(name)
            .is_some_and(|&index| self.names[index].1.dimensions.is_some())
    }
}

/// Type statements.
pub fn collect_declaration<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    let of_type = item.field("type");
    let attributes = item.fields("attribute");
    for declarator in item.fields("declarator") {
        let Some(name) = declared_name(declarator) else {
            continue;
        };
        let name = name.name();
        apply_declarator(declarator, gathered, &name);
        for attribute in &attributes {
            gathered.accessibility.attribute(&name, &attribute.name());
        }
        let said = gathered.name(&name);
        match of_type {
            // `PROCEDURE (f) :: p` is a type statement in the grammar.
            Some(of_type) if of_type.is("procedure") => {
                said.external = true;
                said.procedure = Some(of_type);
                let binding = attributes.iter().find(|one| one.is("language_binding"));
                said.label = binding.and_then(|one| label(*one, &name));
                said.has_label = binding.is_some();
                said.pointer |= of_type
                    .all("procedure_attribute")
                    .iter()
                    .any(|one| one.name() == "pointer");
            }
            Some(_) => {
                said.of_type = of_type;
                if let Some(binding) = attributes.iter().find(|one| one.is("language_binding")) {
                    gathered.bound.push(label(*binding, &name));
                }
            }
            None => {}
        }
        let said = gathered.name(&name);
        for &attribute in &attributes {
            apply_attribute(attribute, said);
        }
        // `p => null()`
        if declarator.is("pointer_init_declarator") {
            said.points_at = declarator.field("right");
        }
        let value = declarator
            .field("right")
            .filter(|_| !declarator.is("data_declarator"));
        match value {
            Some(value)
                if attributes
                    .iter()
                    .any(|attribute| attribute.name() == "parameter") =>
            {
                said.constant = Some(value)
            }
            Some(value) => {
                said.begin_with_value();
                said.begins_null = ["mpi_datatype_null", "0", "-1"].contains(&&value.name()[..]);
            }
            None if declarator.is("data_declarator") => said.begin_with_value(),
            None => {}
        }
    }
}

/// Dimensions and length that stand with the name.
fn apply_declarator<'a>(declarator: At<'a>, gathered: &mut DeclaredAttributes<'a>, name: &str) {
    let sized = declarator
        .field("left")
        .filter(|left| left.is("sized_declarator"))
        .unwrap_or(declarator);
    if !sized.is("sized_declarator") {
        return;
    }
    let said = gathered.name(name);
    // The declarator's own bounds override those of a DIMENSION attribute.
    said.dimensions = sized.child("size").or(said.dimensions);
    said.length = sized.child("character_length").or(said.length);
}

/// The identifier of a declarator.
pub fn declared_name(declarator: At) -> Option<At> {
    if declarator.is("identifier") {
        return Some(declarator);
    }
    let left = declarator.field("left").unwrap_or(declarator);
    if left.is("identifier") {
        Some(left)
    } else {
        left.child("identifier")
    }
}

fn apply_attribute<'a>(attribute: At<'a>, said: &mut Said<'a>) {
    let text = attribute.name();
    let word: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
    match word.as_str() {
        "dimension" => said.dimensions = said.dimensions.or(attribute.child("argument_list")),
        // STATIC is an extension of gfortran and others.
        "save" | "static" => said.lasting = true,
        "external" => said.external = true,
        "intrinsic" => said.intrinsic = true,
        "pointer" => said.pointer = true,
        "allocatable" => said.allocatable = true,
        "value" => said.value = true,
        "optional" => said.optional = true,
        "intent" => said.intent_out = text.split_whitespace().collect::<String>() == "intent(out)",
        _ => {}
    }
}

/// `DIMENSION x(3)`, `EXTERNAL f` and the like.
pub fn collect_modification<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    let Some(qualifier) = item.named().first().copied() else {
        return;
    };
    for declarator in item.fields("declarator") {
        let Some(name) = declared_name(declarator) else {
            continue;
        };
        let name = name.name();
        apply_declarator(declarator, gathered, &name);
        apply_attribute(qualifier, gathered.name(&name));
    }
}

/// PARAMETER statements.
pub fn collect_parameters<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    for assignment in item.all("parameter_assignment") {
        if let [name, value, ..] = assignment.named()[..] {
            gathered.name(&name.name()).constant = Some(value);
        }
    }
}

/// COMMON statements.
pub fn collect_common<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    // Members without a group are of blank COMMON, whose name is empty.
    let mut members = Vec::new();
    for child in item.named() {
        if child.is("variable_group") {
            let name = child
                .child("name")
                .map_or(String::new(), |name| name.name());
            let inside = child
                .named()
                .into_iter()
                .filter(|member| !member.is("name"));
            members.extend(inside.map(|member| (name.clone(), member)));
        } else {
            members.push((String::new(), child));
        }
    }
    for (block, member) in members {
        let Some(name) = declared_name(member).map(|name| name.name()) else {
            continue;
        };
        apply_declarator(member, gathered, &name);
        gathered.name(&name).common = Some(block.clone());
        match gathered
            .commons
            .iter_mut()
            .find(|(known, _)| *known == block)
        {
            Some((_, list)) => list.push(name),
            None => gathered.commons.push((block, vec![name])),
        }
    }
}

/// DATA statements.
pub fn collect_data<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    for set in item.all("data_set") {
        for target in set
            .named()
            .into_iter()
            .filter(|target| !target.is("data_value"))
        {
            let mut stack = vec![target];
            while let Some(at) = stack.pop() {
                if at.is("identifier") {
                    gathered.name(&at.name()).begin_with_value();
                } else {
                    // Subscripts and implied DO variables lie behind the first name.
                    stack.extend(at.named().into_iter().take(1));
                }
            }
        }
    }
}

/// SAVE statements.
pub fn collect_save<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    let names: Vec<At> = item
        .named()
        .into_iter()
        .filter(|name| name.is("identifier"))
        .collect();
    // SAVE alone saves all variables of the unit (F2018 8.6.14).
    gathered.save_all |= item.named().is_empty();
    for name in names {
        gathered.name(&name.name()).lasting = true;
    }
}

/// NAMELIST statements.
pub fn collect_namelist<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    for group in item.all("variable_group") {
        let name = group
            .child("name")
            .map_or(String::new(), |name| name.name());
        let members = group.all("identifier").iter().map(At::name).collect();
        gathered.namelists.push((name, members));
    }
}

/// Takes a statement function: an assignment to `name(…)` whose name has no dimensions. Executable
/// assignments of this shape are to arrays, which are declared before. Whether it was one.
pub fn collect_inline<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) -> bool {
    let (Some(left), Some(value)) = (item.field("left"), item.field("right")) else {
        return false;
    };
    let (Some(name), Some(list)) = (left.child("identifier"), left.child("argument_list")) else {
        return false;
    };
    let plain =
        left.is("call_expression") && list.named().iter().all(|dummy| dummy.is("identifier"));
    let name = name.name();
    let said = gathered
        .index
        .get(&name)
        .map(|&index| &gathered.names[index].1);
    // A dummy, a COMMON member or an object is an array whose bounds stand in a later statement.
    let scalar = said.is_none_or(|said| {
        said.dummy.is_none()
            && said.common.is_none()
            && said.of_type.is_none_or(|t| t.is("intrinsic_type"))
    });
    let inline = plain && scalar && !gathered.is_array(&name);
    if inline {
        gathered.inlines.push((name, Inline { value }));
    }
    inline
}

/// ENUMERATOR: each has its own value, or that of its predecessor plus one.
pub fn collect_enum<'a>(item: At<'a>, gathered: &mut DeclaredAttributes<'a>) {
    let mut before = None;
    for declarator in item
        .all("enumerator_statement")
        .iter()
        .flat_map(|line| line.fields("declarator"))
    {
        let Some(name) = declared_name(declarator) else {
            continue;
        };
        let value = declarator.field("right");
        let said = gathered.name(&name.name());
        said.constant = value;
        said.enumerator = Some(before);
        before = Some(name.name());
    }
}

/// The label that BIND(C) gives to a procedure of a name; `None` if it gives none, or one that is no plain text.
pub fn label(binding: At, name: &str) -> Option<String> {
    let Some(argument) = binding.child("keyword_argument") else {
        return Some(name.to_string());
    };
    let text = argument
        .field("value")
        .filter(|value| value.is("string_literal"))?
        .literal();
    let quote = text.chars().next_back()?;
    let (_, inner) = text.strip_suffix(quote)?.split_once(quote)?;
    Some(inner.trim().to_string()).filter(|label| !label.is_empty())
}
