//! The critical path found in one go and in many parts, with memory for a few edges only.

use super::critical_path::{MOST_EDGES, critical_path};
use crate::assemble::mean_replay;
use crate::block_times::{self, ComputeSets, Conditions};
use crate::link_between;
use crate::replay;
use crate::replay::observer::NoObserver;
use crate::replay::program::Target;
use crate::replay::timed::Order;
use crate::replay::workspace::Workspace;
use crate::setup::{ChosenModel, Setup, machine_side};
use base_data::BlockId;
use base_data::compute_data::{ComputeData, ComputeEntry, Feed, Unit};
use base_data::distribution::Distribution;
use base_data::explanation::CriticalPath;
use base_data::program_data::ProgramData;
use base_data::program_text;
use machine::platforms;

/// A ring of ranks whose work differs from rank to rank and from one iteration to the next, so that the
/// path wanders; the two halves never meet.
fn two_rings() -> ProgramData {
    let mut text = String::from("mpiete program text 1\nranks 8\nfile 0 t.f\n");
    text.push_str("block 0 compute t.f:1-2 in t term \"n\" t.f:1\n");
    for rank in 0..8u32 {
        let (half, own) = (rank / 4 * 4, rank % 4);
        let [to, from] = [half + (own + 1) % 4, half + (own + 3) % 4];
        text.push_str(&format!("class {rank}\ninit\n"));
        for round in 0..30 {
            let work = 1 + (rank * 7 + round * 5) % 11;
            text.push_str(&format!(
                "block 0 terms {work}\nreceive peer={from} count={} request=0\n",
                100 * (1 + round % 3)
            ));
            text.push_str(&format!(
                "send peer={to} count={}\nwait all 0\n",
                100 * (1 + round % 3)
            ));
        }
        text.push_str("finalize\n");
    }
    program_text::read(&text).expect("a program")
}

fn compute(data: &ProgramData) -> ComputeData {
    let entry = |terms: &Vec<i64>| ComputeEntry {
        block: BlockId(0),
        terms: terms.clone(),
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::default(),
        warm: Distribution::of(vec![terms[0] * 100_000_000; 2]),
        disturbed: 0,
        coordinates: Vec::new(),
    };
    let entries = data
        .variants
        .iter()
        .map(|variant| entry(&variant.terms))
        .collect();
    ComputeData {
        table: data.table.clone(),
        entries,
        ..ComputeData::default()
    }
}

fn paths(most_edges: &[usize]) -> Vec<CriticalPath> {
    let program = two_rings();
    let compute = [compute(&program)];
    let platform = platforms::load("fast-ethernet").expect("a platform");
    let model = ChosenModel::choose(&platform, Some("loggps"), program.ranks).expect("a model");
    let link = |a, b| link_between(&platform, a, b);
    let steps = replay::lower(
        &program,
        &Target::new(&link, &machine::collective::selection::Library::default()),
    )
    .expect("steps");
    let wanted = Conditions {
        unit: Unit::Time,
        ranks_per_node: 1,
        threads: 1,
    };
    let sets = ComputeSets::of_platform(&compute, &platform, program.ranks);
    let times = block_times::block_times(&program, &steps, &sets, wanted).expect("times");
    let network = model.network(program.ranks).expect("a network");
    let machine = machine_side(&steps, &platform, network.as_ref());
    let (speeds, residuals) = (vec![1.0; program.ranks as usize], model.residuals());
    let setup = Setup {
        steps: &steps,
        machine: &machine,
        model: &model,
        order: Order::ByRank,
        times: &times,
        speeds: &speeds,
        residuals,
    };
    let mut work = Workspace::default();
    let (_, outcome) = mean_replay(&setup, &mut work, NoObserver).expect("a replay");
    let path =
        |most: &usize| critical_path(&setup, &mut work, &outcome.ranks, *most).expect("a path");
    most_edges.iter().map(path).collect()
}

#[test]
fn little_memory_changes_nothing() {
    let found = paths(&[MOST_EDGES, 1000, 64, 16, 1]);
    let [whole, rest @ ..] = found.as_slice() else {
        unreachable!("as many as asked for")
    };
    assert!(
        whole.changes > 10
            && whole
                .shares
                .iter()
                .map(|share| share.time)
                .sum::<base_data::Time>()
                == whole.length
    );
    for path in rest {
        assert_eq!(path, whole);
    }
}
