//! `MPI_Pack`, `MPI_Unpack` and their relatives: the program's data contiguous in a buffer of its own, as they are or in the standard's external representation (big-endian, sizes as here).

use super::Type;
use super::data_location::DataLocation;
use super::packing;
use crate::arguments::{Aint, Buffer, Count, Data, Int, OutAint, OutCount, TextIn};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use std::rc::Rc;
use token_runtime::mpich::class;

/// A buffer of the program: location, element count and datatype.
struct TypedBuffer {
    place: DataLocation,
    count: u64,
    datatype: Rc<Type>,
}

impl TypedBuffer {
    fn of(process: &Process, data: Data) -> Result<Self, Failure> {
        let place = DataLocation::of(data.buffer)?;
        let count = process::count(data.count.0)?;
        let datatype = process.datatype(data.datatype.0)?.clone();
        place.check(count, &datatype)?;
        Ok(Self {
            place,
            count,
            datatype,
        })
    }

    fn bytes(&self) -> u64 {
        self.datatype.bytes(self.count)
    }
}

/// The arguments that describe the buffer of packed data: its size in bytes, and the position of the next byte,
/// which the call advances.
pub struct PackBuffer<S, P> {
    pub buffer: Buffer,
    pub size: S,
    pub position: P,
}

/// The program's buffer of packed data.
struct Packed {
    start: *mut u8,
    size: u64,
}

impl Packed {
    fn of(buffer: Buffer, size: i64) -> Result<Self, Failure> {
        match DataLocation::of(buffer)? {
            DataLocation::At(start) => Ok(Self {
                start,
                size: process::count(size)?,
            }),
            DataLocation::Section(..) => wrong(
                class::BUFFER,
                "packed data cannot be in a section of an array with gaps",
            ),
        }
    }

    /// Address of the next `bytes` bytes, and where the next ones begin.
    fn next(&self, position: i64, bytes: u64) -> Result<(*mut u8, i64), Failure> {
        let from = process::count(position)?;
        if from + bytes > self.size {
            return wrong(
                class::TRUNCATE,
                format!(
                    "{bytes} bytes from position {from} on do not fit into a buffer of {}",
                    self.size
                ),
            );
        }
        Ok((
            self.start.wrapping_add(from as usize),
            position + bytes as i64,
        ))
    }
}

fn pack_at(
    data: &TypedBuffer,
    packed: &Packed,
    position: i64,
    swaps: bool,
) -> Result<i64, Failure> {
    let (to, next) = packed.next(position, data.bytes())?;
    let mut bytes = packing::gathered(&data.place, data.count, &data.datatype);
    if swaps {
        swap(&mut bytes, &data.datatype);
    }
    // SAFETY: `next` has checked that the bytes lie within the size that the program gives its buffer; `bytes`
    // is a vector of this function, so the two do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(next)
}

fn unpack_at(
    data: &TypedBuffer,
    packed: &Packed,
    position: i64,
    swaps: bool,
) -> Result<i64, Failure> {
    let (from, next) = packed.next(position, data.bytes())?;
    let mut bytes = vec![0; data.bytes() as usize];
    // SAFETY: `next` has checked that the bytes lie within the size that the program gives its buffer; `bytes`
    // is a vector of this function with as many, so the two do not overlap.
    unsafe { std::ptr::copy_nonoverlapping(from, bytes.as_mut_ptr(), bytes.len()) };
    if swaps {
        swap(&mut bytes, &data.datatype);
    }
    packing::scatter(&bytes, &data.place, data.count, &data.datatype);
    Ok(next)
}

/// Reverses the bytes of each number.
fn swap(bytes: &mut [u8], datatype: &Type) {
    let size = datatype.data.size().max(1) as usize;
    for element in bytes.chunks_mut(size) {
        let mut at = 0;
        datatype.data.layout.runs(0, &mut |_, basic, count| {
            let end = at + (basic.bytes() * count) as usize;
            element[at..end]
                .chunks_mut(basic.number_bytes() as usize)
                .for_each(<[u8]>::reverse);
            at = end;
            true
        });
    }
}

pub fn pack(
    process: &mut Process,
    data: Data,
    packed: PackBuffer<Count, OutCount>,
    comm: Int,
) -> Outcome {
    process.communicator_index(comm.0)?;
    let elements = TypedBuffer::of(process, data)?;
    let buffer = Packed::of(packed.buffer, packed.size.0)?;
    let next = pack_at(&elements, &buffer, packed.position.get(), false)?;
    packed.position.set(next);
    Ok(())
}

pub fn unpack(
    process: &mut Process,
    packed: PackBuffer<Count, OutCount>,
    data: Data,
    comm: Int,
) -> Outcome {
    process.communicator_index(comm.0)?;
    let elements = TypedBuffer::of(process, data)?;
    let buffer = Packed::of(packed.buffer, packed.size.0)?;
    let next = unpack_at(&elements, &buffer, packed.position.get(), false)?;
    packed.position.set(next);
    Ok(())
}

pub fn size(
    process: &mut Process,
    incount: Count,
    datatype: Int,
    comm: Int,
    size: OutCount,
) -> Outcome {
    process.communicator_index(comm.0)?;
    let count = process::count(incount.0)?;
    size.set(process.datatype(datatype.0)?.bytes(count) as i64);
    Ok(())
}

fn check_representation(name: TextIn) -> Outcome {
    match name.bytes() {
        b"external32" => Ok(()),
        _ => wrong(
            class::ARG,
            format!(
                "the data representation is {}; only external32 is known",
                name.text()
            ),
        ),
    }
}

pub fn pack_external(
    process: &mut Process,
    representation: TextIn,
    data: Data,
    packed: PackBuffer<Aint, OutAint>,
) -> Outcome {
    check_representation(representation)?;
    let elements = TypedBuffer::of(process, data)?;
    let buffer = Packed::of(packed.buffer, packed.size.0)?;
    let next = pack_at(&elements, &buffer, packed.position.get(), true)?;
    packed.position.set(next);
    Ok(())
}

pub fn unpack_external(
    process: &mut Process,
    representation: TextIn,
    packed: PackBuffer<Aint, OutAint>,
    data: Data,
) -> Outcome {
    check_representation(representation)?;
    let elements = TypedBuffer::of(process, data)?;
    let buffer = Packed::of(packed.buffer, packed.size.0)?;
    let next = unpack_at(&elements, &buffer, packed.position.get(), true)?;
    packed.position.set(next);
    Ok(())
}

pub fn external_size(
    process: &mut Process,
    representation: TextIn,
    incount: Count,
    datatype: Int,
    size: OutAint,
) -> Outcome {
    check_representation(representation)?;
    let count = process::count(incount.0)?;
    size.set(process.datatype(datatype.0)?.bytes(count) as i64);
    Ok(())
}
