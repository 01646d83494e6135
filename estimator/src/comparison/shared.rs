//! Call sites and blocks of both sides under numbers that mean the same on both.
//!
//! Where the streams are equal, the call sites that both sides are at when they make their n-th call
//! are the same, whatever each side knows of them: a stripped binary may know nothing, and a compiler
//! that copies a call makes two places of one. Where the streams differ, sites are the same if they
//! call the same function on the same line. Blocks are the same if their keys are.

use super::elements::{Stop, stops};
use super::names;
use super::outcome::Named;
use super::side::{Both, ComparedFile};
use super::window::Common;
use base_data::block_table::BlockTable;
use base_data::stream_difference::same_site;
use base_data::{BlockId, CallSiteId, Rank};

/// A stop under a number of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SharedStop {
    SectionBegin,
    SectionEnd,
    Site(u32),
}

/// The numbers, and what they are called.
pub(super) struct Shared {
    sites: Both<Vec<u32>>,
    blocks: Both<Vec<u32>>,
    site_names: Vec<Named>,
    block_names: Vec<Named>,
    /// Whether any site of one side was found on the other.
    pub(super) sites_match: bool,
}

impl Shared {
    /// Finds out which are the same.
    pub(super) fn new(sides: &Both<ComparedFile<'_>>, common: Common) -> Self {
        let tables = sides.as_ref().map(|side| &side.program().table);
        let mut groups = Groups::new(tables.a.call_sites.len() + tables.b.call_sites.len());
        let sites_match = match common.equal {
            true => join_by_number(sides, common.sections, &mut groups),
            false => join_by_place(tables, &mut groups),
        };
        let (roots, site_names) = groups.numbered(|members| site_name(tables, members));
        let (of_a, of_b) = roots.split_at(tables.a.call_sites.len());
        let (blocks, block_names) = blocks(tables);
        let sites = Both {
            a: of_a.to_vec(),
            b: of_b.to_vec(),
        };
        Self {
            sites,
            blocks,
            site_names,
            block_names,
            sites_match,
        }
    }

    /// The numbers of one side.
    pub(super) fn sides(&self) -> Both<Numbers<'_>> {
        let sites = self.sites.as_ref();
        sites
            .zip(self.blocks.as_ref())
            .map(|(sites, blocks)| Numbers { sites, blocks })
    }

    /// Name of a stop; `None` is the begin or end of the stream.
    pub(super) fn stop_name(&self, stop: Option<SharedStop>) -> Named {
        match stop {
            None => Named {
                function: "begin or end".into(),
                ..Named::default()
            },
            Some(SharedStop::SectionBegin) => Named {
                function: "section begins".into(),
                ..Named::default()
            },
            Some(SharedStop::SectionEnd) => Named {
                function: "section ends".into(),
                ..Named::default()
            },
            Some(SharedStop::Site(number)) => self
                .site_names
                .get(number as usize)
                .cloned()
                .unwrap_or_default(),
        }
    }

    /// Name of a block.
    pub(super) fn block_name(&self, number: u32) -> Named {
        self.block_names
            .get(number as usize)
            .cloned()
            .unwrap_or_default()
    }
}

/// The shared numbers of one side's sites and blocks.
#[derive(Clone, Copy)]
pub(super) struct Numbers<'a> {
    sites: &'a [u32],
    blocks: &'a [u32],
}

impl Numbers<'_> {
    pub(super) fn stop(&self, stop: Stop) -> SharedStop {
        match stop {
            Stop::Site(site) => {
                SharedStop::Site(self.sites.get(site.index()).copied().unwrap_or(u32::MAX))
            }
            Stop::SectionBegin => SharedStop::SectionBegin,
            Stop::SectionEnd => SharedStop::SectionEnd,
        }
    }

    pub(super) fn block(&self, block: BlockId) -> u32 {
        self.blocks.get(block.index()).copied().unwrap_or(u32::MAX)
    }
}

fn join_by_number(sides: &Both<ComparedFile<'_>>, sections: bool, groups: &mut Groups) -> bool {
    let (a, b) = (sides.a.program(), sides.b.program());
    let first_of_b = a.table.call_sites.len();
    for rank in (0..a.ranks).map(Rank) {
        for ((of_a, _), (of_b, _)) in stops(a, rank, sections).zip(stops(b, rank, sections)) {
            if let (Stop::Site(of_a), Stop::Site(of_b)) = (of_a, of_b) {
                groups.join(of_a.index(), first_of_b + of_b.index());
            }
        }
    }
    true
}

fn join_by_place(tables: Both<&BlockTable>, groups: &mut Groups) -> bool {
    let mut any = false;
    for (i, of_a) in tables.a.call_sites.iter().enumerate() {
        for (j, of_b) in tables.b.call_sites.iter().enumerate() {
            if same_site((tables.a, of_a), (tables.b, of_b)) {
                groups.join(i, tables.a.call_sites.len() + j);
                any = true;
            }
        }
    }
    any
}

/// A group is called after its first site with a line, or its first.
fn site_name(tables: Both<&BlockTable>, members: &[usize]) -> Named {
    let first_of_b = tables.a.call_sites.len();
    let site = |&member: &usize| match member.checked_sub(first_of_b) {
        None => (tables.a, CallSiteId::from_index(member)),
        Some(of_b) => (tables.b, CallSiteId::from_index(of_b)),
    };
    let has_line =
        |(table, id): &(&BlockTable, CallSiteId)| table.call_sites[id.index()].span.is_some();
    let mut sites = members.iter().map(site);
    let chosen = sites.clone().find(has_line).or_else(|| sites.next());
    chosen.map_or_else(Named::default, |(table, id)| {
        let site = &table.call_sites[id.index()];
        Named {
            place: names::site(table, id),
            function: site.function.clone(),
            procedure: site.procedure.clone(),
        }
    })
}

fn blocks(tables: Both<&BlockTable>) -> (Both<Vec<u32>>, Vec<Named>) {
    let mut numbers: Vec<u32> = (0..).take(tables.a.blocks.len()).collect();
    let mut known = tables
        .a
        .blocks
        .iter()
        .map(|block| &block.key)
        .collect::<Vec<_>>();
    let name = |table: &BlockTable, block: &base_data::block_table::Block| Named {
        place: names::span(table, &block.span),
        function: format!("{} block", block.kind),
        procedure: block.key.procedure.clone(),
    };
    let mut names: Vec<Named> = tables
        .a
        .blocks
        .iter()
        .map(|block| name(tables.a, block))
        .collect();
    let of_a = std::mem::take(&mut numbers);
    for block in &tables.b.blocks {
        let number = known
            .iter()
            .position(|key| **key == block.key)
            .unwrap_or(known.len());
        if number == known.len() {
            known.push(&block.key);
            names.push(name(tables.b, block));
        }
        numbers.push(number as u32);
    }
    (
        Both {
            a: of_a,
            b: numbers,
        },
        names,
    )
}

/// Sites that were found to be the same, in groups (union-find).
struct Groups {
    parents: Vec<usize>,
}

impl Groups {
    fn new(sites: usize) -> Self {
        Self {
            parents: (0..sites).collect(),
        }
    }

    fn root(&mut self, mut site: usize) -> usize {
        while self.parents[site] != site {
            // Path halving keeps the chains short.
            self.parents[site] = self.parents[self.parents[site]];
            site = self.parents[site];
        }
        site
    }

    /// The root of a group is its first site.
    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.parents[one.max(other)] = one.min(other);
    }

    /// The number of each site's group, and the name of each group.
    fn numbered(mut self, name: impl Fn(&[usize]) -> Named) -> (Vec<u32>, Vec<Named>) {
        let mut members: Vec<Vec<usize>> = Vec::new();
        let mut numbers: Vec<u32> = Vec::with_capacity(self.parents.len());
        for site in 0..self.parents.len() {
            // The root is the lowest site of its group, so its number is known when the others come.
            let root = self.root(site);
            let number = if root == site {
                members.len() as u32
            } else {
                numbers[root]
            };
            if root == site {
                members.push(Vec::new());
            }
            members[number as usize].push(site);
            numbers.push(number);
        }
        (
            numbers,
            members.iter().map(|members| name(members)).collect(),
        )
    }
}
