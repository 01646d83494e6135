//! Location of the program's data: an address, or the elements of an array section, which
//! count as consecutive.

use super::Type;
use crate::arguments::{Buffer, Section};
use crate::failure::{Failure, Outcome, wrong};
use std::rc::Rc;
use token_runtime::mpich::class;

/// Addresses below this are no data but a null pointer with a displacement.
const FIRST_PAGE: i64 = 4096;

/// Where the program's data are, beyond the call that names them.
#[derive(Clone)]
pub enum DataLocation {
    /// At this address; null is `MPI_BOTTOM`.
    At(*mut u8),
    /// In the elements of a section, so many bytes behind the first one's.
    Section(Rc<SectionElements>, i64),
}

/// The elements of a section of an array.
pub struct SectionElements {
    start: *mut u8,
    /// Bytes of each.
    bytes: i64,
    /// Extent and distance in bytes, the dimension that varies fastest first.
    shape: Vec<(i64, isize)>,
}

impl DataLocation {
    /// Where a buffer's data are; `MPI_IN_PLACE` is no place.
    pub fn of(buffer: Buffer) -> Result<Self, Failure> {
        match buffer {
            Buffer::At(address) => Ok(Self::At(address)),
            Buffer::Section(section) => Ok(Self::Section(Rc::new(SectionElements::of(section)), 0)),
            Buffer::InPlace => wrong(class::BUFFER, "MPI_IN_PLACE is not allowed here"),
        }
    }

    /// The place so many bytes further.
    pub fn moved(&self, offset: i64) -> Self {
        match self {
            Self::At(address) => Self::At(address.wrapping_offset(offset as isize)),
            Self::Section(elements, before) => {
                Self::Section(elements.clone(), before.saturating_add(offset))
            }
        }
    }

    /// Whether `count` elements of a datatype can be here. A null pointer is `MPI_BOTTOM`, which needs a
    /// datatype with absolute addresses.
    pub fn check(&self, count: u64, datatype: &Type) -> Outcome {
        let is_absolute =
            || datatype.bytes(count) == 0 || datatype.data.span(count).0 >= FIRST_PAGE;
        match self {
            Self::At(address) if address.is_null() && !is_absolute() => {
                let bytes = datatype.bytes(count);
                wrong(
                    class::BUFFER,
                    format!("the buffer is a null pointer, for {bytes} bytes"),
                )
            }
            Self::At(_) | Self::Section(..) => Ok(()),
        }
    }

    /// Visits the pieces of memory that the bytes from displacement `at` on are in, in order.
    #[inline]
    pub fn pieces(&self, at: i64, bytes: u64, mut visit: impl FnMut(*mut u8, u64)) {
        match self {
            Self::At(address) => visit(address.wrapping_offset(at as isize), bytes),
            Self::Section(elements, before) => elements.pieces(before + at, bytes, visit),
        }
    }
}

impl SectionElements {
    fn of(section: Section) -> Self {
        let shape = section
            .shape()
            .map(|(extent, distance)| (extent as i64, distance));
        Self {
            start: section.start,
            bytes: section.element_bytes() as i64,
            shape: shape.collect(),
        }
    }

    fn pieces(&self, at: i64, bytes: u64, mut visit: impl FnMut(*mut u8, u64)) {
        let (size, mut at, mut left) = (self.bytes.max(1), at, bytes as i64);
        while left > 0 {
            let within = at.rem_euclid(size);
            let length = left.min(size - within);
            let element = self.element(at.div_euclid(size));
            visit(element.wrapping_offset(within as isize), length as u64);
            at += length;
            left -= length;
        }
    }

    /// Address of an element. The last dimension is not bounds-checked: the number of elements that the caller queries limits it.
    fn element(&self, number: i64) -> *mut u8 {
        let last = self.shape.len().saturating_sub(1);
        let (mut rest, mut at) = (number, 0);
        for (dimension, &(extent, distance)) in self.shape.iter().enumerate() {
            let index = if dimension == last {
                rest
            } else {
                rest.rem_euclid(extent.max(1))
            };
            at += index as isize * distance;
            rest = rest.div_euclid(extent.max(1));
        }
        self.start.wrapping_offset(at)
    }
}
