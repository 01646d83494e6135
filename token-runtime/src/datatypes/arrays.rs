//! Parts of arrays: a box of an array, and what one process of a grid has of a distributed one.

use super::{Datatype, Layout};
use std::rc::Rc;

/// One dimension of a box.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Elements of the whole array.
    pub whole: u64,
    /// Elements of the box.
    pub part: u64,
    /// Where the box begins.
    pub start: u64,
}

/// How one dimension of an array is distributed over so many processes, and which of them is meant.
#[derive(Clone, Copy, Debug)]
pub struct Distribution {
    /// Elements of the whole array.
    pub whole: u64,
    /// Its kind.
    pub kind: DistributionKind,
    /// Processes of this dimension.
    pub processes: u64,
    /// The one that is meant.
    pub process: u64,
}

/// Distribution of a dimension: `MPI_DISTRIBUTE_NONE`, `_BLOCK` or `_CYCLIC`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DistributionKind {
    /// All of them to the only process.
    None,
    /// So many in a row to each; `None`: as even as possible.
    Block(Option<u64>),
    /// So many in a row to each in turn, again and again.
    Cyclic(u64),
}

impl Datatype {
    /// A box of an array of this type; the dimension that varies fastest first. Its extent is that of
    /// the whole array.
    pub fn subarray(&self, dimensions: &[Extent]) -> Self {
        let (mut layout, mut stride, mut offset) = (self.layout.clone(), self.extent(), 0);
        for dimension in dimensions {
            layout = layout.repeated(dimension.part, stride);
            offset += stride * dimension.start as i64;
            stride *= dimension.whole as i64;
        }
        self.part_of_array(Layout::pieces([(offset, layout)]), stride)
    }

    /// What one process has of a distributed array of this type; the dimension that varies fastest
    /// first. Its extent is that of the whole array.
    pub fn distributed(&self, dimensions: &[Distribution]) -> Self {
        let (mut layout, mut stride) = (self.layout.clone(), self.extent());
        for dimension in dimensions {
            layout = dimension.part(&layout, stride);
            stride *= dimension.whole as i64;
        }
        self.part_of_array(layout, stride)
    }

    fn part_of_array(&self, layout: Rc<Layout>, extent: i64) -> Self {
        Self::with_edges(layout, self.alignment, self.lower, self.upper).resized(0, extent)
    }
}

impl Distribution {
    /// The elements of the process that is meant, `stride` bytes from one to the next.
    fn part(&self, element: &Rc<Layout>, stride: i64) -> Rc<Layout> {
        let (block, cycle) = match self.kind {
            DistributionKind::None => return element.repeated(self.whole, stride),
            DistributionKind::Block(block) => (
                block.unwrap_or_else(|| self.whole.div_ceil(self.processes.max(1))),
                self.whole,
            ),
            DistributionKind::Cyclic(block) => (block, block * self.processes),
        };
        // Only the last block of a process may be partial: a cyclic distribution has full blocks before it.
        let first = block * self.process;
        let left = self.whole.saturating_sub(first);
        let (full, rest) = match self.kind {
            DistributionKind::None | DistributionKind::Block(_) => (0, left.min(block)),
            DistributionKind::Cyclic(_) => {
                let whole = if left < block {
                    0
                } else {
                    (left - block) / cycle + 1
                };
                (whole, left.saturating_sub(whole * cycle).min(block))
            }
        };
        let at = |element: u64| stride * element as i64;
        let blocks = element.repeated(block, stride).repeated(full, at(cycle));
        let partial = element.repeated(rest, stride);
        Layout::pieces([(at(first), blocks), (at(first + full * cycle), partial)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::mpi::BasicDatatype;

    /// Which elements of a row of `whole` a process has.
    fn check(kind: DistributionKind, whole: u64, processes: u64, expect: &[&[u64]]) {
        let byte = Datatype::basic(BasicDatatype::Byte, 1);
        for (process, expect) in (0..).zip(expect) {
            let part = byte.distributed(&[Distribution {
                whole,
                kind,
                processes,
                process,
            }]);
            let mut has = Vec::new();
            part.rows(1, u64::MAX, |at, length| {
                has.extend(at as u64..at as u64 + length)
            });
            assert_eq!(
                (has.as_slice(), part.extent()),
                (*expect, whole as i64),
                "{kind:?} {process}"
            );
        }
    }

    #[test]
    fn distributed_array_elements_per_process() {
        check(DistributionKind::None, 3, 1, &[&[0, 1, 2]]);
        check(
            DistributionKind::Block(None),
            7,
            3,
            &[&[0, 1, 2], &[3, 4, 5], &[6]],
        );
        check(
            DistributionKind::Block(Some(4)),
            7,
            3,
            &[&[0, 1, 2, 3], &[4, 5, 6], &[]],
        );
        check(
            DistributionKind::Cyclic(1),
            7,
            3,
            &[&[0, 3, 6], &[1, 4], &[2, 5]],
        );
        check(
            DistributionKind::Cyclic(2),
            9,
            2,
            &[&[0, 1, 4, 5, 8], &[2, 3, 6, 7]],
        );
        check(
            DistributionKind::Cyclic(5),
            7,
            2,
            &[&[0, 1, 2, 3, 4], &[5, 6]],
        );
    }

    #[test]
    fn subarray_layout() {
        let byte = Datatype::basic(BasicDatatype::Byte, 1);
        let dimensions = [
            Extent {
                whole: 4,
                part: 2,
                start: 1,
            },
            Extent {
                whole: 3,
                part: 2,
                start: 1,
            },
        ];
        let part = byte.subarray(&dimensions);
        let mut rows = Vec::new();
        part.rows(2, u64::MAX, |at, length| rows.push((at, length)));
        assert_eq!(rows, [(5, 2), (9, 2), (17, 2), (21, 2)]);
    }
}
