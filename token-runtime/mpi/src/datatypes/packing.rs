//! The program's data into blocks of the heap and out of them, in the order of the datatype. The
//! data of a contiguous datatype are one copy.

use super::Type;
use super::data_location::DataLocation;
use crate::failure::Failure;
use crate::process::{Level, Process};
use crate::segment::Segment;
use token_runtime::kernel::heap;

/// Visits the pieces of memory that the first `bytes` bytes of `count` elements at a place are in, in
/// order. Where there are none, the address may be anything.
#[inline]
fn pieces(
    place: &DataLocation,
    count: u64,
    bytes: u64,
    datatype: &Type,
    mut visit: impl FnMut(*mut u8, u64),
) {
    if bytes > 0 {
        datatype.data.rows(count, bytes, |at, length| {
            place.pieces(at, length, &mut visit)
        });
    }
}

/// The packed data of `count` elements of a place that was checked.
pub fn gathered(place: &DataLocation, count: u64, datatype: &Type) -> Vec<u8> {
    let bytes = datatype.bytes(count);
    let mut packed = Vec::with_capacity(bytes as usize);
    pieces(place, count, bytes, datatype, |from, length| {
        // SAFETY: the standard requires a send buffer of `count` elements of the datatype; `DataLocation`
        // checks that its address is not null.
        packed.extend_from_slice(unsafe { std::slice::from_raw_parts(from, length as usize) });
    });
    packed
}

/// Packed data become `count` elements of a place that was checked.
pub fn scatter(packed: &[u8], place: &DataLocation, count: u64, datatype: &Type) {
    let mut rest = packed;
    pieces(place, count, packed.len() as u64, datatype, |to, length| {
        let (piece, after) = rest.split_at(length as usize);
        // SAFETY: the standard requires a receive buffer with room for `count` elements of the datatype;
        // `DataLocation::check` has rejected a null pointer, unless the datatype has absolute addresses.
        // `packed` is memory of this library, so the two do not overlap.
        unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), to, piece.len()) };
        rest = after;
    });
}

impl Process {
    /// A block with the packed data of `count` elements at a place; 0 if there are none or no rank needs them.
    pub fn packed_from(
        &self,
        place: &DataLocation,
        count: u64,
        datatype: &Type,
    ) -> Result<u64, Failure> {
        let bytes = datatype.bytes(count);
        if bytes == 0 || self.current.level != Level::Payload {
            return Ok(0);
        }
        place.check(count, datatype)?;
        let block =
            self.allocate_or_wait(|| heap::allocate(self.memory(), Segment::words_for(bytes)))?;
        self.pack_into(block, 0, place, count, datatype);
        Ok(block)
    }

    /// Packs `count` elements at a place into a block of this rank, from a byte of it on.
    pub fn pack_into(
        &self,
        block: u64,
        offset: u64,
        place: &DataLocation,
        count: u64,
        datatype: &Type,
    ) {
        let mut done = offset;
        pieces(
            place,
            count,
            datatype.bytes(count),
            datatype,
            |from, length| {
                // SAFETY: the standard requires a send buffer of `count` elements of the datatype;
                // `DataLocation::check` has rejected a null pointer, unless the datatype has absolute addresses.
                unsafe { self.segment.copy_in_at(block, done, from, length) };
                done += length;
            },
        );
    }

    /// Unpacks the first `bytes` bytes of a block as elements at a place that was checked; block 0 is no
    /// data.
    pub fn unpack_to(&self, block: u64, bytes: u64, place: &DataLocation, datatype: &Type) {
        if block != 0 && bytes > 0 {
            self.unpack_from(block, 0, bytes, place, datatype);
        }
    }

    /// Unpacks `bytes` bytes of a block, from a byte of it on, as elements at a place.
    pub fn unpack_from(
        &self,
        block: u64,
        offset: u64,
        bytes: u64,
        place: &DataLocation,
        datatype: &Type,
    ) {
        let count = bytes.div_ceil(datatype.data.size().max(1));
        let mut done = offset;
        pieces(place, count, bytes, datatype, |to, length| {
            // SAFETY: the standard requires a receive buffer with room for `count` elements of the datatype;
            // `DataLocation::check` has rejected a null pointer, unless the datatype has absolute addresses.
            unsafe { self.segment.copy_out_at(block, done, to, length) };
            done += length;
        });
    }
}
