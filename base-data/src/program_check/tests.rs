//! Programs that the check accepts, and errors that it names.

use crate::program_text::read;

const HEAD: &str = "mpiete program text 1\nranks 4\n";

/// Reads a text and compares the error of the check; empty means that it passes.
fn check(text: &str, expected: &str) {
    let found =
        read(&format!("{HEAD}{text}")).map_or_else(|error| error.to_string(), |_| String::new());
    let found = found
        .strip_prefix("the lines do not fit together: ")
        .unwrap_or(&found);
    assert_eq!(found, expected, "{text}");
}

#[test]
fn ranks_are_in_exactly_one_class() {
    check("class 0-3", "");
    check("class 0-2/2\nclass 3,1", "");
    check("class 0-2", "its classes hold 3 of 4 ranks");
    check(
        "class 0-3\nclass 3",
        "its classes list a rank twice or leave the 4 ranks",
    );
    check(
        "class 0-4",
        "its classes list a rank twice or leave the 4 ranks",
    );
    check(
        "class 0-4294967294",
        "its classes list a rank twice or leave the 4 ranks",
    );
}

#[test]
fn ids_are_within_their_tables() {
    check(
        "block 0 compute loops 1\nclass 0-3",
        "block 0: loop 1 is none of the 0 there are",
    );
    check(
        "block 0 compute @3:1\nclass 0-3",
        "block 0: file 3 is none of the 0 there are",
    );
    check(
        "variant 0 = block 0\nclass 0-3",
        "variant 0: block 0 is none of the 0 there are",
    );
    check(
        "block 0 compute\nvariant 0 = block 0 terms 1\nclass 0-3",
        "variant 0 has 1 terms, block 0 has 0",
    );
    check(
        "class 0-3\nbarrier\nclock site=7",
        "class 0 (ranks 0-3), entry 1 (clock): call site 7 is none of the 1 there are",
    );
    check(
        "block 0 compute\nblock 1 compute\nvariant 0 = block 1\nclass 0-3\nblock 0 variant 0",
        "class 0 (ranks 0-3), entry 0 (block): variant 0 is one of block 1, not of block 0",
    );
    check(
        "class 0-3\nsend peer=0 count=1 type=4",
        "class 0 (ranks 0-3), entry 0 (line 4): datatype 4 is none of the 0 there are",
    );
    check(
        "class 0-3\nloop 2 assumed 0\nbarrier\nend",
        "class 0 (ranks 0-3), entry 0 (loop): assumption 0 is none of the 0 there are",
    );
}

#[test]
fn operands_fit_for_every_rank() {
    check("class 0-3\nsend peer=rank^1 count=1", "");
    check("class 0-2\nsend peer=rank+1 count=1\nclass 3", "");
    check(
        "formula 0 = rank 1 + ranks mod\nclass 0-3\nsend peer=formula:0 count=1",
        "",
    );
    check(
        "table 0 = 1 2 3 0\nclass 0-3\nsend peer=table:0 count=1",
        "",
    );
    check(
        "class 0-3\nsend peer=rank+1 count=1",
        "class 0 (ranks 0-3), entry 0 (line 4): peer 4 is not one of 0 to 3",
    );
    check(
        "class 0-3\nsend peer=rank count=-1",
        "class 0 (ranks 0-3), entry 0 (line 4): count -1 is negative",
    );
    check(
        "table 0 = 1 2 3\nclass 0-3\nsend peer=table:0 count=1",
        "class 0 (ranks 0-3), entry 0 (line 5): table 0 has 3 values for 4 ranks",
    );
    check(
        "formula 0 = rank +\nclass 0-3",
        "formula 0 has an operation without two values",
    );
    check(
        "formula 0 = rank 1\nclass 0-3",
        "formula 0 leaves 2 values, not one",
    );
    check(
        "class 0-3\nbroadcast count=1",
        "class 0 (ranks 0-3), entry 0 (line 4): its root is missing",
    );
}

#[test]
fn communicators_contain_their_users() {
    let halves = "comm 2 parent 0 sequence 0 ranks 0-1\ncomm 3 parent 0 sequence 0 ranks 2-3\n";
    let table = "table 0 = 2 2 3 3\n";
    check(
        &format!(
            "{halves}{table}class 0-3\nbarrier comm=table:0\nsend peer=1 count=1 comm=table:0"
        ),
        "",
    );
    check(
        &format!("{halves}{table}class 0-3\nsend peer=2 count=1 comm=table:0"),
        "class 0 (ranks 0-3), entry 0 (line 7): peer 2 is not one of the 2 ranks of communicator 2",
    );
    check(
        &format!("{halves}class 0-3\nbarrier comm=2"),
        "class 0 (ranks 0-3), entry 0 (line 6): rank 2 is no member of communicator 2",
    );
    check(
        &format!("{halves}table 0 = 2 2 -1 -1\nclass 0-3\nmake-communicator parent=0 made=table:0"),
        "",
    );
    check(
        "comm 2 parent 0 ranks 0-4\nclass 0-3",
        "communicator 2 has a group that is empty, lists a rank twice or leaves the 4 ranks",
    );
    check(
        "comm 2 parent 2 ranks 0\nclass 0-3",
        "communicator 2 has parent 2, which is not made before it",
    );
    check(
        "count-table 0 = | 1 | 1 | 1 | 1\nclass 0-3\nallgather comm=1 counts=0",
        "",
    );
    check(
        "count-table 0 = | 1 | 1 | 1 | 1\nclass 0-3\nallgather counts=0",
        "class 0 (ranks 0-3), entry 0 (line 5): count table 0 has a row of 1 counts for 4 ranks",
    );
}

#[test]
fn requests_are_started_and_numbered_from_zero() {
    check("class 0-3\nsend peer=0 count=1 request=0\nwait all 0", "");
    check(
        "class 0-3\nwait all 0",
        "class 0 (ranks 0-3), entry 0 (line 4): request 0 is never started in this class",
    );
    check(
        "class 0-3\nsend peer=0 count=1 request=1",
        "class 0 (ranks 0-3), entry 0 (line 4): request 1 is started, but the lowest free number is at most 0 in this class",
    );
}

#[test]
fn loops_end_somewhere() {
    let nested = |depth| {
        format!(
            "class 0-3\n{}barrier\n{}",
            "loop 1\n".repeat(depth),
            "end\n".repeat(depth)
        )
    };
    check(&nested(64), "");
    check(
        &nested(65),
        "class 0 (ranks 0-3), entry 64: loops nest deeper than 64",
    );
    check(
        "class 0-3\nloop 4294967296\nloop 4294967296\nbarrier\nend\nend",
        "class 0 (ranks 0-3), entry 1: a loop that runs 2^63 times or more",
    );
}
