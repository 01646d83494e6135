//! Started collectives proceed in every call that waits, tests or probes, whatever it is for: MPI guarantees that a program ends
//! in which another rank needs this progress.

use crate::builder::{loggops, loggps, loggps_shared, means, mpiete};
use crate::call_semantics::{compute, read};
use crate::flow;
use crate::scaling_properties::path_adds_up;
use base_data::estimate_file::Estimate;
use base_data::platform_file::EagerCredit;
use estimator::{Inputs, Options};
use machine::Platform;

fn estimate(ranks: u32, text: &str, platform: &Platform) -> Estimate {
    let data = read(ranks, text);
    let inputs = Inputs {
        program: &data,
        compute: &[compute(&data)],
    };
    let options = Options {
        // Explanations take many replays.
        explain: ranks == 3,
        ..means()
    };
    let found = estimator::estimate(&inputs, platform, &options);
    found.unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The ends of all ranks in picoseconds.
fn ends(ranks: u32, text: &str, platform: &Platform) -> Vec<i64> {
    let found = estimate(ranks, text, platform);
    // Progress in calls alone, a property of the platform, leaves no path.
    if found.explanation.critical_path != Default::default()
        && let Err(sum) = path_adds_up(&found)
    {
        panic!("{sum}\n{text}");
    }
    let ends = found.per_rank.iter().map(|rank| rank.end);
    ends.map(|end| end.picoseconds()).collect()
}

/// Models whose messages share nothing, receivers, links or processors, with and without rendezvous.
fn platforms() -> Vec<Platform> {
    let eager = [
        ("L", 1000, "ns"),
        ("o", 300, "ns"),
        ("O", 1, "ns/byte"),
        ("g", 150, "ns"),
        ("G", 1, "ns/byte"),
    ];
    let rendezvous = [&eager[..], &[("S", 50, "bytes")]].concat();
    vec![
        mpiete(),
        loggps(),
        loggps_shared(),
        loggops(&eager),
        loggops(&rendezvous),
        flow::flow(),
        flow::in_call(),
    ]
}

/// All ranks start a collective. A call of rank 0 waits for a message that rank 1 sends behind the collective.
fn message_behind(ranks: u32, started: &str, waits: &str) -> String {
    let others = match ranks {
        2 => String::new(),
        _ => format!("class 2-{}\n{started} request=0\nwait all 0", ranks - 1),
    };
    format!(
        "class 0
         {started} request=0
         {waits}
         wait all 0
         class 1
         {started} request=0
         wait all 0
         send peer=0 count=8
         {others}"
    )
}

const STARTED: [&str; 4] = [
    "barrier",
    "broadcast root=1 count=100",
    "allreduce count=8 op=sum",
    "allgather count=1000",
];

const WAITING: [&str; 9] = [
    "probe peer=1 count=0\nreceive peer=1 count=8",
    "probe peer=any tag=any count=0 observed=1:0\nreceive peer=1 count=8",
    "probe nonblocking peer=any count=0 observed=1:0\nreceive peer=1 count=8",
    "receive peer=1 count=8",
    "receive peer=1 count=8 request=1\nwait all 1",
    "receive peer=1 count=8 request=1\nwait any 1 completed=1",
    "receive peer=1 count=8 request=1\nwait some 0 1 completed=1",
    "receive peer=1 count=8 request=1\ntest all 1 completed=1",
    "send-receive peer=null count=8 receive peer=1 count=8",
];

#[test]
fn collectives_proceed_in_calls_that_wait_for_something_else() {
    for platform in platforms() {
        for ranks in [2, 3, 5, 8] {
            for started in STARTED {
                for waits in WAITING {
                    ends(ranks, &message_behind(ranks, started, waits), &platform);
                }
            }
        }
    }
}

/// A send that waits for its receive, which rank 1 calls behind the collective.
#[test]
fn collectives_proceed_in_sends_and_other_collectives() {
    for platform in platforms() {
        for (first, second) in [
            (
                "send mode=synchronous peer=1 count=8",
                "receive peer=0 count=8",
            ),
            ("barrier comm=2", "barrier comm=2"),
            (
                "allreduce count=8 op=maximum comm=2",
                "allreduce count=8 op=maximum comm=2",
            ),
        ] {
            let text = format!(
                "comm 2 parent 0 sequence 0 ranks 0-1
                 class 0
                 barrier request=0
                 {first}
                 wait all 0
                 class 1
                 barrier request=0
                 wait all 0
                 {second}
                 class 2-4
                 barrier request=0
                 wait all 0"
            );
            ends(5, &text, &platform);
        }
    }
}

/// The schedules of two collectives are independent of each other.
#[test]
fn collectives_may_be_waited_for_in_opposite_orders() {
    let program = |first: u32, second: u32| {
        format!(
            "allreduce count=8 op=sum request=0
             allgather count=8 request=1
             wait all {first}
             wait all {second}"
        )
    };
    for platform in platforms() {
        for ranks in [2, 3, 5, 8] {
            let text = format!(
                "class 0\n{}\nclass 1-{}\n{}",
                program(0, 1),
                ranks - 1,
                program(1, 0)
            );
            ends(ranks, &text, &platform);
        }
    }
}

/// Rank 0 computes for 1 µs. Only rank 2 waits for what it sends in the second round.
#[test]
fn collectives_do_not_proceed_in_computation() {
    let of = |waits: &str| {
        format!(
            "class 0
             barrier request=0
             work 1
             {waits}
             wait all 0
             class 1
             barrier request=0
             wait all 0
             send peer=0 count=8
             class 2
             barrier request=0
             wait all 0"
        )
    };
    for (waits, expected) in [
        ("receive peer=1 count=8", [1108, 200, 1100]),
        ("receive peer=1 count=8\nwork 5", [6108, 200, 1100]),
        // A test that finds nothing lets the barrier proceed, too.
        (
            "test all 0\nwork 5\nreceive peer=1 count=8",
            [6108, 200, 1100],
        ),
        (
            "probe nonblocking peer=1 count=0\nwork 5\nreceive peer=1 count=8",
            [6108, 200, 1100],
        ),
        // The call that starts a receive does not.
        (
            "receive peer=1 count=8 request=1\nwork 5\nwait all 1",
            [6100, 200, 6100],
        ),
    ] {
        let expected = expected.map(|nanoseconds| nanoseconds * 1000);
        assert_eq!(ends(3, &of(waits), &mpiete()), expected, "{waits}");
    }
}

/// Without another call in between, the replays in the order of ranks and of time give the same.
#[test]
fn collectives_alone_take_the_same_time_in_both_replays() {
    for platform in [mpiete(), loggps()] {
        let mut file = platform.file().clone();
        // So much credit never runs out, but makes the replay look at everything in order.
        file.eager_credit = EagerCredit::Bytes(1 << 40);
        let by_time = Platform::new(file, &|name| Err(format!("no file {name}"))).unwrap();
        for ranks in [2, 3, 5, 8] {
            for started in STARTED
                .into_iter()
                .chain(["alltoall count=10", "scan count=9 op=sum"])
            {
                let mut text = String::new();
                for rank in 0..ranks {
                    text.push_str(&format!(
                        "class {rank}
                         work {}
                         loop 3
                         {started} request=0
                         work {}
                         wait all 0
                         end\n",
                        rank + 1,
                        rank % 3 + 1
                    ));
                }
                let [one, other] =
                    [&platform, &by_time].map(|platform| estimate(ranks, &text, platform));
                assert_eq!(one.per_rank, other.per_rank, "{text}");
                assert_eq!(one.replayed_events, other.replayed_events, "{text}");
            }
        }
    }
}

/// A collective that an iteration starts and the next completes, while other messages are waited for.
#[test]
fn collectives_overlap_messages_in_loops() {
    for platform in platforms() {
        let text = "table 0 = 4 0 1 2 3
             table 1 = 1 2 3 4 0
             class 0-4
             allreduce count=8 op=sum request=0
             loop 20
             receive peer=table:0 count=100 request=1
             send peer=table:1 count=100 request=2
             wait all 1 2
             work 1
             wait all 0
             allreduce count=8 op=sum request=0
             end
             wait all 0";
        let ends = ends(5, text, &platform);
        assert!(ends.iter().all(|&end| end > 20_000_000), "{ends:?}");
    }
}
