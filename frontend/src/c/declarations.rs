//! Declarators: the name that is declared, and what is known of its type.

use super::CType;
use super::syntax::{Node, children};
use std::collections::HashMap;

/// Types that a file gives names.
pub type TypeNames = HashMap<String, CType>;

/// What the specifiers of a declaration say.
pub struct Specifiers {
    /// The type before the declarator adds to it; `None` for `void`.
    pub of_type: Option<CType>,
    /// `register`.
    pub is_register: bool,
    /// `static` or `extern`.
    pub is_static: bool,
}

/// The text of a node.
pub fn text(node: Node<'_>, source: &[u8]) -> String {
    String::from_utf8_lossy(&source[node.byte_range()]).into_owned()
}

/// What the specifiers of a declaration or parameter say.
pub fn specifiers(node: Node<'_>, source: &[u8], names: &TypeNames) -> Specifiers {
    let mut found = Specifiers {
        of_type: Some(CType::Number),
        is_register: false,
        is_static: false,
    };
    if let Some(of_type) = node.child_by_field_name("type") {
        let name = text(of_type, source);
        found.of_type = match of_type.kind() {
            "struct_specifier" | "union_specifier" => Some(CType::Structure),
            "primitive_type" if name == "void" => None,
            // A name that the text does not define is one of a system header, whose types for variables are numbers.
            "type_identifier" => Some(names.get(&name).copied().unwrap_or(CType::Number)),
            _ => Some(CType::Number),
        };
    }
    for child in children(node) {
        let word = text(child, source);
        match word.as_str() {
            "register" => found.is_register = true,
            "static" | "extern" => found.is_static = true,
            _ => {}
        }
    }
    // The grammar knows `_Complex` as no keyword of types; it stands before the declarator.
    let head = node
        .child_by_field_name("declarator")
        .map_or(node.end_byte(), |declarator| declarator.start_byte());
    let words = String::from_utf8_lossy(&source[node.start_byte()..head]);
    let is_complex = |word: &str| matches!(word, "_Complex" | "__complex__" | "__complex");
    if words.split_whitespace().any(is_complex) {
        found.of_type = Some(CType::Complex);
    }
    found
}

/// The name that a declarator declares, and its type; `None` for a function.
pub fn declared(
    declarator: Node<'_>,
    of_type: Option<CType>,
    source: &[u8],
) -> Option<(String, CType)> {
    match declarator.kind() {
        "identifier" | "type_identifier" | "primitive_type" => {
            Some((text(declarator, source), of_type?))
        }
        "pointer_declarator" => {
            let inner = declarator.child_by_field_name("declarator")?;
            declared(inner, Some(CType::Pointer), source)
        }
        "array_declarator" => {
            let inner = declarator.child_by_field_name("declarator")?;
            declared(inner, Some(CType::Array), source)
        }
        "init_declarator" => {
            let inner = declarator.child_by_field_name("declarator")?;
            declared(inner, of_type, source)
        }
        "parenthesized_declarator" | "attributed_declarator" => {
            let inner = children(declarator);
            let inner = inner.into_iter().find(|node| is_declarator(*node))?;
            declared(inner, of_type, source)
        }
        "function_declarator" => {
            // `(*name)(…)` is a variable: a pointer to a function.
            let inner = declarator.child_by_field_name("declarator")?;
            match inner.kind() {
                "parenthesized_declarator" => declared(inner, Some(CType::Pointer), source),
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_declarator(node: Node<'_>) -> bool {
    node.kind().ends_with("declarator") || node.kind().ends_with("identifier")
}

/// The name of the function that a declarator declares.
pub fn function_name(declarator: Node<'_>, source: &[u8]) -> Option<String> {
    match declarator.kind() {
        "identifier" => Some(text(declarator, source)),
        _ => {
            let field = declarator.child_by_field_name("declarator");
            let inner = field.or_else(|| {
                let inner = children(declarator);
                inner.into_iter().find(|node| is_declarator(*node))
            });
            function_name(inner?, source)
        }
    }
}

/// The parameters of a function's declarator.
pub fn parameters(declarator: Node<'_>) -> Vec<Node<'_>> {
    let Some(inner) = declarator.child_by_field_name("declarator") else {
        return Vec::new();
    };
    let is_function = declarator.kind() == "function_declarator" && inner.kind() == "identifier";
    if !is_function {
        return parameters(inner);
    }
    let list = declarator.child_by_field_name("parameters");
    list.map(children).unwrap_or_default()
}
