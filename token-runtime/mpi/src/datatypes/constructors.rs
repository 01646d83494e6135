//! The constructors of derived datatypes, and their commit and release.

use super::Type;
use super::contents::{Combiner, Contents};
use crate::arguments::{
    Aint, Aints, Count, Counts, Displacements, Int, Ints, OldAint, OldAints, Out,
};
use crate::attributes::Object;
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{self, Process};
use std::rc::Rc;
use token_runtime::datatypes::Datatype;
use token_runtime::datatypes::constructors::Block;
use token_runtime::mpich::{DATATYPE_NULL, class, datatypes};

impl Process {
    /// Makes a derived datatype of an older datatype.
    fn make(
        &mut self,
        oldtype: Int,
        newtype: Out,
        combiner: Combiner,
        make: impl FnOnce(&Datatype, Contents) -> Result<(Datatype, Contents), Failure>,
    ) -> Outcome {
        let old = self.any_datatype(oldtype.0)?.clone();
        let (made, contents) = make(&old.data, Contents::of(combiner).from(&old))?;
        newtype.set(self.add_datatype(made, contents));
        Ok(())
    }
}

pub fn contiguous(process: &mut Process, count: Count, oldtype: Int, newtype: Out) -> Outcome {
    let number = process::count(count.0)?;
    process.make(oldtype, newtype, Combiner::Contiguous, |old, contents| {
        Ok((old.contiguous(number), contents.integers([count.0])))
    })
}

pub fn vector(
    process: &mut Process,
    count: Count,
    blocklength: Count,
    stride: Count,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let (number, length) = (process::count(count.0)?, process::count(blocklength.0)?);
    process.make(oldtype, newtype, Combiner::Vector, |old, contents| {
        let made = old.strided(number, length, stride.0.saturating_mul(old.extent()));
        Ok((made, contents.integers([count.0, blocklength.0, stride.0])))
    })
}

pub fn vector_of_bytes(
    process: &mut Process,
    count: Count,
    blocklength: Count,
    stride: Aint,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let (number, length) = (process::count(count.0)?, process::count(blocklength.0)?);
    process.make(oldtype, newtype, Combiner::Hvector, |old, contents| {
        let made = old.strided(number, length, stride.0);
        Ok((
            made,
            contents
                .integers([count.0, blocklength.0])
                .addresses([stride.0]),
        ))
    })
}

pub fn old_vector_of_bytes(
    process: &mut Process,
    count: Count,
    blocklength: Count,
    stride: OldAint,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    vector_of_bytes(
        process,
        count,
        blocklength,
        Aint(stride.0),
        oldtype,
        newtype,
    )
}

/// Blocks of the same type; `unit` is what displacements count.
fn blocks(
    old: &Datatype,
    lengths: impl Iterator<Item = i64>,
    displacements: &[i64],
    unit: i64,
) -> Result<Datatype, Failure> {
    let mut blocks = Vec::with_capacity(displacements.len());
    for (length, at) in lengths.zip(displacements) {
        let length = process::count(length)?;
        blocks.push(Block {
            at: at.saturating_mul(unit),
            length,
            datatype: old,
        });
    }
    Ok(Datatype::placed(&blocks))
}

pub fn indexed(
    process: &mut Process,
    count: Count,
    blocklengths: Counts,
    displacements: Displacements,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let number = process::count(count.0)? as usize;
    process.make(oldtype, newtype, Combiner::Indexed, |old, contents| {
        let places: Vec<i64> = displacements.all(number).collect();
        let made = blocks(old, blocklengths.all(number), &places, old.extent())?;
        Ok((
            made,
            contents
                .integers([count.0])
                .integers(blocklengths.all(number))
                .integers(places),
        ))
    })
}

fn indexed_in_bytes(
    process: &mut Process,
    count: Count,
    blocklengths: Counts,
    places: Vec<i64>,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    process.make(oldtype, newtype, Combiner::Hindexed, |old, contents| {
        let made = blocks(old, blocklengths.all(places.len()), &places, 1)?;
        let lengths = blocklengths.all(places.len());
        Ok((
            made,
            contents
                .integers([count.0])
                .integers(lengths)
                .addresses(places),
        ))
    })
}

pub fn indexed_by_bytes(
    process: &mut Process,
    count: Count,
    blocklengths: Counts,
    displacements: Aints,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let places = displacements
        .all(process::count(count.0)? as usize)
        .collect();
    indexed_in_bytes(process, count, blocklengths, places, oldtype, newtype)
}

pub fn old_indexed_by_bytes(
    process: &mut Process,
    count: Count,
    blocklengths: Counts,
    displacements: OldAints,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let places = displacements
        .all(process::count(count.0)? as usize)
        .collect();
    indexed_in_bytes(process, count, blocklengths, places, oldtype, newtype)
}

pub fn indexed_block(
    process: &mut Process,
    count: Count,
    blocklength: Count,
    displacements: Displacements,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let number = process::count(count.0)? as usize;
    process.make(oldtype, newtype, Combiner::IndexedBlock, |old, contents| {
        let places: Vec<i64> = displacements.all(number).collect();
        let made = blocks(
            old,
            std::iter::repeat_n(blocklength.0, number),
            &places,
            old.extent(),
        )?;
        Ok((
            made,
            contents.integers([count.0, blocklength.0]).integers(places),
        ))
    })
}

pub fn indexed_block_by_bytes(
    process: &mut Process,
    count: Count,
    blocklength: Count,
    displacements: Aints,
    oldtype: Int,
    newtype: Out,
) -> Outcome {
    let number = process::count(count.0)? as usize;
    process.make(
        oldtype,
        newtype,
        Combiner::HindexedBlock,
        |old, contents| {
            let places: Vec<i64> = displacements.all(number).collect();
            let made = blocks(old, std::iter::repeat_n(blocklength.0, number), &places, 1)?;
            Ok((
                made,
                contents
                    .integers([count.0, blocklength.0])
                    .addresses(places),
            ))
        },
    )
}

fn structure_of(
    process: &mut Process,
    count: Count,
    blocklengths: Counts,
    places: Vec<i64>,
    types: Ints,
    newtype: Out,
) -> Outcome {
    let mut contents = Contents::of(Combiner::Struct)
        .integers([count.0])
        .addresses(places.iter().copied());
    let mut lengths = Vec::with_capacity(places.len());
    for (length, handle) in blocklengths.all(places.len()).zip(types.all(places.len())) {
        lengths.push(process::count(length)?);
        contents = contents
            .from(process.any_datatype(handle)?)
            .integers([length]);
    }
    let parts = contents.datatypes.iter().zip(lengths).zip(&places);
    let blocks: Vec<Block<'_>> = parts
        .map(|((part, length), &at)| Block {
            at,
            length,
            datatype: &part.data,
        })
        .collect();
    let made = Datatype::structure(&blocks);
    newtype.set(process.add_datatype(made, contents));
    Ok(())
}

pub fn structure(
    process: &mut Process,
    count: Count,
    blocklengths: Counts,
    displacements: Aints,
    types: Ints,
    newtype: Out,
) -> Outcome {
    let places = displacements
        .all(process::count(count.0)? as usize)
        .collect();
    structure_of(process, count, blocklengths, places, types, newtype)
}

pub fn old_structure(
    process: &mut Process,
    count: Count,
    blocklengths: Counts,
    displacements: OldAints,
    types: Ints,
    newtype: Out,
) -> Outcome {
    let places = displacements
        .all(process::count(count.0)? as usize)
        .collect();
    structure_of(process, count, blocklengths, places, types, newtype)
}

pub fn resized(
    process: &mut Process,
    oldtype: Int,
    lower: Aint,
    extent: Aint,
    newtype: Out,
) -> Outcome {
    process.make(oldtype, newtype, Combiner::Resized, |old, contents| {
        Ok((
            old.resized(lower.0, extent.0),
            contents.addresses([lower.0, extent.0]),
        ))
    })
}

pub fn duplicate(process: &mut Process, oldtype: Int, newtype: Out) -> Outcome {
    let is_committed = process.datatypes.entry(oldtype.0)?.is_committed;
    process.make(oldtype, newtype, Combiner::Dup, |old, contents| {
        Ok((old.clone(), contents))
    })?;
    process.datatypes.entry_mut(newtype.get())?.is_committed = is_committed;
    let copied = process.copy_type_attributes(oldtype.0, newtype.get());
    if copied.is_err() {
        let number = process.any_datatype(newtype.get())?.number;
        process.datatypes.release(number);
        newtype.set(DATATYPE_NULL);
    }
    copied
}

pub fn commit(process: &mut Process, datatype: Out) -> Outcome {
    process.datatypes.entry_mut(datatype.get())?.is_committed = true;
    Ok(())
}

pub fn free(process: &mut Process, datatype: Out) -> Outcome {
    process.invalidate_call_cache();
    let number = process.any_datatype(datatype.get())?.number;
    let is_permanent = process
        .parametric
        .iter()
        .any(|&(_, _, made)| made == datatype.get());
    if number < super::FIRST_MADE || is_permanent {
        return wrong(class::TYPE, "a predefined datatype cannot be freed");
    }
    process.drop_attributes(Object::Datatype(datatype.get()))?;
    process.datatypes.release(number);
    datatype.set(DATATYPE_NULL);
    Ok(())
}

/// A kind of Fortran numbers: 4 bytes and 8 bytes reals have so many decimal digits and exponents.
const REALS: [(i32, i32, i32); 2] = [(6, 37, 4), (15, 307, 8)];
/// The same for integers: decimal digits and bytes.
const INTEGERS: [(i32, i32); 4] = [(2, 1), (4, 2), (9, 4), (18, 8)];
/// Classes of kinds, as `MPI_Type_match_size` has them.
const REAL: i32 = 1;
const INTEGER: i32 = 2;
const COMPLEX: i32 = 3;
/// What `MPI_UNDEFINED` asks for: anything.
const ANY: i32 = token_runtime::mpich::UNDEFINED;

/// The predefined datatype of a kind; `None` if there is none of so many bytes.
fn of_size(kind: i32, bytes: i32) -> Option<i32> {
    let handle: u32 = match (kind, bytes) {
        (REAL, 4) => 0x4c00_0427,
        (REAL, 8) => 0x4c00_0829,
        (REAL, 16) => 0x4c00_102b,
        (INTEGER, 1) => 0x4c00_012d,
        (INTEGER, 2) => 0x4c00_022f,
        (INTEGER, 4) => 0x4c00_0430,
        (INTEGER, 8) => 0x4c00_0831,
        (COMPLEX, 8) => 0x4c00_0828,
        (COMPLEX, 16) => 0x4c00_102a,
        (COMPLEX, 32) => 0x4c00_202c,
        _ => return None,
    };
    Some(handle as i32)
}

pub fn match_size(process: &mut Process, kind: Int, size: Int, datatype: Out) -> Outcome {
    let Some(handle) = of_size(kind.0, size.0) else {
        return wrong(
            class::ARG,
            format!("no datatype of class {} has {} bytes", kind.0, size.0),
        );
    };
    process.any_datatype(handle)?;
    datatype.set(handle);
    Ok(())
}

/// The pair of a value and an index, if there is one.
pub fn value_index(
    process: &mut Process,
    value_type: Int,
    index_type: Int,
    pair_type: Out,
) -> Outcome {
    process.any_datatype(value_type.0)?;
    process.any_datatype(index_type.0)?;
    let pair = datatypes::pair_of(value_type.0, index_type.0);
    pair_type.set(pair.map_or(DATATYPE_NULL, |pair| pair.handle));
    Ok(())
}

/// A datatype by precision and range: the same ones give the same handle.
fn parametric(
    process: &mut Process,
    combiner: Combiner,
    asked: &[i32],
    handle: Option<i32>,
    newtype: Out,
) -> Outcome {
    let known = process
        .parametric
        .iter()
        .find(|(kind, numbers, _)| *kind == combiner && numbers == asked);
    if let Some(&(_, _, handle)) = known {
        newtype.set(handle);
        return Ok(());
    }
    let Some(handle) = handle else {
        return wrong(
            class::ARG,
            format!("no kind of numbers has precision and range {asked:?}"),
        );
    };
    let base = process.any_datatype(handle)?;
    let (data, predefined) = (base.data.clone(), base.predefined);
    let contents = Contents::of(combiner).integers(asked.iter().copied().map(i64::from));
    let made = process.add_datatype_like(data, contents, predefined);
    process.datatypes.entry_mut(made)?.is_committed = true;
    process.parametric.push((combiner, asked.to_vec(), made));
    newtype.set(made);
    Ok(())
}

/// Bytes of the smallest real kind with this precision and range.
fn real_bytes(precision: Int, range: Int) -> Option<i32> {
    let fits = |has: i32, asked: i32| asked == ANY || asked <= has;
    let found = REALS
        .iter()
        .find(|(digits, exponent, _)| fits(*digits, precision.0) && fits(*exponent, range.0));
    found.map(|found| found.2)
}

pub fn fortran_real(process: &mut Process, precision: Int, range: Int, newtype: Out) -> Outcome {
    let handle = real_bytes(precision, range).and_then(|bytes| of_size(REAL, bytes));
    parametric(
        process,
        Combiner::F90Real,
        &[precision.0, range.0],
        handle,
        newtype,
    )
}

pub fn fortran_complex(process: &mut Process, precision: Int, range: Int, newtype: Out) -> Outcome {
    let handle = real_bytes(precision, range).and_then(|bytes| of_size(COMPLEX, 2 * bytes));
    parametric(
        process,
        Combiner::F90Complex,
        &[precision.0, range.0],
        handle,
        newtype,
    )
}

pub fn fortran_integer(process: &mut Process, range: Int, newtype: Out) -> Outcome {
    let found = INTEGERS.iter().find(|(digits, _)| range.0 <= *digits);
    let handle = found.and_then(|(_, bytes)| of_size(INTEGER, *bytes));
    parametric(process, Combiner::F90Integer, &[range.0], handle, newtype)
}

/// Makes a datatype of an older one by its handle, for constructors elsewhere.
pub fn add(
    process: &mut Process,
    old: &Rc<Type>,
    made: Datatype,
    contents: Contents,
    newtype: Out,
) {
    newtype.set(process.add_datatype(made, contents.from(old)));
}
