//! Readers take anything: arbitrary bytes, mutated files, mutated content under a right checksum.
//! They answer with content or an error, in little time and memory.

use crate::arbitrary::{Choices, choices};
use crate::{arbitrary_files, arbitrary_program};
use base_data::comm_data::CommData;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::Estimate;
use base_data::format::{
    FORMAT_VERSION, FileContent, FileKind, FormatError, decode, encode, kind_of,
};
use base_data::observation::Observation;
use base_data::platform_file::PlatformFile;
use base_data::program_data::ProgramData;
use base_data::rank_recording::RankRecording;
use base_data::{Digest, program_text};
use proptest::prelude::*;

const PLATFORM: &str = include_str!("../recordings/version-1/platform.toml");
const PROGRAM: &str = include_str!("../recordings/version-1/program-data.txt");

/// Every reader on the same bytes; none may panic.
fn read_all(bytes: &[u8]) {
    let _ = kind_of(bytes);
    let _ = decode::<ProgramData>(bytes);
    let _ = decode::<ComputeData>(bytes);
    let _ = decode::<CommData>(bytes);
    let _ = decode::<Estimate>(bytes);
    let _ = decode::<Observation>(bytes);
    let text = String::from_utf8_lossy(bytes);
    let _ = PlatformFile::parse(&text);
    let _ = program_text::read(&text);
}

fn file_of(kind: FileKind, choices: &mut Choices) -> Vec<u8> {
    match kind {
        FileKind::ProgramData => encode(&arbitrary_program::program_data(choices)),
        FileKind::ComputeData => encode(&arbitrary_files::compute_data(choices)),
        FileKind::CommData => encode(&arbitrary_files::comm_data(choices)),
        FileKind::Estimate => encode(&arbitrary_files::estimate(choices)),
        FileKind::Observation => encode(&arbitrary_files::observation(choices)),
    }
}

/// Overwrites, removes and repeats some bytes.
fn mutate(bytes: &mut Vec<u8>, changes: &[(u16, u8, u8)]) {
    for &(place, byte, kind) in changes {
        let at = usize::from(place) * bytes.len() / 65536;
        match kind % 4 {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => bytes.truncate(at),
            2 => bytes.insert(at, byte),
            _ => {
                let end = (at + usize::from(byte)).min(bytes.len());
                bytes.extend_from_within(at..end);
            }
        }
    }
}

/// A file around `raw` whose header and checksum fit it.
fn sealed(kind: FileKind, raw: &[u8]) -> Vec<u8> {
    let body = miniz_oxide::deflate::compress_to_vec(raw, 6);
    let (length, inflated, checksum) = (body.len(), raw.len(), Digest::of(&body));
    let header = format!("mpiete {kind} {FORMAT_VERSION} {length} {inflated} {checksum}\n");
    [header.into_bytes(), body].concat()
}

fn raw_of(file: &[u8]) -> Vec<u8> {
    let body = file.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    miniz_oxide::inflate::decompress_to_vec(&file[body..]).unwrap()
}

fn changes() -> impl Strategy<Value = Vec<(u16, u8, u8)>> {
    prop::collection::vec(any::<(u16, u8, u8)>(), 1..6)
}

fn kind() -> impl Strategy<Value = FileKind> {
    prop::sample::select(FileKind::ALL.to_vec())
}

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&bytes);
    }

    #[test]
    fn arbitrary_content(kind in kind(), raw in prop::collection::vec(any::<u8>(), 0..400)) {
        read_all(&sealed(kind, &raw));
        let _ = postcard::from_bytes::<RankRecording>(&raw);
    }

    #[test]
    fn altered_files_are_refused(kind in kind(), mut choices in choices(), changes in changes()) {
        let original = file_of(kind, &mut choices);
        let mut bytes = original.clone();
        mutate(&mut bytes, &changes);
        read_all(&bytes);
        if bytes != original && kind == FileKind::ProgramData {
            prop_assert!(decode::<ProgramData>(&bytes).is_err());
        }
    }

    #[test]
    fn altered_content(kind in kind(), mut choices in choices(), changes in changes()) {
        let mut raw = raw_of(&file_of(kind, &mut choices));
        mutate(&mut raw, &changes);
        read_all(&sealed(kind, &raw));
    }

    #[test]
    fn altered_texts(changes in changes(), platform in any::<bool>()) {
        let mut text = if platform { PLATFORM } else { PROGRAM }.as_bytes().to_vec();
        mutate(&mut text, &changes);
        read_all(&text);
    }

    /// What a text reader accepts is written and read again without loss, however it was spelled.
    #[test]
    fn accepted_texts_are_stable(mut choices in choices(), changes in changes()) {
        let mut text = program_text::write(&arbitrary_program::program_data(&mut choices)).into_bytes();
        mutate(&mut text, &changes);
        if let Ok(read) = program_text::read(&String::from_utf8_lossy(&text)) {
            prop_assert_eq!(program_text::read(&program_text::write(&read)), Ok(read));
        }
    }
}

/// Address space of this process at its peak, in KiB; `None` where the system does not tell.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| {
        line.strip_prefix("VmPeak:")?
            .trim()
            .strip_suffix(" kB")?
            .trim()
            .parse()
            .ok()
    })
}

#[test]
fn announced_sizes_are_checked() {
    let before = peak_kib();
    // Provenance begins with a text: its length says 2^60 bytes.
    let raw = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];
    for kind in FileKind::ALL {
        read_all(&sealed(kind, &raw));
    }
    let bomb = format!(
        "mpiete estimate {FORMAT_VERSION} 1 {} {}\nx",
        u64::MAX,
        Digest::of(b"x")
    );
    assert_eq!(
        decode::<Estimate>(bomb.as_bytes()),
        Err(FormatError::Content("impossible size".into()))
    );
    let far = [
        "class 0-4294967294",
        "table 4294967295 = 1",
        "class 0\nloop 18446744073709551615\nbarrier\nend",
    ];
    for line in far {
        let _ = program_text::read(&format!("mpiete program text 1\nranks 4294967295\n{line}"));
    }
    if let (Some(before), Some(after)) = (before, peak_kib()) {
        assert!(after - before < 1 << 20, "{} KiB more", after - before);
    }
}

#[test]
fn refusals_are_sentences() {
    let file = encode(&CommData::default());
    let cases: [(Vec<u8>, &str); 4] = [
        (b"program ep".to_vec(), "is not a file of mpiete"),
        (
            encode(&ComputeData::default()),
            "contains compute-data, expected comm-data",
        ),
        (
            file[..file.len() - 1].to_vec(),
            "is truncated or has text appended",
        ),
        (
            format!("mpiete comm-data 9 0 0 {}\n", Digest::default()).into_bytes(),
            "has format version 9",
        ),
    ];
    for (bytes, beginning) in cases {
        let error = decode::<CommData>(&bytes).unwrap_err().to_string();
        assert!(error.starts_with(beginning), "{error}");
    }
    assert_eq!(CommData::KIND, kind_of(&file).unwrap());
}
