//! Envelope and contents of a datatype: `MPI_Type_get_envelope` and `MPI_Type_get_contents`.

use super::Type;
use crate::arguments::{Count, Int, Out, OutAint, OutCount};
use crate::failure::{Outcome, wrong};
use crate::process::Process;
use std::rc::Rc;
use token_runtime::mpich::class;

/// The constructor; with the ABI's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combiner {
    Named = 1,
    Dup = 2,
    Contiguous = 3,
    Vector = 4,
    Hvector = 6,
    Indexed = 7,
    Hindexed = 9,
    IndexedBlock = 10,
    Struct = 12,
    Subarray = 13,
    Darray = 14,
    F90Real = 15,
    F90Complex = 16,
    F90Integer = 17,
    Resized = 18,
    HindexedBlock = 19,
}

/// Constructor and arguments of a datatype, in the standard's order.
pub struct Contents {
    pub combiner: Combiner,
    pub integers: Vec<i64>,
    pub addresses: Vec<i64>,
    pub datatypes: Vec<Rc<Type>>,
}

impl Contents {
    /// Without arguments.
    pub fn of(combiner: Combiner) -> Self {
        Self {
            combiner,
            integers: Vec::new(),
            addresses: Vec::new(),
            datatypes: Vec::new(),
        }
    }

    /// With integers.
    pub fn integers(mut self, integers: impl IntoIterator<Item = i64>) -> Self {
        self.integers.extend(integers);
        self
    }

    /// With addresses.
    pub fn addresses(mut self, addresses: impl IntoIterator<Item = i64>) -> Self {
        self.addresses.extend(addresses);
        self
    }

    /// With an older datatype.
    pub fn from(mut self, datatype: &Rc<Type>) -> Self {
        self.datatypes.push(datatype.clone());
        self
    }
}

pub fn envelope(
    process: &mut Process,
    datatype: Int,
    integers: Out,
    addresses: Out,
    datatypes: Out,
    combiner: Out,
) -> Outcome {
    let contents = &process.any_datatype(datatype.0)?.contents;
    integers.set(contents.integers.len() as i32);
    addresses.set(contents.addresses.len() as i32);
    datatypes.set(contents.datatypes.len() as i32);
    combiner.set(contents.combiner as i32);
    Ok(())
}

/// The form for large counts; ours keep them among the integers, which are as wide.
pub fn envelope_large(
    process: &mut Process,
    datatype: Int,
    integers: OutCount,
    addresses: OutCount,
    counts: OutCount,
    datatypes: OutCount,
    combiner: Out,
) -> Outcome {
    let contents = &process.any_datatype(datatype.0)?.contents;
    let large = contents.large();
    integers.set(if large {
        0
    } else {
        contents.integers.len() as i64
    });
    counts.set(if large {
        contents.integers.len() as i64
    } else {
        0
    });
    addresses.set(contents.addresses.len() as i64);
    datatypes.set(contents.datatypes.len() as i64);
    combiner.set(contents.combiner as i32);
    Ok(())
}

impl Contents {
    /// Whether some integer needs more than 32 bits.
    fn large(&self) -> bool {
        self.integers
            .iter()
            .any(|&integer| i32::try_from(integer).is_err())
    }
}

/// Numbers of entries that the program's arrays can take.
pub struct Limits {
    pub integers: Int,
    pub addresses: Int,
    pub datatypes: Int,
}

pub fn contents(
    process: &mut Process,
    datatype: Int,
    limits: Limits,
    integers: Out,
    addresses: OutAint,
    datatypes: Out,
) -> Outcome {
    let made = process.any_datatype(datatype.0)?.clone();
    let limits = [limits.integers.0, limits.addresses.0, limits.datatypes.0].map(i64::from);
    check(&made.contents, limits)?;
    if made.contents.large() {
        return wrong(
            class::TYPE,
            "the datatype was made with large counts; ask with MPI_Type_get_contents_c",
        );
    }
    for (i, &value) in made.contents.integers.iter().enumerate() {
        integers.set_at(i, value as i32);
    }
    rest(process, &made, addresses, datatypes)
}

/// Numbers of entries that the program's arrays can take, in the form for large counts.
pub struct LargeLimits {
    pub integers: Count,
    pub addresses: Count,
    pub counts: Count,
    pub datatypes: Count,
}

/// The program's arrays, in the form for large counts.
pub struct LargePlaces {
    pub integers: Out,
    pub addresses: OutAint,
    pub counts: OutCount,
    pub datatypes: Out,
}

pub fn contents_large(
    process: &mut Process,
    datatype: Int,
    limits: LargeLimits,
    places: LargePlaces,
) -> Outcome {
    let made = process.any_datatype(datatype.0)?.clone();
    let large = made.contents.large();
    // All integers of a large datatype are returned in the array of counts.
    let integer_limit = if large {
        limits.counts
    } else {
        limits.integers
    };
    let limits = [integer_limit.0, limits.addresses.0, limits.datatypes.0];
    check(&made.contents, limits)?;
    for (i, &value) in made.contents.integers.iter().enumerate() {
        if large {
            places.counts.set_at(i, value)
        } else {
            places.integers.set_at(i, value as i32)
        }
    }
    rest(process, &made, places.addresses, places.datatypes)
}

fn check(contents: &Contents, asked: [i64; 3]) -> Outcome {
    let has = [
        contents.integers.len(),
        contents.addresses.len(),
        contents.datatypes.len(),
    ];
    if contents.combiner == Combiner::Named {
        return wrong(class::TYPE, "a predefined datatype has no contents");
    }
    if has
        .into_iter()
        .zip(asked)
        .any(|(has, asked)| (has as i64) > asked)
    {
        return wrong(
            class::ARG,
            format!(
                "the contents need room for {has:?} integers, addresses and datatypes, not {asked:?}"
            ),
        );
    }
    Ok(())
}

/// Addresses and older datatypes; the program has one more handle of each of the latter.
fn rest(process: &mut Process, made: &Type, addresses: OutAint, datatypes: Out) -> Outcome {
    for (i, &value) in made.contents.addresses.iter().enumerate() {
        addresses.set_at(i, value);
    }
    for (i, part) in made.contents.datatypes.iter().enumerate() {
        process.datatypes.entry_mut(part.handle)?.references += 1;
        datatypes.set_at(i, part.handle);
    }
    Ok(())
}
