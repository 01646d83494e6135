//! The datatypes of a rank by handle: predefined ones, and those that the program makes.
//!
//! What a datatype is, `token_runtime::datatypes` says; packing and unpacking are in `packing`.

pub mod packing;

use crate::failure::{Failure, wrong};
use crate::process::{Process, Stream};
use std::rc::Rc;
use token_runtime::datatypes::Datatype;
use token_runtime::mpich::class;
use token_runtime::mpich::datatypes::{self, BASIC, PAIRS, Predefined};

/// Handles of datatypes that the program made: kind in the top bits, a number below that leaves room
/// for predefined pairs.
const MADE: i32 = 0x8c00_0100u32 as i32;

/// A datatype with its handle.
pub struct Type {
    /// What it is.
    pub data: Datatype,
    /// Its handle.
    pub handle: i32,
    /// Place in the table: predefined ones first.
    pub number: usize,
    /// Its row, if the standard defines it.
    pub predefined: Option<&'static Predefined>,
}

/// The table.
pub struct Datatypes {
    entries: Vec<Option<Entry>>,
}

struct Entry {
    datatype: Rc<Type>,
    is_committed: bool,
}

impl Datatypes {
    /// The predefined ones.
    pub fn new() -> Self {
        let predefined = BASIC.iter().chain(PAIRS).enumerate().map(|(number, row)| {
            let data = Datatype::basic(row.basic, row.extent);
            let datatype = Rc::new(Type { data, handle: row.handle, number, predefined: Some(row) });
            Some(Entry { datatype, is_committed: true })
        });
        Self { entries: predefined.collect() }
    }

    fn entry(&self, handle: i32) -> Result<&Entry, Failure> {
        let number = number_of(handle);
        match number.and_then(|number| self.entries.get(number)).and_then(Option::as_ref) {
            Some(entry) => Ok(entry),
            None => wrong(class::TYPE, format!("{handle:#x} is no datatype of this rank")),
        }
    }
}

/// Place in the table of a handle.
fn number_of(handle: i32) -> Option<usize> {
    if let Some((number, _)) = datatypes::find(handle) {
        return Some(number);
    }
    let made = handle.wrapping_sub(MADE);
    usize::try_from(made).ok().map(|made| datatypes::COUNT + made)
}

impl Process {
    /// A datatype for communication: it must be committed.
    pub fn datatype(&self, handle: i32) -> Result<&Rc<Type>, Failure> {
        let entry = self.datatypes.entry(handle)?;
        if !entry.is_committed {
            return wrong(class::TYPE, format!("the datatype {handle:#x} was not committed"));
        }
        Ok(&entry.datatype)
    }

    /// A datatype to be asked about or built upon.
    pub fn any_datatype(&self, handle: i32) -> Result<&Rc<Type>, Failure> {
        self.datatypes.entry(handle).map(|entry| &entry.datatype)
    }
}

impl Type {
    /// Bytes of data of so many elements.
    pub fn bytes(&self, count: u64) -> u64 {
        self.data.size().saturating_mul(count)
    }
}

impl Stream {
    /// Index in the recording of a datatype.
    pub fn datatype_of(&mut self, datatype: &Type) -> u32 {
        match self.known_datatypes.get(datatype.number) {
            Some(&index) if index != 0 => index - 1,
            Some(_) | None => self.learn(datatype),
        }
    }

    #[cold]
    fn learn(&mut self, datatype: &Type) -> u32 {
        let canonical = match datatype.predefined {
            Some(row) => row.canonical(),
            None => datatype.data.canonical(),
        };
        let recorder = &mut self.recorder;
        let index = *self
            .datatype_indices
            .entry(canonical)
            .or_insert_with_key(|canonical| recorder.add_datatype(canonical.clone()));
        if self.known_datatypes.len() <= datatype.number {
            self.known_datatypes.resize(datatype.number + 1, 0);
        }
        self.known_datatypes[datatype.number] = index + 1;
        index
    }
}
