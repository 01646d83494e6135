//! The program's data into blocks of the heap and out of them, in the order of the datatype. The
//! data of a contiguous datatype are one copy.

use super::Type;
use crate::arguments::{Buffer, Section};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{Level, Process};
use crate::segment::Segment;
use std::rc::Rc;
use token_runtime::kernel::heap;
use token_runtime::mpich::class;

/// Addresses below this are no data but a null pointer with a displacement.
const FIRST_PAGE: i64 = 4096;

/// Where the program's data are, beyond the call that names them.
#[derive(Clone)]
pub enum Place {
    /// At this address; null is `MPI_BOTTOM`.
    At(*mut u8),
    /// In the elements of a section of an array, one after the other.
    Section(Rc<Elements>),
}

/// The elements of a section of an array.
pub struct Elements {
    start: *mut u8,
    /// Bytes of each.
    bytes: usize,
    /// Extent and distance in bytes, the dimension that varies fastest first.
    shape: Vec<(usize, isize)>,
}

impl Place {
    /// Where a buffer's data are; `MPI_IN_PLACE` is no place.
    pub fn of(buffer: Buffer) -> Result<Self, Failure> {
        match buffer {
            Buffer::At(address) => Ok(Self::At(address)),
            Buffer::Section(section) => Ok(Self::Section(Rc::new(Elements::of(section)))),
            Buffer::InPlace => wrong(class::BUFFER, "MPI_IN_PLACE is not allowed here"),
        }
    }
}

impl Elements {
    fn of(section: Section) -> Self {
        Self { start: section.start, bytes: section.element_bytes(), shape: section.shape().collect() }
    }

    /// Addresses of the elements in order. The last dimension ends where nobody asks for more.
    fn addresses(&self) -> impl Iterator<Item = *mut u8> + '_ {
        (0..).map(|number| {
            let (mut rest, mut at, last) = (number, 0, self.shape.len().saturating_sub(1));
            for (dimension, &(extent, distance)) in self.shape.iter().enumerate() {
                let index = if dimension == last { rest } else { rest % extent.max(1) };
                at += index as isize * distance;
                rest /= extent.max(1);
            }
            self.start.wrapping_offset(at)
        })
    }

    /// A copy of as many elements as hold so many bytes.
    fn gathered(&self, bytes: usize) -> Vec<u8> {
        let mut copy = Vec::with_capacity(bytes);
        for from in self.addresses().take(bytes.div_ceil(self.bytes.max(1))) {
            // SAFETY: the program says that its section has the elements of the call.
            copy.extend_from_slice(unsafe { std::slice::from_raw_parts(from, self.bytes) });
        }
        copy
    }

    /// Copies elements back.
    fn scatter(&self, copy: &[u8]) {
        for (part, to) in copy.chunks(self.bytes.max(1)).zip(self.addresses()) {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(part.as_ptr(), to, part.len()) };
        }
    }
}

/// Bytes from a buffer's address up to the end of the data of `count` elements.
fn reach(count: u64, datatype: &Type) -> usize {
    usize::try_from(datatype.data.span(count).1).unwrap_or(0)
}

/// The address that the displacements of `count` elements count from. A null pointer is
/// `MPI_BOTTOM`, which needs a datatype with absolute addresses.
fn checked(address: *mut u8, count: u64, datatype: &Type) -> Result<*mut u8, Failure> {
    let is_absolute = || datatype.bytes(count) == 0 || datatype.data.span(count).0 >= FIRST_PAGE;
    if !address.is_null() || is_absolute() {
        return Ok(address);
    }
    wrong(class::BUFFER, format!("the buffer is a null pointer, for {} bytes", datatype.bytes(count)))
}

/// Whether data can be at this place.
pub fn check(place: &Place, count: u64, datatype: &Type) -> Outcome {
    match place {
        Place::At(address) => checked(*address, count, datatype).map(|_| ()),
        Place::Section(_) => Ok(()),
    }
}

/// The packed data of `count` elements of a place that was checked.
pub fn gathered(place: &Place, count: u64, datatype: &Type) -> Vec<u8> {
    let copy;
    let from = match place {
        Place::At(from) => from.cast_const(),
        Place::Section(elements) => {
            copy = elements.gathered(reach(count, datatype));
            copy.as_ptr()
        }
    };
    let mut packed = Vec::with_capacity(datatype.bytes(count) as usize);
    datatype.data.rows(count, datatype.bytes(count), |at, length| {
        // SAFETY: the program says that its buffer has the elements of the call.
        let row = unsafe { std::slice::from_raw_parts(from.wrapping_offset(at as isize), length as usize) };
        packed.extend_from_slice(row);
    });
    packed
}

/// Packed data become `count` elements of a place that was checked.
pub fn scatter(packed: &[u8], place: &Place, count: u64, datatype: &Type) {
    let mut copy = match place {
        Place::At(_) => Vec::new(),
        Place::Section(elements) => elements.gathered(reach(count, datatype)),
    };
    let to = if let Place::At(to) = place { *to } else { copy.as_mut_ptr() };
    let mut rest = packed;
    datatype.data.rows(count, packed.len() as u64, |at, length| {
        let (row, after) = rest.split_at(length as usize);
        // SAFETY: the program says that its buffer has room for the elements of the call.
        unsafe { std::ptr::copy_nonoverlapping(row.as_ptr(), to.wrapping_offset(at as isize), row.len()) };
        rest = after;
    });
    if let Place::Section(elements) = place {
        elements.scatter(&copy);
    }
}

#[allow(dead_code)] // Until collectives take datatypes.
/// The address that the displacements of `count` elements of a buffer count from, for calls that
/// take no sections.
pub fn address(buffer: Buffer, count: u64, datatype: &Type) -> Result<*mut u8, Failure> {
    match Place::of(buffer)? {
        Place::At(address) => checked(address, count, datatype),
        Place::Section(_) => wrong(class::BUFFER, "sections of arrays with gaps are not supported here"),
    }
}

impl Process {
    /// A block with the packed data of `count` elements; 0 if there are none or nobody needs them.
    pub fn packed(&self, buffer: Buffer, count: u64, datatype: &Type) -> Result<u64, Failure> {
        if datatype.bytes(count) == 0 || self.current.level != Level::Payload {
            return Ok(0);
        }
        self.packed_from(&Place::of(buffer)?, count, datatype)
    }

    /// The same from a place.
    pub fn packed_from(&self, place: &Place, count: u64, datatype: &Type) -> Result<u64, Failure> {
        let bytes = datatype.bytes(count);
        if bytes == 0 || self.current.level != Level::Payload {
            return Ok(0);
        }
        check(place, count, datatype)?;
        let block = self.with_room(|| heap::allocate(self.memory(), Segment::words_for(bytes)))?;
        match place {
            Place::At(from) => self.pack_into(block, 0, *from, count, datatype),
            Place::Section(elements) => {
                let copy = elements.gathered(reach(count, datatype));
                self.pack_into(block, 0, copy.as_ptr(), count, datatype);
            }
        }
        Ok(block)
    }

    /// Packs `count` elements at an address into a block of this rank, from a byte of it on.
    pub fn pack_into(&self, block: u64, offset: u64, from: *const u8, count: u64, datatype: &Type) {
        let mut done = offset;
        datatype.data.rows(count, datatype.bytes(count), |at, length| {
            // SAFETY: the program says that its buffer has the elements of the call.
            unsafe { self.segment.copy_in_at(block, done, from.wrapping_offset(at as isize), length) };
            done += length;
        });
    }

    /// Unpacks the first `bytes` bytes of a block as elements at a place that was checked; block 0 is no
    /// data.
    pub fn unpack_to(&self, block: u64, bytes: u64, place: &Place, count: u64, datatype: &Type) {
        match place {
            _ if block == 0 || bytes == 0 => {}
            Place::At(to) => self.unpack_from(block, 0, bytes, *to, datatype),
            Place::Section(elements) => {
                let full = bytes.div_ceil(datatype.data.size().max(1)).min(count);
                let mut copy = elements.gathered(reach(full, datatype));
                self.unpack_from(block, 0, bytes, copy.as_mut_ptr(), datatype);
                elements.scatter(&copy);
            }
        }
    }

    /// Unpacks `bytes` bytes of a block, from a byte of it on, as elements at an address.
    pub fn unpack_from(&self, block: u64, offset: u64, bytes: u64, to: *mut u8, datatype: &Type) {
        let count = bytes.div_ceil(datatype.data.size().max(1));
        let mut done = offset;
        datatype.data.rows(count, bytes, |at, length| {
            // SAFETY: the program says that its buffer has room for the elements of the call.
            unsafe { self.segment.copy_out_at(block, done, to.wrapping_offset(at as isize), length) };
            done += length;
        });
    }
}
