//! The lists that all ranks' streams refer to (variants, datatypes, communicators, call sites),
//! and the rewriting of one rank's stream from its own lists to these.

use super::MergeError;
use super::operands::{self, Meaning};
use base_data::block_table::{BlockTable, CallSite, CallSiteKey};
use base_data::ids::{CallSiteId, CommId};
use base_data::mpi::Datatype;
use base_data::program_data::{Communicator, Mark, Op, Operand, Variant};
use base_data::provenance::Provenance;
use base_data::rank_recording::{RankRecording, UnmarkedSite};
use base_data::rank_set::RankSet;
use std::collections::HashMap;
use std::hash::Hash;

/// A list without duplicates, in order of first appearance.
#[derive(Debug)]
pub(crate) struct Unique<T> {
    list: Vec<T>,
    index: HashMap<T, usize>,
}

impl<T: Clone + Eq + Hash> Unique<T> {
    fn new() -> Self {
        Self {
            list: Vec::new(),
            index: HashMap::new(),
        }
    }

    pub(crate) fn add(&mut self, value: T) -> usize {
        let next = self.list.len();
        let at = *self.index.entry(value.clone()).or_insert(next);
        if at == next {
            self.list.push(value);
        }
        at
    }

    pub(crate) fn list(&self) -> &[T] {
        &self.list
    }

    pub(crate) fn into_list(self) -> Vec<T> {
        self.list
    }
}

pub(crate) struct SharedTables {
    pub(crate) table: BlockTable,
    pub(crate) variants: Unique<Variant>,
    pub(crate) datatypes: Unique<Datatype>,
    pub(crate) communicators: Unique<Communicator>,
    /// Counts per rank of a communicator, of single ranks.
    pub(crate) count_lists: Unique<Vec<u64>>,
    /// Object that unmarked calls are said to be in where the recording does not know.
    object: String,
    /// Site of each call without a mark.
    unmarked: HashMap<UnmarkedSite, CallSiteId>,
}

/// From a rank's own indices to the shared ones.
struct Translation {
    variants: Vec<i64>,
    datatypes: Vec<u32>,
    communicators: Vec<i64>,
    count_lists: Vec<u32>,
    unmarked: Vec<CallSiteId>,
}

impl SharedTables {
    pub(crate) fn new(table: BlockTable, provenance: &Provenance, ranks: u32) -> Self {
        let mut communicators = Unique::new();
        communicators.add(Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::all(ranks),
        });
        // Number 1 is self. Its group is empty here, because it differs on each rank.
        communicators.list.push(Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::default(),
        });
        Self {
            table,
            variants: Unique::new(),
            datatypes: Unique::new(),
            communicators,
            count_lists: Unique::new(),
            object: provenance.program.clone(),
            unmarked: HashMap::new(),
        }
    }

    /// Adds a rank's lists; gives its stream in terms of the shared ones.
    pub(crate) fn adopt(
        &mut self,
        rank: u32,
        recording: RankRecording,
    ) -> Result<Vec<Op>, MergeError> {
        let damaged = |what| MergeError::Damaged { rank, what };
        let translation = self
            .translate(&recording)
            .ok_or(damaged("a communicator is made from an unknown one"))?;
        let mut stream = recording.stream;
        for op in &mut stream {
            translation.apply(op).map_err(damaged)?;
        }
        Ok(stream)
    }

    fn translate(&mut self, recording: &RankRecording) -> Option<Translation> {
        let unmarked = recording
            .unmarked
            .iter()
            .map(|unmarked| self.site_of(unmarked))
            .collect();
        let variants = recording
            .variants
            .iter()
            .map(|v| self.variants.add(v.clone()) as i64)
            .collect();
        let datatypes = recording
            .datatypes
            .iter()
            .map(|d| self.datatypes.add(d.clone()) as u32)
            .collect();
        let count_lists = recording.count_lists.iter();
        let count_lists = count_lists
            .map(|list| self.count_lists.add(list.clone()) as u32)
            .collect();
        // The first two are the world and self on every rank.
        let mut communicators = vec![0, 1];
        for made in recording.communicators.iter().skip(2) {
            let parent = *communicators.get(made.parent?.index())?;
            let parent = Some(CommId(u32::try_from(parent).ok()?));
            communicators.push(self.communicators.add(Communicator {
                parent,
                ..made.clone()
            }) as i64);
        }
        Some(Translation {
            variants,
            datatypes,
            communicators,
            count_lists,
            unmarked,
        })
    }

    fn site_of(&mut self, unmarked: &UnmarkedSite) -> CallSiteId {
        if let Some(&site) = self.unmarked.get(unmarked) {
            return site;
        }
        let site = CallSiteId::from_index(self.table.call_sites.len());
        let object = match unmarked.object.rsplit('/').next() {
            None | Some("") => self.object.clone(),
            Some(name) => name.to_string(),
        };
        self.table.call_sites.push(CallSite {
            key: CallSiteKey::Object {
                object,
                offset: unmarked.offset,
            },
            function: unmarked.function.clone(),
            procedure: String::new(),
            span: None,
            loop_path: Vec::new(),
        });
        self.unmarked.insert(unmarked.clone(), site);
        site
    }
}

impl Translation {
    fn apply(&self, op: &mut Op) -> Result<(), &'static str> {
        let mut wrong = None;
        operands::each(
            op,
            &mut |operand, meaning| match self.operand(*operand, meaning) {
                Some(value) => *operand = Operand::Constant(value),
                None => wrong = Some("an operand is not in its list"),
            },
        );
        operands::each_datatype(
            op,
            &mut |datatype| match self.datatypes.get(*datatype as usize) {
                Some(&shared) => *datatype = shared,
                None => wrong = Some("a datatype is not in its list"),
            },
        );
        operands::each_count_list(op, &mut |list| match self.count_lists.get(*list as usize) {
            Some(&shared) => *list = shared,
            None => wrong = Some("a list of counts is not there"),
        });
        match op {
            Op::Call { site, .. } | Op::Mark(Mark::Clock { site, .. }) => {
                *site = self.site(*site).ok_or("a call site is not in its list")?;
            }
            Op::Loop { .. }
            | Op::Block { .. }
            | Op::Mark(Mark::SectionBegin | Mark::SectionEnd) => {}
        }
        wrong.map_or(Ok(()), Err)
    }

    fn operand(&self, operand: Operand, meaning: Meaning) -> Option<i64> {
        let Operand::Constant(value) = operand else {
            return None;
        };
        let index = usize::try_from(value);
        match meaning {
            Meaning::Number => Some(value),
            // The constructor has made no communicator for this rank (MPI_COMM_NULL).
            Meaning::Communicator if value == -1 => Some(-1),
            Meaning::Communicator => self.communicators.get(index.ok()?).copied(),
            Meaning::Variant => self.variants.get(index.ok()?).copied(),
        }
    }

    fn site(&self, site: CallSiteId) -> Option<CallSiteId> {
        match site.0.checked_sub(RankRecording::UNMARKED) {
            None => Some(site),
            Some(unmarked) => self.unmarked.get(unmarked as usize).copied(),
        }
    }
}
