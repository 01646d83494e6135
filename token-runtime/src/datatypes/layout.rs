//! Layout of the data of a datatype: runs of basic elements, repeated and placed side by side. Loops
//! stay loops, so that a matrix of any size is a handful of nodes; the order of the standard's type
//! map is kept. `mod.rs` computes bounds and extents.

use super::signature::Signature;
use base_data::mpi::BasicDatatype;
use std::rc::Rc;

/// How the data lie, relative to the address of an element of the datatype.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Basic elements in a row, from displacement 0.
    Run {
        /// What each is.
        element: BasicDatatype,
        /// How many; at least one.
        count: u64,
    },
    /// The body again and again.
    Loop {
        /// How often; at least twice.
        count: u64,
        /// Bytes from one to the next.
        stride: i64,
        /// What is repeated.
        body: Rc<Layout>,
    },
    /// In this order, each at its displacement in bytes. None at all: no data.
    Pieces(Vec<(i64, Rc<Layout>)>),
}

/// A [`Shape`] with what is often asked of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The data.
    pub shape: Shape,
    /// Bytes of data.
    pub size: u64,
    /// Number of basic elements.
    pub elements: u64,
    /// Displacement of the lowest byte, and of the one after the highest.
    pub span: (i64, i64),
    /// The basic elements in their order, whatever their displacements.
    pub signature: Signature,
}

/// Bytes between the value and the index of a pair.
fn padding(element: BasicDatatype) -> i64 {
    match element {
        BasicDatatype::Pair(value, index) => i64::from(index) - i64::from(index.min(value)),
        BasicDatatype::Byte
        | BasicDatatype::Character
        | BasicDatatype::Integer(_)
        | BasicDatatype::Unsigned(_)
        | BasicDatatype::Real(_)
        | BasicDatatype::Complex(_)
        | BasicDatatype::Logical(_) => 0,
    }
}

impl Layout {
    /// Elements in a row.
    pub fn run(element: BasicDatatype, count: u64) -> Rc<Self> {
        let size = element.bytes().saturating_mul(count);
        let signature = Signature::element(element).repeated(count);
        if count == 0 {
            return Self::nothing();
        }
        Rc::new(Self {
            shape: Shape::Run { element, count },
            size,
            elements: count,
            span: (0, size as i64 + padding(element)),
            signature,
        })
    }

    /// No data.
    pub fn nothing() -> Rc<Self> {
        let (shape, signature) = (Shape::Pieces(Vec::new()), Signature::EMPTY);
        Rc::new(Self {
            shape,
            size: 0,
            elements: 0,
            span: (0, 0),
            signature,
        })
    }

    /// This layout `count` times, `stride` bytes from one to the next.
    pub fn repeated(self: &Rc<Self>, count: u64, stride: i64) -> Rc<Self> {
        if count == 0 || self.size == 0 {
            return Self::nothing();
        }
        // Repetitions without a gap extend the run or loop instead of nesting, so that the tree stays small.
        match &self.shape {
            _ if count == 1 => self.clone(),
            Shape::Run {
                element,
                count: inner,
            } if stride == self.size as i64 => Self::run(*element, inner.saturating_mul(count)),
            Shape::Loop {
                count: inner,
                stride: step,
                body,
            } if step.checked_mul(*inner as i64) == Some(stride) => {
                Self::looped(inner.saturating_mul(count), *step, body)
            }
            Shape::Run { .. } | Shape::Loop { .. } | Shape::Pieces(_) => {
                Self::looped(count, stride, self)
            }
        }
    }

    fn looped(count: u64, stride: i64, body: &Rc<Self>) -> Rc<Self> {
        // The stride may be negative: then the last repetition has the lowest address.
        let last = stride.saturating_mul(count as i64 - 1);
        Rc::new(Self {
            size: body.size.saturating_mul(count),
            elements: body.elements.saturating_mul(count),
            span: (
                body.span.0.saturating_add(last.min(0)),
                body.span.1.saturating_add(last.max(0)),
            ),
            signature: body.signature.repeated(count),
            shape: Shape::Loop {
                count,
                stride,
                body: body.clone(),
            },
        })
    }

    /// Layouts at displacements, in this order.
    pub fn pieces(pieces: impl IntoIterator<Item = (i64, Rc<Self>)>) -> Rc<Self> {
        let mut joined: Vec<(i64, Rc<Self>)> = Vec::new();
        for (at, piece) in pieces {
            // An empty piece would widen the span without data.
            if piece.size == 0 {
                continue;
            }
            match joined
                .last()
                .and_then(|(before, last)| Some((*before, last.followed_by(*before, at, &piece)?)))
            {
                Some((before, longer)) => {
                    *joined.last_mut().expect("there is one") = (before, longer)
                }
                None => joined.push((at, piece)),
            }
        }
        match joined.as_slice() {
            [(0, only)] => only.clone(),
            _ => Self::sequence(joined),
        }
    }

    /// This run at `before` made longer by another one at `at`, if that continues it.
    fn followed_by(&self, before: i64, at: i64, next: &Self) -> Option<Rc<Self>> {
        match (&self.shape, &next.shape) {
            (
                Shape::Run { element, count },
                Shape::Run {
                    element: same,
                    count: more,
                },
            ) if element == same && before.checked_add(self.size as i64) == Some(at) => {
                Some(Self::run(*element, count + more))
            }
            _ => None,
        }
    }

    fn sequence(pieces: Vec<(i64, Rc<Self>)>) -> Rc<Self> {
        let size = pieces
            .iter()
            .map(|(_, piece)| piece.size)
            .fold(0, u64::saturating_add);
        let elements = pieces
            .iter()
            .map(|(_, piece)| piece.elements)
            .fold(0, u64::saturating_add);
        let lowest = pieces
            .iter()
            .map(|(at, piece)| at.saturating_add(piece.span.0))
            .min();
        let highest = pieces
            .iter()
            .map(|(at, piece)| at.saturating_add(piece.span.1))
            .max();
        let signature = pieces.iter().fold(Signature::EMPTY, |before, (_, piece)| {
            before.followed_by(piece.signature)
        });
        let span = (lowest.unwrap_or(0), highest.unwrap_or(0));
        Rc::new(Self {
            shape: Shape::Pieces(pieces),
            size,
            elements,
            span,
            signature,
        })
    }

    /// The bytes of a short value and, aligned as C aligns it, its longer index: `MPI_SHORT_INT`.
    fn padded_pair(value: u8, index: u8) -> Rc<Self> {
        let bytes = |count: u8| Self::run(BasicDatatype::Byte, count.into());
        Self::pieces([(0, bytes(value)), (index.into(), bytes(index))])
    }

    /// The same data as plain bytes, neighbours joined: what copying follows.
    pub fn as_bytes(&self) -> Rc<Self> {
        match &self.shape {
            &Shape::Run {
                element: BasicDatatype::Pair(value, index),
                count,
            } if index > value => {
                Self::padded_pair(value, index).repeated(count, 2 * i64::from(index))
            }
            Shape::Run { .. } => Self::run(BasicDatatype::Byte, self.size),
            Shape::Loop {
                count,
                stride,
                body,
            } => body.as_bytes().repeated(*count, *stride),
            Shape::Pieces(pieces) => {
                Self::pieces(pieces.iter().map(|(at, piece)| (*at, piece.as_bytes())))
            }
        }
    }

    /// Calls `visit` with displacement, element and number of each run in order, until it gives
    /// false. Gives false if it did.
    pub fn runs(&self, base: i64, visit: &mut impl FnMut(i64, BasicDatatype, u64) -> bool) -> bool {
        match &self.shape {
            Shape::Run { element, count } => visit(base, *element, *count),
            Shape::Loop {
                count,
                stride,
                body,
            } => (0..*count as i64).all(|i| body.runs(base + i * stride, visit)),
            Shape::Pieces(pieces) => pieces
                .iter()
                .all(|(at, piece)| piece.runs(base + at, visit)),
        }
    }

    /// Number of runs, without looking at each.
    pub fn number_of_runs(&self) -> u64 {
        match &self.shape {
            Shape::Run { .. } => 1,
            Shape::Loop { count, body, .. } => count.saturating_mul(body.number_of_runs()),
            Shape::Pieces(pieces) => pieces
                .iter()
                .map(|(_, piece)| piece.number_of_runs())
                .fold(0, u64::saturating_add),
        }
    }

    /// Whole basic elements in the first `bytes` bytes of the data, and the bytes of one that is
    /// begun.
    pub fn elements_in(&self, bytes: u64) -> (u64, u64) {
        if bytes >= self.size {
            return (self.elements, 0);
        }
        match &self.shape {
            Shape::Run { element, .. } => (bytes / element.bytes(), bytes % element.bytes()),
            Shape::Loop { body, .. } => {
                let (whole, rest) = (bytes / body.size, bytes % body.size);
                let (more, begun) = body.elements_in(rest);
                (whole * body.elements + more, begun)
            }
            Shape::Pieces(pieces) => {
                let (mut left, mut elements) = (bytes, 0);
                for (_, piece) in pieces {
                    if left < piece.size {
                        let (more, begun) = piece.elements_in(left);
                        return (elements + more, begun);
                    }
                    left -= piece.size;
                    elements += piece.elements;
                }
                (elements, left)
            }
        }
    }

    /// Bytes of the first `elements` basic elements.
    pub fn bytes_of_elements(&self, elements: u64) -> u64 {
        if elements >= self.elements {
            return self.size;
        }
        match &self.shape {
            Shape::Run { element, .. } => elements * element.bytes(),
            Shape::Loop { body, .. } => {
                elements / body.elements * body.size
                    + body.bytes_of_elements(elements % body.elements)
            }
            Shape::Pieces(pieces) => {
                let (mut left, mut bytes) = (elements, 0);
                for (_, piece) in pieces {
                    bytes += piece.bytes_of_elements(left);
                    left -= left.min(piece.elements);
                }
                bytes
            }
        }
    }

    /// Signature of the first `bytes` bytes of the data; `None` if they end within an element.
    pub fn signature_of(&self, bytes: u64) -> Option<Signature> {
        if bytes >= self.size {
            return Some(self.signature);
        }
        match &self.shape {
            Shape::Run { element, .. } => {
                let (count, begun) = (bytes / element.bytes(), bytes % element.bytes());
                if begun == 0 {
                    Some(Signature::element(*element).repeated(count))
                } else {
                    None
                }
            }
            Shape::Loop { body, .. } => {
                let whole = bytes / body.size;
                let before = body.signature.repeated(whole);
                Some(before.followed_by(body.signature_of(bytes % body.size)?))
            }
            Shape::Pieces(pieces) => {
                let (mut left, mut signature) = (bytes, Signature::EMPTY);
                for (_, piece) in pieces {
                    if left < piece.size {
                        return Some(signature.followed_by(piece.signature_of(left)?));
                    }
                    left -= piece.size;
                    signature = signature.followed_by(piece.signature);
                }
                Some(signature)
            }
        }
    }
}
