//! Laws that hold for every program: what scaling, a better network, other numbers of ranks and one
//! parameter at a time do to the total; and that the explanation adds up to it.

use crate::builder::*;
use crate::properties::{StreamPattern, pieces, stream, written};
use base_data::Time;
use base_data::comm_data::{CommData, LinkClass, ModelFit};
use base_data::estimate_file::Estimate;
use base_data::explanation::{NetworkTime, PathItem, Sensitivity, Varied};
use base_data::platform_file::Placement;
use base_data::program_data::*;
use estimator::{Inputs, Options};
use machine::Platform;
use machine::network::varied_parameters::scaled;
use proptest::prelude::*;

/// Mean times of blocks, `factor` times those of [`compute`] for all but one of them, in picoseconds.
fn blocks(factor: f64, other: (u32, f64)) -> base_data::compute_data::ComputeData {
    let time = |block: u32| {
        let factor = if block == other.0 { other.1 } else { factor };
        (f64::from(block) * 1e6 * factor).round() as i64
    };
    compute_of(
        (0..BLOCKS)
            .map(|block| (block, vec![time(block); 3]))
            .collect(),
    )
}

const AS_THEY_ARE: (u32, f64) = (u32::MAX, 1.0);

fn total_of(
    data: &ProgramData,
    platform: &Modelled,
    compute: base_data::compute_data::ComputeData,
) -> Time {
    let inputs = Inputs {
        program: data,
        compute: &[compute],
    };
    estimator::estimate(&inputs, &platform.platform, &platform.means())
        .expect("an estimate")
        .headline
}

fn total(data: &ProgramData, platform: &Modelled) -> Time {
    total_of(data, platform, compute())
}

/// The platform with one kind of network time multiplied.
fn varied(of: &Modelled, kind: NetworkTime, factor: f64) -> Modelled {
    let fits = of
        .platform
        .comm(LinkClass::BetweenNodes)
        .expect("data")
        .fits
        .iter();
    let vary = |fit: &ModelFit| scaled(fit, kind, factor).unwrap_or_else(|| fit.clone());
    let mut changed = of.clone();
    changed
        .platform
        .replace_comm(&CommData {
            fits: fits.map(vary).collect(),
            ..CommData::default()
        })
        .expect("its links");
    changed
}

fn all_varied(platform: &Modelled, factor: f64) -> Modelled {
    NetworkTime::ALL
        .into_iter()
        .fold(platform.clone(), |platform, kind| {
            varied(&platform, kind, factor)
        })
}

/// A platform and the model that is used of it.
#[derive(Clone)]
struct Modelled {
    platform: Platform,
    model: &'static str,
}

impl Modelled {
    fn means(&self) -> Options {
        Options {
            model: Some(self.model.into()),
            ..means()
        }
    }
}

/// Models in which no message delays another.
const FREE_MODELS: usize = 4;

fn some_platform(number: usize) -> Modelled {
    let (model, platform) = [
        ("mpiete", mpiete()),
        ("loggps-p", loggps()),
        ("loggp-1", loggps_shared()),
        ("loggp-2", loggp_2()),
    ][number]
        .clone();
    Modelled { platform, model }
}

/// Models in which messages delay each other.
const SHARED_MODELS: usize = 2;

fn shared_platform(number: usize) -> Modelled {
    let (model, platform) =
        [("loggps", loggps_shared()), ("loggops", loggops_small())][number].clone();
    Modelled { platform, model }
}

fn loggops_small() -> Platform {
    let (ns, per_byte) = ("ns", "ns/byte");
    loggops(&[
        ("L", 50, ns),
        ("o", 10, ns),
        ("O", 1, per_byte),
        ("g", 30, ns),
        ("G", 2, per_byte),
        ("S", 200, "bytes"),
    ])
}

fn explained(data: &ProgramData, platform: &Modelled) -> Estimate {
    try_estimate(
        data,
        &platform.platform,
        &Options {
            explain: true,
            ..platform.means()
        },
    )
    .expect("an estimate")
}

/// Equal up to what rounding each time to picoseconds may add up to.
fn is_near(a: Time, b: Time) -> bool {
    let [a, b] = [a, b].map(|time| time.picoseconds() as f64);
    (a - b).abs() <= 200.0 + 1e-6 * a.abs()
}

/// The total of another replay with one parameter multiplied.
fn replayed(data: &ProgramData, platform: &Modelled, what: &Varied, factor: f64) -> Time {
    match what {
        Varied::Network { time, .. } => total(data, &varied(platform, *time, factor)),
        Varied::Block(block) => total_of(data, platform, blocks(1.0, (block.0, factor))),
    }
}

fn tangent(found: &Sensitivity, total: Time, factor: f64) -> Time {
    total
        + Time::from_picoseconds((found.slope.picoseconds() as f64 * (factor - 1.0)).round() as i64)
}

/// The same program with ranks renamed.
fn renamed(pieces: &[StreamPattern], to: &[u32]) -> Vec<StreamPattern> {
    let name = |rank: &u32| to[*rank as usize];
    let piece = |piece: &StreamPattern| match piece {
        StreamPattern::Work { rank, block } => StreamPattern::Work {
            rank: name(rank),
            block: *block,
        },
        StreamPattern::Message {
            from,
            to,
            bytes,
            started,
        } => StreamPattern::Message {
            from: name(from),
            to: name(to),
            bytes: *bytes,
            started: *started,
        },
        StreamPattern::Repeat { count, body } => StreamPattern::Repeat {
            count: *count,
            body: renamed(body, to),
        },
        // What is left is not renamed by ranks: the law is one of messages between pairs.
        StreamPattern::Shift { .. } | StreamPattern::Collective { .. } => StreamPattern::Repeat {
            count: 0,
            body: Vec::new(),
        },
    };
    pieces.iter().map(piece).collect()
}

/// A platform of nodes of two ranks, ranks placed on nodes as listed.
fn placed(nodes: Vec<u32>) -> Platform {
    let near = "[[links]]\nclass = \"inside-node\"\n[[links.data.fits]]\nmodel = \"mpiete\"\n\
                curve = [{ bytes = 0, time = 10000 }]\n";
    let base = mpiete();
    let mut file = base.file().clone();
    file.ranks_per_node = 2;
    file.placement = Placement::List(nodes);
    let inside = base_data::platform_file::PlatformFile::parse(&format!(
        "format = 1\nname = \"near\"\nnodes = 1\nranks_per_node = 1\n{near}"
    ));
    file.links.extend(inside.expect("a platform file").links);
    Platform::new(file, &|name| Err(format!("no file {name}"))).expect("a platform")
}

/// Whether the parts of the critical path fill it and are the computation and the network's times that
/// depend on them, and whether no rank waits longer for late ranks than it waits in total.
pub fn adds_up(found: &Estimate) -> Result<(), String> {
    let is_network = |found: &&Sensitivity| matches!(found.varied, Varied::Network { .. });
    let slopes = found.explanation.sensitivities.iter().filter(is_network);
    let network: Time = slopes.map(|found| found.slope).sum();
    let beside = path_adds_up(found)?;
    if !is_near(beside, network) {
        return Err(format!("{beside} beside blocks, slopes {network}"));
    }
    Ok(())
}

/// The same without the slopes, which replays in the order of time do not have; gives the path's time beside blocks.
pub fn path_adds_up(found: &Estimate) -> Result<Time, String> {
    let (path, ranks) = (&found.explanation.critical_path, &found.per_rank);
    let sum = |blocks: bool| -> Time {
        let is_block = |item: &PathItem| matches!(item, PathItem::Block(_));
        let shares = path
            .shares
            .iter()
            .filter(|share| is_block(&share.item) == blocks);
        shares.map(|share| share.time).sum()
    };
    let beside = sum(false);
    if path.length != found.headline || sum(true) + beside != path.length {
        return Err(format!("{} + {beside} of {}", sum(true), path.length));
    }
    let waited: Time = ranks
        .iter()
        .flat_map(|rank| &rank.split[3..])
        .copied()
        .sum();
    let late: Time = found
        .explanation
        .wait_states
        .iter()
        .map(|late| late.time)
        .sum();
    if late > waited {
        Err(format!("late {late} of {waited}"))
    } else {
        Ok(beside)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, ..ProptestConfig::default() })]

    #[test]
    fn scaling_all_times_scales_the_total((ranks, pieces) in pieces(), model in 0..FREE_MODELS, factor in 2u32..9) {
        let (data, platform) = (written(ranks, &pieces, false), some_platform(model));
        let factor = f64::from(factor);
        let scaled = total_of(&data, &all_varied(&platform, factor), blocks(factor, AS_THEY_ARE));
        prop_assert!(is_near(scaled, total(&data, &platform).scaled(factor)));
    }

    /// With a network that costs nothing only computation and its order are left.
    #[test]
    fn a_free_network_leaves_the_computation((ranks, pieces) in pieces(), model in 0..FREE_MODELS) {
        let data = written(ranks, &pieces, false);
        let found = explained(&data, &all_varied(&some_platform(model), 0.0));
        let computed = found.per_rank.iter().map(|rank| rank.split[0]).max().unwrap_or_default();
        prop_assert!(found.headline >= computed);
        let path = &found.explanation.critical_path;
        let in_blocks: Time = path
            .shares
            .iter()
            .filter(|share| matches!(share.item, PathItem::Block(_)))
            .map(|share| share.time)
            .sum();
        prop_assert_eq!(in_blocks, found.headline);
    }

    #[test]
    fn longer_times_never_make_it_shorter(
        (ranks, pieces) in pieces(), model in 0..FREE_MODELS, kind in 0usize..5, block in 0..BLOCKS, factor in 1.0..5.0f64,
    ) {
        let (data, platform) = (written(ranks, &pieces, false), some_platform(model));
        let before = total(&data, &platform);
        prop_assert!(total(&data, &varied(&platform, NetworkTime::ALL[kind], factor)) >= before);
        prop_assert!(total_of(&data, &platform, blocks(1.0, (block, factor))) >= before);
    }

    #[test]
    fn renaming_ranks_and_their_places_renames_the_timeline(
        (ranks, pieces) in pieces(), keys in prop::collection::vec(any::<u32>(), 8),
    ) {
        let mut names: Vec<u32> = (0..ranks).collect();
        names.sort_by_key(|&rank| keys[rank as usize]);
        let own: Vec<u32> = (0..ranks).collect();
        let nodes: Vec<u32> = own.iter().map(|rank| rank / 2).collect();
        let mut moved = vec![0; ranks as usize];
        for rank in 0..ranks as usize {
            moved[names[rank] as usize] = nodes[rank];
        }
        let data = |pieces: &[StreamPattern]| program((0..ranks).map(|rank| stream(pieces, rank, ranks, false)).collect(), &[]);
        let options = Options { timeline: true, ..means() };
        let before = try_estimate(&data(&renamed(&pieces, &own)), &placed(nodes), &options).expect("an estimate");
        let after = try_estimate(&data(&renamed(&pieces, &names)), &placed(moved), &options).expect("an estimate");
        for (rank, other) in names.iter().enumerate() {
            let other = *other as usize;
            prop_assert_eq!(&before.per_rank[rank], &after.per_rank[other]);
            prop_assert_eq!(&before.timeline.ranks[rank], &after.timeline.ranks[other]);
        }
    }

    /// The parts of the critical path fill it; what is not computation is network, by kind.
    #[test]
    fn a_path_fills_the_total_under_contention_too((ranks, pieces) in pieces(), model in 0..SHARED_MODELS) {
        let platform = shared_platform(model);
        let found = explained(&written(ranks, &pieces, false), &platform);
        let path = &found.explanation.critical_path;
        prop_assert_eq!(path.length, found.headline);
        prop_assert_eq!(path.shares.iter().map(|share| share.time).sum::<Time>(), path.length);
        for function in &found.explanation.sensitivities {
            prop_assert!(!function.exact && function.slope == Time::ZERO && function.straight == [1.0, 1.0]);
        }
    }

    #[test]
    fn the_explanation_adds_up((ranks, pieces) in pieces(), model in 0..FREE_MODELS) {
        let found = explained(&written(ranks, &pieces, false), &some_platform(model));
        prop_assert_eq!(adds_up(&found), Ok(()));
    }
}

proptest! {
    // Each case is some hundred replays.
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    /// Functions of one parameter: convex, never falling, as replayed, and straight where they say so.
    #[test]
    fn sensitivities_are_what_other_replays_give((ranks, pieces) in pieces(), model in 0..FREE_MODELS, share in 0.0..1.0f64) {
        let (data, platform) = (written(ranks, &pieces, false), some_platform(model));
        let found = explained(&data, &platform);
        let replayed = |what: &Varied, factor: f64| replayed(&data, &platform, what, factor);
        for function in &found.explanation.sensitivities {
            let [low, high] = function.straight;
            prop_assert!(low <= 1.0 && 1.0 <= high);
            let factor = low + share * (high - low);
            let exact = replayed(&function.varied, factor);
            prop_assert!(is_near(exact, tangent(function, found.headline, factor)), "{function:?} {factor} {exact}");
            for point in &function.points {
                prop_assert!(is_near(point.total, replayed(&function.varied, point.factor)), "{point:?}");
                prop_assert!(point.total + Time::from_picoseconds(300) >= tangent(function, found.headline, point.factor));
            }
            for pair in function.points.windows(2) {
                prop_assert!(pair[0].total <= pair[1].total + Time::from_picoseconds(300));
                prop_assert!(pair[0].slope <= pair[1].slope + Time::from_picoseconds(300));
            }
        }
    }

    /// Where messages delay each other the points are all there is.
    #[test]
    fn under_contention_points_are_what_other_replays_give((ranks, pieces) in pieces(), model in 0..SHARED_MODELS) {
        let (data, platform) = (written(ranks, &pieces, false), shared_platform(model));
        for function in &explained(&data, &platform).explanation.sensitivities {
            for point in &function.points {
                let exact = replayed(&data, &platform, &function.varied, point.factor);
                prop_assert!(is_near(point.total, exact), "{:?} {point:?} {exact}", function.varied);
            }
        }
    }
}
