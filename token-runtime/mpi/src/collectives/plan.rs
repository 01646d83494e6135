//! What a rank does in a collective, as data: what it gives, what must happen before it may go on,
//! and what it takes then. Blocking, nonblocking and persistent calls carry out the same plans
//! (`carrying_out`).

use super::areas::{Area, Areas};
use super::combining::Combination;
use super::members::Members;
use super::recording::Form;
use crate::failure::Failure;
use std::rc::Rc;
use token_runtime::kernel::collective::Needs;

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
    pub gives: Option<Gives>,
    pub readers: u64,
    /// How the members' data are combined.
    pub combination: Option<Rc<Combination>>,
    pub needs: Need,
    pub takes: Takes,
    /// Where that goes.
    pub into: Option<Areas>,
    /// What recordings say of the call; `None` if they have no form for it.
    pub recorded: Option<Form>,
}

/// The pieces of a parcel.
#[derive(Clone)]
pub struct Gives {
    pub areas: Areas,
    pub pieces: u32,
    /// For whom each piece is, where that does not follow from its number.
    pub labels: Option<Rc<[u64]>>,
}

/// [`Needs`] with lists of its own.
#[derive(Clone)]
pub enum Need {
    Nothing,
    Group(u32),
    Member(u32),
    Members(Rc<[u32]>),
    Link,
}

/// What a rank takes when it may go on.
#[derive(Clone)]
pub enum Takes {
    Nothing,
    One(Take),
    /// The piece with this number of each partner, from the first to the last but one; all but that
    /// of one member.
    Partners {
        first: u32,
        count: u32,
        piece: u64,
        without: Option<u32>,
    },
    Listed(Rc<[Take]>),
}

/// A piece to be taken.
#[derive(Clone, Copy, Debug)]
pub struct Take {
    /// Who gives it.
    pub member: u32,
    pub piece: Piece,
    /// Which of the areas it goes into.
    pub area: u64,
}

/// Which piece of a parcel.
#[derive(Clone, Copy, Debug)]
pub enum Piece {
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

impl Need {
    /// As the kernel wants it.
    pub fn borrowed(&self) -> Needs<'_> {
        match self {
            Need::Nothing => Needs::Nothing,
            Need::Group(group) => Needs::Group(*group),
            Need::Member(member) => Needs::Members(std::slice::from_ref(member)),
            Need::Members(members) => Needs::Members(members),
            Need::Link => Needs::Link,
        }
    }
}

impl Takes {
    /// One after the other.
    pub fn each(&self) -> impl Iterator<Item = Take> + '_ {
        let (listed, partners) = match self {
            Takes::Nothing => (&[][..], None),
            Takes::One(take) => (std::slice::from_ref(take), None),
            Takes::Listed(list) => (&list[..], None),
            &Takes::Partners { first, count, piece, without } => {
                (&[][..], Some((first, count, piece, without)))
            }
        };
        let of_partners = partners.into_iter().flat_map(|(first, count, piece, without)| {
            (0..count).filter(move |&rank| Some(first + rank) != without).map(move |rank| Take {
                member: first + rank,
                piece: Piece::Number(piece),
                area: u64::from(rank),
            })
        });
        listed.iter().copied().chain(of_partners)
    }
}

impl Gives {
    /// One piece for all who read it.
    pub fn one(area: Area) -> Self {
        Self { areas: Areas::Same(area), pieces: 1, labels: None }
    }

    /// A piece for each partner.
    pub fn each(areas: Areas, partners: u32) -> Self {
        Self { areas, pieces: partners, labels: None }
    }
}

impl Takes {
    /// The only piece of one member.
    pub fn from(member: u32) -> Self {
        Takes::One(Take { member, piece: Piece::Number(0), area: 0 })
    }

    /// A piece of each partner.
    pub fn from_partners(members: &Members, piece: u32, without: Option<u32>) -> Self {
        Takes::Partners {
            first: members.first_partner,
            count: members.partners,
            piece: piece.into(),
            without,
        }
    }
}

impl Plan {
    /// The call of a rank that has no part in it.
    pub fn no_part(communicator: usize) -> Self {
        Self { recorded: Some(Form::nothing()), ..Self::nothing(communicator) }
    }

    /// Nothing at all on a communicator.
    pub fn nothing(communicator: usize) -> Self {
        Self {
            communicator,
            root: None,
            bytes: None,
            gives: None,
            readers: 0,
            combination: None,
            needs: Need::Nothing,
            takes: Takes::Nothing,
            into: None,
            recorded: None,
        }
    }
}
