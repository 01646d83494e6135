//! Communicators by handle: numbered as they are made, each with what it was made from.

use crate::handles::Handles;
use crate::mpi::Mpi;
use crate::passed_arguments::Binding;
use base_data::ids::{CommId, Rank};
use base_data::program_data::{Call, Communicator, Operand};
use base_data::rank_set::RankSet;
use token_runtime::event_stream::EventStream;
use token_runtime::mpich;

/// The communicators of one rank.
#[derive(Debug, Default)]
pub struct Communicators {
    /// Index in the recording, by handle.
    known: Handles<u32>,
    /// By index.
    all: Vec<Membership>,
}

/// This rank in a communicator.
#[derive(Clone, Copy, Debug)]
struct Membership {
    rank: u32,
    size: u32,
    /// Constructor calls on it so far.
    constructed: u32,
}

impl Communicators {
    /// The world and self, which come first in every recording.
    pub fn predefined(mpi: &Mpi, stream: &mut EventStream) -> Self {
        let mut communicators = Self::default();
        let own = mpi.family.handle(mpich::COMM_SELF, c"ompi_mpi_comm_self");
        for (handle, group) in [
            (mpi.world, RankSet::all(mpi.ranks)),
            (own, RankSet::default()),
        ] {
            let made = Communicator {
                parent: None,
                sequence: 0,
                group,
            };
            communicators.add(mpi, stream, handle, Binding::C, made);
        }
        communicators
    }

    /// Index of a communicator; `None` for one made by a function that is not observed.
    #[inline]
    pub fn index(&mut self, handle: usize) -> Option<u32> {
        self.known.get(handle)
    }

    /// This rank's number in a communicator, and how many there are.
    pub fn rank_and_size(&self, index: u32) -> (u32, u32) {
        let Membership { rank, size, .. } = self.all[index as usize];
        (rank, size)
    }

    /// A constructor call on `parent` is over and has given this handle. What is recorded of it.
    pub fn made(
        &mut self,
        mpi: &Mpi,
        stream: &mut EventStream,
        parent: u32,
        (handle, binding): (usize, Binding),
    ) -> Call {
        let parent_here = &mut self.all[parent as usize];
        let sequence = parent_here.constructed;
        parent_here.constructed += 1;
        let null = mpi.family.handle(mpich::COMM_NULL, c"ompi_mpi_comm_null");
        let [c, _] = mpi.communicator_handles(handle, binding);
        let made = if c != null {
            let group = RankSet::from_ranks(mpi.members(c).into_iter().map(Rank));
            let made = Communicator {
                parent: Some(CommId(parent)),
                sequence,
                group,
            };
            Some(self.add(mpi, stream, handle, binding, made))
        } else {
            None
        };
        Call::MakeCommunicator {
            parent: Operand::Constant(i64::from(parent)),
            made: Operand::Constant(made.map_or(-1, i64::from)),
        }
    }

    fn add(
        &mut self,
        mpi: &Mpi,
        stream: &mut EventStream,
        handle: usize,
        binding: Binding,
        made: Communicator,
    ) -> u32 {
        let index = stream.add_communicator(made);
        let handles = mpi.communicator_handles(handle, binding);
        let (rank, size) = mpi.rank_and_size(handles[0]);
        self.all.push(Membership {
            rank,
            size,
            constructed: 0,
        });
        handles
            .into_iter()
            .for_each(|handle| self.known.set(handle, index));
        index
    }

    /// A communicator is freed.
    pub fn forget(&mut self, handles: [usize; 2]) {
        handles
            .into_iter()
            .for_each(|handle| self.known.forget(handle));
    }
}
