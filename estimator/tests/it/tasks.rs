//! Master/worker programs: the simulation against a simple one and against the replay, the interpolation against N-linear
//! functions, and the figures of seeds 000 and 004.

use crate::builder::{
    LOGGPS, estimate, loggps, program, receive, repeat, send, with_parameters, work,
};
use base_data::platform_file::PlatformFile;
use base_data::{Rank, Time};
use estimator::tasks::{
    MasterWorker, MeasuredGrid, MessageLength, ParameterRange, Simulation, TaskRun, TaskSpace,
    TaskTable, interpolate,
};
use machine::{Platform, platforms};
use proptest::prelude::*;
use std::fmt::Write;

fn length(fixed: u64, per_task: u64) -> MessageLength {
    MessageLength { fixed, per_task }
}

fn simulate(
    program: &MasterWorker,
    times: &[Time],
    platform: &Platform,
    model: Option<&str>,
) -> TaskRun {
    let simulation =
        Simulation::new(program, times.len() as u64, platform, model).expect("a simulation");
    simulation.run(times, 1.0)
}

/// Parameters of the simple simulation, in nanoseconds: LogGPS without rendezvous.
#[derive(Clone, Copy)]
struct Simple {
    latency: i64,
    overhead: i64,
    per_rank: i64,
    send_byte: i64,
    receive_byte: i64,
    gap: i64,
}

const SIMPLE: Simple = Simple {
    latency: 50,
    overhead: 10,
    per_rank: 3,
    send_byte: 1,
    receive_byte: 2,
    gap: 3,
};

/// The platform with the parameters of [`SIMPLE`], and speeds of the nodes from the second on, round by round.
fn simple_platform(speeds: &[f64]) -> Platform {
    let ns = |value: i64| value as f64;
    let parameters = [
        ("L", ns(SIMPLE.latency), "ns"),
        ("o'", ns(SIMPLE.overhead), "ns"),
        ("o_per_rank", ns(SIMPLE.per_rank), "ns/rank"),
        ("Oss", ns(SIMPLE.send_byte), "ns/byte"),
        ("Ors", ns(SIMPLE.receive_byte), "ns/byte"),
        ("Gs", ns(SIMPLE.gap), "ns/byte"),
    ];
    let plain = with_parameters("loggps-p", 64, &parameters);
    let mut types = Vec::new();
    for node in 0..64 {
        types.push(base_data::platform_file::PuType {
            first_node: node,
            nodes: 1,
            compute: None,
            speed: Some(speeds[node as usize % speeds.len()]),
        });
    }
    let file = PlatformFile {
        pu: base_data::platform_file::PuChoice::Types(types),
        ..plain.file().clone()
    };
    Platform::new(file, &|name| Err(format!("no file {name}"))).expect("a platform")
}

/// End of each master, and tasks and computation of each worker: looks at all workers for each event, O(n · P).
fn reference(
    program: &MasterWorker,
    times: &[Time],
    speed: impl Fn(u32) -> f64,
) -> (Vec<i64>, Vec<(u64, i64)>) {
    let overhead = SIMPLE.overhead + SIMPLE.per_rank * i64::from(program.ranks);
    let send = |bytes: u64| 1000 * (overhead + SIMPLE.send_byte * bytes as i64);
    let receive = |bytes: u64| 1000 * (overhead + SIMPLE.receive_byte * bytes as i64);
    let network = |bytes: u64| 1000 * (SIMPLE.latency + SIMPLE.gap * bytes as i64);
    let (ranks, masters) = (program.ranks as usize, program.masters as usize);
    let (mut master_ends, mut shares) = (Vec::new(), Vec::new());
    for number in 0..masters {
        let (first, end) = (number * ranks / masters, (number + 1) * ranks / masters);
        let own = number * times.len() / masters..(number + 1) * times.len() / masters;
        let mut next = own.start;
        let mut clock = 0;
        // Arrival and bytes of the message that each worker has under way.
        let requested = program.result.bytes(0);
        let mut under_way =
            vec![Some((send(requested) + network(requested), requested)); end - first - 1];
        let mut done = vec![(0, 0); end - first - 1];
        loop {
            let mut earliest: Option<(i64, usize)> = None;
            for (worker, message) in under_way.iter().enumerate() {
                if let Some((arrival, _)) = message
                    && earliest.is_none_or(|(before, _)| *arrival < before)
                {
                    earliest = Some((*arrival, worker));
                }
            }
            let Some((arrival, worker)) = earliest else {
                break;
            };
            let bytes = under_way[worker]
                .take()
                .expect("the message that was found")
                .1;
            clock = clock.max(arrival) + receive(bytes);
            let count = (own.end - next).min(program.tasks_per_message as usize);
            if count == 0 {
                continue;
            }
            let work: i64 = times[next..next + count]
                .iter()
                .map(|time| time.picoseconds())
                .sum();
            let work = (work as f64 / speed((first + 1 + worker) as u32)).round() as i64;
            next += count;
            let assigned = program.assignment.bytes(count as u64);
            let started = clock + send(assigned) + network(assigned) + receive(assigned);
            let result = program.result.bytes(count as u64);
            under_way[worker] = Some((started + work + send(result) + network(result), result));
            clock += send(assigned);
            done[worker].0 += count as u64;
            done[worker].1 += work;
        }
        master_ends.push(clock);
        shares.extend(done);
    }
    (master_ends, shares)
}

fn programs() -> impl Strategy<Value = MasterWorker> {
    (
        1..4u32,
        2..16u32,
        1..6u64,
        0..40u64,
        0..9u64,
        0..40u64,
        0..9u64,
    )
        .prop_map(|(masters, each, at_a_time, a, b, c, d)| MasterWorker {
            ranks: masters * each + masters / 2,
            masters,
            tasks_per_message: at_a_time,
            assignment: length(a, b),
            result: length(c, d),
        })
}

fn task_times() -> impl Strategy<Value = Vec<Time>> {
    // Few different times make equal arrivals likely, whose order is defined.
    prop::collection::vec(
        prop_oneof![(0..4i64).prop_map(|time| time * 100_000), 0..5_000_000i64],
        0..300,
    )
    .prop_map(|times| times.into_iter().map(Time::from_picoseconds).collect())
}

proptest! {
    #[test]
    fn simulation_is_that_of_a_simple_one(program in programs(), times in task_times(), unequal: bool) {
        let speeds: &[f64] = if unequal { &[1.0, 2.0, 0.5, 4.0, 0.7] } else { &[1.0] };
        let platform = simple_platform(speeds);
        let run = simulate(&program, &times, &platform, None);
        let (ends, shares) = reference(&program, &times, |rank| platform.speed_of(Rank(rank)));
        let found: Vec<i64> = run.masters.iter().map(|master| master.end.picoseconds()).collect();
        prop_assert_eq!(&found, &ends);
        prop_assert_eq!(run.time.picoseconds(), ends.into_iter().max().unwrap());
        let found: Vec<(u64, i64)> = run
            .workers
            .iter()
            .map(|worker| (worker.tasks, worker.compute.picoseconds()))
            .collect();
        // 1 / 0.7 and a division by 0.7 may round apart.
        for ((tasks, time), (expected, expected_time)) in found.into_iter().zip(shares) {
            prop_assert_eq!(tasks, expected);
            let rounding = if unequal { tasks as i64 } else { 0 };
            prop_assert!((time - expected_time).abs() <= rounding, "{} {}", time, expected_time);
        }
        prop_assert_eq!(&run, &simulate(&program, &times, &platform, None));
    }

    /// All tasks are executed once, and all time of each rank is in a category.
    #[test]
    fn work_and_time_are_conserved(program in programs(), times in task_times()) {
        let run = simulate(&program, &times, &simple_platform(&[1.0]), None);
        let compute: Time = run.workers.iter().map(|worker| worker.compute).sum();
        prop_assert_eq!(compute, times.iter().copied().sum());
        let executed: u64 = run.workers.iter().map(|worker| worker.tasks).sum();
        prop_assert_eq!(executed, times.len() as u64);
        for master in &run.masters {
            prop_assert_eq!(master.send + master.receive + master.wait, master.end);
        }
        let master_of = |rank| run.masters.iter().rfind(|master| master.rank < rank).unwrap();
        for worker in &run.workers {
            let whole = worker.compute + worker.send + worker.receive + worker.wait;
            prop_assert_eq!(whole, master_of(worker.rank).end);
            prop_assert!(worker.wait >= Time::ZERO);
        }
        prop_assert_eq!((run.masters.len() + run.workers.len()) as u32, program.ranks);
        prop_assert_eq!(run.masters.first().unwrap().tasks.start, 0);
        prop_assert_eq!(run.masters.last().unwrap().tasks.end, times.len() as u64);
        // Every task but the last ones of a master is in a full message, and each worker has one request more.
        let messages: u64 = run
            .masters
            .iter()
            .map(|master| (master.tasks.end - master.tasks.start).div_ceil(program.tasks_per_message))
            .sum();
        prop_assert_eq!(run.events(), messages + run.workers.len() as u64);
    }

    /// A sum of products of parameters, each at most linear, is interpolated without error.
    #[test]
    fn interpolation_is_exact_on_multilinear_functions(
        sides in prop::collection::vec((-5..5i64, 1..4u64, prop::collection::btree_set(1..9u64, 1..4)), 1..4),
        coefficients in prop::collection::vec(0.0..1.0f64, 8),
    ) {
        let (mut ranges, mut levels) = (Vec::new(), Vec::new());
        for (number, (first, step, offsets)) in sides.iter().enumerate() {
            let measured: Vec<i64> = [0].iter().chain(offsets).map(|&at| first + (at * step) as i64).collect();
            ranges.push(ParameterRange {
                name: format!("x{number}"),
                first: *first,
                last: *measured.last().unwrap(),
                step: *step,
            });
            levels.push(measured);
        }
        let value = |point: &[i64]| {
            let mut sum = 0.0;
            for (subset, coefficient) in coefficients.iter().enumerate().take(1 << point.len()) {
                let mut product = *coefficient;
                for (parameter, &x) in point.iter().enumerate() {
                    if subset & (1 << parameter) != 0 {
                        product *= (x - ranges[parameter].first) as f64;
                    }
                }
                sum += product;
            }
            sum
        };
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for measured in &levels {
            let longer = |point: &Vec<i64>| {
                let of_level = |&level: &i64| [&point[..], &[level]].concat();
                measured.iter().map(of_level).collect::<Vec<_>>()
            };
            points = points.iter().flat_map(longer).collect();
        }
        let names: Vec<String> = ranges.iter().map(|range| range.name.clone()).collect();
        let mut text = format!("{},seconds\n", names.join(","));
        for point in points.iter().rev() {
            let fields: Vec<String> = point.iter().map(i64::to_string).collect();
            writeln!(text, "{},{}", fields.join(","), value(point)).unwrap();
        }
        let grid = MeasuredGrid::new(&TaskTable::parse(&text).unwrap()).unwrap();
        let space = TaskSpace::new(ranges.clone()).unwrap();
        let times = interpolate(&grid, &space).unwrap();
        prop_assert_eq!(times.len() as u64, space.count());
        for (number, time) in (0..).zip(times) {
            let point = space.point(number);
            let expected = value(&point);
            let error = (time.seconds() - expected).abs();
            prop_assert!(error <= 1e-12 + 1e-14 * expected, "{point:?}: {time:?}, {expected}");
        }
    }
}

/// With one worker the order of messages is fixed, so the replay of event streams must give the same time, with and without
/// handshakes.
#[test]
fn one_worker_takes_the_time_of_the_replay() {
    // Below and above 200 bytes, from which on there is a handshake.
    for (assigned, result) in [(8, 8), (250, 8), (8, 250), (300, 400)] {
        let rounds = 5;
        let master = [
            repeat(rounds, vec![receive(1, 1, result), send(2, 1, assigned)]),
            vec![receive(3, 1, result)],
        ]
        .concat();
        let worker = [
            repeat(
                rounds,
                vec![send(4, 0, result), receive(5, 0, assigned), work(1)],
            ),
            vec![send(6, 0, result)],
        ]
        .concat();
        let platform = loggps();
        let replayed = estimate(&program(vec![master, worker], &[]), &platform);
        let distributed = MasterWorker {
            ranks: 2,
            masters: 1,
            tasks_per_message: 1,
            assignment: length(assigned as u64, 0),
            result: length(result as u64, 0),
        };
        let times = vec![Time::from_nanoseconds(1000); rounds as usize];
        let run = simulate(&distributed, &times, &platform, None);
        assert_eq!(run.time, replayed.per_rank[0].end, "{assigned} {result}");
    }
}

#[test]
fn programs_that_cannot_run_are_reported() {
    let program = |ranks, masters, tasks_per_message| MasterWorker {
        ranks,
        masters,
        tasks_per_message,
        assignment: length(8, 0),
        result: length(8, 0),
    };
    for (program, model, expected) in [
        (program(1, 1, 1), None, "1 ranks with 1 masters"),
        (
            program(7, 4, 1),
            None,
            "use at least 8 ranks, or fewer masters",
        ),
        (program(4, 0, 1), None, "4 ranks with 0 masters"),
        (program(4, 1, 0), None, "messages without tasks never end"),
        (program(65, 1, 1), None, "has room for 64 ranks"),
        (
            program(4, 1, 1),
            Some("logp"),
            "network model 'logp' is unknown",
        ),
    ] {
        let error = Simulation::new(&program, 10, &loggps(), model)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn simplifications_are_reported() {
    let program = MasterWorker {
        ranks: 4,
        masters: 1,
        tasks_per_message: 1,
        assignment: length(8, 0),
        result: length(8, 0),
    };
    let shared = with_parameters("loggps", 64, &LOGGPS);
    let simulation = Simulation::new(&program, 10, &shared, None).unwrap();
    assert_eq!(simulation.model(), "loggps");
    assert!(
        simulation.warnings()[0]
            .contains("under model 'loggps' they share the bandwidth of receivers"),
        "{:?}",
        simulation.warnings()
    );
    let unequal = Simulation::new(&program, 10, &simple_platform(&[1.0, 2.0]), None).unwrap();
    assert!(
        unequal.warnings()[0].contains("speeds of unequal PUs"),
        "{:?}",
        unequal.warnings()
    );
    assert!(
        Simulation::new(&program, 10, &loggps(), None)
            .unwrap()
            .warnings()
            .is_empty()
    );
}

/// The parallel Mandelbrot explorer of MSE with a sixteenth of its tasks, each as long as table 2's constants require for an
/// optimum of 28 ranks.
fn explorer(ranks: u32, model: &str) -> f64 {
    let program = MasterWorker {
        ranks,
        masters: 1,
        tasks_per_message: 1,
        assignment: length(8, 0),
        result: length(8, 4),
    };
    let times = vec![Time::from_nanoseconds(797_000); 1 << 16];
    let platform = platforms::load("fast-ethernet").expect("a bundled platform");
    16.0 * simulate(&program, &times, &platform, Some(model))
        .time
        .seconds()
}

/// Figure 6 of MSE: the overhead that grows with the number of ranks has an optimum, LogGPS has none.
#[test]
fn overhead_by_ranks_determines_the_optimum() {
    let times = |model| {
        let time = |ranks: u32| (ranks, explorer(ranks, model));
        (8..=64).step_by(4).map(time).collect::<Vec<_>>()
    };
    let fastest = |times: &[(u32, f64)]| {
        let best = times
            .iter()
            .min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        best.unwrap().0
    };
    let grown = times("loggps-p");
    assert_eq!(fastest(&grown), 28);
    let plain = times("loggps");
    assert!(fastest(&plain) > 31, "{plain:?}");
    // The measured time on 64 ranks, from the text: 21.2 s more than that of LogGPS.
    let (grown, plain) = (grown.last().unwrap().1, plain.last().unwrap().1);
    let measured = plain + 21.2;
    assert!((grown / measured - 1.0).abs() < 0.03, "{grown} {measured}");
    assert!(plain / measured < 0.6, "{plain} {measured}");
}
