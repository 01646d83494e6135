//! Intercommunicators: made of two communicators whose leaders meet over a third, and merged into one.

use super::recording::LeaderPair;
use crate::arguments::{Flag, Int, Out};
use crate::failure::{Failure, Outcome, wrong};
use crate::process::{Level, Process};
use base_data::split_mix::mixed;
use token_runtime::kernel::point_to_point::{self, Message, Wanted};
use token_runtime::kernel::{heap, slot};
use token_runtime::mpich::class;

/// Distinguishes the messages of leaders from those of the program.
const LEADER_CONTEXT: u64 = 0x6d65_6574_696e_6721;

/// Over which communicator, with whom and with which tag leaders meet.
struct LeaderExchange {
    peer: usize,
    partner: u32,
    tag: i32,
}

pub fn create(
    process: &mut Process,
    local_comm: Int,
    local_leader: Int,
    peer_comm: Int,
    remote_leader: Int,
    tag: Int,
    newintercomm: Out,
) -> Outcome {
    let local = process.intracommunicator(local_comm)?;
    let leader = process.leader(local, local_leader)?;
    process.current.level = Level::Payload;
    process.require_other_ranks()?;
    let leader_exchange = match process.communicator(local).rank == leader {
        true => Some(process.leader_exchange(peer_comm, remote_leader, tag)?),
        false => None,
    };
    let words = match &leader_exchange {
        Some(leader_exchange) => process.exchange_with_leader(local, leader_exchange)?,
        None => Vec::new(),
    };
    let known = process
        .exchange(local, &words)?
        .swap_remove(leader as usize);
    let (context, remote) = (
        known[0] as u64,
        known[1..]
            .iter()
            .map(|&member| member as u32)
            .collect::<Vec<u32>>(),
    );
    let own = process.communicator(local);
    if remote.iter().any(|member| own.group.contains(member)) {
        return wrong(
            class::COMM,
            "the two groups of an intercommunicator have a rank in common",
        );
    }
    let (own_size, remote_size) = (own.group.len(), remote.len());
    let (made, properties) = (
        own.intercommunicator_with(remote, context),
        process.properties[local].inherited(),
    );
    newintercomm.set(process.add_communicator(made, properties));
    let met = leader_exchange.map(|LeaderExchange { peer, partner, tag }| LeaderPair {
        peer,
        other: process.communicator(peer).partner_place(partner),
        tag,
        own_size,
        remote_size,
    });
    process.record_leader_exchange(local, leader, remote_size, met.as_ref());
    process.record_construction(local, Some(process.communicators.len() - 1));
    Ok(())
}

impl Process {
    fn leader(&self, communicator: usize, leader: Int) -> Result<u32, Failure> {
        match u32::try_from(leader.0)
            .ok()
            .filter(|&leader| leader < self.communicator(communicator).size())
        {
            Some(leader) => Ok(leader),
            None => wrong(
                class::RANK,
                format!(
                    "the leader is {}, which is no rank of the communicator",
                    leader.0
                ),
            ),
        }
    }

    fn leader_exchange(
        &self,
        peer_comm: Int,
        remote_leader: Int,
        tag: Int,
    ) -> Result<LeaderExchange, Failure> {
        let peer = self.communicator_index(peer_comm.0)?;
        let partner = u32::try_from(remote_leader.0).ok();
        match partner
            .filter(|&partner| (partner as usize) < self.communicator(peer).partners().len())
        {
            Some(partner) => Ok(LeaderExchange {
                peer,
                partner,
                tag: tag.0,
            }),
            None => wrong(
                class::RANK,
                format!(
                    "the remote leader is {}, which is no rank of the peer communicator",
                    remote_leader.0
                ),
            ),
        }
    }

    /// As leader, sends the other leader the members of this group and its number of earlier exchanges; returns the
    /// context that both derive from these, and the members of the other group.
    fn exchange_with_leader(
        &mut self,
        local: usize,
        leader_exchange: &LeaderExchange,
    ) -> Result<Vec<i64>, Failure> {
        self.tables.leader_exchanges += 1;
        let own = [u64::from(self.rank), self.tables.leader_exchanges];
        let members = self
            .communicator(local)
            .group
            .iter()
            .map(|&member| u64::from(member));
        let words: Vec<u64> = own.into_iter().chain(members).collect();
        self.send_words(leader_exchange, &words)?;
        let theirs = self.receive_words(leader_exchange)?;
        let (first, second) = if own[0] < theirs[0] {
            (&own[..], &theirs[..2])
        } else {
            (&theirs[..2], &own[..])
        };
        let context = first
            .iter()
            .chain(second)
            .fold(LEADER_CONTEXT, |context, &word| {
                mixed(context ^ mixed(word + 1))
            });
        Ok(std::iter::once(context)
            .chain(theirs[2..].iter().copied())
            .map(|word| word as i64)
            .collect())
    }

    fn leader_context(&self, leader_exchange: &LeaderExchange) -> u64 {
        mixed(self.communicator(leader_exchange.peer).context ^ LEADER_CONTEXT)
    }

    fn send_words(&self, leader_exchange: &LeaderExchange, words: &[u64]) -> Outcome {
        let peer = self.communicator(leader_exchange.peer);
        let block = self.allocate_or_wait(|| heap::allocate(self.memory(), words.len() as u64))?;
        (block..)
            .zip(words)
            .for_each(|(at, &word)| self.memory().set(at, word));
        let message = Message {
            context: self.leader_context(leader_exchange),
            source: peer.rank,
            tag: leader_exchange.tag,
            bytes: words.len() as u64 * 8,
            payload: block,
            signature: 0,
            sender: 0,
            number: 0,
            call: self.call_word(),
        };
        let receiver = peer.partners()[leader_exchange.partner as usize];
        self.allocate_or_wait(|| point_to_point::send(self.memory(), receiver, message))
    }

    fn receive_words(&self, leader_exchange: &LeaderExchange) -> Result<Vec<u64>, Failure> {
        let wanted = Wanted {
            context: self.leader_context(leader_exchange),
            source: Some(leader_exchange.partner),
            tag: Some(leader_exchange.tag),
        };
        self.set_peer(leader_exchange.partner as i32);
        let node =
            self.allocate_or_wait(|| point_to_point::post(self.memory(), self.rank, wanted))?;
        if point_to_point::arrived(self.memory(), node).is_none() {
            point_to_point::wait_for(self.memory(), node);
            slot::wait_for(self.memory(), self.rank, 1);
            self.hand_over_token()?;
        }
        let message = point_to_point::arrived(self.memory(), node)
            .expect("the rank was woken when the message came");
        let words = (0..message.bytes / 8)
            .map(|at| self.memory().get(message.payload + at))
            .collect();
        point_to_point::retire(self.memory(), node);
        Ok(words)
    }
}

/// If both groups want to come first, or both last, the order in which they follow one another decides.
pub fn merge(process: &mut Process, intercomm: Int, high: Flag, newintracomm: Out) -> Outcome {
    let parent = process.communicator_index(intercomm.0)?;
    let Some(remote_is_second) = process
        .communicator(parent)
        .remote
        .as_ref()
        .map(|remote| remote.is_second)
    else {
        return wrong(class::COMM, "the communicator is no intercommunicator");
    };
    let wishes = process.exchange(parent, &[high.0.into()])?;
    let theirs = wishes[process.communicator(parent).partner_place(0) as usize][0] != 0;
    let local_is_first = if high.0 == theirs {
        remote_is_second
    } else {
        theirs
    };
    newintracomm.set(process.make_communicator(parent, |parent, sequence| {
        Some(parent.merged(sequence, local_is_first))
    }));
    Ok(())
}
