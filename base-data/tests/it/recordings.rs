//! One small file of every kind and every version ever released: what was written once stays
//! readable. Beside each binary file stands what it holds, as text.
//!
//! When the format changes: raise `FORMAT_VERSION`, run
//! `cargo test -p base-data --test it write_recordings -- --ignored`, and keep the old folder.

use base_data::comm_data::CommData;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::explanation::Explanation;
use base_data::format::{FORMAT_VERSION, FileContent, FormatError, decode, encode};
use base_data::observation::Observation;
use base_data::platform_file::PlatformFile;
use base_data::program_data::ProgramData;
use base_data::program_text;
use std::path::PathBuf;

fn folder(version: u32) -> PathBuf {
    let recordings = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    recordings.join(format!("version-{version}"))
}

fn text(version: u32, name: &str) -> String {
    std::fs::read_to_string(folder(version).join(name)).unwrap()
}

fn recorded<T: FileContent>(version: u32) -> T {
    let path = folder(version).join(format!("{}.mpiete", T::KIND));
    decode(&std::fs::read(path).unwrap()).unwrap()
}

/// The binary file holds what the JSON beside it says.
fn check_json<T: FileContent>(version: u32) {
    let shown = serde_json::to_string_pretty(&recorded::<T>(version)).unwrap();
    assert_eq!(format!("{shown}\n"), text(version, &format!("{}.json", T::KIND)), "{}", T::KIND);
}

#[test]
fn version_1_reads() {
    check_unchanged_kinds(1);
    assert_eq!(refused::<Estimate>(1), Some(FormatError::Version { found: 1, oldest: 2 }));
    assert_eq!(refused::<Observation>(1), Some(FormatError::Version { found: 1, oldest: 2 }));
}

#[test]
fn version_2_reads() {
    check_unchanged_kinds(2);
    let mut shown: serde_json::Value = serde_json::from_str(&text(2, "estimate.json")).unwrap();
    let none = serde_json::to_value(Explanation::default()).unwrap();
    shown.as_object_mut().unwrap().insert("explanation".into(), none);
    assert_eq!(recorded::<Estimate>(2), serde_json::from_value(shown).unwrap());
    check_json::<Observation>(2);
}

#[test]
fn version_3_reads() {
    check_unchanged_kinds(3);
    check_json::<Estimate>(3);
    check_json::<Observation>(3);
}

#[test]
fn version_4_reads() {
    check_unchanged_kinds(4);
    check_json::<Estimate>(4);
    check_json::<Observation>(4);
}

/// The kinds whose types are those of version 1.
fn check_unchanged_kinds(version: u32) {
    let program = recorded::<ProgramData>(version);
    assert_eq!(program_text::write(&program), text(version, "program-data.txt"));
    assert_eq!(program_text::read(&text(version, "program-data.txt")), Ok(program));
    check_json::<ComputeData>(version);
    check_json::<CommData>(version);
}

/// The type has changed since: a sentence, not a misreading.
fn refused<T: FileContent>(version: u32) -> Option<FormatError> {
    let path = folder(version).join(format!("{}.mpiete", T::KIND));
    decode::<T>(&std::fs::read(path).unwrap()).err()
}

#[test]
fn version_1_of_a_platform_reads() {
    let platform = PlatformFile::parse(&text(1, "platform.toml")).unwrap();
    let shown = serde_json::to_string_pretty(&platform).unwrap();
    assert_eq!(format!("{shown}\n"), text(1, "platform.json"));
}

/// The texts are the source: the binary files are made from them, and they are put in order.
#[test]
#[ignore = "writes the recordings of a new version of the format"]
fn write_recordings() {
    let program = program_text::read(&text(FORMAT_VERSION, "program-data.txt")).unwrap();
    write(&program);
    write_from_json::<ComputeData>();
    write_from_json::<CommData>();
    write_from_json::<Estimate>();
    write_from_json::<Observation>();
    let platform = PlatformFile::parse(&text(FORMAT_VERSION, "platform.toml")).unwrap();
    write_text("platform.json", &platform);
}

fn write_from_json<T: FileContent>() {
    let name = format!("{}.json", T::KIND);
    let content: T = serde_json::from_str(&text(FORMAT_VERSION, &name)).unwrap();
    write_text(&name, &content);
    write(&content);
}

fn write_text(name: &str, content: &impl serde::Serialize) {
    let shown = serde_json::to_string_pretty(content).unwrap();
    std::fs::write(folder(FORMAT_VERSION).join(name), format!("{shown}\n")).unwrap();
}

fn write<T: FileContent>(content: &T) {
    let bytes = encode(content);
    assert!(decode::<T>(&bytes).is_ok());
    std::fs::write(folder(FORMAT_VERSION).join(format!("{}.mpiete", T::KIND)), bytes).unwrap();
}
