//! The program's data into blocks of the heap and out of them, in the order of the datatype. The
//! data of a contiguous datatype are one copy.

use super::Type;
use crate::arguments::Buffer;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{Level, Process};
use crate::segment::Segment;
use token_runtime::kernel::heap;
use token_runtime::mpich::class;

/// Addresses below this are no data but a null pointer with a displacement.
const FIRST_PAGE: i64 = 4096;

/// The address that the displacements of `count` elements count from. A null pointer is
/// `MPI_BOTTOM`, which needs a datatype with absolute addresses.
pub fn address(buffer: Buffer, count: u64, datatype: &Type) -> Result<*mut u8, Failure> {
    match buffer {
        Buffer::At(address) if !address.is_null() => Ok(address),
        Buffer::At(null) if datatype.bytes(count) == 0 || datatype.data.span(count).0 >= FIRST_PAGE => {
            Ok(null)
        }
        Buffer::At(_) => {
            wrong(class::BUFFER, format!("the buffer is a null pointer, for {} bytes", datatype.bytes(count)))
        }
        Buffer::Section(_) => wrong(class::BUFFER, "sections of arrays with gaps are not supported"),
        Buffer::InPlace => wrong(class::BUFFER, "MPI_IN_PLACE is not allowed here"),
    }
}

impl Process {
    /// A block with the packed data of `count` elements; 0 if there are none or nobody needs them.
    pub fn packed(&self, buffer: Buffer, count: u64, datatype: &Type) -> Result<u64, Failure> {
        let bytes = datatype.bytes(count);
        if bytes == 0 || self.current.level != Level::Payload {
            return Ok(0);
        }
        let from = address(buffer, count, datatype)?;
        let block = self.with_room(|| heap::allocate(self.memory(), Segment::words_for(bytes)))?;
        self.pack_into(block, 0, from, count, datatype);
        Ok(block)
    }

    /// Packs `count` elements at an address into a block of this rank, from a byte of it on.
    pub fn pack_into(&self, block: u64, offset: u64, from: *const u8, count: u64, datatype: &Type) {
        let bytes = datatype.bytes(count);
        let mut done = offset;
        datatype.data.rows(count, bytes, |at, length| {
            // SAFETY: the program says that its buffer has the elements of the call.
            unsafe { self.segment.copy_in_at(block, done, from.wrapping_offset(at as isize), length) };
            done += length;
        });
    }

    /// Unpacks the first `bytes` bytes of a block as elements of a buffer; block 0 is no data.
    pub fn unpack(&self, block: u64, bytes: u64, buffer: Buffer, count: u64, datatype: &Type) -> Outcome {
        if block != 0 && bytes != 0 {
            let to = address(buffer, count, datatype)?;
            self.unpack_from(block, 0, bytes, to, datatype);
        }
        Ok(())
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
