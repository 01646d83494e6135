//! `MPI_Pack`, `MPI_Unpack` and their relatives: the program's data one after the other in a buffer of
//! its own, as they are or in the standard's external representation (big-endian, sizes as here).

use super::Type;
use super::data_location::DataLocation;
use super::packing;
use crate::arguments::{Aint, Buffer, Count, Int, OutAint, OutCount, TextIn};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use std::rc::Rc;
use token_runtime::mpich::class;

/// The data of so many elements.
struct Data {
    place: DataLocation,
    count: u64,
    datatype: Rc<Type>,
}

impl Data {
    fn of(process: &Process, buffer: Buffer, count: Count, datatype: Int) -> Result<Self, Failure> {
        let (place, count) = (DataLocation::of(buffer)?, process::count(count.0)?);
        let datatype = process.datatype(datatype.0)?.clone();
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

fn pack_at(data: &Data, packed: &Packed, position: i64, swaps: bool) -> Result<i64, Failure> {
    let (to, next) = packed.next(position, data.bytes())?;
    let mut bytes = packing::gathered(&data.place, data.count, &data.datatype);
    if swaps {
        swap(&mut bytes, &data.datatype);
    }
    // SAFETY: the program says that its buffer has the size that was checked.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
    Ok(next)
}

fn unpack_at(data: &Data, packed: &Packed, position: i64, swaps: bool) -> Result<i64, Failure> {
    let (from, next) = packed.next(position, data.bytes())?;
    let mut bytes = vec![0; data.bytes() as usize];
    // SAFETY: as above.
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

#[allow(clippy::too_many_arguments)]
pub fn pack(
    process: &mut Process,
    inbuf: Buffer,
    incount: Count,
    datatype: Int,
    outbuf: Buffer,
    outsize: Count,
    position: OutCount,
    comm: Int,
) -> Outcome {
    process.communicator_index(comm.0)?;
    let data = Data::of(process, inbuf, incount, datatype)?;
    position.set(pack_at(
        &data,
        &Packed::of(outbuf, outsize.0)?,
        position.get(),
        false,
    )?);
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn unpack(
    process: &mut Process,
    inbuf: Buffer,
    insize: Count,
    position: OutCount,
    outbuf: Buffer,
    outcount: Count,
    datatype: Int,
    comm: Int,
) -> Outcome {
    process.communicator_index(comm.0)?;
    let data = Data::of(process, outbuf, outcount, datatype)?;
    position.set(unpack_at(
        &data,
        &Packed::of(inbuf, insize.0)?,
        position.get(),
        false,
    )?);
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

#[allow(clippy::too_many_arguments)]
pub fn pack_external(
    process: &mut Process,
    representation: TextIn,
    inbuf: Buffer,
    incount: Count,
    datatype: Int,
    outbuf: Buffer,
    outsize: Aint,
    position: OutAint,
) -> Outcome {
    check_representation(representation)?;
    let data = Data::of(process, inbuf, incount, datatype)?;
    position.set(pack_at(
        &data,
        &Packed::of(outbuf, outsize.0)?,
        position.get(),
        true,
    )?);
    Ok(())
}

#[allow(clippy::too_many_arguments)]
pub fn unpack_external(
    process: &mut Process,
    representation: TextIn,
    inbuf: Buffer,
    insize: Aint,
    position: OutAint,
    outbuf: Buffer,
    outcount: Count,
    datatype: Int,
) -> Outcome {
    check_representation(representation)?;
    let data = Data::of(process, outbuf, outcount, datatype)?;
    position.set(unpack_at(
        &data,
        &Packed::of(inbuf, insize.0)?,
        position.get(),
        true,
    )?);
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
