//! A meta-program to base data: program data whose work terms are costs, and compute data with the times of these costs.

use crate::analysis::Analysis;
use crate::arguments::Arguments;
use crate::classes::Classes;
use crate::fault::{Fault, Span};
use crate::groups::WorldParts;
use crate::interpreter::{Interpreter, Together};
use crate::random::Generator;
use crate::rank_vectors::RankSets;
use crate::streams::{Streams, datatypes};
use crate::syntax::SyntaxTree;
use crate::tables::Tables;
use crate::work::Work;
use base_data::Digest;
use base_data::block_table::BlockTable;
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::distribution::{Distribution, QUANTILES};
use base_data::format::FileContent;
use base_data::program_data::{ProgramData, RecordMethod, TimeDependentPlace, Variant};
use base_data::provenance::Provenance;

/// What one unit of a cost is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// Picoseconds of a unit of compute.
    pub computation: f64,
    /// Picoseconds of a unit of input and output.
    pub stream: f64,
    /// Bytes of a unit of messages.
    pub message: f64,
}

/// Base data of a meta-program.
#[derive(Clone, Debug)]
pub struct MetaData {
    /// What each rank does; the same for all units of time.
    pub program: ProgramData,
    /// How long it takes.
    pub compute: ComputeData,
    /// Whether random outcomes determine which MPI calls are made: another seed gives other program data.
    pub has_random_calls: bool,
    /// Whether there is input or output.
    pub has_streams: bool,
    /// Where each call site of the program data is in the source.
    pub site_spans: Vec<Span>,
}

/// Something that is wrong with the meta-program at a place, or as a whole.
pub(crate) enum Refusal {
    At(Fault),
    Whole(String),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::At(fault)
    }
}

/// A meta-program that was read and checked.
#[derive(Clone, Copy)]
pub(crate) struct Checked<'p> {
    pub(crate) file: &'p str,
    pub(crate) text: &'p str,
    pub(crate) tree: &'p SyntaxTree,
    pub(crate) analysis: &'p Analysis<'p>,
    pub(crate) arguments: &'p Arguments,
}

/// Part of the random numbers that samples of work are drawn from.
const WORK_SAMPLES: u64 = 1;

impl<'p> Checked<'p> {
    pub(crate) fn interpreter(&self, ranks: Option<u32>, seed: u64) -> Interpreter<'p> {
        let random = Generator::for_part(seed, WORK_SAMPLES);
        Interpreter::new(self.text, self.analysis, self.arguments, ranks, random)
    }

    /// Base data for so many ranks, or as many as a PARALLEL of the meta-program names.
    pub(crate) fn base_data(
        &self,
        ranks: Option<u32>,
        units: Units,
        seed: u64,
    ) -> Result<MetaData, Refusal> {
        self.base_data_of(ranks, units, seed, false)
    }

    /// `is_apart`: every rank is executed without the others, which tests compare; the number of ranks is given then.
    fn base_data_of(
        &self,
        ranks: Option<u32>,
        units: Units,
        seed: u64,
        is_apart: bool,
    ) -> Result<MetaData, Refusal> {
        let tables = Tables::of(self.file, self.text, self.tree, self.analysis);
        let interpreter = self.interpreter(ranks, seed);
        let mut streams = Streams::new(interpreter, &tables, seed, units.message);
        let body = &self.tree.body;
        let mut classes = Classes::default();
        let first = streams.interpreter.first_ranks();
        let mut sets = RankSets::of(match is_apart {
            true => first.into_iter().map(|rank| vec![rank]).collect(),
            false => vec![first],
        });
        let mut parts = None;
        let mut is_joint = false;
        while let Some(ranks) = sets.next() {
            match streams.of_ranks(&ranks, body)? {
                Together::Parted(parting) => sets.part(parting),
                Together::Done(stream) => {
                    let own = WorldParts::of(&stream);
                    is_joint |= *parts.get_or_insert_with(|| WorldParts::of(&stream)) != own;
                    classes.add(&ranks, stream, &streams.interpreter.vectors);
                }
            }
        }
        let ranks = streams.interpreter.final_ranks();
        // Which ranks a collective joins is known when all streams are. Few meta-programs need that, so others need not keep them.
        let mut kept = Vec::new();
        let has_joint = is_joint || streams.groups.are_used();
        // If no rank looks at its number, one stream stands for all.
        let stands_for_all = !streams.interpreter.has_used_rank;
        if has_joint {
            classes = Classes::default();
            streams.interpreter.begin_again();
            // Parts are joined call by call, which needs loops at the same places on all ranks: periods may differ between them.
            streams.rolls = false;
            let executed = if stands_for_all { 1 } else { ranks };
            for rank in 0..executed {
                match streams.of_ranks(&[rank], body)? {
                    Together::Done(stream) => kept.push(stream),
                    // A single rank has no parts.
                    Together::Parted(_) => {}
                }
            }
        }
        let joint = streams.groups.resolve(&mut kept, ranks);
        let joint = joint.map_err(|(site, message)| {
            let span = tables.site_spans.get(site.index()).copied();
            Fault::new(span.unwrap_or_default(), message)
        })?;
        for (rank, stream) in (0..).zip(kept) {
            let own: Vec<u32> = match stands_for_all {
                true => (0..ranks).collect(),
                false => vec![rank],
            };
            classes.add(&own, stream, &streams.interpreter.vectors);
        }
        let (classes, operands) = classes.finish(&joint.vectors);
        let provenance = self.provenance(ranks, seed, streams.decisions.is_used);
        let table = tables.table.clone();
        let compute = compute_data(
            &streams.variants,
            &streams.works,
            &table,
            units,
            &provenance,
        );
        let time_dependent = random_calls(&streams, &tables);
        let program = ProgramData {
            provenance,
            ranks,
            method: RecordMethod::Given,
            table,
            variants: streams.variants,
            datatypes: datatypes(),
            communicators: joint.communicators,
            tables: operands.values,
            count_tables: operands.counts,
            classes,
            time_dependent,
            ..ProgramData::default()
        };
        program.check().map_err(Refusal::Whole)?;
        Ok(MetaData {
            program,
            compute,
            has_random_calls: streams.decisions.is_used,
            has_streams: streams.uses_streams,
            site_spans: tables.site_spans.clone(),
        })
    }

    fn provenance(&self, ranks: u32, seed: u64, has_random_calls: bool) -> Provenance {
        let positional = self.arguments.positional.iter().map(f64::to_string);
        let named = self.arguments.named.iter();
        let named = named.map(|(name, value)| format!("{name}={value}"));
        let arguments: Vec<String> = positional.chain(named).collect();
        let mut method = String::from("meta-program");
        if self.arguments.profile.is_some() {
            method.push_str(" with the values of a profile");
        }
        if has_random_calls {
            method.push_str(&format!(", seed {seed}"));
        }
        Provenance {
            program: self.file.into(),
            sources: Some(Digest::of(self.text.as_bytes())),
            input: Some(Digest::of_parts(
                arguments.iter().map(|argument| argument.as_bytes()),
            )),
            arguments,
            ranks,
            method,
            ..Provenance::default()
        }
    }
}

/// The place of random calls, if there are any: the first call in or behind the first IF that determines them.
fn random_calls(streams: &Streams<'_>, tables: &Tables<'_>) -> Vec<TimeDependentPlace> {
    if !streams.decisions.is_used {
        return Vec::new();
    }
    let first = streams.decisions.first_statement().unwrap_or(0);
    let behind = tables.sites.iter().filter(|(start, _)| **start >= first);
    let nearest = behind.min_by_key(|(start, _)| **start);
    // An IF with BREAK alone may be the last statement of its loop; then the first call is behind no other.
    let any = || tables.sites.iter().min_by_key(|(start, _)| **start);
    let place = nearest.or_else(any).map(|(_, &site)| TimeDependentPlace {
        site,
        reason: TimeDependentPlace::RANDOM_CALLS.into(),
    });
    place.into_iter().collect()
}

fn compute_data(
    variants: &[Variant],
    works: &[Work],
    table: &BlockTable,
    units: Units,
    provenance: &Provenance,
) -> ComputeData {
    let entry = |(variant, work): (&Variant, &Work)| ComputeEntry {
        block: variant.block,
        terms: variant.terms.clone(),
        // A description names no machine: its costs depend neither on the number of ranks on a node nor on cold caches.
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::default(),
        warm: distribution(work, units),
        disturbed: 0,
        coordinates: Vec::new(),
    };
    ComputeData {
        provenance: Provenance {
            // No program ran.
            ranks: 0,
            ..provenance.clone()
        },
        table: table.clone(),
        entries: variants.iter().zip(works).map(entry).collect(),
        ..ComputeData::default()
    }
}

/// Number of values that a distribution summarises: the expectation of a model has no sampling error, and this one is a
/// millionth of the deviation.
const EXACT: u64 = 1 << 40;

/// Quantiles of the normal distribution at 0, 5, …, 50 %; of the 0 % quantile that of the smallest of a thousand values.
const NORMAL: [f64; QUANTILES / 2 + 1] = [
    -3.0902, -1.6449, -1.2816, -1.0364, -0.8416, -0.6745, -0.5244, -0.3853, -0.2533, -0.1257, 0.0,
];

/// Samples whose deviation is off by more than this factor have missed rare outcomes; then the normal distribution stands for them.
const OFF_FACTOR: f64 = 1.5;

/// The distribution of a block's time.
fn distribution(work: &Work, units: Units) -> Distribution {
    let (mean, deviation, samples) = work.weighted([units.computation, units.stream]);
    if deviation == 0.0 || samples.is_empty() {
        // It is known that executions do not differ, other than of a block that was measured once.
        return Distribution {
            count: EXACT,
            mean,
            standard_deviation: 0.0,
            quantiles: vec![mean.round() as i64; QUANTILES],
        };
    }
    let count = samples.len() as f64;
    let sample_mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples
        .iter()
        .map(|value| (value - sample_mean).powi(2))
        .sum();
    let sample_deviation = (squares / count).sqrt();
    let is_near =
        sample_deviation * OFF_FACTOR >= deviation && sample_deviation <= deviation * OFF_FACTOR;
    let values: Vec<f64> = if is_near {
        // Samples have the shape of the distribution; mean and deviation are known exactly, so the samples are shifted and
        // scaled to them. All are kept: lines between few quantiles would turn steps, as those of an IF, into ramps, and the maximum
        // over ranks would be too large.
        let moved = |sample: &f64| mean + (sample - sample_mean) * deviation / sample_deviation;
        samples.iter().map(moved).collect()
    } else {
        let upper = NORMAL.iter().rev().skip(1).map(|normal| -normal);
        let normals = NORMAL.iter().copied().chain(upper);
        normals.map(|normal| mean + normal * deviation).collect()
    };
    Distribution {
        count: EXACT,
        mean,
        standard_deviation: deviation,
        quantiles: values
            .into_iter()
            .map(|value| value.max(0.0).round() as i64)
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, MetaProgram};
    use base_data::Rank;
    use base_data::program_data::{Call, Op, Operand, Peer, Tag, Transfer};
    use base_data::stream::entries;

    const UNITS: Units = Units {
        computation: 1000.0,
        stream: 1.0,
        message: 3.0,
    };

    /// What a rank does: calls and costs with values in place of operands.
    fn executed(program: &ProgramData, rank: Rank) -> Vec<String> {
        let (_, position) = program.class_of(rank).unwrap();
        let value = |operand: &mut Operand| {
            *operand = Operand::Constant(program.value(*operand, rank, position).unwrap());
        };
        let of_transfer = |transfer: &mut Transfer| {
            value(&mut transfer.count);
            if let Peer::Rank(rank) = &mut transfer.peer {
                value(rank);
            }
            if let Tag::Value(tag) = &mut transfer.tag {
                value(tag);
            }
        };
        let text = |op: &Op| match op {
            Op::Block { variant, .. } => {
                let variant = program.variant(*variant, rank, position).unwrap();
                format!("{:?}", program.variants[variant.index()])
            }
            Op::Call { site, call } => {
                let mut call = call.clone();
                match &mut call {
                    Call::Send { transfer, .. }
                    | Call::Receive { transfer, .. }
                    | Call::Probe { transfer, .. } => of_transfer(transfer),
                    Call::SendReceive { send, receive, .. } => {
                        of_transfer(send);
                        of_transfer(receive);
                    }
                    Call::Collective {
                        root: Some(root), ..
                    } => value(root),
                    _ => {}
                }
                format!("{site} {call:?}")
            }
            Op::Loop { .. } | Op::Mark(_) => String::new(),
        };
        entries(program, rank).map(text).collect()
    }

    fn assert_same_apart(text: &str, ranks: u32) {
        let program = MetaProgram::parse("a.meta", text).unwrap();
        let result = |is_apart| {
            program.checked(&Arguments::default(), |checked| {
                checked.base_data_of(Some(ranks), UNITS, 7, is_apart)
            })
        };
        match (result(false), result(true)) {
            (Ok(together), Ok(apart)) => {
                for rank in (0..ranks).map(Rank) {
                    let expected = executed(&apart.program, rank);
                    assert_eq!(
                        executed(&together.program, rank),
                        expected,
                        "rank {rank}:\n{text}"
                    );
                }
                let classes = |data: &MetaData| data.program.classes.len();
                assert_eq!(classes(&together), classes(&apart), "{text}");
            }
            (Err(together), Err(apart)) => assert_eq!(together, apart, "{text}"),
            (together, apart) => panic!(
                "together: {:?}, apart: {:?}\n{text}",
                together.map(|_| ()),
                apart.map(|_| ())
            ),
        }
    }

    #[test]
    fn ranks_that_are_executed_together_do_the_same_as_apart() {
        for text in [
            // A ring with work and messages that grow.
            "FOR i IN 1..9; compute(i * 2); msgisend(8 * i, (ID + 1) % RANKS, i); msgrecv(8 * i, (ID - 1) % RANKS, i); msgwait(); END",
            // Ways that part at a condition, a number of iterations and a partner.
            "IF ID > 1; msgsend(8 * ID, ID - 2); END; IF ID < RANKS - 2; msgrecv(8 * ID + 16, ID + 2); END; allreduce(8)",
            "FOR ID; compute(1 + ID); barrier(ID); END",
            "p = ID + 1; IF ID == RANKS - 1; p = NONE; END; msgsend(8, p); q = ID - 1; IF ID == 0; q = NONE; END; msgrecv(8, q)",
            // Late values and definitions.
            "$x = Cost(\"y * ID\"); y = 3; DEF f(n); msgsendrecv(n, xor(ID, 1), xor(ID, 1)); END; f($x + 2); compute($x)",
            "FOR k IN 0..RANKS; IF ID == k; compute(5); END; broadcast(8, k); END",
            // Work without calls that depends on the rank, twice.
            "FOR 2; s = 0; FOR j IN 0..4; s = s + j * ID; END; compute(s); msgsendrecv(s, (ID + 1) % RANKS, (ID - 1) % RANKS); END",
            // Random outcomes.
            "FOR 20; IF 0.3; msgsendrecv(8, (ID + 1) % RANKS, (ID - 1) % RANKS); BREAK; END; compute(ID); END",
            // Groups and parts.
            "allreduce(8, floor(ID / 2)); gather(8 * ID); reduce(8, 1)",
            // Errors: that of the lowest rank, wherever it is.
            "IF ID > 1; msgsend(8, ID + 3); END; msgsend(8, ID - 3)",
            "msgsend(1 / (ID - 2), 0)",
            "msgsend(4 - ID, 0, ID / 2)",
            "compute(3 - ID)",
            "IF ID >= 2; compute(unknown); END; IF ID < 2; msgsend(8, ID - 1); END",
        ] {
            for ranks in [1, 4, 6] {
                assert_same_apart(text, ranks);
            }
        }
    }
}
