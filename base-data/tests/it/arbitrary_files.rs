//! Arbitrary contents of the other kinds of files.

use crate::arbitrary::Choices;
use crate::arbitrary_program::{assumption, basic, block_table, program_data, provenance};
use crate::arbitrary_stream::reduce_op;
use base_data::comm_data::*;
use base_data::compute_data::*;
use base_data::distribution::Distribution;
use base_data::estimate_file::*;
use base_data::explanation::*;
use base_data::observation::{Observation, ObservedRank, ProcessorTime, Stretch};
use base_data::program_data::{CollectiveKind, Count, Op};
use base_data::{BlockId, CallSiteId, Rank, stream};

pub fn compute_data(choices: &mut Choices) -> ComputeData {
    let table = block_table(choices);
    ComputeData {
        provenance: provenance(choices),
        pu: ProcessingUnit {
            model: choices.text(),
            cores: choices.word(),
            caches: choices.list(4, Choices::number),
        },
        unit: choices.pick(&[Unit::Time, Unit::Statements]),
        entries: choices.list(5, |c| ComputeEntry {
            block: BlockId(c.below(table.blocks.len()) as u32),
            terms: c.list(3, Choices::signed),
            ranks_per_node: c.word(),
            threads: c.word(),
            feed: c.pick(&[Feed::All, Feed::Echo, Feed::Log]),
            first: distribution(c),
            warm: distribution(c),
            disturbed: c.number(),
            coordinates: c.list(3, |c| Coordinates {
                rank: c.word(),
                ranks: c.word(),
                indices: c.list(3, Choices::signed),
            }),
        }),
        peak_memory: choices.list(3, peak),
        requested_memory: choices.list(3, peak),
        table,
    }
}

fn peak(choices: &mut Choices) -> PeakMemory {
    PeakMemory {
        rank: choices.word(),
        ranks: choices.word(),
        bytes: choices.number(),
    }
}

fn distribution(choices: &mut Choices) -> Distribution {
    Distribution::of(choices.list(30, Choices::signed))
}

pub fn comm_data(choices: &mut Choices) -> CommData {
    CommData {
        provenance: provenance(choices),
        network: choices.text(),
        mpi_library: choices.text(),
        samples: choices.list(4, sample),
        fits: each_once(choices.list(3, fit), |a, b| {
            a.model == b.model && a.link == b.link
        }),
        collectives: each_once(choices.list(3, collective_curve), |a, b| {
            (a.kind, a.ranks, a.ranks_per_node) == (b.kind, b.ranks, b.ranks_per_node)
        }),
        reduction_rates: each_once(choices.list(3, reduction_rate), |a, b| {
            a.op == b.op && a.element == b.element
        }),
    }
}

fn collective_curve(choices: &mut Choices) -> CollectiveCurve {
    CollectiveCurve {
        kind: choices.pick(&[CollectiveKind::Allreduce, CollectiveKind::ExclusiveScan]),
        ranks: choices.word(),
        ranks_per_node: choices.word(),
        points: curve(choices),
    }
}

fn reduction_rate(choices: &mut Choices) -> ReductionRate {
    ReductionRate {
        op: reduce_op(choices),
        element: basic(choices),
        picoseconds_per_element: choices.real(),
    }
}

/// What a file may hold only once, without what repeats an earlier element.
fn each_once<T>(all: Vec<T>, same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for one in all {
        if !kept.iter().any(|earlier| same(earlier, &one)) {
            kept.push(one);
        }
    }
    kept
}

fn link(choices: &mut Choices) -> LinkClass {
    let switches = choices.number() as u8;
    choices.pick(&[
        LinkClass::BetweenNodes,
        LinkClass::ToSelf,
        LinkClass::InsideNode,
        LinkClass::Switches(switches),
    ])
}

fn sample(choices: &mut Choices) -> CommSample {
    CommSample {
        kind: choices.pick(&[
            SampleKind::PingPong,
            SampleKind::Receive,
            SampleKind::Delayed,
            SampleKind::NonblockingSend,
            SampleKind::BlockingSend,
            SampleKind::Wait,
            SampleKind::Flood,
            SampleKind::Poll,
            SampleKind::ToSelf,
            SampleKind::LateReceive,
            SampleKind::NonblockingReceive,
            SampleKind::Exchange,
            SampleKind::Incast,
            SampleKind::Behind,
            SampleKind::ExchangeFlood,
        ]),
        link: link(choices),
        ranks: choices.word(),
        bytes: choices.number(),
        delay: choices.time(),
        median: choices.time(),
        minimum: choices.time(),
        spread: choices.time(),
        repetitions: choices.number(),
    }
}

fn fit(choices: &mut Choices) -> ModelFit {
    let parameters = choices.list(3, |c| Parameter {
        name: c.text(),
        value: c.real(),
        unit: c.text(),
    });
    let parameters = each_once(parameters, |a, b| a.name == b.name);
    let covariances = if choices.flag() {
        parameters.len() * parameters.len()
    } else {
        0
    };
    ModelFit {
        model: choices.text(),
        link: link(choices),
        curve: curve(choices),
        covariance: (0..covariances).map(|_| choices.real()).collect(),
        residual: choices.maybe(Choices::real),
        source: choices.text(),
        parameters,
    }
}

fn curve(choices: &mut Choices) -> Vec<CurvePoint> {
    let mut bytes = 0;
    choices.list(5, |c| {
        bytes += 1 + c.below(1 << 20) as u64;
        CurvePoint {
            bytes,
            time: c.time(),
        }
    })
}

pub fn estimate(choices: &mut Choices) -> Estimate {
    let program = program_data(choices);
    let ranks = 1 + choices.below(5) as u32;
    let activity = |c: &mut Choices| match c.flag() {
        true => Activity::Block(BlockId(c.below(program.table.blocks.len()) as u32)),
        false => Activity::Site(CallSiteId(c.below(program.table.call_sites.len()) as u32)),
    };
    let site = |c: &mut Choices| CallSiteId(c.below(program.table.call_sites.len()) as u32);
    Estimate {
        provenance: provenance(choices),
        unit: choices.pick(&[Unit::Time, Unit::Statements]),
        platform: choices.text(),
        model: choices.text(),
        ranks,
        headline: choices.time(),
        p10: choices.time(),
        p90: choices.time(),
        draws: choices.word(),
        sources: choices.list(3, |c| IntervalSource {
            name: c.text(),
            width: c.time(),
        }),
        extrapolated_share: choices.real(),
        assumptions: choices.list(3, |c| assumption(c, &program.table.files)),
        warnings: choices.list(3, Choices::text),
        per_rank: (0..ranks)
            .map(|_| RankTime {
                begin: choices.time(),
                end: choices.time(),
                split: split(choices),
            })
            .collect(),
        cells: choices.list(4, |c| Cell {
            rank: c.below(ranks as usize) as u32,
            activity: activity(c),
            count: c.number(),
            split: split(c),
        }),
        clock_intervals: choices.list(3, |c| ClockInterval {
            from: site(c),
            to: site(c),
            longest: c.time(),
            rank_zero: c.time(),
        }),
        timeline: Timeline {
            resolution: choices.time(),
            ranks: choices.list(3, |c| {
                c.list(4, |c| Segment {
                    end: c.time(),
                    category: c.pick(&Category::ALL),
                    activity: c.maybe(activity),
                })
            }),
        },
        replayed_messages: choices.number(),
        replayed_events: choices.number(),
        explanation: explanation(choices, ranks, site, activity),
        unsteady_blocks: choices.list(3, |c| BlockId(c.below(program.table.blocks.len()) as u32)),
        program,
    }
}

fn explanation(
    choices: &mut Choices,
    ranks: u32,
    site: impl Fn(&mut Choices) -> CallSiteId,
    activity: impl Fn(&mut Choices) -> Activity,
) -> Explanation {
    let rank = |c: &mut Choices| c.below(ranks as usize) as u32;
    let wait_states = choices.list(3, |c| WaitState {
        late: c.pick(&[
            DelayedParty::Sender,
            DelayedParty::Receiver,
            DelayedParty::Collective,
        ]),
        site: site(c),
        other: site(c),
        waits: c.number(),
        time: c.time(),
        longest: c.time(),
        rank: rank(c),
        late_rank: rank(c),
    });
    let share = |c: &mut Choices| PathShare {
        item: match activity(c) {
            Activity::Block(block) => PathItem::Block(block),
            Activity::Site(call) if c.flag() => PathItem::Call(call),
            Activity::Site(send) => PathItem::Message {
                send,
                receive: site(c),
            },
        },
        count: c.number(),
        time: c.time(),
    };
    let critical_path = CriticalPath {
        length: choices.time(),
        last_rank: rank(choices),
        changes: choices.number(),
        shares: choices.list(3, share),
        segments: choices.list(3, |c| PathSegment {
            rank: rank(c),
            from: c.time(),
            to: c.time(),
        }),
    };
    let sensitivities = choices.list(3, |c| Sensitivity {
        varied: match activity(c) {
            Activity::Block(block) => Varied::Block(block),
            Activity::Site(_) => Varied::Network {
                time: c.pick(&NetworkTime::ALL),
                link: link(c),
            },
        },
        slope: c.time(),
        straight: [c.real(), c.real()],
        exact: c.flag(),
        points: c.list(3, |c| SensitivityPoint {
            factor: c.real(),
            total: c.time(),
            slope: c.time(),
        }),
    });
    Explanation {
        wait_states,
        critical_path,
        sensitivities,
    }
}

fn split(choices: &mut Choices) -> [base_data::Time; 6] {
    [(); 6].map(|()| choices.time())
}

pub fn observation(choices: &mut Choices) -> Observation {
    let mut program = program_data(choices);
    // Times are as many as entries, so loops must not be executed too often.
    for op in program
        .classes
        .iter_mut()
        .flat_map(|class| &mut class.stream)
    {
        if let Op::Loop { count, .. } = op {
            *count = Count::Constant(count.get() % 3);
        }
    }
    let mut times = |rank: u32| match stream::entry_count(&program, Rank(rank)) {
        entries @ 0..4096 if choices.flag() => observed_rank(choices, entries as usize),
        _ => ObservedRank::default(),
    };
    let ranks = (0..program.ranks).map(&mut times).collect();
    Observation {
        unit: choices.pick(&[Unit::Time, Unit::Statements]),
        one_at_a_time: choices.flag(),
        ranks,
        missing: choices.list(3, Choices::text),
        program,
    }
}

fn observed_rank(choices: &mut Choices, entries: usize) -> ObservedRank {
    ObservedRank {
        host: choices.text(),
        begin: choices.time(),
        gaps: (0..entries).map(|_| choices.time()).collect(),
        durations: (0..entries).map(|_| choices.time()).collect(),
        processor: (0..entries.min(3))
            .map(|_| ProcessorTime {
                entry: choices.below(entries) as u32,
                stretch: choices.pick(&[Stretch::Gap, Stretch::Entry]),
                time: choices.time(),
            })
            .collect(),
    }
}
