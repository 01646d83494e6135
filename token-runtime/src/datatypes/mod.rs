//! Datatypes as data: where their elements lie (`layout`), their bounds, what the constructors of the
//! standard make of them (`constructors`), and their elements as a signature.
//!
//! Pure: no handles, no buffers. The package `mpi` keeps the handles and copies the program's data
//! along the runs of [`Datatype::plan`].

pub mod arrays;
pub mod constructors;
mod layout;
mod signature;
#[cfg(test)]
mod tests;

pub use layout::{Layout, Shape};
pub use signature::{Signature, agree, describe};

use base_data::mpi::{self, BasicDatatype};
use std::rc::Rc;

/// One end of a datatype.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edge {
    at: i64,
    /// Whether a marker of MPI-1 set it: it then counts for types made of this one, and natural edges
    /// do not.
    is_set: bool,
}

/// A datatype.
#[derive(Clone, Debug)]
pub struct Datatype {
    /// Its data.
    pub layout: Rc<Layout>,
    /// The same as plain bytes: what copying follows.
    pub plan: Rc<Layout>,
    /// Bytes that structures made of it are aligned to.
    alignment: u64,
    // None without data and markers.
    lower: Option<Edge>,
    upper: Option<Edge>,
}

/// Runs of a recorded datatype; one with more is recorded as if its data were contiguous.
const RECORDED_RUNS: u64 = 1024;

impl Datatype {
    /// A basic type whose elements are `extent` bytes apart.
    pub fn basic(element: BasicDatatype, extent: u64) -> Self {
        let layout = Layout::run(element, 1);
        let (lower, upper) = (
            Edge {
                at: 0,
                is_set: false,
            },
            Edge {
                at: extent as i64,
                is_set: false,
            },
        );
        Self::with_edges(layout, alignment_of(element), Some(lower), Some(upper))
    }

    /// A value with its index behind it, aligned as in a C structure.
    pub fn pair(value: BasicDatatype, index: BasicDatatype) -> Self {
        let (value, index) = (
            Self::basic(value, value.bytes()),
            Self::basic(index, index.bytes()),
        );
        let at = value.size().next_multiple_of(index.alignment) as i64;
        let block = |at, datatype| constructors::Block {
            at,
            length: 1,
            datatype,
        };
        Self::structure(&[block(0, &value), block(at, &index)])
    }

    /// The same, aligned to nothing in structures.
    pub fn unaligned(self) -> Self {
        Self {
            alignment: 1,
            ..self
        }
    }

    /// `MPI_LB` of MPI-1: no data, but a lower bound.
    pub fn lower_marker() -> Self {
        Self::with_edges(
            Layout::nothing(),
            1,
            Some(Edge {
                at: 0,
                is_set: true,
            }),
            None,
        )
    }

    /// `MPI_UB` of MPI-1: no data, but an upper bound.
    pub fn upper_marker() -> Self {
        Self::with_edges(
            Layout::nothing(),
            1,
            None,
            Some(Edge {
                at: 0,
                is_set: true,
            }),
        )
    }

    fn with_edges(
        layout: Rc<Layout>,
        alignment: u64,
        lower: Option<Edge>,
        upper: Option<Edge>,
    ) -> Self {
        Self {
            plan: layout.as_bytes(),
            layout,
            alignment,
            lower,
            upper,
        }
    }

    /// Bytes of data.
    pub fn size(&self) -> u64 {
        self.layout.size
    }

    /// Lower bound.
    pub fn lower(&self) -> i64 {
        self.lower.map_or(0, |edge| edge.at)
    }

    /// Upper bound.
    pub fn upper(&self) -> i64 {
        self.upper.map_or(0, |edge| edge.at)
    }

    /// Bytes from one element of this type to the next.
    pub fn extent(&self) -> i64 {
        self.upper().saturating_sub(self.lower())
    }

    /// Displacement of the lowest byte of data.
    pub fn true_lower(&self) -> i64 {
        self.layout.span.0
    }

    /// Bytes from the lowest byte of data to the highest.
    pub fn true_extent(&self) -> i64 {
        self.layout.span.1.saturating_sub(self.layout.span.0)
    }

    /// Whether any number of elements is one row of bytes, from displacement 0.
    pub fn is_contiguous(&self) -> bool {
        matches!(self.plan.shape, Shape::Run { .. }) && self.extent() == self.size() as i64
    }

    /// What all its elements are, if they are all the same.
    pub fn element(&self) -> Option<BasicDatatype> {
        fn element_of(layout: &Layout) -> Option<BasicDatatype> {
            match &layout.shape {
                Shape::Run { element, .. } => Some(*element),
                Shape::Loop { body, .. } => element_of(body),
                Shape::Pieces(pieces) => {
                    let first = element_of(&pieces.first()?.1)?;
                    if pieces
                        .iter()
                        .all(|(_, piece)| element_of(piece) == Some(first))
                    {
                        Some(first)
                    } else {
                        None
                    }
                }
            }
        }
        element_of(&self.layout)
    }

    /// Lowest displacement and the one after the highest of `count` elements' data.
    pub fn span(&self, count: u64) -> (i64, i64) {
        if count == 0 || self.size() == 0 {
            return (0, 0);
        }
        let last = self.extent().saturating_mul(count as i64 - 1);
        let (low, high) = self.layout.span;
        (
            low.saturating_add(last.min(0)),
            high.saturating_add(last.max(0)),
        )
    }

    /// Bytes of the first `elements` basic elements of any number of elements of this type.
    pub fn bytes_of_elements(&self, elements: u64) -> Option<u64> {
        let each = self.layout.elements.max(1);
        let whole = (elements / each).checked_mul(self.size())?;
        whole.checked_add(self.layout.bytes_of_elements(elements % each))
    }

    /// Calls `visit` with displacement and length of each row of bytes of `count` elements, in
    /// order, for the first `bytes` bytes of data.
    #[inline]
    pub fn rows(&self, count: u64, bytes: u64, mut visit: impl FnMut(i64, u64)) {
        if self.is_contiguous() {
            return visit(0, bytes.min(self.size().saturating_mul(count)));
        }
        let (mut left, extent) = (bytes, self.extent());
        let mut limited = |at: i64, _: BasicDatatype, length: u64| {
            visit(at, length.min(left));
            left -= length.min(left);
            left > 0
        };
        let _ = bytes > 0 && (0..count as i64).all(|i| self.plan.runs(i * extent, &mut limited));
    }

    /// Word for the envelope of a message of `count` elements; see [`agree`].
    pub fn signature_word(&self, count: u64) -> u64 {
        match self.layout.signature.word() {
            uniform if uniform >> 63 == 0 => uniform,
            _ => self.layout.signature.repeated(count).word(),
        }
    }

    /// The word that the first `bytes` bytes of elements of this type have; `None` if they end
    /// within a basic element of several sorts.
    pub fn prefix_word(&self, bytes: u64) -> Option<u64> {
        let size = self.size();
        let word = self.layout.signature.word();
        if size == 0 || word >> 63 == 0 {
            return Some(word);
        }
        let whole = self.layout.signature.repeated(bytes / size);
        Some(
            whole
                .followed_by(self.layout.signature_of(bytes % size)?)
                .word(),
        )
    }

    /// As a recording writes it.
    pub fn canonical(&self) -> mpi::Datatype {
        let mut runs: Vec<(BasicDatatype, u64, i64)> = Vec::new();
        let joins = self.layout.number_of_runs() > RECORDED_RUNS;
        self.layout.runs(0, &mut |at, element, count| {
            match runs.last_mut() {
                Some((same, number, _)) if joins && *same == element => *number += count,
                _ => runs.push((element, count, at)),
            }
            true
        });
        mpi::Datatype {
            runs,
            extent: self.extent(),
        }
    }

    /// The same of a datatype whose displacements are addresses, which are others in each run: its data as if they stood one
    /// behind the other.
    pub fn canonical_anywhere(&self) -> mpi::Datatype {
        let mut runs: Vec<(BasicDatatype, u64, i64)> = Vec::new();
        let mut bytes = 0;
        self.layout.runs(0, &mut |_, element, count| {
            match runs.last_mut() {
                Some((same, number, _)) if *same == element => *number += count,
                _ => runs.push((element, count, bytes)),
            }
            bytes += (element.bytes() * count) as i64;
            true
        });
        mpi::Datatype {
            runs,
            extent: self.size() as i64,
        }
    }
}

/// Alignment of an element in C.
fn alignment_of(element: BasicDatatype) -> u64 {
    match element {
        BasicDatatype::Byte | BasicDatatype::Character => 1,
        BasicDatatype::Integer(n)
        | BasicDatatype::Unsigned(n)
        | BasicDatatype::Real(n)
        | BasicDatatype::Logical(n) => u64::from(n),
        BasicDatatype::Complex(n) => u64::from(n / 2),
        BasicDatatype::Pair(value, index) => u64::from(value.max(index)),
    }
}
