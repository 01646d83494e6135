//! Syntax trees by tree-sitter-c (this folder alone uses it). What belongs to no user's code is blank for the parser: line
//! markers, `#pragma` lines, and the text of system headers, which has extensions that the grammar does not know. Offsets stay.

use crate::ir::line_markers;
use std::collections::BTreeSet;
use std::ops::Range;
use tree_sitter::{Parser, Tree};

pub use tree_sitter::Node;

/// A parsed text.
pub struct Parsed {
    /// Its tree.
    pub tree: Tree,
    /// What the parser was given.
    pub visible: Vec<u8>,
    /// `#pragma` lines, without their line ends.
    pub pragmas: Vec<Range<usize>>,
}

/// Parses a preprocessed text.
pub fn parse(text: &[u8]) -> Parsed {
    let (visible, pragmas) = visible(text);
    let mut parser = Parser::new();
    // The grammar is compiled in with the same library: the versions always agree.
    parser
        .set_language(&tree_sitter_c::LANGUAGE.into())
        .expect("the grammar fits the parser");
    let tree = parser.parse(&visible, None).expect("no timeout was set");
    Parsed {
        tree,
        visible,
        pragmas,
    }
}

fn visible(text: &[u8]) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut visible = text.to_vec();
    let mut pragmas = Vec::new();
    let mut is_system = false;
    // Macros of system headers have markers of a system header, too, in the middle of an expression; these name the user's file.
    let mut own_files: BTreeSet<String> = BTreeSet::new();
    let mut start = 0;
    for row in text.split_inclusive(|&byte| byte == b'\n') {
        let range = start..start + row.len();
        start = range.end;
        let marker = line_markers::read(row.trim_ascii_end());
        let is_pragma = row.trim_ascii_start().starts_with(b"#");
        if let Some(marker) = &marker {
            if !marker.is_system {
                own_files.insert(marker.path.clone());
            }
            is_system = marker.is_system && !own_files.contains(&marker.path);
        } else if is_pragma && !is_system {
            pragmas.push(range.start..range.start + row.trim_ascii_end().len());
        }
        if marker.is_some() || is_pragma || is_system {
            for byte in &mut visible[range] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        }
    }
    (visible, pragmas)
}

/// The named children of a node.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// The children in a field of a node.
pub fn in_field<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    node.children_by_field_name(field, &mut node.walk())
        .collect()
}
