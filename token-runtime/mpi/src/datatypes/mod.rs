//! The datatypes of a rank by handle: predefined ones, and those that the program makes.
//!
//! `token_runtime::datatypes` defines datatypes. `constructors` and `arrays` contain the calls that make them,
//! `queries` and `contents` those that query them. `packing` moves the program's data at a `data_location`;
//! `pack_unpack` implements `MPI_Pack` and its relatives.

pub mod arrays;
pub mod constructors;
pub mod contents;
pub mod data_location;
pub mod pack_unpack;
pub mod packing;
pub mod queries;

use crate::event_stream::RankEventStream;
use crate::failure::{Failure, wrong};
use crate::process::Process;
use contents::{Combiner, Contents};
use std::rc::Rc;
use token_runtime::datatypes::Datatype;
use token_runtime::mpich::class;
use token_runtime::mpich::datatypes::{self, BASIC, COUNT, PAIRS, Predefined};

/// Handles of datatypes that the program made: kind in the top bits, a number below that leaves room
/// for predefined pairs.
const MADE: i32 = 0x8c00_0100u32 as i32;
/// `MPI_LB` and `MPI_UB`, the markers of MPI-1, which stand behind the predefined ones in the table.
const MARKERS: [i32; 2] = [0x4c00_0010, 0x4c00_0011];
/// Place in the table of the first that the program makes.
const FIRST_MADE: usize = COUNT + MARKERS.len();

/// Bytes behind an address that the program has queried within which its object ends: no array is larger. Displacements
/// that are no addresses are smaller than addresses.
const BEHIND: i64 = 1 << 40;

/// A datatype with its handle.
pub struct Type {
    /// Its layout and elements.
    pub data: Datatype,
    /// Its handle.
    pub handle: i32,
    /// Place in the table: predefined ones first.
    pub number: usize,
    /// Its row, if the standard defines it, or that of the standard's datatype that it is the same as.
    pub predefined: Option<&'static Predefined>,
    /// How it was made.
    pub contents: Contents,
    /// Whether its displacements are addresses.
    pub is_absolute: bool,
}

/// The table.
pub struct Datatypes {
    entries: Vec<Option<DatatypeEntry>>,
    /// The lowest and the highest address that the program has asked for.
    queried_addresses: Option<(i64, i64)>,
}

/// An entry of the table.
struct DatatypeEntry {
    datatype: Rc<Type>,
    is_committed: bool,
    /// Handles that the program has of it, and datatypes made of it.
    references: u32,
    name: Option<String>,
}

impl Datatypes {
    /// The predefined ones.
    pub fn new() -> Self {
        let rows = BASIC.iter().chain(PAIRS);
        let predefined = rows.map(|row| (row.handle, predefined(row), Some(row)));
        let markers = MARKERS
            .into_iter()
            .zip([Datatype::lower_marker(), Datatype::upper_marker()]);
        let all = predefined.chain(markers.map(|(handle, data)| (handle, data, None)));
        let entry = |(number, (handle, data, predefined))| {
            let contents = Contents::of(Combiner::Named);
            let datatype = Rc::new(Type {
                data,
                handle,
                number,
                predefined,
                contents,
                is_absolute: false,
            });
            Some(DatatypeEntry {
                datatype,
                is_committed: true,
                references: 1,
                name: None,
            })
        };
        Self {
            entries: all.enumerate().map(entry).collect(),
            queried_addresses: None,
        }
    }

    /// The program has queried an address (`MPI_Get_address`), which it may use as a displacement.
    pub fn record_queried_address(&mut self, address: i64) {
        let (lowest, highest) = self.queried_addresses.unwrap_or((address, address));
        self.queried_addresses = Some((lowest.min(address), highest.max(address)));
    }

    /// Whether the data of a datatype begin at a queried address, or behind one.
    fn begins_at_address(&self, data: &Datatype) -> bool {
        self.queried_addresses.is_some_and(|(lowest, highest)| {
            (lowest..highest.saturating_add(BEHIND)).contains(&data.true_lower())
        })
    }

    fn entry(&self, handle: i32) -> Result<&DatatypeEntry, Failure> {
        match number_of(handle)
            .and_then(|number| self.entries.get(number))
            .and_then(Option::as_ref)
        {
            Some(entry) => Ok(entry),
            None => wrong(
                class::TYPE,
                format!("{handle:#x} is no datatype of this rank"),
            ),
        }
    }

    fn entry_mut(&mut self, handle: i32) -> Result<&mut DatatypeEntry, Failure> {
        self.entry(handle)?;
        let number = number_of(handle).unwrap_or(usize::MAX);
        Ok(self.entries[number].as_mut().expect("entry has looked"))
    }

    /// Adds a datatype to the lowest free place.
    fn add(
        &mut self,
        data: Datatype,
        contents: Contents,
        predefined: Option<&'static Predefined>,
    ) -> Rc<Type> {
        for part in &contents.datatypes {
            self.entries[part.number]
                .as_mut()
                .expect("it is used")
                .references += 1;
        }
        let made = &self.entries[FIRST_MADE..];
        let number = FIRST_MADE + made.iter().position(Option::is_none).unwrap_or(made.len());
        if number == self.entries.len() {
            self.entries.push(None);
        }
        let handle = MADE + (number - FIRST_MADE) as i32;
        let is_absolute = self.begins_at_address(&data);
        let datatype = Rc::new(Type {
            data,
            handle,
            number,
            predefined,
            contents,
            is_absolute,
        });
        let kept = datatype.clone();
        self.entries[number] = Some(DatatypeEntry {
            datatype,
            is_committed: false,
            references: 1,
            name: None,
        });
        kept
    }

    /// One use less; an unused datatype is dropped.
    fn release(&mut self, number: usize) {
        let Some(entry) = &mut self.entries[number] else {
            return;
        };
        entry.references -= u32::from(number >= FIRST_MADE);
        if entry.references == 0 {
            let gone = self.entries[number].take();
            let parts = gone
                .iter()
                .flat_map(|gone| &gone.datatype.contents.datatypes);
            parts.for_each(|part| self.release(part.number));
        }
    }
}

/// The datatype of a predefined row.
fn predefined(row: &Predefined) -> Datatype {
    /// Fortran kinds that no type of C's is known for, which MPICH aligns to nothing.
    const UNALIGNED: [i32; 2] = [0x4c00_102b, 0x4c00_202c];
    match row.parts() {
        Some((value, index)) => Datatype::pair(value, index),
        None if UNALIGNED.contains(&row.handle) => {
            Datatype::basic(row.basic, row.extent).unaligned()
        }
        None => Datatype::basic(row.basic, row.extent),
    }
}

/// Place in the table of a handle.
fn number_of(handle: i32) -> Option<usize> {
    if let Some((number, _)) = datatypes::find(handle) {
        return Some(number);
    }
    if let Some(marker) = MARKERS.iter().position(|&marker| marker == handle) {
        return Some(COUNT + marker);
    }
    usize::try_from(handle.wrapping_sub(MADE))
        .ok()
        .map(|made| FIRST_MADE + made)
}

impl Process {
    /// A datatype for communication: it must be committed.
    pub fn datatype(&self, handle: i32) -> Result<&Rc<Type>, Failure> {
        let entry = self.datatypes.entry(handle)?;
        if !entry.is_committed {
            return wrong(
                class::TYPE,
                format!("the datatype {handle:#x} was not committed"),
            );
        }
        Ok(&entry.datatype)
    }

    /// A datatype to be asked about or built upon.
    pub fn any_datatype(&self, handle: i32) -> Result<&Rc<Type>, Failure> {
        self.datatypes.entry(handle).map(|entry| &entry.datatype)
    }

    /// Adds a datatype that the program makes; gives its handle.
    fn add_datatype(&mut self, data: Datatype, contents: Contents) -> i32 {
        self.add_datatype_like(data, contents, None)
    }

    /// The same, of one that the standard's reductions take as they take a predefined one.
    fn add_datatype_like(
        &mut self,
        data: Datatype,
        contents: Contents,
        predefined: Option<&'static Predefined>,
    ) -> i32 {
        let made = self.datatypes.add(data, contents, predefined);
        if let Some(known) = self
            .stream
            .as_mut()
            .and_then(|stream| stream.known_datatypes.get_mut(made.number))
        {
            *known = 0;
        }
        made.handle
    }
}

impl Type {
    /// The standard's name of it; empty if it has none.
    pub fn name(&self) -> &'static str {
        match MARKERS.iter().position(|&marker| marker == self.handle) {
            Some(marker) => ["MPI_LB", "MPI_UB"][marker],
            None => self
                .predefined
                .filter(|row| row.handle == self.handle)
                .map_or("", |row| row.name),
        }
    }

    /// As recordings describe it.
    pub fn canonical(&self) -> base_data::mpi::Datatype {
        match self.predefined {
            Some(row) => row.canonical(),
            None if self.is_absolute => self.data.canonical_anywhere(),
            None => self.data.canonical(),
        }
    }

    /// Bytes of data of so many elements.
    pub fn bytes(&self, count: u64) -> u64 {
        self.data.size().saturating_mul(count)
    }
}

impl RankEventStream {
    /// Index in the recording of a datatype.
    pub fn datatype_of(&mut self, datatype: &Type) -> u32 {
        match self.known_datatypes.get(datatype.number) {
            Some(&index) if index != 0 => index - 1,
            Some(_) | None => self.learn(datatype),
        }
    }

    #[cold]
    fn learn(&mut self, datatype: &Type) -> u32 {
        let canonical = datatype.canonical();
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
