//! Plan of a collective on one rank, as data: its contribution, its dependencies,
//! and the data that it then reads. Blocking, nonblocking and persistent calls execute the same plans
//! (`execution`).

use super::buffer_segments::{BufferSegment, BufferSegments};
use super::members::Members;
use super::recording::RecordedAs;
use super::reduction_chain::ReductionSpec;
use crate::failure::Failure;
use std::rc::Rc;
use token_runtime::kernel::collective::Dependencies;

/// What planning a call gives.
pub type Planned = Result<Plan, Failure>;

/// A plan.
#[derive(Clone)]
pub struct Plan {
    /// Index of the communicator.
    pub communicator: usize,
    /// Number of the root, if there is one and this rank knows it.
    pub root: Option<u32>,
    /// Bytes that all members must name; `None` if they may differ.
    pub bytes: Option<u64>,
    /// What this rank gives, and how many readings that will have.
    pub outgoing: Option<Outgoing>,
    pub readers: u64,
    /// How the members' data are combined.
    pub reduction_spec: Option<Rc<ReductionSpec>>,
    pub dependencies: Dependency,
    pub incoming: Incoming,
    /// Where that goes.
    pub into: Option<BufferSegments>,
    /// What recordings say of the call; `None` if they have no form for it.
    pub recorded: Option<RecordedAs>,
}

/// The pieces of a parcel.
#[derive(Clone)]
pub struct Outgoing {
    pub segments: BufferSegments,
    pub pieces: u32,
    /// For whom each piece is, where that does not follow from its number.
    pub labels: Option<Rc<[u64]>>,
}

/// [`Dependencies`] with lists of its own.
#[derive(Clone)]
pub enum Dependency {
    Nothing,
    Group(u32),
    Member(u32),
    Members(Rc<[u32]>),
    Link,
}

/// What a rank takes when it may go on.
#[derive(Clone)]
pub enum Incoming {
    Nothing,
    One(IncomingPiece),
    /// The piece with this number of each partner, from the first to the last but one; all but that
    /// of one member.
    Partners {
        first: u32,
        count: u32,
        piece: u64,
        without: Option<u32>,
    },
    Listed(Rc<[IncomingPiece]>),
}

/// A piece to be taken.
#[derive(Clone, Copy, Debug)]
pub struct IncomingPiece {
    /// Who gives it.
    pub member: u32,
    pub piece: PieceSelector,
    /// Which of the areas it goes into.
    pub segment: u64,
}

/// Selects a piece of a parcel.
#[derive(Clone, Copy, Debug)]
pub enum PieceSelector {
    Number(u64),
    /// The one that is the n-th with this label.
    Labelled {
        label: u64,
        nth: u64,
    },
    /// A part of the only piece, which has `whole` bytes, from a byte on.
    Part {
        offset: u64,
        whole: u64,
    },
}

impl Dependency {
    /// As the kernel wants it.
    pub fn borrowed(&self) -> Dependencies<'_> {
        match self {
            Dependency::Nothing => Dependencies::Nothing,
            Dependency::Group(group) => Dependencies::Group(*group),
            Dependency::Member(member) => Dependencies::Members(std::slice::from_ref(member)),
            Dependency::Members(members) => Dependencies::Members(members),
            Dependency::Link => Dependencies::Link,
        }
    }
}

impl Incoming {
    /// All pieces, in order.
    pub fn each(&self) -> impl Iterator<Item = IncomingPiece> + '_ {
        let (listed, partners) = match self {
            Incoming::Nothing => (&[][..], None),
            Incoming::One(take) => (std::slice::from_ref(take), None),
            Incoming::Listed(list) => (&list[..], None),
            &Incoming::Partners {
                first,
                count,
                piece,
                without,
            } => (&[][..], Some((first, count, piece, without))),
        };
        let of_partners = partners
            .into_iter()
            .flat_map(|(first, count, piece, without)| {
                (0..count)
                    .filter(move |&rank| Some(first + rank) != without)
                    .map(move |rank| IncomingPiece {
                        member: first + rank,
                        piece: PieceSelector::Number(piece),
                        segment: u64::from(rank),
                    })
            });
        listed.iter().copied().chain(of_partners)
    }
}

impl Outgoing {
    /// One piece for all who read it.
    pub fn one(segment: BufferSegment) -> Self {
        Self {
            segments: BufferSegments::Same(segment),
            pieces: 1,
            labels: None,
        }
    }

    /// A piece for each partner.
    pub fn each(segments: BufferSegments, partners: u32) -> Self {
        Self {
            segments,
            pieces: partners,
            labels: None,
        }
    }
}

impl Incoming {
    /// The only piece of one member.
    pub fn from(member: u32) -> Self {
        Incoming::One(IncomingPiece {
            member,
            piece: PieceSelector::Number(0),
            segment: 0,
        })
    }

    /// A piece of each partner.
    pub fn from_partners(members: &Members, piece: u32, without: Option<u32>) -> Self {
        Incoming::Partners {
            first: members.first_partner,
            count: members.partners,
            piece: piece.into(),
            without,
        }
    }
}

impl Plan {
    /// The call of a rank that has no part in it.
    pub fn not_involved(communicator: usize) -> Self {
        Self {
            recorded: Some(RecordedAs::nothing()),
            ..Self::nothing(communicator)
        }
    }

    /// Nothing at all on a communicator.
    pub fn nothing(communicator: usize) -> Self {
        Self {
            communicator,
            root: None,
            bytes: None,
            outgoing: None,
            readers: 0,
            reduction_spec: None,
            dependencies: Dependency::Nothing,
            incoming: Incoming::Nothing,
            into: None,
            recorded: None,
        }
    }
}
