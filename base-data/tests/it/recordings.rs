//! One small file of every kind and every version ever released: what was written once stays
//! readable. Beside each binary file stands what it holds, as text.
//!
//! When the format changes: raise `FORMAT_VERSION`, copy the texts of the newest folder, change them as the format requires, run
//! `cargo xtask write-recordings`, and keep the old folder.

use base_data::comm_data::CommData;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::explanation::Explanation;
use base_data::format::{FileContent, FormatError, decode};
use base_data::observation::Observation;
use base_data::platform_file::PlatformFile;
use base_data::program_data::ProgramData;
use base_data::program_text;
use serde::de::DeserializeOwned;
use serde_json::Value;
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
    assert_eq!(
        format!("{shown}\n"),
        text(version, &format!("{}.json", T::KIND)),
        "{}",
        T::KIND
    );
}

#[test]
fn version_1_reads() {
    check_unchanged_kinds(1);
    assert_eq!(
        refused::<Estimate>(1),
        Some(FormatError::Version {
            found: 1,
            oldest: 2
        })
    );
    assert_eq!(
        refused::<Observation>(1),
        Some(FormatError::Version {
            found: 1,
            oldest: 2
        })
    );
}

#[test]
fn version_2_reads() {
    check_unchanged_kinds(2);
    let mut shown: Value = serde_json::from_str(&text(2, "estimate.json")).unwrap();
    let none = serde_json::to_value(Explanation::default()).unwrap();
    shown
        .as_object_mut()
        .unwrap()
        .insert("explanation".into(), none);
    add_memory(&mut shown["program"]);
    add_list(&mut shown, "unsteady_blocks");
    assert_eq!(
        recorded::<Estimate>(2),
        serde_json::from_value(shown).unwrap()
    );
    assert_eq!(recorded::<Observation>(2), with_memory(2, "observation"));
}

#[test]
fn version_3_reads() {
    check_unchanged_kinds(3);
    assert_eq!(recorded::<Estimate>(3), estimate(3));
    assert_eq!(recorded::<Observation>(3), with_memory(3, "observation"));
}

#[test]
fn version_4_reads() {
    check_unchanged_kinds(4);
    assert_eq!(recorded::<Estimate>(4), estimate(4));
    assert_eq!(recorded::<Observation>(4), with_memory(4, "observation"));
}

#[test]
fn version_5_reads() {
    check_program_text(5);
    check_json::<ComputeData>(5);
    check_json::<CommData>(5);
    check_json::<Estimate>(5);
    check_json::<Observation>(5);
}

/// The text of a file that holds program data, which had no requested memory before version 5.
fn with_memory<T: DeserializeOwned>(version: u32, name: &str) -> T {
    let mut shown: Value = serde_json::from_str(&text(version, &format!("{name}.json"))).unwrap();
    add_memory(&mut shown["program"]);
    serde_json::from_value(shown).unwrap()
}

/// The same of an estimate, which had no blocks that do not follow their work terms, either.
fn estimate(version: u32) -> Estimate {
    let mut shown: Value = serde_json::from_str(&text(version, "estimate.json")).unwrap();
    add_memory(&mut shown["program"]);
    add_list(&mut shown, "unsteady_blocks");
    serde_json::from_value(shown).unwrap()
}

fn add_memory(shown: &mut Value) {
    add_list(shown, "requested_memory");
}

fn add_list(shown: &mut Value, name: &str) {
    shown
        .as_object_mut()
        .unwrap()
        .insert(name.into(), Value::Array(Vec::new()));
}

/// The kinds whose types are those of version 1, requested memory excepted.
fn check_unchanged_kinds(version: u32) {
    check_program_text(version);
    let mut shown: Value = serde_json::from_str(&text(version, "compute-data.json")).unwrap();
    add_memory(&mut shown);
    assert_eq!(
        recorded::<ComputeData>(version),
        serde_json::from_value(shown).unwrap()
    );
    check_json::<CommData>(version);
}

fn check_program_text(version: u32) {
    let program = recorded::<ProgramData>(version);
    assert_eq!(
        program_text::write(&program),
        text(version, "program-data.txt")
    );
    assert_eq!(
        program_text::read(&text(version, "program-data.txt")),
        Ok(program)
    );
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
