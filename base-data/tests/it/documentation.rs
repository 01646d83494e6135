//! The examples of `docs/internals/file-formats.md` are files that read.

use base_data::platform_file::PlatformFile;
use base_data::program_text;

const PAGE: &str = include_str!("../../../docs/internals/file-formats.md");

/// The fenced example in this language.
fn example(language: &str) -> &str {
    let (_, after) = PAGE.split_once(&format!("```{language}\n")).unwrap();
    after.split_once("```").unwrap().0
}

#[test]
fn program_text_reads() {
    let data = program_text::read(example("text")).unwrap();
    assert_eq!((data.ranks, data.classes.len()), (16, 2));
    assert_eq!(program_text::read(&program_text::write(&data)), Ok(data));
}

#[test]
fn platform_reads() {
    let platform = PlatformFile::parse(example("toml")).unwrap();
    assert_eq!((platform.nodes, platform.links.len()), (16, 2));
}
