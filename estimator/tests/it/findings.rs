//! What the matching pass says of small programs in text form. A call's place is its line: streams begin
//! behind four lines of head.

use crate::call_semantics::read;
use estimator::check_matching;

/// The findings of a program, in order; each contains all of its words.
fn check(ranks: u32, text: &str, expected: &[&str]) {
    let findings = check_matching(&read(ranks, text));
    let sentences: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(sentences, expected, "{text}");
}

#[test]
fn cycles_name_every_call() {
    check(
        2,
        "class 0\nreceive peer=1 count=8\nsend peer=1 count=8\nclass 1\nreceive peer=0 count=8\nsend peer=0 count=8",
        &[
            "line 6: rank 0 waits for ever for a message with tag 0 from rank 1, rank 1 at line 9 for a message \
           with tag 0 from rank 0: a cycle of 2 ranks",
        ],
    );
    check(
        3,
        "formula 0 = rank 1 + ranks mod\nclass 0-2\nsend mode=synchronous peer=formula:0 count=8",
        &[
            "line 7: rank 0 waits for ever for rank 1 to receive a message with tag 0, rank 1 at line 7 for rank 2 \
           to receive a message with tag 0, rank 2 at line 7 for rank 0 to receive a message with tag 0: a \
           cycle of 3 ranks",
        ],
    );
    // Pairs that all do the same are reported once, long cycles in short.
    check(
        6,
        "class 0-5\nreceive peer=rank^1 count=8",
        &[
            "line 6: rank 0 waits for ever for a message with tag 0 from rank 1, rank 1 at line 6 for a message \
           with tag 0 from rank 0: a cycle of 2 ranks (2 more cycles like this)",
        ],
    );
    let long = &check_matching(&read(
        40,
        "formula 0 = rank 1 + ranks mod\nclass 0-39\nreceive peer=formula:0 count=1",
    ));
    assert!(
        long[0]
            .to_string()
            .ends_with(", and so on through 40 ranks back to rank 0"),
        "{long:?}"
    );
}

/// A slice whose messages are not matched does not know what a probe of any tag found.
#[test]
fn any_tag_probes_match_first_arrival() {
    for probe in ["probe", "probe nonblocking"] {
        let taken = format!(
            "class 0\n{probe} peer=1 tag=any count=0 observed=1:-1\nreceive peer=1 tag=7 count=8"
        );
        let text = format!("{taken}\nclass 1\nsend peer=0 tag=7 count=8");
        let findings: Vec<String> = check_matching(&read(2, &text))
            .iter()
            .map(ToString::to_string)
            .collect();
        assert!(
            !findings.iter().any(|finding| finding.contains("for ever")),
            "{findings:?}"
        );
    }
}

#[test]
fn waiters_outside_a_cycle_are_separate() {
    check(
        2,
        "class 0\nreceive peer=0 count=8\nclass 1\nprobe peer=0 count=0",
        &[
            "line 6: rank 0 waits for ever for a message with tag 0 from rank 0, that is for itself",
            "line 8: rank 1 waits for ever for a message with tag 0 from rank 0; rank 0 waits itself at line 6",
        ],
    );
}

#[test]
fn similar_names_are_suggested() {
    check(
        2,
        "class 0\nsend peer=1 tag=5 count=8\nclass 1\nreceive peer=0 tag=6 count=8",
        &[
            "line 8: rank 1 waits for ever for a message with tag 6 from rank 0; rank 0 has ended; at line 6 \
           rank 0 sends a message with tag 5 on communicator 0",
        ],
    );
}

#[test]
fn collectives_of_all_kinds_must_agree() {
    check(
        2,
        "class 0\nallreduce count=1 op=sum\nclass 1\nallreduce count=1 op=sum request=0\nwait all 0",
        &[
            "line 6: rank 0 calls allreduce of 1 bytes where rank 1 calls nonblocking allreduce of 1 bytes at line 8; \
           all ranks of a communicator must call the same collective with the same root and length",
        ],
    );
    // Blocks may be unequal, but who receives must have room.
    check(
        2,
        "count-table 0 = | 5 6\nclass 0\ngather root=0 count=5 receive-counts=0\nclass 1\ngather root=0 count=7",
        &[
            "line 7: rank 0 receives at most 6 bytes, but rank 1 sends 7 bytes at line 9; make the receive's count at \
           least the send's",
        ],
    );
    check(
        2,
        "count-table 0 = | 5 6 | 1 2\ncount-table 1 = | 5 1 | 6 2\nclass 0-1\nalltoall counts=0 receive-counts=1",
        &[],
    );
}

#[test]
fn arrival_dependent_receives_are_not_checked() {
    check(
        2,
        "class 0\nreceive peer=any count=8\nclass 1\nsend peer=0 count=8",
        &[
            "line 6: receives from MPI_ANY_SOURCE or with MPI_ANY_TAG, and the recording does not \
            contain the matched sender; it takes what arrives first by the predicted times, and \
            whether the calls match is not checked beforehand",
        ],
    );
}

#[test]
fn calls_that_cannot_be_followed_say_why() {
    check(
        2,
        "class 0\nreceive peer=1 count=8 request=0\nwait any 0\nclass 1\nsend peer=0 count=8",
        &[
            "line 7: waits for any or some of several requests and the recording does not contain \
            which completed, on which the control flow may depend; record the program again, or \
            name them with completed=",
        ],
    );
}
