//! Members of a collective: those of the communicator, or of both groups of an
//! intercommunicator, in one numbering; and the members with which this rank exchanges data.

use crate::arguments::Int;
use crate::failure::{Failure, wrong};
use crate::process::Process;
use token_runtime::kernel::communicator::Communicator;
use token_runtime::mpich::{PROC_NULL, ROOT, class};

/// The members from one rank's view.
#[derive(Clone, Copy, Debug)]
pub struct Members {
    /// Size of the first group, and of the second, which only an intercommunicator has.
    pub sizes: [u32; 2],
    /// This rank's number.
    pub own: u32,
    /// This rank's rank in its group, and the size of that.
    pub rank: u32,
    pub size: u32,
    /// The group that data are exchanged with: its own, or the remote one.
    pub partner_group: u32,
    /// Number of partners, and the number of the first.
    pub partners: u32,
    pub first_partner: u32,
    pub is_inter: bool,
}

/// What a rank does in a call with a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    /// Number of the root; `None` if this rank cannot know it.
    pub root: Option<u32>,
    /// Whether this rank is the root.
    pub is_root: bool,
    /// Whether this rank exchanges data with the root.
    pub is_leaf: bool,
}

impl Members {
    /// Of a communicator.
    pub fn of(communicator: &Communicator) -> Self {
        let (size, partners) = (communicator.size(), communicator.partners().len() as u32);
        let (sizes, partner_group) = match &communicator.remote {
            None => ([size, 0], 0),
            Some(remote) if remote.is_second => ([size, partners], 1),
            Some(_) => ([partners, size], 0),
        };
        Self {
            sizes,
            own: communicator.place(),
            rank: communicator.rank,
            size,
            partner_group,
            partners,
            first_partner: communicator.partner_place(0),
            is_inter: communicator.remote.is_some(),
        }
    }

    /// Number of the partner with this rank.
    pub fn partner(&self, rank: u32) -> u32 {
        self.first_partner + rank
    }

    /// The last of the partners: what a reduction gives stands in its parcel.
    pub fn last_partner(&self) -> u32 {
        self.partner(self.partners - 1)
    }

    /// Whether this rank is the last of its group.
    pub fn is_last(&self) -> bool {
        self.rank + 1 == self.size
    }

    /// What this rank does in a call with this root.
    pub fn role(&self, root: Int) -> Result<Role, Failure> {
        let known = u32::try_from(root.0)
            .ok()
            .filter(|&rank| rank < self.partners);
        match (self.is_inter, root.0, known) {
            (true, ROOT, _) => Ok(Role {
                root: Some(self.own),
                is_root: true,
                is_leaf: false,
            }),
            (true, PROC_NULL, _) => Ok(Role {
                root: None,
                is_root: false,
                is_leaf: false,
            }),
            (_, _, Some(rank)) => {
                let root = self.partner(rank);
                Ok(Role {
                    root: Some(root),
                    is_root: root == self.own,
                    is_leaf: true,
                })
            }
            (_, root, None) => wrong(
                class::ROOT,
                format!("the root is {root}, which is no rank of the communicator"),
            ),
        }
    }
}

impl Process {
    /// The members of a communicator.
    pub fn members(&self, communicator: usize) -> Members {
        Members::of(self.communicator(communicator))
    }
}
