//! Layouts of derived datatypes: each constructor of the standard places copies of older types at
//! displacements.

use super::{Datatype, Edge, Layout};

/// One block of a structure: `length` elements of a type in a row, at a displacement in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Displacement of the first element.
    pub at: i64,
    /// Number of elements.
    pub length: u64,
    /// Their type.
    pub datatype: &'a Datatype,
}

impl Datatype {
    /// `count` elements in a row.
    pub fn contiguous(&self, count: u64) -> Self {
        self.repeated(count, self.extent())
    }

    /// `count` blocks of `length` elements, `stride` bytes from one to the next.
    pub fn strided(&self, count: u64, length: u64, stride: i64) -> Self {
        self.contiguous(length).repeated(count, stride)
    }

    /// `count` elements, `stride` bytes from one to the next.
    pub fn repeated(&self, count: u64, stride: i64) -> Self {
        if count == 0 {
            return Self::with_edges(Layout::nothing(), 1, None, None);
        }
        // With a negative stride, the last copy determines the lower bound.
        let last = stride.saturating_mul(count as i64 - 1);
        let moved = |edge: Option<Edge>, by: i64| {
            edge.map(|edge| Edge {
                at: edge.at.saturating_add(by),
                is_set: edge.is_set,
            })
        };
        let (lower, upper) = (
            moved(self.lower, last.min(0)),
            moved(self.upper, last.max(0)),
        );
        Self::with_edges(
            self.layout.repeated(count, stride),
            self.alignment,
            lower,
            upper,
        )
    }

    /// Blocks at displacements, in this order.
    pub fn placed(blocks: &[Block<'_>]) -> Self {
        let (mut lower, mut upper, mut alignment) = (None, None, 1);
        let mut pieces = Vec::with_capacity(blocks.len());
        for block in blocks.iter().filter(|block| block.length > 0) {
            let row = block.datatype.contiguous(block.length);
            lower = outer(lower, row.lower, block.at, |new, old| new < old);
            upper = outer(upper, row.upper, block.at, |new, old| new > old);
            alignment = alignment.max(row.alignment);
            pieces.push((block.at, row.layout));
        }
        Self::with_edges(Layout::pieces(pieces), alignment, lower, upper)
    }

    /// Blocks of any types, padded as C pads a structure unless an upper bound was set.
    pub fn structure(blocks: &[Block<'_>]) -> Self {
        let mut made = Self::placed(blocks);
        let (lower, alignment) = (made.lower(), made.alignment as i64);
        if let Some(upper) = made.upper.as_mut().filter(|upper| !upper.is_set) {
            // The epsilon in the standard's definition of `ub`: the extent is rounded up to the strictest alignment.
            let beyond = (upper.at - lower).rem_euclid(alignment);
            upper.at += if beyond == 0 { 0 } else { alignment - beyond };
        }
        made
    }

    /// The same data with other bounds. In structures they count as natural ones do: so it is in the
    /// MPICH family, where only the markers of MPI-1 count before others.
    pub fn resized(&self, lower: i64, extent: i64) -> Self {
        let set = |at| Some(Edge { at, is_set: false });
        Self {
            lower: set(lower),
            upper: set(lower.saturating_add(extent)),
            ..self.clone()
        }
    }
}

/// The outer one of two edges; set ones count before natural ones.
fn outer(
    old: Option<Edge>,
    new: Option<Edge>,
    by: i64,
    is_outside: fn(i64, i64) -> bool,
) -> Option<Edge> {
    let new = new.map(|edge| Edge {
        at: edge.at.saturating_add(by),
        ..edge
    });
    match (old, new) {
        (Some(old), Some(new)) if old.is_set == new.is_set => {
            Some(if is_outside(new.at, old.at) { new } else { old })
        }
        (Some(old), Some(new)) => Some(if old.is_set { old } else { new }),
        (old, new) => old.or(new),
    }
}
