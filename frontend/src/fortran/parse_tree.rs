//! The parser's trees of texts, and which statements it reads by other rules.
//!
//! The lowering visits a node several times and in one thread. So [`SyntaxTree`] copies the parser's tree into one array while
//! files are still parsed in parallel; the parser's own tree, which is several times as large, is freed there as well.

use super::parser_copy::Copy;
use super::pieces::{ScannedStatement, piece_tokens};
use super::tokens::Phrase;
use std::ops::Range;
use std::sync::LazyLock;
use tree_sitter::{Language, Node, Parser, Tree, TreeCursor};

static LANGUAGE: LazyLock<Language> = LazyLock::new(|| tree_sitter_fortran::LANGUAGE.into());
static NAMES: LazyLock<Names> = LazyLock::new(|| Names::of(&LANGUAGE));

/// The grammar's names, read once: each query of the library measures and checks its text.
struct Names {
    /// Index = number of a kind of node.
    kinds: Vec<&'static str>,
    /// Index = number of a field.
    fields: Vec<Option<&'static str>>,
}

impl Names {
    fn of(language: &'static Language) -> Self {
        let mut kinds = Vec::new();
        for number in 0..language.node_kind_count() as u16 {
            kinds.push(language.node_kind_for_id(number).unwrap_or_default());
        }
        let mut fields = Vec::new();
        for number in 0..=language.field_count() as u16 {
            fields.push(language.field_name_for_id(number));
        }
        Names { kinds, fields }
    }

    /// The only kind without a row in the grammar is that of errors.
    fn kind(&self, number: u16) -> &'static str {
        let kind = self.kinds.get(usize::from(number));
        kind.copied().unwrap_or("ERROR")
    }
}

/// A tree without comments, as an array in preorder: the children of a node follow it, each behind the descendants of the one
/// before.
pub struct SyntaxTree {
    nodes: Vec<SyntaxNode>,
    /// Ranges that the parser could not read, and of tokens that it missed; by their starts.
    pub(super) errors: Vec<Range<usize>>,
    /// Ranges of the outermost units (or stray nodes) that contain errors; the whole text, if only the root does.
    pub(super) units_with_errors: Vec<Range<usize>>,
}

/// A node of a tree.
pub(super) struct SyntaxNode {
    /// The grammar's name of the node.
    pub(super) kind: &'static str,
    /// The grammar's name of its part in its parent.
    pub(super) field: Option<&'static str>,
    /// First byte.
    pub(super) start: u32,
    /// One past its last byte.
    pub(super) end: u32,
    /// One past its last descendant.
    last: u32,
    /// Whether it has a name in the grammar (is not a keyword or punctuation).
    pub(super) is_named: bool,
}

/// The position of a node in its tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeId(u32);

impl SyntaxTree {
    /// The tree of a text.
    pub(super) fn of(text: &[u8]) -> Self {
        Self::copied(&tree(text))
    }

    fn copied(tree: &Tree) -> Self {
        let root = tree.root_node();
        let (mut errors, mut units_with_errors) = (Vec::new(), Vec::new());
        if root.has_error() {
            collect_errors(root, &mut errors);
            collect_units_with_errors(root, &mut units_with_errors);
        }
        let mut nodes = Vec::new();
        add_node(&mut tree.walk(), &NAMES, &mut nodes);
        SyntaxTree {
            nodes,
            errors,
            units_with_errors,
        }
    }

    /// Whether the parser could not read all of the text.
    pub(super) fn has_error(&self) -> bool {
        // Each tree with an error has a unit that contains it, at least the root.
        !self.units_with_errors.is_empty()
    }

    /// The root.
    pub(super) fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// A node by its position.
    pub(super) fn node(&self, id: NodeId) -> &SyntaxNode {
        &self.nodes[id.0 as usize]
    }

    /// All children of a node but comments.
    pub(super) fn children(&self, of: NodeId) -> impl Iterator<Item = (NodeId, &SyntaxNode)> {
        let (mut next, last) = (of.0 + 1, self.node(of).last);
        std::iter::from_fn(move || {
            if next == last {
                return None;
            }
            let id = NodeId(next);
            let node = self.node(id);
            next = node.last;
            Some((id, node))
        })
    }
}

/// Adds the node at a cursor with its descendants. The cursor returns to the node.
fn add_node(cursor: &mut TreeCursor, names: &Names, nodes: &mut Vec<SyntaxNode>) {
    // A loop, since expressions nest as deeply as generated sources like.
    let mut open: Vec<usize> = Vec::new();
    loop {
        let node = cursor.node();
        // Errors are extra nodes, too.
        let is_comment = node.is_extra() && !node.is_error();
        if !is_comment {
            let range = node.byte_range();
            nodes.push(SyntaxNode {
                kind: names.kind(node.kind_id()),
                field: cursor
                    .field_id()
                    .and_then(|number| names.fields[usize::from(number.get())]),
                start: range.start as u32,
                end: range.end as u32,
                last: nodes.len() as u32 + 1,
                is_named: node.is_named(),
            });
            if cursor.goto_first_child() {
                open.push(nodes.len() - 1);
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            let Some(parent) = open.pop() else {
                return;
            };
            cursor.goto_parent();
            nodes[parent].last = nodes.len() as u32;
        }
    }
}

fn collect_errors(root: Node, errors: &mut Vec<Range<usize>>) {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if node.is_error() || node.is_missing() {
            errors.push(node.byte_range());
        } else if node.has_error() {
            let mut cursor = node.walk();
            stack.extend(node.children(&mut cursor));
        }
    }
    errors.sort_by_key(|range| range.start);
}

/// Ranges of the outermost units (or stray nodes) that contain errors.
fn collect_units_with_errors(root: Node, ranges: &mut Vec<Range<usize>>) {
    let mut cursor = root.walk();
    for child in root.children(&mut cursor) {
        if child.has_error() {
            ranges.push(child.byte_range());
        }
    }
    if root.is_error() || ranges.is_empty() {
        ranges.push(root.byte_range());
    }
}

/// The tree of a text.
pub(super) fn tree(text: &[u8]) -> Tree {
    let mut parser = Parser::new();
    // The grammar is compiled in with the same library: the versions always agree.
    parser
        .set_language(&LANGUAGE)
        .expect("the grammar fits the parser");
    parser.parse(text, None).expect("no timeout was set")
}

/// Which statements stand in definitions of types and interfaces, where others are allowed than
/// elsewhere.
pub fn inside_definitions(copy: &Copy, pieces: &[ScannedStatement]) -> Vec<bool> {
    let (mut within, mut interface) = (false, false);
    let mut inside = Vec::with_capacity(pieces.len());
    for piece in pieces {
        let tokens = piece_tokens(&copy.text, piece);
        let phrase = Phrase {
            text: &copy.text,
            tokens: &tokens,
        };
        let is_end = phrase.is(0, "end");
        interface |=
            phrase.is(0, "interface") || (phrase.is(0, "abstract") && phrase.is(1, "interface"));
        let is_enum = phrase.is(0, "enum") || is_end && phrase.is(1, "enum");
        // `type(t) :: x` declares a variable.
        let is_type = phrase.is(0, "type") && !phrase.is(1, "(") || is_end && phrase.is(1, "type");
        let definition = interface || is_enum || is_type;
        let closes_interface = phrase.is(0, "endinterface") || is_end && phrase.is(1, "interface");
        // Bodies of interfaces have ends of their own.
        let ends = if interface {
            closes_interface
        } else {
            phrase.lower(0).starts_with("end")
        };
        interface &= !closes_interface;
        let here = within || (definition && !phrase.is_assignment());
        within = here && !ends;
        inside.push(here);
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All nodes of the parser's tree but comments, in preorder.
    fn visited<'a>(node: Node<'a>, all: &mut Vec<Node<'a>>) {
        all.push(node);
        for child in children(node) {
            visited(child, all);
        }
    }

    fn children(node: Node) -> Vec<Node> {
        let mut cursor = node.walk();
        let mut children: Vec<Node> = node.children(&mut cursor).collect();
        children.retain(|child| !child.is_extra() || child.is_error());
        children
    }

    /// Children, ranges, kinds and fields are those of the parser's tree, for all sources of the tests.
    #[test]
    fn copied_tree_has_nodes_and_fields_of_the_parser() {
        let mut folders = vec![std::path::PathBuf::from("tests/ui")];
        let mut compared = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("the folder is readable") {
                let path = entry.expect("the entry is readable").path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "f90") {
                    compared += compare(&std::fs::read(path).expect("the file is readable"));
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    fn compare(text: &[u8]) -> usize {
        let tree = tree(text);
        let copied = SyntaxTree::copied(&tree);
        assert_eq!(copied.has_error(), tree.root_node().has_error());
        let mut all = Vec::new();
        visited(tree.root_node(), &mut all);
        assert_eq!(copied.nodes.len(), all.len());
        let language = tree.language();
        for (at, node) in all.iter().enumerate() {
            let id = NodeId(at as u32);
            let own = copied.node(id);
            assert_eq!((own.kind, own.is_named), (node.kind(), node.is_named()));
            let range = own.start as usize..own.end as usize;
            assert_eq!(range, node.byte_range());
            let mut positions = Vec::new();
            for child in children(*node) {
                positions.push(all.iter().position(|one| *one == child));
            }
            let mut found = Vec::new();
            for (child, _) in copied.children(id) {
                found.push(Some(child.0 as usize));
            }
            assert_eq!(found, positions);
            for number in 1..=language.field_count() as u16 {
                let name = language.field_name_for_id(number);
                let mut of_field = copied.children(id).filter(|(_, child)| child.field == name);
                let first = of_field.next().map(|(child, _)| all[child.0 as usize]);
                assert_eq!(
                    first,
                    node.child_by_field_id(number),
                    "{name:?} of {node:?}"
                );
            }
        }
        all.len()
    }
}
