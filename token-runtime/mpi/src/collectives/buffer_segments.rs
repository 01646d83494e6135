//! The program's data in a collective: pieces of one buffer, one for each partner.

use crate::arguments::{Blocks, Buffer, ByteDisplacements, Count, Data, Int, TypedBlocks};
use crate::datatypes::Type;
use crate::datatypes::data_location::DataLocation;
use crate::datatypes::packing::{gathered, scatter};
use crate::failure::{Failure, Outcome};
use crate::process::{self, Process};
use std::borrow::Cow;
use std::rc::Rc;
use token_runtime::mpich::datatypes::BYTE;

/// Elements at a displacement in bytes from the beginning of a buffer.
#[derive(Clone)]
pub struct BufferSegment {
    pub place: DataLocation,
    pub offset: i64,
    pub count: u64,
    pub datatype: Rc<Type>,
}

/// One area for each of several partners.
#[derive(Clone)]
pub enum BufferSegments {
    /// As many elements for each, at increasing displacements without gaps.
    Same(BufferSegment),
    /// Displacement in bytes and number of elements for each.
    Listed(DataLocation, Vec<(i64, u64)>, Rc<Type>),
    /// The same with a datatype of its own for each.
    Typed(DataLocation, Vec<(i64, u64, Rc<Type>)>),
}

impl BufferSegment {
    /// The elements that a call names.
    pub fn new(process: &Process, data: Data) -> Result<Self, Failure> {
        let count = process::count(data.count.0)?;
        let datatype = process.datatype(data.datatype.0)?.clone();
        Ok(Self {
            place: DataLocation::of(data.buffer)?,
            offset: 0,
            count,
            datatype,
        })
    }

    /// No elements.
    pub fn none(process: &Process) -> Result<Self, Failure> {
        let nothing = Data::new(Buffer::At(std::ptr::null_mut()), Count(0), Int(BYTE));
        Self::new(process, nothing)
    }

    /// The same elements in another buffer.
    pub fn elsewhere(&self, buffer: Buffer) -> Result<Self, Failure> {
        Ok(Self {
            place: DataLocation::of(buffer)?,
            ..self.clone()
        })
    }

    /// Bytes of data.
    pub fn bytes(&self) -> u64 {
        self.datatype.bytes(self.count)
    }
}

impl BufferSegments {
    /// As many elements in a buffer as a call says for each partner.
    pub fn listed(process: &Process, partners: u32, blocks: Blocks) -> Result<Self, Failure> {
        let datatype = process.datatype(blocks.datatype.0)?.clone();
        let extent = datatype.data.extent();
        let mut list = Vec::with_capacity(partners as usize);
        for partner in 0..partners as usize {
            let offset = blocks.displacements.get(partner) * extent;
            list.push((offset, process::count(blocks.counts.get(partner))?));
        }
        let place = DataLocation::of(blocks.buffer)?;
        Ok(Self::Listed(place, list, datatype))
    }

    /// The same with datatypes of their own; displacements are in bytes.
    pub fn typed(
        process: &Process,
        partners: u32,
        blocks: TypedBlocks<impl ByteDisplacements>,
    ) -> Result<Self, Failure> {
        let mut list = Vec::with_capacity(partners as usize);
        for partner in 0..partners as usize {
            let datatype = process.datatype(blocks.datatypes.get(partner))?.clone();
            let count = process::count(blocks.counts.get(partner))?;
            list.push((blocks.displacements.at(partner), count, datatype));
        }
        Ok(Self::Typed(DataLocation::of(blocks.buffer)?, list))
    }

    /// The area of a partner.
    pub fn get(&self, index: u64) -> BufferSegment {
        match self {
            BufferSegments::Same(first) => {
                let size = first
                    .datatype
                    .data
                    .extent()
                    .saturating_mul(first.count as i64);
                BufferSegment {
                    offset: first.offset + size.saturating_mul(index as i64),
                    ..first.clone()
                }
            }
            BufferSegments::Listed(place, list, datatype) => {
                let (offset, count) = list[index as usize];
                BufferSegment {
                    place: place.clone(),
                    offset,
                    count,
                    datatype: datatype.clone(),
                }
            }
            BufferSegments::Typed(place, list) => {
                let (offset, count, datatype) = list[index as usize].clone();
                BufferSegment {
                    place: place.clone(),
                    offset,
                    count,
                    datatype,
                }
            }
        }
    }

    /// Number of elements for each of so many partners.
    pub fn counts(&self, partners: u32) -> Vec<u64> {
        match self {
            BufferSegments::Same(segment) => vec![segment.count; partners as usize],
            BufferSegments::Listed(_, list, _) => list.iter().map(|&(_, count)| count).collect(),
            BufferSegments::Typed(_, list) => list.iter().map(|(_, count, _)| *count).collect(),
        }
    }

    /// The same with one datatype for all partners: bytes, where each has its own; displacements are then
    /// not kept.
    pub fn of_one_type(&self, process: &Process) -> Result<Cow<'_, Self>, Failure> {
        let BufferSegments::Typed(buffer, list) = self else {
            return Ok(Cow::Borrowed(self));
        };
        let bytes = list
            .iter()
            .map(|(_, count, datatype)| (0, datatype.bytes(*count)))
            .collect();
        Ok(Cow::Owned(BufferSegments::Listed(
            buffer.clone(),
            bytes,
            process.datatype(BYTE)?.clone(),
        )))
    }

    /// The datatype, unless each partner has its own.
    pub fn datatype(&self) -> Option<&Rc<Type>> {
        match self {
            BufferSegments::Same(segment) => Some(&segment.datatype),
            BufferSegments::Listed(_, _, datatype) => Some(datatype),
            BufferSegments::Typed(..) => None,
        }
    }
}

impl Process {
    /// Packs an area into a block, from one of its bytes on.
    pub fn pack_segment(&self, block: u64, at: u64, segment: &BufferSegment) -> Outcome {
        if segment.bytes() > 0 {
            let start = segment.start()?;
            self.pack_into(block, at, &start, segment.count, &segment.datatype);
        }
        Ok(())
    }

    /// Unpacks an area from a block, from one of its bytes on.
    pub fn unpack_segment(&self, block: u64, at: u64, segment: &BufferSegment) -> Outcome {
        if segment.bytes() > 0 {
            let start = segment.start()?;
            self.unpack_from(block, at, segment.bytes(), &start, &segment.datatype);
        }
        Ok(())
    }
}

impl BufferSegment {
    /// The data, one behind the other.
    pub fn packed(&self) -> Result<Vec<u8>, Failure> {
        match self.bytes() {
            0 => Ok(Vec::new()),
            _ => Ok(gathered(&self.start()?, self.count, &self.datatype)),
        }
    }

    /// Becomes such data, which are as long.
    pub fn unpack(&self, packed: &[u8]) -> Outcome {
        if !packed.is_empty() {
            scatter(packed, &self.start()?, self.count, &self.datatype);
        }
        Ok(())
    }

    /// What the displacements of the elements count from.
    fn start(&self) -> Result<DataLocation, Failure> {
        let start = self.place.moved(self.offset);
        start.check(self.count, &self.datatype)?;
        Ok(start)
    }
}
