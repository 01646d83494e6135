//! The container all binary files are written in: one line of text that describes the rest,
//! then the deflated content. `head -1 FILE` shows kind, version and size to a person.
//!
//! ```text
//! mpiete program-data 1 <bytes that follow> <bytes inflated> <XXH3-128 of what follows>\n
//! ```
//!
//! Readers take arbitrary bytes: a wrong file is an error, never a panic and never an allocation
//! that its own size does not justify.

use crate::ids::Digest;
use serde::{Serialize, de::DeserializeOwned};

/// Version written into headers. A change of any type below raises it and keeps one file of the
/// old version in `tests/recordings/`; a kind whose type changed says so in [`FileContent::OLDEST`].
pub const FORMAT_VERSION: u32 = 5;

/// Deflate cannot shrink more than about 1032 to 1.
const LARGEST_RATIO: u64 = 1100;

/// Kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// Program base data.
    ProgramData,
    /// Computation base data.
    ComputeData,
    /// Communication base data.
    CommData,
    /// An estimate.
    Estimate,
    /// An observed run.
    Observation,
}

impl FileKind {
    /// All kinds.
    pub const ALL: [FileKind; 5] = [
        FileKind::ProgramData,
        FileKind::ComputeData,
        FileKind::CommData,
        FileKind::Estimate,
        FileKind::Observation,
    ];

    /// Its word in headers and messages.
    pub fn word(self) -> &'static str {
        match self {
            FileKind::ProgramData => "program-data",
            FileKind::ComputeData => "compute-data",
            FileKind::CommData => "comm-data",
            FileKind::Estimate => "estimate",
            FileKind::Observation => "observation",
        }
    }
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

/// A type that has a kind of file.
pub trait FileContent: Serialize + DeserializeOwned {
    /// Which.
    const KIND: FileKind;
    /// How hard its content is deflated, from 1 to 9. Small files are kept for long and copied; large ones are
    /// written often, and most of the time of writing them would be spent on their last percents.
    const DEFLATE_LEVEL: u8 = 6;
    /// Oldest version with the type of today.
    const OLDEST: u32 = 1;

    /// The content of a file of an older version as it would be written today, without anything in what that
    /// version had not. `None` if it is no such content.
    fn renewed(_version: u32, content: Vec<u8>) -> Option<Vec<u8>> {
        Some(content)
    }

    /// Whether all ids and sizes inside are within their tables: what a reader may rely on.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Why bytes are not a readable file. Each is a sentence that continues "FILE …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// No header of ours.
    #[error(
        "is not a file of mpiete: its first line is not 'mpiete KIND VERSION …'; name a file that `mpiete record`, `measure`, `calibrate` or `estimate` wrote"
    )]
    NotOurs,
    /// Another kind than asked for.
    #[error("contains {found}, expected {expected}")]
    Kind {
        /// What the header says.
        found: String,
        /// What was asked for.
        expected: FileKind,
    },
    /// Another version.
    #[error(
        "has format version {found}, this version of mpiete reads {oldest} to {FORMAT_VERSION} of its kind; make it again or use the mpiete that wrote it"
    )]
    Version {
        /// What the header says.
        found: u32,
        /// Oldest that is read.
        oldest: u32,
    },
    /// Fewer or more bytes than the header says.
    #[error(
        "is truncated or has text appended: its header announces {expected} bytes, {found} follow; copy it again or make it again"
    )]
    Length {
        /// What the header says.
        expected: u64,
        /// What is there.
        found: u64,
    },
    /// Checksum differs.
    #[error(
        "was altered after it was written: its checksum does not fit; copy it again or make it again"
    )]
    Checksum,
    /// The checksum fits but the content does not.
    #[error("has content that does not fit its header ({0}); make it again")]
    Content(String),
}

/// The bytes of a part of a file.
pub(crate) fn encoded<T: Serialize>(part: &T) -> Vec<u8> {
    postcard::to_stdvec(part).expect("our types serialise without error into memory")
}

/// The bytes of a file with this content. Same content, same bytes.
pub fn encode<T: FileContent>(content: &T) -> Vec<u8> {
    let raw = encoded(content);
    // Same content gives same bytes only with this compressor and level.
    let body = miniz_oxide::deflate::compress_to_vec(&raw, T::DEFLATE_LEVEL);
    let header = Header {
        kind: T::KIND.word().into(),
        version: FORMAT_VERSION,
        length: body.len() as u64,
        inflated: raw.len() as u64,
        checksum: Digest::of(&body),
    };
    [format!("{header}\n").into_bytes(), body].concat()
}

/// The kind of file `bytes` claim to be, from the header alone.
pub fn kind_of(bytes: &[u8]) -> Result<FileKind, FormatError> {
    let (header, _) = split_header(bytes)?;
    FileKind::ALL
        .into_iter()
        .find(|kind| kind.word() == header.kind)
        .ok_or(FormatError::NotOurs)
}

/// The content of `bytes`.
pub fn decode<T: FileContent>(bytes: &[u8]) -> Result<T, FormatError> {
    let (header, body) = split_header(bytes)?;
    if header.kind != T::KIND.word() {
        return Err(FormatError::Kind {
            found: header.kind,
            expected: T::KIND,
        });
    }
    if !(T::OLDEST..=FORMAT_VERSION).contains(&header.version) {
        return Err(FormatError::Version {
            found: header.version,
            oldest: T::OLDEST,
        });
    }
    let found = body.len() as u64;
    if header.length != found {
        return Err(FormatError::Length {
            expected: header.length,
            found,
        });
    }
    if Digest::of(body) != header.checksum {
        return Err(FormatError::Checksum);
    }
    // A header alone must not make the reader allocate: the announced size must be one that these bytes can
    // inflate to.
    if header.inflated > (found + 64).saturating_mul(LARGEST_RATIO) {
        return Err(FormatError::Content("impossible size".into()));
    }
    let raw = miniz_oxide::inflate::decompress_to_vec_with_limit(body, header.inflated as usize)
        .ok()
        .filter(|raw| raw.len() as u64 == header.inflated)
        .ok_or_else(|| FormatError::Content("it does not inflate to what was announced".into()))?;
    let raw = T::renewed(header.version, raw).ok_or_else(|| {
        FormatError::Content(format!("it is no content of version {}", header.version))
    })?;
    let (content, rest): (T, &[u8]) =
        postcard::take_from_bytes(&raw).map_err(|error| FormatError::Content(error.to_string()))?;
    // Postcard has no end mark, so bytes of a longer type would be ignored silently.
    if !rest.is_empty() {
        return Err(FormatError::Content("bytes are left over".into()));
    }
    content.check().map_err(FormatError::Content)?;
    Ok(content)
}

struct Header {
    kind: String,
    version: u32,
    length: u64,
    inflated: u64,
    checksum: Digest,
}

fn split_header(bytes: &[u8]) -> Result<(Header, &[u8]), FormatError> {
    // Headers are shorter; a file of another kind is not searched to its end.
    let end = bytes
        .iter()
        .take(200)
        .position(|&byte| byte == b'\n')
        .ok_or(FormatError::NotOurs)?;
    let line = std::str::from_utf8(&bytes[..end]).map_err(|_| FormatError::NotOurs)?;
    let header = parse_header(line).ok_or(FormatError::NotOurs)?;
    Ok((header, &bytes[end + 1..]))
}

fn parse_header(line: &str) -> Option<Header> {
    let mut words = line.split(' ');
    if words.next()? != "mpiete" {
        return None;
    }
    let header = Header {
        kind: words.next()?.to_string(),
        version: words.next()?.parse().ok()?,
        length: words.next()?.parse().ok()?,
        inflated: words.next()?.parse().ok()?,
        checksum: words.next()?.parse().ok()?,
    };
    // A number spelled in another way is an altered file.
    if header.to_string() != line {
        return None;
    }
    Some(header)
}

impl std::fmt::Display for Header {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            kind,
            version,
            length,
            inflated,
            checksum,
        } = self;
        write!(f, "mpiete {kind} {version} {length} {inflated} {checksum}")
    }
}
