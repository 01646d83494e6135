//! How ranks under emulation and the host's engine exchange [`base_data::emulation`]'s messages: through a socket in the
//! run's folder, each message behind its length. One rank computes at a time, between an answer and its next
//! submissions. A rank sends submissions together, as a [`Batch`], when it needs the answer to the last of them.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};

/// The longest message, in bytes: a collective with a count for each of millions of ranks.
const MOST_BYTES: u32 = 1 << 28;
/// A message stands behind its length in so many bytes.
const LENGTH_BYTES: usize = 4;

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

/// Messages that are sent together.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Their length, and the messages one behind the other. Kept from batch to batch.
    bytes: Vec<u8>,
    messages: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self {
            bytes: vec![0; LENGTH_BYTES],
            messages: 0,
        }
    }
}

impl Batch {
    /// Appends a message.
    ///
    /// # Errors
    /// A message that has no form; there is none.
    pub fn push<T: Serialize>(&mut self, message: &T) -> Result<()> {
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(message, bytes).map_err(Error::other)?;
        self.messages += 1;
        Ok(())
    }

    /// How many messages it contains.
    pub fn messages(&self) -> usize {
        self.messages
    }

    /// Writes the messages, and is empty then.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn write(&mut self, stream: &mut impl Write) -> Result<()> {
        let length = (self.bytes.len() - LENGTH_BYTES) as u32;
        self.bytes[..LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        // In one piece, so that the other side is woken once.
        stream.write_all(&self.bytes)?;
        self.bytes.truncate(LENGTH_BYTES);
        self.messages = 0;
        Ok(())
    }
}

/// Reads messages that were sent together.
///
/// # Errors
/// Those of [`read_message`].
pub fn read_batch<T: for<'de> Deserialize<'de>>(
    stream: &mut impl Read,
    into: &mut VecDeque<T>,
) -> Result<()> {
    let bytes = read_bytes(stream)?;
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let (message, others) = postcard::take_from_bytes(rest).map_err(Error::other)?;
        into.push_back(message);
        rest = others;
    }
    Ok(())
}

/// Environment variable with the path of what ranks do with calls of a sampled procedure
/// ([`base_data::emulation::SampledTasks`], as [`crate::termination::write`] writes it).
pub const SAMPLED_TASKS: &str = "MPIETE_SAMPLED_TASKS";

/// Environment variable with the folder of the times of a slice's blocks ([`base_data::emulation::SlicedBlocks`], as
/// [`crate::termination::write`] writes it), which is a slice then.
pub const SLICED_BLOCKS: &str = "MPIETE_SLICED_BLOCKS";

/// Where a rank of a slice finds the times of its blocks, in their folder.
pub fn sliced_blocks_path(folder: &Path, rank: u32) -> PathBuf {
    folder.join(format!("blocks-{rank}"))
}

/// Writes a message.
///
/// # Errors
/// Those of the stream.
pub fn write_message<T: Serialize>(stream: &mut impl Write, message: &T) -> Result<()> {
    let mut batch = Batch::default();
    batch.push(message)?;
    batch.write(stream)
}

/// Reads a message.
///
/// # Errors
/// Those of the stream, among them its timeout before a message has begun, and bytes that are no message.
pub fn read_message<T: for<'de> Deserialize<'de>>(stream: &mut impl Read) -> Result<T> {
    postcard::from_bytes(&read_bytes(stream)?).map_err(Error::other)
}

fn read_bytes(stream: &mut impl Read) -> Result<Vec<u8>> {
    let mut length = [0; LENGTH_BYTES];
    let begun = read_some(stream, &mut length)?;
    read_rest(stream, &mut length[begun..])?;
    let length = u32::from_le_bytes(length);
    if length > MOST_BYTES {
        return Err(Error::other("a message is longer than any can be"));
    }
    let mut bytes = vec![0; length as usize];
    read_rest(stream, &mut bytes)?;
    Ok(bytes)
}

/// The first bytes of a message, and how many they are.
fn read_some(stream: &mut impl Read, bytes: &mut [u8]) -> Result<usize> {
    loop {
        match stream.read(bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// The rest of a message that has begun: its writer may be interrupted, so a timeout is no end.
fn read_rest(stream: &mut impl Read, mut bytes: &mut [u8]) -> Result<()> {
    while !bytes.is_empty() {
        match read_some(stream, bytes) {
            Ok(count) => bytes = &mut bytes[count..],
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether nothing came within a stream's timeout.
pub fn is_timeout(error: &Error) -> bool {
    [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind())
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

    #[test]
    fn messages_of_a_batch_arrive_together_and_the_batch_is_empty_then() {
        let mut batch = Batch::default();
        let mut bytes = Vec::new();
        for round in 0..2u32 {
            batch.push(&round).unwrap();
            batch.push(&(round + 10)).unwrap();
            assert_eq!(batch.messages(), 2);
            batch.write(&mut bytes).unwrap();
            assert_eq!(batch.messages(), 0);
        }
        let mut reader = &bytes[..];
        let mut read = VecDeque::new();
        read_batch::<u32>(&mut reader, &mut read).unwrap();
        assert_eq!(read, [0, 10]);
        read_batch::<u32>(&mut reader, &mut read).unwrap();
        assert_eq!(read, [0, 10, 1, 11]);
    }
}
