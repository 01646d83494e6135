//! Input/output statements as accesses to files that other processes share: the operation and the values of
//! STATUS=, ACTION= and POSITION= (Fortran 2018, 12.5.6). A computed value may be any.

use super::arguments::keyword_of;
use super::syntax::At;
use crate::ir::{IoOperation, Shared};

/// Specifiers of INQUIRE that do not depend on the file's contents.
const WITHOUT_CONTENTS: [&str; 13] = [
    "exist", "opened", "named", "number", "name", "unit", "file", "iostat", "iomsg", "err",
    "access", "form", "action",
];

/// Of a statement.
pub fn shared(operation: IoOperation, at: At) -> Shared {
    match operation {
        IoOperation::Read => Shared {
            reads: true,
            ..Shared::default()
        },
        IoOperation::Write => Shared {
            changes: true,
            ..Shared::default()
        },
        IoOperation::Open => opened(at),
        IoOperation::Close => closed(at),
        IoOperation::Position => Shared {
            changes: is_end_of_file(at),
            ..Shared::default()
        },
        IoOperation::Inquire => inquired(at),
    }
}

/// What a keyword argument says.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Word(String),
    Computed,
}

impl Said {
    fn is(&self, word: &str) -> bool {
        *self == Said::Word(word.into())
    }
}

fn said(at: At, keyword: &str) -> Said {
    let mut arguments = at
        .named()
        .into_iter()
        .filter(|part| part.is("keyword_argument"));
    let value = arguments.find(|one| keyword_of(*one).as_deref() == Some(keyword));
    match value.and_then(|argument| argument.field("value")) {
        None => Said::Nothing,
        Some(value) if value.is("string_literal") => Said::Word(
            value
                .name()
                .trim_matches(['\'', '"'])
                .trim_end()
                .to_ascii_lowercase(),
        ),
        Some(_) => Said::Computed,
    }
}

fn opened(at: At) -> Shared {
    let (status, reads) = (said(at, "status"), appends(&said(at, "position")));
    let only_reads = said(at, "action").is("read");
    match status {
        Said::Nothing => Shared {
            finds: only_reads,
            makes: !only_reads,
            reads,
            ..Shared::default()
        },
        Said::Word(word) => match word.as_str() {
            "unknown" => Shared {
                finds: only_reads,
                makes: !only_reads,
                reads,
                ..Shared::default()
            },
            "old" => Shared {
                finds: true,
                reads,
                ..Shared::default()
            },
            "replace" => Shared {
                makes: true,
                changes: true,
                reads,
                ..Shared::default()
            },
            "scratch" => Shared {
                is_private: true,
                ..Shared::default()
            },
            _ => anything(),
        },
        Said::Computed => anything(),
    }
}

fn anything() -> Shared {
    Shared {
        finds: true,
        reads: true,
        makes: true,
        changes: true,
        is_private: false,
    }
}

/// Whether what is in a file decides where it is opened.
fn appends(position: &Said) -> bool {
    match position {
        Said::Nothing => false,
        Said::Word(word) => word == "append",
        Said::Computed => true,
    }
}

fn closed(at: At) -> Shared {
    let deletes = match said(at, "status") {
        Said::Nothing => false,
        Said::Word(word) => word != "keep",
        Said::Computed => true,
    };
    Shared {
        makes: deletes,
        changes: deletes,
        ..Shared::default()
    }
}

fn inquired(at: At) -> Shared {
    let keywords: Vec<String> = at.named().into_iter().filter_map(keyword_of).collect();
    // The length of a record does not depend on a file.
    let of_file = !keywords.iter().any(|word| word == "iolength");
    let finds = keywords.iter().any(|word| word == "exist");
    let reads = keywords
        .iter()
        .any(|word| !WITHOUT_CONTENTS.contains(&word.as_str()));
    Shared {
        finds,
        reads: of_file && reads,
        ..Shared::default()
    }
}

fn is_end_of_file(at: At) -> bool {
    let text: String = at
        .name()
        .chars()
        .filter(|c| !c.is_whitespace())
        .take(7)
        .collect();
    text.eq_ignore_ascii_case("endfile")
}
