//! Places for people: files by their own names, without folders, where that is unique. Two
//! sides name folders differently, and a report has little room.

use base_data::CallSiteId;
use base_data::block_table::{BlockTable, SourceSpan};

/// `cg.f:120` or `cg.f:120-134`.
pub(super) fn span(table: &BlockTable, span: &SourceSpan) -> String {
    let place = table.place(span);
    let Some(path) = table
        .files
        .get(span.file as usize)
        .map(|file| file.path.as_str())
    else {
        return place;
    };
    let own = own_name(path);
    let is_shared = table
        .files
        .iter()
        .any(|file| file.path != path && own_name(&file.path) == own);
    if is_shared {
        place
    } else {
        format!("{own}{}", &place[path.len()..])
    }
}

/// Place of a call site: `cg.f:120`, or `a.out+0x1f40` without sources.
pub(super) fn site(table: &BlockTable, id: CallSiteId) -> String {
    let known = table
        .call_sites
        .get(id.index())
        .and_then(|site| site.span.as_ref());
    known.map_or_else(|| table.site_place(id), |place| span(table, place))
}

/// A path without its folders.
pub(super) fn own_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::block_table::SourceFileInfo;

    #[test]
    fn folders_are_printed_only_for_ambiguous_files() {
        let file = |path: &str| SourceFileInfo {
            path: path.into(),
            digest: Default::default(),
        };
        let table = BlockTable {
            files: vec![
                file("/a/b/cg.f"),
                file("x/solve.f"),
                file("y/solve.f"),
                file("own.f"),
            ],
            ..BlockTable::default()
        };
        let place = |file| {
            span(
                &table,
                &SourceSpan {
                    file,
                    first_line: 3,
                    last_line: 4,
                    ..Default::default()
                },
            )
        };
        assert_eq!(
            [0, 1, 2, 3].map(place),
            ["cg.f:3-4", "x/solve.f:3-4", "y/solve.f:3-4", "own.f:3-4"]
        );
    }
}
