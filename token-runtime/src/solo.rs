//! Solo execution: ranks run sequentially and exchange data through files in the run's folder. A file contains the
//! contribution of each member of a communicator to a call whose result the program uses. A rank that enters
//! such a call before the contributions of the others exist ends and is run again later.
//!
//! The MPI library determines which calls can be replayed so; the supervisor determines the order of the ranks.

use crate::termination;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Exit code of a rank that must run again, because a contribution that it needs does not exist yet.
pub const RETRY_LATER: i32 = 72;
/// Exit code of a rank that has left what it was run for.
pub const GOAL_REACHED: i32 = 73;

/// File with the ranks that the host selects; without it, all ranks run.
pub fn selected_ranks_path(folder: &Path) -> PathBuf {
    folder.join("asked")
}

/// A call of all members of a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CollectiveCall {
    /// The communicator's context.
    pub context: u64,
    /// World rank of its first member, which distinguishes it from others of that context.
    pub leader: u32,
    /// How many such calls there were on it before.
    pub sequence: u64,
}

/// What a rank that came too early waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingContribution {
    /// The call.
    pub collective_call: CollectiveCall,
    /// World ranks of those who have to leave something there.
    pub from: Vec<u32>,
}

/// The folder of a run as the place where ranks leave things.
#[derive(Clone, Debug)]
pub struct ExchangeFolder {
    folder: PathBuf,
}

impl ExchangeFolder {
    /// In the folder of a run.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
        }
    }

    /// As long as the result lives, no other rank has it.
    pub fn lock(&self) -> io::Result<File> {
        let path = self.folder.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(file)
    }

    /// A member leaves pieces of data.
    pub fn write_pieces(
        &self,
        collective_call: CollectiveCall,
        member: u32,
        pieces: &Vec<Vec<u8>>,
    ) -> io::Result<()> {
        // Two processes of one rank never run at once.
        termination::write(&self.pieces_path(collective_call, member), pieces)
    }

    /// The pieces that a member has left; `None` if it has not been there yet.
    pub fn pieces(
        &self,
        collective_call: CollectiveCall,
        member: u32,
    ) -> io::Result<Option<Vec<Vec<u8>>>> {
        let Some(bytes) = existing(std::fs::read(self.pieces_path(collective_call, member)))?
        else {
            return Ok(None);
        };
        postcard::from_bytes(&bytes)
            .map(Some)
            .map_err(io::Error::other)
    }

    fn pieces_path(
        &self,
        CollectiveCall {
            context,
            leader,
            sequence,
        }: CollectiveCall,
        member: u32,
    ) -> PathBuf {
        self.folder
            .join(format!("given-{context:016x}-{leader}-{sequence}-{member}"))
    }

    /// A member leaves words; all members leave as many.
    pub fn write_words(
        &self,
        collective_call: CollectiveCall,
        member: u32,
        words: &[i64],
    ) -> io::Result<()> {
        let path = self.words_path(collective_call, words.len());
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;
        // The 1 marks the record as written: the bytes of members that have not written yet read as 0, a valid word.
        let record: Vec<u8> = [1]
            .iter()
            .chain(words)
            .flat_map(|word: &i64| word.to_ne_bytes())
            .collect();
        file.write_all_at(&record, u64::from(member) * record.len() as u64)
    }

    /// The words that each of so many members has left; `None` if not all have been there yet.
    pub fn words(
        &self,
        collective_call: CollectiveCall,
        members: u32,
        count: usize,
    ) -> io::Result<Option<Vec<Vec<i64>>>> {
        // The length first: a short file is incomplete, and need not be read.
        let bytes = existing(std::fs::metadata(self.words_path(collective_call, count)))?
            .map_or(0, |data| data.len());
        if bytes < u64::from(members) * (count as u64 + 1) * 8 {
            return Ok(None);
        }
        let records = self.records(collective_call, count)?;
        let all_are_there =
            records.len() == members as usize && records.iter().all(|record| record[0] == 1);
        if !all_are_there {
            return Ok(None);
        }
        // The first word of a record marks it as complete.
        let words = records.into_iter().map(|record| record[1..].to_vec());
        Ok(Some(words.collect()))
    }

    /// Members, of so many, that have not left their words yet.
    pub fn absent(
        &self,
        collective_call: CollectiveCall,
        members: u32,
        count: usize,
    ) -> io::Result<Vec<u32>> {
        let records = self.records(collective_call, count)?;
        let is_there = |member: &u32| {
            records
                .get(*member as usize)
                .is_some_and(|record| record[0] == 1)
        };
        Ok((0..members).filter(|member| !is_there(member)).collect())
    }

    /// Of each member as far as the last one that was there: 1 if it was, and its words.
    fn records(&self, collective_call: CollectiveCall, count: usize) -> io::Result<Vec<Vec<i64>>> {
        let bytes =
            existing(std::fs::read(self.words_path(collective_call, count)))?.unwrap_or_default();
        let (numbers, _) = bytes.as_chunks::<8>();
        let record = |record: &[[u8; 8]]| record.iter().map(|&n| i64::from_ne_bytes(n)).collect();
        Ok(numbers.chunks_exact(count + 1).map(record).collect())
    }

    fn words_path(
        &self,
        CollectiveCall {
            context,
            leader,
            sequence,
        }: CollectiveCall,
        count: usize,
    ) -> PathBuf {
        self.folder
            .join(format!("words-{context:016x}-{leader}-{sequence}-{count}"))
    }

    /// Ranks that the host has asked for.
    pub fn selected_ranks(&self) -> Option<Vec<u32>> {
        termination::read(&selected_ranks_path(&self.folder))
    }

    /// An early rank reports what it waits for: pieces of one member, or words of all. A report that another
    /// rank has written is not written again.
    pub fn report_missing(
        &self,
        collective_call: CollectiveCall,
        member: Option<u32>,
        from: impl FnOnce() -> io::Result<Vec<u32>>,
    ) -> io::Result<()> {
        let CollectiveCall {
            context,
            leader,
            sequence,
        } = collective_call;
        let member = member.map_or(-1, i64::from);
        let path = self
            .folder
            .join(format!("want-{context:016x}-{leader}-{sequence}-{member}"));
        // The lock covers the test and the write, because several early ranks may miss the same contribution.
        let _lock = self.lock()?;
        if path.exists() {
            Ok(())
        } else {
            termination::write(
                &path,
                &MissingContribution {
                    collective_call,
                    from: from()?,
                },
            )
        }
    }

    /// Reports that ranks have written since the last call.
    pub fn take_missing(&self) -> io::Result<Vec<MissingContribution>> {
        let mut missing = Vec::new();
        for path in self.paths()? {
            // A file with an extension is still being written.
            if named(&path).starts_with("want-") && path.extension().is_none() {
                missing.extend(termination::read::<MissingContribution>(&path));
                std::fs::remove_file(path)?;
            }
        }
        Ok(missing)
    }

    /// In an order that depends on names alone.
    fn paths(&self) -> io::Result<Vec<PathBuf>> {
        let paths = std::fs::read_dir(&self.folder)?.map(|entry| Ok(entry?.path()));
        let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
        paths.sort();
        Ok(paths)
    }

    /// Grows with everything that is left for the first time.
    pub fn entry_count(&self) -> io::Result<u64> {
        let mut entry_count = 0;
        for path in self.paths()? {
            let name = named(&path);
            if name.starts_with("given-") {
                entry_count += 1;
            } else if name.starts_with("words-") {
                let bytes = std::fs::read(&path)?;
                entry_count += bytes
                    .as_chunks::<8>()
                    .0
                    .iter()
                    .filter(|word| **word != [0; 8])
                    .count() as u64;
            }
        }
        Ok(entry_count)
    }
}

fn named(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

fn existing<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLLECTIVE_CALL: CollectiveCall = CollectiveCall {
        context: 7,
        leader: 2,
        sequence: 0,
    };

    #[test]
    fn words_are_complete_after_the_last_member() {
        let folder = tempfile::tempdir().unwrap();
        let exchange_folder = ExchangeFolder::new(folder.path());
        assert_eq!(exchange_folder.words(COLLECTIVE_CALL, 3, 2).unwrap(), None);
        let mut amounts = vec![exchange_folder.entry_count().unwrap()];
        for (member, key) in [(2, 0), (0, 5), (1, -1)] {
            assert_eq!(exchange_folder.words(COLLECTIVE_CALL, 3, 2).unwrap(), None);
            exchange_folder
                .write_words(COLLECTIVE_CALL, member, &[i64::from(member), key])
                .unwrap();
            amounts.push(exchange_folder.entry_count().unwrap());
        }
        assert!(
            amounts.is_sorted_by(|before, after| before < after),
            "{amounts:?}"
        );
        assert_eq!(
            exchange_folder
                .words(COLLECTIVE_CALL, 3, 2)
                .unwrap()
                .unwrap(),
            [[0, 5], [1, -1], [2, 0]]
        );
        for other in [
            CollectiveCall {
                sequence: 1,
                ..COLLECTIVE_CALL
            },
            CollectiveCall {
                leader: 1,
                ..COLLECTIVE_CALL
            },
        ] {
            assert_eq!(exchange_folder.words(other, 3, 2).unwrap(), None);
        }
    }

    #[test]
    fn pieces_are_stored_per_member_and_call() {
        let folder = tempfile::tempdir().unwrap();
        let exchange_folder = ExchangeFolder::new(folder.path());
        let pieces = vec![b"four".to_vec(), Vec::new()];
        exchange_folder
            .write_pieces(COLLECTIVE_CALL, 4, &pieces)
            .unwrap();
        assert_eq!(
            exchange_folder.pieces(COLLECTIVE_CALL, 4).unwrap(),
            Some(pieces)
        );
        assert_eq!(exchange_folder.pieces(COLLECTIVE_CALL, 3).unwrap(), None);
        assert_eq!(exchange_folder.entry_count().unwrap(), 1);
    }
}
