//! Info objects: keys with values, in the order in which they were set.

use crate::arguments::{Int, Out, TextIn, TextOut};
use crate::failure::{Failure, Outcome, wrong};
use crate::handle_tables::Basics;
use crate::process::Process;
use crate::rank_process;
use std::fs::File;
use std::os::unix::fs::FileExt;
use token_runtime::kernel::layout::header;
use token_runtime::mpich::{INFO_ENV, INFO_NULL, class};

/// Longest key and longest value, as MPICH's `MPI_MAX_INFO_KEY` and `MPI_MAX_INFO_VAL` have them.
const LONGEST_KEY: usize = 255;
const LONGEST_VALUE: usize = 1024;

/// Keys and values.
#[derive(Clone, Default)]
pub struct Info {
    entries: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Info {
    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries
            .iter()
            .find(|entry| entry.0 == key)
            .map(|entry| entry.1.as_slice())
    }

    /// Sets a key.
    pub fn set(&mut self, key: &[u8], value: &[u8]) {
        match self.entries.iter_mut().find(|entry| entry.0 == key) {
            Some(entry) => entry.1 = value.to_vec(),
            None => self.entries.push((key.to_vec(), value.to_vec())),
        }
    }

    /// Sets all keys of another one.
    pub fn set_all(&mut self, other: &Info) {
        other
            .entries
            .iter()
            .for_each(|(key, value)| self.set(key, value));
    }

    fn delete(&mut self, key: &[u8]) -> bool {
        let count = self.entries.len();
        self.entries.retain(|entry| entry.0 != key);
        self.entries.len() < count
    }
}

impl Basics {
    /// A copy of an info; of `MPI_INFO_NULL` an empty one.
    pub fn info(&self, handle: i32) -> Result<Info, Failure> {
        match handle {
            INFO_NULL => Ok(Info::default()),
            INFO_ENV => Ok(environment()),
            _ => match self.infos.get(handle) {
                Some(info) => Ok(info.clone()),
                None => wrong(class::INFO, format!("{handle:#x} is no info of this rank")),
            },
        }
    }

    fn own_info(&self, handle: i32) -> Result<Info, Failure> {
        match handle {
            INFO_NULL => wrong(class::INFO, "the info is MPI_INFO_NULL"),
            _ => self.info(handle),
        }
    }

    fn info_mut(&mut self, handle: i32) -> Result<&mut Info, Failure> {
        match self.infos.get_mut(handle) {
            Some(info) => Ok(info),
            None => wrong(
                class::INFO,
                format!("{handle:#x} is no info that this rank may change"),
            ),
        }
    }
}

impl Process {
    /// A copy of an info; of `MPI_INFO_NULL` an empty one.
    pub fn info(&self, handle: i32) -> Result<Info, Failure> {
        self.tables.basics.info(handle)
    }
}

/// What `MPI_INFO_ENV` says of how the program was started, before `MPI_Init`, too.
fn environment() -> Info {
    let mut info = Info::default();
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(command) = arguments.first() {
        info.set(b"command", command.as_bytes());
    }
    info.set(
        b"argv",
        arguments.get(1..).unwrap_or_default().join(" ").as_bytes(),
    );
    if let Some(ranks) = number_of_ranks() {
        info.set(b"maxprocs", ranks.to_string().as_bytes());
    }
    info
}

/// The number of ranks of the run, as its shared memory says; one if no host has started this process.
fn number_of_ranks() -> Option<u64> {
    let Some(settings) = rank_process::settings().ok()? else {
        return Some(1);
    };
    let mut word = [0; 8];
    File::open(settings.segment)
        .ok()?
        .read_exact_at(&mut word, header::RANKS * 8)
        .ok()?;
    Some(u64::from_ne_bytes(word))
}

fn key(key: &TextIn) -> Result<&[u8], Failure> {
    let bytes = if key.is_null() { &[] } else { key.bytes() };
    if bytes.is_empty() || bytes.len() > LONGEST_KEY {
        return wrong(
            class::INFO_KEY,
            format!(
                "a key of an info has 1 to {LONGEST_KEY} bytes, not {}",
                bytes.len()
            ),
        );
    }
    Ok(bytes)
}

/// Kinds of hardware that a rank is restricted to; all ranks are on one node, and smaller domains are not distinguished.
pub fn hardware(basics: &mut Basics, hw_info: Out) -> Outcome {
    let mut known = Info::default();
    known.set(b"mpi://mpi_shared_memory", b"true");
    hw_info.set(basics.infos.add(known));
    Ok(())
}

pub fn create(basics: &mut Basics, info: Out) -> Outcome {
    info.set(basics.infos.add(Info::default()));
    Ok(())
}

/// A new info with what `MPI_INFO_ENV` says.
pub fn environment_handle(basics: &mut Basics) -> i32 {
    let environment = environment();
    basics.infos.add(environment)
}

pub fn set(basics: &mut Basics, info: Int, name: TextIn, value: TextIn) -> Outcome {
    let name = key(&name)?;
    let value = value.bytes();
    if value.len() > LONGEST_VALUE {
        return wrong(
            class::INFO_VALUE,
            format!("a value of an info has at most {LONGEST_VALUE} bytes"),
        );
    }
    basics.info_mut(info.0)?.set(name, value);
    Ok(())
}

pub fn delete(basics: &mut Basics, info: Int, name: TextIn) -> Outcome {
    let bytes = key(&name)?;
    if basics.info_mut(info.0)?.delete(bytes) {
        return Ok(());
    }
    wrong(
        class::INFO_NOKEY,
        format!("the info has no key {:?}", name.text()),
    )
}

pub fn duplicate(basics: &mut Basics, info: Int, newinfo: Out) -> Outcome {
    let copy = basics.own_info(info.0)?;
    newinfo.set(basics.infos.add(copy));
    Ok(())
}

pub fn free(basics: &mut Basics, info: Out) -> Outcome {
    if basics.infos.remove(info.get()).is_none() {
        return wrong(
            class::INFO,
            format!("{:#x} is no info that this rank may free", info.get()),
        );
    }
    info.set(INFO_NULL);
    Ok(())
}

pub fn get(
    basics: &mut Basics,
    info: Int,
    name: TextIn,
    valuelen: Int,
    value: TextOut,
    flag: Out,
) -> Outcome {
    let info = basics.own_info(info.0)?;
    let found = info.get(key(&name)?);
    let Ok(length) = usize::try_from(valuelen.0) else {
        return wrong(
            class::INFO_VALUE,
            format!("the length of the value is {}", valuelen.0),
        );
    };
    flag.set(found.is_some().into());
    if let Some(found) = found {
        value.set(&found[..found.len().min(length)]);
    }
    Ok(())
}

pub fn get_string(
    basics: &mut Basics,
    info: Int,
    name: TextIn,
    buflen: Out,
    value: TextOut,
    flag: Out,
) -> Outcome {
    let info = basics.own_info(info.0)?;
    let found = info.get(key(&name)?);
    let Ok(room) = usize::try_from(buflen.get()) else {
        return wrong(
            class::ARG,
            format!("the length of the buffer is {}", buflen.get()),
        );
    };
    flag.set(found.is_some().into());
    if let Some(found) = found {
        if room > 0 {
            value.set_within(found, room);
        }
        buflen.set((found.len() + value.terminator()) as i32);
    }
    Ok(())
}

pub fn count_keys(basics: &mut Basics, info: Int, nkeys: Out) -> Outcome {
    nkeys.set(basics.own_info(info.0)?.entries.len() as i32);
    Ok(())
}

pub fn key_by_number(basics: &mut Basics, info: Int, n: Int, name: TextOut) -> Outcome {
    let info = basics.own_info(info.0)?;
    match usize::try_from(n.0).ok().and_then(|n| info.entries.get(n)) {
        Some(entry) => name.set(&entry.0),
        None => {
            return wrong(
                class::ARG,
                format!(
                    "the info has {} keys, none of number {}",
                    info.entries.len(),
                    n.0
                ),
            );
        }
    }
    Ok(())
}

pub fn value_length(
    basics: &mut Basics,
    info: Int,
    name: TextIn,
    valuelen: Out,
    flag: Out,
) -> Outcome {
    let info = basics.own_info(info.0)?;
    let found = info.get(key(&name)?);
    flag.set(found.is_some().into());
    if let Some(found) = found {
        valuelen.set(found.len() as i32);
    }
    Ok(())
}
