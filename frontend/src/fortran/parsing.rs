//! Parsing without lowering, to measure the parser's speed.

use super::{files, parse_tree, syntax};
use crate::source::dialect::Dialect;
use crate::source::{Loader, Sources};

/// Reads all files and what they include. Gives the texts that the parser was given, as it was given
/// them last.
pub fn parse(sources: &mut Sources, dialect: &Dialect, loader: &Loader) -> Vec<Vec<u8>> {
    let (files, _) = files::load(sources, dialect, loader, &mut Vec::new());
    files.parsed.iter().map(syntax::Parsed::given).collect()
}

/// Parses texts by the bare parser; gives how many nodes their trees have.
pub fn parse_bare(texts: &[Vec<u8>]) -> usize {
    texts
        .iter()
        .map(|text| parse_tree::tree(text).root_node().descendant_count())
        .sum()
}
