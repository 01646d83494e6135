//! How ranks under emulation and the host's engine exchange [`base_data::emulation`]'s messages: through a socket in the
//! run's folder, each message behind its length. One rank computes at a time, between an answer and its next
//! submission.

use serde::{Deserialize, Serialize};
use std::io::{Error, Read, Result, Write};
use std::path::{Path, PathBuf};

/// The longest message, in bytes: a collective with a count for each of millions of ranks.
const MOST_BYTES: u32 = 1 << 28;

/// The engine's socket in the folder of a run.
pub fn socket_path(folder: &Path) -> PathBuf {
    folder.join("engine")
}

/// Where a rank leaves [`base_data::emulation::EmulatedRank`].
pub fn emulated_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("emulated-{rank}"))
}

/// Where a rank finds the times that it is to compute, if they are given.
pub fn given_times_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("times-{rank}"))
}

/// Writes a message.
///
/// # Errors
/// Those of the stream.
pub fn write_message<T: Serialize>(stream: &mut impl Write, message: &T) -> Result<()> {
    let mut bytes = vec![0; 4];
    bytes = postcard::to_extend(message, bytes).map_err(Error::other)?;
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    // In one piece, so that the other side is woken once.
    stream.write_all(&bytes)
}

/// Reads a message.
///
/// # Errors
/// Those of the stream, among them its timeout before a message has begun, and bytes that are no message.
pub fn read_message<T: for<'de> Deserialize<'de>>(stream: &mut impl Read) -> Result<T> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > MOST_BYTES {
        return Err(Error::other("a message is longer than any can be"));
    }
    let mut bytes = vec![0; length as usize];
    stream.read_exact(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(Error::other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::Time;
    use base_data::emulation::{Query, Submission};

    #[test]
    fn messages_round_trip() {
        let submission = Submission {
            computed: Time::from_nanoseconds(5),
            query: Query::Any(vec![1, 2]),
            ..Submission::default()
        };
        let mut bytes = Vec::new();
        write_message(&mut bytes, &submission).unwrap();
        write_message(&mut bytes, &7u32).unwrap();
        let mut reader = &bytes[..];
        assert_eq!(read_message::<Submission>(&mut reader).unwrap(), submission);
        assert_eq!(read_message::<u32>(&mut reader).unwrap(), 7);
        assert!(read_message::<u32>(&mut reader).is_err());
    }
}
