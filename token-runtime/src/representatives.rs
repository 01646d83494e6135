//! Selects representative ranks: a small set that together executes, of every compute block, the variants that
//! determine the times of the others. Times belong to (block, variant), not to ranks. The times of data-dependent
//! blocks differ on each rank, so more ranks are sampled if the program has any.
//!
//! `host` runs the representatives; `replay_input` supplies the messages that they receive.

use crate::replay_input::RecordedCallCounts;
use base_data::ids::{BlockId, Rank, VariantId};
use base_data::program_data::{Call, CollectiveKind, Op, Operand, ProgramData};
use base_data::stream;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Ranks to measure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Representatives {
    /// Together they execute all variants that are needed. In the order in which they are best run: roots that give data to
    /// all other ranks before those, and roots of other communicators before their members.
    pub cover: Vec<u32>,
    /// All others, each far from those before it: samples of blocks whose work depends on data.
    pub further: Vec<u32>,
}

/// Chooses representatives of the ranks of these program data.
pub fn choose(data: &ProgramData) -> Representatives {
    let roots = roots(data);
    let mut groups: BTreeMap<BTreeSet<VariantId>, u32> = BTreeMap::new();
    for (rank, variants) in variants(data) {
        // Of ranks that execute the same a root stands for all, else the lowest.
        let first = groups.entry(variants).or_insert(rank);
        if roots.contains(&rank) && !roots.contains(first) {
            *first = rank;
        }
    }
    let (mut cover, mut missing) = (Vec::new(), needed(data));
    for &root in &roots {
        cover.push(root);
        for (executed, &rank) in &groups {
            if rank == root {
                missing.retain(|set| set.is_disjoint(executed));
            }
        }
    }
    // Greedy set cover.
    while !missing.is_empty() {
        let added = |executed: &BTreeSet<VariantId>| {
            missing
                .iter()
                .filter(|set| !set.is_disjoint(executed))
                .count()
        };
        // Most of what is missing first; of several the lowest rank.
        let best = groups
            .iter()
            .max_by_key(|(executed, rank)| (added(executed), u32::MAX - **rank));
        let Some((executed, &rank)) = best else { break };
        cover.push(rank);
        missing.retain(|set| set.is_disjoint(executed));
    }
    let cover = roots_first(data, &roots, cover);
    let further = spread(data.ranks)
        .filter(|rank| !cover.contains(rank))
        .collect();
    Representatives { cover, further }
}

/// How often each call is made in the stream of a rank.
pub fn recorded_calls(data: &ProgramData, rank: u32) -> RecordedCallCounts {
    let stream = data
        .class_of(Rank(rank))
        .map_or(&[][..], |(class, _)| &data.classes[class].stream);
    let mut recorded = RecordedCallCounts::default();
    for (op, times) in stream::executions(stream) {
        match op {
            Op::Call { site, .. } => recorded.add(site.0, times),
            Op::Loop { .. } | Op::Block { .. } | Op::Mark(_) => {}
        }
    }
    recorded
}

/// Share of the work of all ranks from which on a block's rates have to be known.
const MIN_WORK_SHARE: f64 = 0.01;

/// Sets of variants; one variant of each set must be measured. Every block contributes the set of all its variants. A
/// block with a large share of the work also contributes its smallest and its largest variant and those that make the rates
/// of its work terms identifiable; these rates predict the variants between them. Times are not known yet, so the
/// sum of the work terms stands for the size of a variant.
fn needed(data: &ProgramData) -> BTreeSet<BTreeSet<VariantId>> {
    let size = |variant: &VariantId| {
        let mut sum = 0.0;
        for &term in &data.variants[variant.index()].terms {
            sum += term as f64;
        }
        sum
    };
    let mut weights: BTreeMap<BlockId, f64> = BTreeMap::new();
    let mut of_block: BTreeMap<BlockId, BTreeSet<VariantId>> = BTreeMap::new();
    for rank in data.classes.iter().flat_map(|class| class.ranks.iter()) {
        for (variant, count) in executions(data, rank) {
            let block = data.variants[variant.index()].block;
            // The 1 gives weight to blocks without work terms.
            *weights.entry(block).or_default() += count as f64 * (1.0 + size(&variant).max(0.0));
            of_block.entry(block).or_default().insert(variant);
        }
    }
    let all: f64 = weights.values().sum();
    let mut needed = BTreeSet::new();
    for (block, variants) in of_block {
        let smallest = variants.iter().min_by(|a, b| size(a).total_cmp(&size(b)));
        let largest = variants.iter().max_by(|a, b| size(a).total_cmp(&size(b)));
        let ends: Vec<VariantId> = smallest.into_iter().chain(largest).copied().collect();
        if weights[&block] >= MIN_WORK_SHARE * all {
            let spanning = spanning_variants(data, &variants, &ends);
            for variant in spanning.into_iter().chain(ends) {
                needed.insert(BTreeSet::from([variant]));
            }
        }
        needed.insert(variants);
    }
    needed
}

/// How much of a variant's work terms, as a vector, may point where those that are measured do not.
const MIN_RESIDUAL: f64 = 0.05;

/// A variant's work terms as a vector, with a constant 1 for each execution.
struct TermVector {
    variant: VariantId,
    /// The component that is orthogonal to the vectors of the basis so far.
    residual: Vec<f64>,
    /// Length of the whole vector.
    length: f64,
}

impl TermVector {
    fn new(data: &ProgramData, variant: VariantId) -> Self {
        let mut residual = vec![1.0];
        for &term in &data.variants[variant.index()].terms {
            residual.push(term as f64);
        }
        let length = length(&residual);
        Self {
            variant,
            residual,
            length,
        }
    }

    /// Share of the vector that the basis does not span.
    fn unexplained(&self) -> f64 {
        length(&self.residual) / self.length
    }

    /// Subtracts the projection on a vector of length 1 (Gram-Schmidt).
    fn orthogonalize(&mut self, direction: &[f64]) {
        let mut along = 0.0;
        for (part, towards) in self.residual.iter().zip(direction) {
            along += part * towards;
        }
        for (part, towards) in self.residual.iter_mut().zip(direction) {
            *part -= along * towards;
        }
    }
}

fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|part| part * part).sum::<f64>().sqrt()
}

/// Variants of a block to measure besides `measured`, so that the rate of each work term can be determined:
/// repeatedly the variant that is furthest from the span of those chosen before.
fn spanning_variants(
    data: &ProgramData,
    variants: &BTreeSet<VariantId>,
    measured: &[VariantId],
) -> Vec<VariantId> {
    let mut open = Vec::new();
    for &variant in variants {
        open.push(TermVector::new(data, variant));
    }
    let mut found = Vec::new();
    // The measured variants come first: they are in the basis, whatever they add to it.
    let mut measured = measured.iter();
    loop {
        let next = match measured.next() {
            Some(known) => open.iter().find(|vector| vector.variant == *known),
            None => {
                let furthest = open
                    .iter()
                    .filter(|vector| length(&vector.residual) > MIN_RESIDUAL * vector.length)
                    .max_by(|a, b| a.unexplained().total_cmp(&b.unexplained()));
                if let Some(vector) = furthest {
                    found.push(vector.variant);
                }
                furthest
            }
        };
        let Some(next) = next else {
            return found;
        };
        let size = length(&next.residual);
        // A residual of this size is rounding error: its direction means nothing.
        if size <= 1e-9 * next.length {
            continue;
        }
        let direction: Vec<f64> = next.residual.iter().map(|part| part / size).collect();
        for vector in &mut open {
            vector.orthogonalize(&direction);
        }
    }
}

/// The variants that each rank executes.
fn variants(data: &ProgramData) -> BTreeMap<u32, BTreeSet<VariantId>> {
    let mut of_ranks = BTreeMap::new();
    for class in &data.classes {
        let blocks: HashSet<Operand> = class.stream.iter().filter_map(block).collect();
        for (position, rank) in class.ranks.iter().enumerate() {
            let mut executed = BTreeSet::new();
            for &operand in &blocks {
                executed.extend(data.variant(operand, rank, position));
            }
            of_ranks.insert(rank.0, executed);
        }
    }
    of_ranks
}

fn block(op: &Op) -> Option<Operand> {
    match op {
        Op::Block { variant, .. } => Some(*variant),
        Op::Loop { .. } | Op::Mark(_) | Op::Call { .. } => None,
    }
}

/// The ranks in their order, behind the roots that give them data; of two that give data to each other, one as it comes.
fn roots_first(data: &ProgramData, of_all: &BTreeSet<u32>, ranks: Vec<u32>) -> Vec<u32> {
    let mut order: Vec<u32> = of_all.iter().copied().collect();
    for rank in ranks {
        let mut open: Vec<u32> = Some(rank)
            .filter(|rank| !of_all.contains(rank))
            .into_iter()
            .collect();
        // Depth-first search over the roots that a rank depends on, with `open` as the stack: a rank already on it is not
        // pushed again, which breaks cycles.
        while let Some(&last) = open.last() {
            let is_open = |root: &u32| !order.contains(root) && !open.contains(root);
            match own_roots(data, last).into_iter().find(is_open) {
                Some(root) => open.push(root),
                None => {
                    open.pop();
                    if !order.contains(&last) {
                        order.push(last);
                    }
                }
            }
        }
    }
    order
}

/// Ranks that broadcast or scatter data to a rank on any communicator.
fn own_roots(data: &ProgramData, rank: u32) -> BTreeSet<u32> {
    let Some((class, position)) = data.class_of(Rank(rank)) else {
        return BTreeSet::new();
    };
    let root = |op: &Op| {
        let Op::Call {
            call:
                Call::Collective {
                    kind,
                    communicator,
                    root,
                    ..
                },
            ..
        } = op
        else {
            return None;
        };
        let value =
            |operand: Operand| usize::try_from(data.value(operand, Rank(rank), position)?).ok();
        let group = &data.communicators.get(value(*communicator)?)?.group;
        group
            .get(value((*root).filter(|_| has_data_root(*kind))?)?)
            .map(|Rank(root)| root)
    };
    data.classes[class]
        .stream
        .iter()
        .filter_map(root)
        .filter(|&root| root != rank)
        .collect()
}

/// Ranks that broadcast or scatter data to all others.
fn roots(data: &ProgramData) -> BTreeSet<u32> {
    let mut roots = BTreeSet::new();
    for class in &data.classes {
        let Some(rank) = class.ranks.iter().next() else {
            continue;
        };
        let root = |op: &Op| root_of_all(data, op, rank);
        roots.extend(class.stream.iter().filter_map(root));
    }
    roots
}

fn root_of_all(data: &ProgramData, op: &Op, rank: Rank) -> Option<u32> {
    let Op::Call {
        call:
            Call::Collective {
                kind,
                communicator: Operand::Constant(0),
                root,
                ..
            },
        ..
    } = op
    else {
        return None;
    };
    let root = data
        .value((*root)?, rank, 0)
        .filter(|_| has_data_root(*kind))?;
    u32::try_from(root).ok().filter(|&root| root < data.ranks)
}

/// Whether a root gives data to the others.
fn has_data_root(kind: CollectiveKind) -> bool {
    match kind {
        CollectiveKind::Broadcast | CollectiveKind::Scatter => true,
        CollectiveKind::Barrier
        | CollectiveKind::Reduce
        | CollectiveKind::Allreduce
        | CollectiveKind::Gather
        | CollectiveKind::Allgather
        | CollectiveKind::Alltoall
        | CollectiveKind::ReduceScatter
        | CollectiveKind::Scan
        | CollectiveKind::ExclusiveScan => false,
    }
}

/// All ranks, each as far from those before it as halving the distances makes it.
fn spread(ranks: u32) -> impl Iterator<Item = u32> {
    let bits = u32::BITS - ranks.saturating_sub(1).leading_zeros();
    let reversed = move |number: u32| {
        if bits == 0 {
            0
        } else {
            number.reverse_bits() >> (u32::BITS - bits)
        }
    };
    // The first half of the numbers makes even ranks only: half of those are turned into their odd neighbours.
    let lower = (1u32 << bits >> 1).saturating_sub(1);
    let mixed = move |number: u32| reversed(number) ^ ((number & lower).count_ones() & 1);
    (0..1u32 << bits)
        .map(mixed)
        .filter(move |&rank| rank < ranks)
}

/// How often a rank executes each variant.
pub fn executions(data: &ProgramData, rank: Rank) -> BTreeMap<VariantId, u64> {
    let mut executions = BTreeMap::new();
    let Some((class, position)) = data.class_of(rank) else {
        return executions;
    };
    for (op, times) in stream::executions(&data.classes[class].stream) {
        match op {
            Op::Block { variant, .. } => {
                let variant = data.variant(*variant, rank, position);
                variant
                    .into_iter()
                    .for_each(|variant| *executions.entry(variant).or_default() += times);
            }
            Op::Loop { .. } | Op::Mark(_) | Op::Call { .. } => {}
        }
    }
    executions
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::ids::{CallSiteId, CommId, TableId};
    use base_data::program_data::{Communicator, Count, Counts, RankClass, Variant};
    use base_data::rank_set::RankSet;

    /// Ranks of one class, each with its variants.
    fn data(executed: &[&[i64]], root: Option<i64>) -> ProgramData {
        let ranks = executed.len() as u32;
        let longest = executed
            .iter()
            .map(|variants| variants.len())
            .max()
            .unwrap_or(0);
        let table = |at: usize| {
            executed
                .iter()
                .map(|variants| variants[at.min(variants.len() - 1)])
                .collect::<Vec<i64>>()
        };
        let block = |at: usize| Op::Block {
            block: BlockId(0),
            variant: Operand::Table(TableId(at as u32)),
        };
        let broadcast = root.map(|root| Op::Call {
            site: CallSiteId(0),
            call: Call::Collective {
                kind: CollectiveKind::Broadcast,
                communicator: Operand::Constant(0),
                root: Some(Operand::Constant(root)),
                counts: Counts::Same(Operand::Constant(1)),
                receive_counts: None,
                datatype: 0,
                reduce_op: None,
                request: None,
            },
        });
        let most = executed
            .iter()
            .flat_map(|variants| variants.iter())
            .max()
            .copied()
            .unwrap_or(0);
        ProgramData {
            ranks,
            variants: (0..=most)
                .map(|term| Variant {
                    block: BlockId(0),
                    terms: vec![term],
                })
                .collect(),
            tables: (0..longest).map(table).collect(),
            classes: vec![RankClass {
                ranks: RankSet::all(ranks),
                stream: broadcast
                    .into_iter()
                    .chain((0..longest).map(block))
                    .collect(),
            }],
            ..ProgramData::default()
        }
    }

    fn check(executed: &[&[i64]], root: Option<i64>, cover: &[u32]) {
        assert_eq!(
            choose(&data(executed, root)).cover,
            cover,
            "{executed:?} {root:?}"
        );
    }

    #[test]
    fn few_ranks_cover_the_needed_variants() {
        check(&[&[0]], None, &[0]);
        check(&[&[0], &[0], &[0], &[0]], None, &[0]);
        check(&[&[0], &[1], &[0], &[1]], None, &[0, 1]);
        check(&[&[0], &[1], &[0, 1], &[2]], None, &[0, 3]);
        check(&[&[3, 1], &[1, 0], &[0, 1, 2], &[2, 3]], None, &[0, 1]);
    }

    #[test]
    fn only_extreme_variants_are_measured() {
        let mut data = data(&[&[0], &[1], &[2], &[3]], None);
        for (variant, term) in data.variants.iter_mut().zip([50, 30, 10, 40]) {
            variant.terms = vec![term];
        }
        assert_eq!(choose(&data).cover, [0, 2]);
        data.variants[3].terms = vec![9];
        assert_eq!(choose(&data).cover, [0, 3]);
        data.variants[1].block = BlockId(1);
        assert_eq!(
            choose(&data).cover,
            [0, 1, 3],
            "only this rank executes its block"
        );
    }

    /// Ends that are multiples of each other leave open which term is dear.
    #[test]
    fn variants_determine_all_work_term_rates() {
        let mut data = data(&[&[0], &[1], &[2], &[3]], None);
        let mut cover = |terms: [[i64; 2]; 4]| {
            data.variants
                .iter_mut()
                .zip(terms)
                .for_each(|(variant, terms)| variant.terms = terms.to_vec());
            choose(&data).cover
        };
        assert_eq!(
            cover([[100, 100], [1000, 1000], [300, 300], [1500, 90]]),
            [0, 1, 3]
        );
        assert_eq!(
            cover([[100, 100], [1000, 1000], [300, 310], [490, 500]]),
            [0, 1],
            "nearly multiples"
        );
        assert_eq!(
            cover([[100, 300], [1000, 200], [300, 280], [500, 250]]),
            [0, 1],
            "between the ends"
        );
    }

    #[test]
    fn minor_blocks_need_any_one_variant() {
        let mut data = data(&[&[0, 1], &[0, 2]], None);
        for (variant, term) in data.variants.iter_mut().zip([1_000_000, 3, 4]) {
            variant.terms = vec![term];
        }
        (data.variants[1].block, data.variants[2].block) = (BlockId(1), BlockId(1));
        assert_eq!(choose(&data).cover, [0]);
    }

    #[test]
    fn roots_come_first_and_cover_others() {
        check(&[&[0], &[0], &[0]], Some(2), &[2]);
        check(&[&[0, 1], &[0, 1], &[2]], Some(1), &[1, 2]);
        check(&[&[0, 1, 2], &[0]], Some(1), &[1, 0]);
    }

    /// Odd ranks get data from rank 3 in a communicator of their own, and rank 3 from rank 5 in another.
    #[test]
    fn roots_of_communicators_come_before_their_members() {
        let mut data = data(&[&[0], &[1], &[0], &[0], &[0], &[0]], Some(0));
        let communicator = |ranks: &[u32]| Communicator {
            parent: Some(CommId::WORLD),
            sequence: 0,
            group: RankSet::from_ranks(ranks.iter().copied().map(Rank)),
        };
        let world = Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::all(6),
        };
        let own = Communicator {
            parent: None,
            sequence: 0,
            group: RankSet::default(),
        };
        data.communicators = vec![world, own, communicator(&[1, 3, 5]), communicator(&[5, 3])];
        let broadcast = |communicator: i64, root: i64| {
            let mut call = data.classes[0].stream[0].clone();
            if let Op::Call {
                call:
                    Call::Collective {
                        communicator: on,
                        root: by,
                        ..
                    },
                ..
            } = &mut call
            {
                (*on, *by) = (
                    Operand::Constant(communicator),
                    Some(Operand::Constant(root)),
                );
            }
            call
        };
        let given = [broadcast(2, 1), broadcast(3, 0)];
        let stream = &data.classes[0].stream;
        let class = |ranks: &[u32], given: &[Op]| RankClass {
            ranks: RankSet::from_ranks(ranks.iter().copied().map(Rank)),
            stream: [stream, given].concat(),
        };
        let classes = vec![
            class(&[0, 2, 4], &[]),
            class(&[1], &given[..1]),
            class(&[3, 5], &given),
        ];
        data.classes = classes;
        data.tables = vec![vec![0, 1, 0]];
        data.classes[1].stream[1] = Op::Block {
            block: BlockId(0),
            variant: Operand::Constant(1),
        };
        assert_eq!(choose(&data).cover, [0, 5, 3, 1]);
    }

    #[test]
    fn additional_ranks_are_spread_out() {
        let chosen = choose(&data(&[&[0][..]; 8], None));
        assert_eq!(
            chosen.further,
            [5, 3, 6, 1, 4, 2, 7],
            "even and odd ones in turn"
        );
        assert_eq!(choose(&data(&[&[0][..]; 5], None)).further, [3, 1, 4, 2]);
        assert_eq!(choose(&data(&[&[0]], None)).further, [0; 0]);
    }

    #[test]
    fn executions_are_counted_through_loops() {
        let mut data = data(&[&[0, 1], &[2, 2]], None);
        let repeat = |count| Op::Loop {
            count: Count::Constant(count),
            body: 2,
        };
        let stream = std::mem::take(&mut data.classes[0].stream);
        data.classes[0].stream = [
            repeat(10),
            stream[0].clone(),
            stream[1].clone(),
            stream[0].clone(),
        ]
        .into();
        let counted = |rank| {
            executions(&data, Rank(rank))
                .into_values()
                .collect::<Vec<u64>>()
        };
        assert_eq!((counted(0), counted(1)), (vec![11, 10], vec![21]));
    }
}
