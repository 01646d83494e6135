//! What the replay understands, call by call, as programs in text form with the ends of their ranks:
//! block `b` takes a microsecond per term, a message 100 ns and 1 ns per byte (model `mpiete`), or as
//! [`crate::builder::loggps`] says.

use crate::builder::{loggps, means, mpiete, nanoseconds};
use crate::scaling_properties;
use base_data::Time;
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use base_data::distribution::Distribution;
use base_data::estimate_file::Estimate;
use base_data::program_data::ProgramData;
use base_data::program_text;
use estimator::{EstimateError, Inputs, Options};
use machine::Platform;

/// Program data of the lines of a text; `work N` is a block of N microseconds.
pub fn read(ranks: u32, text: &str) -> ProgramData {
    let mut whole = format!(
        "mpiete program text 1\nranks {ranks}\nfile 0 t.f\nblock 0 compute t.f:100-101 in t term \"n\" t.f:100\n"
    );
    for line in text.trim().lines().map(str::trim) {
        match line.strip_prefix("work ") {
            Some(micro) => whole.push_str(&format!("block 0 terms {micro}\n")),
            None => whole.push_str(&format!("{line}\n")),
        }
    }
    program_text::read(&whole).unwrap_or_else(|error| panic!("{error}\n{whole}"))
}

/// Times of the blocks that [`read`] knows.
pub fn compute(data: &ProgramData) -> ComputeData {
    let entry = |terms: &Vec<i64>| ComputeEntry {
        block: base_data::BlockId(0),
        terms: terms.clone(),
        ranks_per_node: 1,
        threads: 1,
        feed: Feed::All,
        first: Distribution::default(),
        warm: Distribution::of(vec![terms[0] * 1_000_000; 3]),
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
        ..Default::default()
    }
}

fn replay(data: &ProgramData, platform: &Platform) -> Result<Vec<Time>, EstimateError> {
    let found = estimate(data, platform)?;
    assert_eq!(scaling_properties::adds_up(&found), Ok(()), "{found:?}");
    Ok(ends(&found))
}

/// The same of a program that is replayed in the order of time.
fn replay_by_time(data: &ProgramData, platform: &Platform) -> Result<Vec<Time>, EstimateError> {
    let found = estimate(data, platform)?;
    if let Err(sum) = scaling_properties::path_adds_up(&found) {
        panic!("{sum}: {found:?}");
    }
    Ok(ends(&found))
}

fn ends(found: &Estimate) -> Vec<Time> {
    found.per_rank.iter().map(|rank| rank.end).collect()
}

fn estimate(data: &ProgramData, platform: &Platform) -> Result<Estimate, EstimateError> {
    let inputs = Inputs {
        program: data,
        compute: &[compute(data)],
    };
    let options = Options {
        explain: true,
        ..means()
    };
    estimator::estimate(&inputs, platform, &options)
}

/// The ends of all ranks in nanoseconds.
fn check(platform: &Platform, ranks: u32, text: &str, expected: &[i64]) {
    let ends =
        replay(&read(ranks, text), platform).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(
        ends.into_iter().map(nanoseconds).collect::<Vec<_>>(),
        expected,
        "{text}"
    );
}

/// Two programs that take the same time on every rank under both models.
fn alike(ranks: u32, one: &str, other: &str) {
    for platform in [mpiete(), loggps()] {
        let [one, other] =
            [one, other].map(|text| replay(&read(ranks, text), &platform).expect("an estimate"));
        assert_eq!(one, other);
    }
}

#[test]
fn persistent_requests_are_transfers_that_start_again() {
    alike(
        2,
        "class 0
         persistent send peer=1 count=300 request=0
         loop 5
         work 2
         start 0
         work 1
         wait all 0
         end
         class 1
         persistent receive peer=0 count=300 request=0
         loop 5
         start 0
         work 1
         wait all 0
         end",
        "class 0
         loop 5
         work 2
         send peer=1 count=300 request=0
         work 1
         wait all 0
         end
         class 1
         loop 5
         receive peer=0 count=300 request=0
         work 1
         wait all 0
         end",
    );
}

#[test]
fn a_persistent_request_may_be_made_anew_in_a_loop() {
    // The number is used again for another partner at the end of each iteration.
    let made_in_loop = "class 0
         persistent send peer=1 count=10 request=0
         loop 3
         start 0
         wait all 0
         persistent send peer=2 count=20 request=0
         end
         class 1
         receive peer=0 count=10
         class 2
         receive peer=0 count=20
         receive peer=0 count=20";
    let plain = "class 0
         send peer=1 count=10
         send peer=2 count=20
         send peer=2 count=20
         class 1
         receive peer=0 count=10
         class 2
         receive peer=0 count=20
         receive peer=0 count=20";
    let [one, other] = [made_in_loop, plain].map(|text| replay(&read(3, text), &mpiete()).unwrap());
    assert_eq!(one, other);
}

#[test]
fn waitany_and_waitsome_keep_recorded_completions() {
    let senders = "class 1
         work 3
         send peer=0 count=0
         class 2
         work 1
         send peer=0 count=0";
    let of = |waits: &str| {
        format!(
            "class 0\nreceive peer=1 count=0 request=0\nreceive peer=2 count=0 request=1\n{waits}\n{senders}"
        )
    };
    check(
        &mpiete(),
        3,
        &of("wait any 0 1 completed=1\nwork 9\nwait any 0 completed=0"),
        &[10100, 3000, 1000],
    );
    check(
        &mpiete(),
        3,
        &of("wait some 0 1 completed=0,1\nwork 1"),
        &[4100, 3000, 1000],
    );
    // Nothing was there to wait for.
    check(
        &mpiete(),
        3,
        &of("wait all 0 1\nwait any\nwait some"),
        &[3100, 3000, 1000],
    );
}

#[test]
fn tests_that_found_nothing_take_no_time() {
    let program = "class 0
         receive peer=1 count=0 request=0
         loop 1000
         test any 0
         end
         work 1
         test any 0 completed=0
         class 1
         work 3
         send peer=0 count=0";
    check(&mpiete(), 2, program, &[3100, 3000]);
}

#[test]
fn wildcards_of_a_loop_learn_from_the_next_iteration() {
    // Each wait names the receive of the iteration before; the last is named after the loop.
    let senders = "class 1
         loop 4
         work 1
         send peer=0 count=0 tag=7
         end
         class 2
         work 9
         send peer=0 count=0";
    let rotated = "class 0
         receive peer=any tag=any count=0 request=0
         loop 4
         wait all 0 observed=1:7
         receive peer=any tag=any count=0 request=0
         end
         wait all 0 observed=2:0";
    let plain = "class 0
         receive peer=1 tag=7 count=0 request=0
         loop 3
         wait all 0
         receive peer=1 tag=7 count=0 request=0
         end
         wait all 0
         receive peer=2 count=0 request=0
         wait all 0";
    alike(
        3,
        &format!("{rotated}\n{senders}"),
        &format!("{plain}\n{senders}"),
    );
}

#[test]
fn persistent_wildcards_keep_recorded_sources() {
    let program = "class 0
         persistent receive peer=any tag=any count=0 request=0
         start 0
         wait all 0 observed=2:1
         start 0
         wait any 0 completed=0 observed=1:0
         class 1
         work 5
         send peer=0 count=0
         class 2
         work 1
         send peer=0 count=0 tag=1";
    check(&mpiete(), 3, program, &[5100, 5000, 1000]);
}

#[test]
fn probes_wait_for_the_message_and_leave_it() {
    let program = |probe: &str| {
        format!(
            "class 0
             {probe}
             work 2
             receive peer=1 count=8
             class 1
             work 3
             send peer=0 count=8"
        )
    };
    // The paired protocol of model `mpiete` starts with the later call.
    check(
        &mpiete(),
        2,
        &program("probe peer=1 count=0"),
        &[5108, 3000],
    );
    check(
        &mpiete(),
        2,
        &program("probe peer=any tag=any count=0 observed=1:0"),
        &[5108, 3000],
    );
    check(
        &mpiete(),
        2,
        &program("probe nonblocking peer=1 count=0"),
        &[3108, 3000],
    );
    check(
        &mpiete(),
        2,
        &program("probe nonblocking peer=any count=0 observed=1:0"),
        &[5108, 3000],
    );
    // LogGPS: 18 ns to send, 74 in the network, then 2000 of work and 26 to receive.
    check(
        &loggps(),
        2,
        &program("probe peer=1 count=0"),
        &[3092 + 2000 + 26, 3018],
    );
}

#[test]
fn synchronous_sends_wait_and_buffered_sends_do_not() {
    let program = |mode: &str, count: u32| {
        format!(
            "class 0
             send mode={mode} peer=1 count={count}
             class 1
             work 5
             receive peer=0 count={count}"
        )
    };
    for (mode, count, sender) in [
        ("standard", 8, 18),
        ("ready", 8, 18),
        ("buffered", 8, 18),
        // 10 ns to see the request, 70 until the sender knows, 18 to send.
        ("synchronous", 8, 5098),
        // Above S = 200 bytes: 10 ns to see the request, 70 until the sender knows, 160 to send.
        ("standard", 300, 5240),
        ("synchronous", 300, 5240),
        ("buffered", 300, 160),
    ] {
        let ends = replay(&read(2, &program(mode, count)), &loggps()).unwrap();
        assert_eq!(nanoseconds(ends[0]), sender, "{mode} {count}");
    }
}

#[test]
fn messages_of_a_rank_to_itself() {
    let program = "class 0
         receive peer=0 count=8 request=0
         send peer=0 count=8
         wait all 0
         send-receive peer=0 count=8 receive peer=0 count=8";
    check(&mpiete(), 1, program, &[0]);
}

#[test]
fn sub_communicators_count_their_own_ranks() {
    // Communicator 2 is made of world ranks 3, 1: rank 0 of it is world rank 3.
    let program = "comm 2 parent 0 sequence 0 ranks 3,1
         class 0,2
         class 1
         receive peer=0 count=8 comm=2
         class 3
         work 1
         send peer=1 count=8 comm=2";
    check(&mpiete(), 4, program, &[0, 1108, 0, 1000]);
}

/// Both groups of an intercommunicator are one communicator, partners count in it.
#[test]
fn intercommunicators_are_both_groups_together() {
    let program = "comm 2 parent 0 sequence 0 ranks 0-3
         class 0-1
         send peer=rank+2 count=8 comm=2
         class 2-3
         receive peer=rank-2 count=8 comm=2";
    check(&mpiete(), 4, program, &[0, 0, 108, 108]);
}

#[test]
fn every_collective_has_a_schedule() {
    for (call, longest) in [
        ("barrier", 200),
        ("broadcast root=1 count=10", 110),
        ("reduce root=1 count=10 op=sum", 220),
        ("allreduce count=10 op=sum", 430),
        ("gather root=1 count=10", 220),
        ("scatter root=1 count=10", 110),
        ("allgather count=10", 220),
        ("alltoall count=10", 110),
        ("reduce-scatter count=10 op=sum", 360),
        ("scan count=10 op=sum", 220),
        ("exclusive-scan count=10 op=sum", 220),
    ] {
        let data = read(3, &format!("class 0-2\n{call}"));
        let ends = replay(&data, &mpiete()).unwrap_or_else(|error| panic!("{call}: {error}"));
        assert_eq!(
            ends.into_iter().map(nanoseconds).max(),
            Some(longest),
            "{call}"
        );
    }
}

/// Counts per rank: rank r has 10, 20 or 30 bytes.
#[test]
fn collectives_of_unequal_blocks() {
    let tables = "count-table 0 = | 10 20 30 | 10 20 30 | 10 20 30\n\
                  count-table 1 = | 10 20 30\n\
                  table 0 = 10 20 30\n";
    for (streams, ends) in [
        // Rank 0 posts receives of 20 and 30 bytes and waits for both.
        (
            "class 0\ngather root=0 count=10 receive-counts=1\n\
             class 1\ngather root=0 count=20\nclass 2\ngather root=0 count=30",
            [130, 0, 0],
        ),
        (
            "class 0\nscatter root=0 counts=1 receive-count=10\n\
             class 1\nscatter root=0 count=20\nclass 2\nscatter root=0 count=30",
            [0, 120, 130],
        ),
        // Bruck: each receives the block of the next rank, then that of the one above it.
        (
            "class 0-2\nallgather count=table:0 receive-counts=0",
            [250, 240, 250],
        ),
        // Rank 0 gives its 60 bytes to rank 1, ranks 1 and 2 exchange 30, rank 1 returns 10.
        ("class 0-2\nreduce-scatter counts=0 op=sum", [400, 290, 290]),
    ] {
        check(&mpiete(), 3, &format!("{tables}{streams}"), &ends);
    }
}

#[test]
fn nonblocking_collectives_start_at_the_call_and_end_in_the_wait() {
    // The root's message goes at the call: who waits late has it at once.
    let program = "class 0
         broadcast root=0 count=100 request=0
         work 5
         wait all 0
         class 1
         broadcast root=0 count=100 request=0
         work 3
         wait all 0";
    check(&mpiete(), 2, program, &[5000, 3000]);
    let blocking = "class 0-3
         work 1
         allreduce count=8 op=sum";
    let started = "class 0-3
         work 1
         allreduce count=8 op=sum request=0
         wait all 0";
    let [one, other] = [blocking, started].map(|text| replay(&read(4, text), &mpiete()).unwrap());
    assert_eq!(one, other);
}

#[test]
fn nonblocking_collectives_may_be_completed_in_any_order() {
    let program = |first: u32, second: u32| {
        format!(
            "broadcast root=0 count=8 request=0
             barrier request=1
             broadcast root=0 count=16 request=2
             barrier
             wait all {first} {second} 2"
        )
    };
    let text = format!("class 0\n{}\nclass 1-2\n{}", program(0, 1), program(1, 0));
    assert!(replay_by_time(&read(3, &text), &loggps()).is_ok());
}
