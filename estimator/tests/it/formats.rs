//! Files of other tools: their meaning, their errors, and that a written program round-trips.

use crate::builder::{
    barrier, compute, compute_of, loggops, loggp_2, loggps, means, mpiete, nanoseconds, program,
    repeat, same_total, work,
};
use crate::call_semantics;
use crate::properties::{pieces, written};
use base_data::Time;
use base_data::program_data::ProgramData;
use estimator::Inputs;
use estimator::formats::{FORMATS, TraceContent, TraceFile, TraceFormat, format, recognise};
use estimator::import::Imported;
use machine::Platform;
use proptest::prelude::*;

fn no_file(name: &str) -> Result<Vec<u8>, String> {
    Err(format!("there is no {name}"))
}

fn named(name: &str) -> &'static TraceFormat {
    format(name).expect("a format of the list")
}

/// Ends of all ranks.
fn ends(
    program: &ProgramData,
    compute: &base_data::compute_data::ComputeData,
    platform: &Platform,
) -> Vec<Time> {
    let inputs = Inputs {
        program,
        compute: std::slice::from_ref(compute),
    };
    let found = estimator::estimate(&inputs, platform, &means());
    same_total(&inputs, platform, &means(), &found);
    found
        .expect("an estimate")
        .per_rank
        .iter()
        .map(|rank| rank.end)
        .collect()
}

fn import(text: &str) -> Result<Imported, String> {
    let file = TraceFile {
        name: "t",
        bytes: text.as_bytes(),
    };
    let format = recognise(&file, &no_file).expect("a format that recognises it");
    (format.import)(&file, &no_file).map_err(|error| error.to_string())
}

fn check(text: &str, platform: &Platform, expected: &[i64]) {
    let found = import(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let file = TraceFile {
        name: "t",
        bytes: text.as_bytes(),
    };
    let format = recognise(&file, &no_file).expect("a format that recognises it");
    let content = TraceContent {
        name: "t",
        content: &mut text.as_bytes(),
        load: &no_file,
    };
    let (total, remarks) = estimator::estimate_trace_total(format, content, platform, &means())
        .unwrap_or_else(|| panic!("no total of {text}"));
    let inputs = Inputs {
        program: &found.program,
        compute: std::slice::from_ref(&found.compute),
    };
    let whole = estimator::estimate(&inputs, platform, &means()).expect("an estimate");
    assert_eq!(
        (total.headline, total.warnings, remarks),
        (whole.headline, whole.warnings, found.remarks),
        "{text}"
    );
    let ends = ends(&found.program, &found.compute, platform);
    assert_eq!(
        ends.into_iter().map(nanoseconds).collect::<Vec<_>>(),
        expected,
        "{text}"
    );
}

fn refuse(text: &str, expected: &str) {
    let error = import(text).expect_err(text);
    assert!(error.starts_with(expected), "'{error}' for {text}");
}

fn exported(name: &str, inputs: &Inputs<'_>) -> Result<(String, Vec<String>), String> {
    let mut bytes = Vec::new();
    let remarks = (named(name).export)(inputs, &mut bytes).map_err(|error| error.to_string())?;
    Ok((String::from_utf8(bytes).expect("text"), remarks))
}

#[test]
fn goal_schedules_are_programs() {
    // A late sender and an early receiver; comments, options, and no label where none is needed.
    check(
        "/* two ranks */ num_ranks 2\n\
         rank 0 {\n l1: calc 5000 // microseconds\n l2: send 8b to 1 tag 3 cpu 0 nic 0\n l2 requires l1\n}\n\
         rank 1{\n recv 8b from 0 tag 3\n}\n",
        &mpiete(),
        &[5000, 5108],
    );
    // A started receive, overlapped computation, and a wait.
    let overlapped = "num_ranks 2\nrank 0 {\nsend 100b to 1\n}\nrank 1 {\nr: recv 100b from 0\nc: calc 150\n\
                      c irequires r\nw: calc 0\nw requires r\nw requires c\nl: calc 7\nl requires w\n}\n";
    check(overlapped, &mpiete(), &[0, 207]);
}

/// The total reads the text rank by rank, and a rank ends at a line with `}`: one in a comment ends no rank, and
/// the lines of a comment count.
#[test]
fn braces_in_goal_comments_end_no_rank() {
    check(
        "num_ranks 2\n/* in front of\n} all\nranks */ rank 0 {\nl1: calc 50 /* a }\n}\nrank 1 { // b\n\
         }*/\nl2: send 8b to 1 // }\nl2 /* } */ requires l1 /*\n}\n*/\n/*/ } */}/*\n}*/\n\
         rank 1 {\nrecv 8b from 0\n} // }\n/* behind\n}",
        &mpiete(),
        &[50, 158],
    );
    refuse(
        "num_ranks 1\n/*\n}\n*/ rank 0 { /*\n}\n*/ calc x\n}\n",
        "t:6: found 'x'",
    );
}

#[test]
fn message_independent_entries_come_first() {
    // Both directions are free to run: a receive in front must not keep the send back.
    let text = "num_ranks 2\nrank 0 {\nrecv 8b from 1\nsend 8b to 1\ncalc 50\n}\n\
                rank 1 {\nrecv 8b from 0\nsend 8b to 0\n}\n";
    check(text, &mpiete(), &[108, 108]);
    let found = import(text).unwrap();
    assert!(
        found.remarks[0].contains("may run in another order"),
        "{:?}",
        found.remarks
    );
}

#[test]
fn wrong_goal_schedules_are_reported_by_line() {
    let of = |body: &str| format!("num_ranks 2\nrank 0 {{\n{body}\n}}\nrank 1 {{\n}}\n");
    for (body, expected) in [
        ("calc -5", "t:3: found '-5', expected a number of 0 to"),
        (
            "calc 1 tag 3",
            "t:3: found 'tag 3', expected '[tag T] [cpu C] [nic K]' in this order; correct the line",
        ),
        (
            "send 8 to 1",
            "t:3: found '8', expected a number of bytes like 8b",
        ),
        (
            "send 8b to 2",
            "t:3: found rank '2', expected a rank of 0 to 1",
        ),
        (
            "send 8b from 1",
            "t:3: found 'send 8b from 1', expected '[LABEL:] calc NS'",
        ),
        ("a: calc 1\na: calc 1", "t:4: found label 'a' again"),
        (
            "a: calc 1\na requires b",
            "t:4: found label 'b', expected a label of a line above in this rank",
        ),
        ("1a: calc 1", "t:3: found label '1a', expected a letter"),
        (
            "a: calc 1\nb: calc 1\na requires b\nb requires a",
            "t:3: found an operation that requires itself",
        ),
        (
            "calc 1 cpu 1\ncalc 1 cpu 2",
            "t:4: found cpu 2 beside cpu 1, expected one cpu per rank",
        ),
    ] {
        refuse(&of(body), expected);
    }
    refuse(
        "num_ranks 2\nrank 1 {\n}\n",
        "t:2: found rank 1, expected rank 0: ranks in order",
    );
    refuse(
        "num_ranks 1\nrank 0 {\n}\nrank 1 {\n}\n",
        "t:4: found rank 1, expected no more than 1 ranks",
    );
    refuse(
        "num_ranks 3\nrank 0 {\n}\n",
        "t:3: found the end after 1 ranks, expected 3 ranks",
    );
    refuse(
        "num_ranks 1\nrank 0 {\ncalc 1\n",
        "t:2: found a rank that does not end",
    );
    refuse(
        "num_ranks 0\n",
        "t:1: found '0', expected a number of ranks of at least 1",
    );
}

#[test]
fn time_independent_traces_are_programs() {
    let text = "# all ranks in one file\n0 init\n1 init\n0 compute 5e3\n0 send 1 3 8\n1 recv 0 3 -1\n\
                0 allreduce 2 1000 0\n1 allreduce 2 1000 0\n0 finalize\n1 finalize\n";
    // 5000 to send, 108 to receive, then two exchanges of 8 bytes each: 108, and the operations.
    check(text, &mpiete(), &[5108 + 216 + 1000, 5108 + 216 + 1000]);
    let requests = "0 init 1\n0 isend 1 7 2\n0 compute 500\n0 waitall 1\n0 finalize\n\
                    1 init 1\n1 irecv 0 7 2\n1 compute 10.5\n1 wait 0 1 7\n1 finalize\n";
    // Two elements of eight bytes: the default of `init` with a number.
    check(requests, &mpiete(), &[500, 116]);
}

#[test]
fn a_trace_may_be_one_file_per_rank() {
    let load = |name: &str| match name {
        "rank0" => Ok(b"0 init\n0 location ring.c 12\n0 send 1 0 8\n0 finalize\n".to_vec()),
        "rank1" => Ok(b"1 init\n1 recv 0 0 4\n1 finalize\n".to_vec()),
        other => Err(format!("there is no {other}")),
    };
    let file = TraceFile {
        name: "index",
        bytes: b"rank0\nrank1\n",
    };
    let found = recognise(&file, &load).expect("an index");
    assert_eq!(found.name, "ti");
    let program = (found.import)(&file, &load).unwrap().program;
    let findings = estimator::check_matching(&program);
    let sentence =
        "rank1:2: rank 1 receives at most 4 bytes, but rank 0 sends 8 bytes at ring.c:12";
    assert!(
        findings[0].to_string().starts_with(sentence),
        "{findings:?}"
    );
    let missing = TraceFile {
        name: "index",
        bytes: b"rank0\nrank7\n",
    };
    let error = (found.import)(&missing, &load).unwrap_err().to_string();
    assert!(
        error
            .starts_with("index:2: found 'rank7' (there is no rank7), expected the file of a rank"),
        "{error}"
    );
}

#[test]
fn wrong_traces_are_reported_by_line() {
    for (line, expected) in [
        (
            "0 dance",
            "t:2: found 'dance', expected an action like compute, send or allreduce; correct the line",
        ),
        (
            "x send 1 0 8",
            "t:2: found rank 'x', expected the number of a rank",
        ),
        ("0 send 1 0", "t:2: found 'send 1 0', expected an action"),
        (
            "0 send 1 0 -8",
            "t:2: found '-8', expected PEER TAG COUNT [DATATYPE]",
        ),
        (
            "0 send 1 0 8 99",
            "t:2: found datatype '99', expected a number of SMPI's datatypes",
        ),
        (
            "0 compute -1",
            "t:2: found '-1', expected an amount of at least 0",
        ),
        ("0 compute nan", "t:2: found 'nan'"),
        (
            "0 bcast",
            "t:2: found 'bcast', expected at least 1 numbers after 'bcast'",
        ),
        (
            "0 gatherv 1",
            "t:2: found 'gatherv 1', expected at least 2 numbers after 'gatherv'",
        ),
        ("0 send 1 0 8", "t: class 0 (ranks 0), entry 1 (t:2)"),
        ("2 compute 1", "t: rank 1 has no action"),
    ] {
        refuse(&format!("0 init\n{line}\n"), expected);
    }
}

#[test]
fn formats_report_unsupported_content() {
    let wildcard = call_semantics::read(
        2,
        "class 0\nreceive peer=any tag=any count=0\nclass 1\nbarrier comm=1\nsend peer=0 count=0",
    );
    let none = Inputs {
        program: &wildcard,
        compute: &[],
    };
    assert!(
        exported("goal", &none)
            .unwrap()
            .0
            .contains("recv 0b from -1 tag -1")
    );
    let error = exported("ti", &none).unwrap_err();
    assert!(
        error.contains("does not contain the matched sender"),
        "{error}"
    );
    let part = call_semantics::read(
        3,
        "comm 2 parent 0 sequence 0 ranks 0-1\nclass 0-1\nallreduce comm=2 count=1 op=sum\nclass 2",
    );
    let inputs = Inputs {
        program: &part,
        compute: &[],
    };
    let error = exported("ti", &inputs).unwrap_err();
    assert!(
        error.contains("calls a collective of some ranks"),
        "{error}"
    );
    let (_, remarks) = exported("goal", &inputs).unwrap();
    assert_eq!(
        remarks,
        ["GOAL has no reductions: combining operands takes no time in it"]
    );
}

#[test]
fn parts_of_nanoseconds_are_not_lost() {
    let block = compute_of(vec![(1, vec![1400])]);
    let stream = repeat(5, vec![work(1), barrier(1)]);
    let looped = program(vec![stream.clone(), stream], &[]);
    let inputs = Inputs {
        program: &looped,
        compute: &[block],
    };
    let (text, _) = exported("goal", &inputs).unwrap();
    let rank0 = text.split("rank 1").next().unwrap_or_default();
    let total: i64 = rank0
        .lines()
        .filter_map(|line| line.split("calc ").nth(1)?.parse::<i64>().ok())
        .sum();
    assert_eq!(total, 7);
}

/// Everything that both formats hold, in one program.
#[test]
fn all_call_kinds_round_trip() {
    let text = "comm 2 parent 0 sequence 0 ranks 2,1,0
        class 0
        persistent send peer=1 count=300 request=0
        loop 3
        work 1
        start 0
        wait any 0 completed=0
        end
        receive peer=any tag=any count=8 request=0
        receive peer=2 count=8 request=1
        wait some 0 1 completed=1,0 observed=1:5
        send peer=1 tag=0 count=9 comm=2
        send-receive peer=1 count=1 receive peer=2 count=1
        send peer=null count=1
        class 1
        loop 3
        receive peer=0 count=300
        end
        send peer=0 tag=5 count=8
        receive peer=2 tag=0 count=9 comm=2
        work 2
        send-receive peer=2 count=1 receive peer=0 count=1
        class 2
        work 3
        send peer=0 count=8
        send-receive peer=0 count=1 receive peer=1 count=1";
    let program = call_semantics::read(3, text);
    let compute = call_semantics::compute(&program);
    let inputs = Inputs {
        program: &program,
        compute: std::slice::from_ref(&compute),
    };
    for format in FORMATS {
        let (text, _) = exported(format.name, &inputs).unwrap();
        let back = import(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        for platform in [mpiete(), loggps()] {
            let expected = ends(&program, &compute, &platform);
            assert_eq!(
                ends(&back.program, &back.compute, &platform),
                expected,
                "{text}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Ends are equal to the picosecond: times are whole nanoseconds, and the platforms have no rates of
    /// reductions, which the formats do not hold.
    #[test]
    fn written_files_round_trip((ranks, pieces) in pieces()) {
        let (program, compute) = (written(ranks, &pieces, false), compute());
        let inputs = Inputs { program: &program, compute: std::slice::from_ref(&compute) };
        for format in FORMATS {
            let (text, _) = exported(format.name, &inputs).unwrap();
            let back = import(&text).unwrap();
            for platform in [mpiete(), loggps()] {
                let expected = ends(&program, &compute, &platform);
                prop_assert_eq!(ends(&back.program, &back.compute, &platform), expected);
            }
            let inputs = Inputs { program: &back.program, compute: std::slice::from_ref(&back.compute) };
            prop_assert_eq!(exported(format.name, &inputs).unwrap().0, text);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for format in FORMATS {
            let _ = (format.import)(&TraceFile { name: "t", bytes: &bytes }, &|_| Ok(bytes.clone()));
        }
    }

    /// Words of the formats in any order get further than any bytes.
    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec(word(), 0..60)) {
        let bytes = words.concat().into_bytes();
        for format in FORMATS {
            let file = TraceFile { name: "t", bytes: &bytes };
            if let Ok(found) = (format.import)(&file, &no_file) {
                estimator::check_matching(&found.program);
            }
        }
    }
}

fn word() -> impl Strategy<Value = String> {
    let words = [
        "num_ranks 2\nrank 0 {\n",
        "}\nrank 1 {\n",
        "}\n",
        "l1: ",
        "l2: ",
        "calc 5\n",
        "calc 0\n",
        "send 8b to 1\n",
        "recv 8b from 0 tag 3\n",
        "recv 8b from -1 tag -1\n",
        "l1 requires l2\n",
        "l2 irequires l1\n",
        "// x\n",
        "/* ",
        "*/",
        "cpu 1",
        "0 init\n",
        "1 init\n",
        "0 send 1 0 8\n",
        "1 recv 0 0 8\n",
        "0 isend 1 0 8 6\n",
        "0 wait 0 1 0\n",
        "1 irecv -1 -1 -1\n",
        "0 allreduce 5 0 0\n",
        "1 gatherv 1 2 3 0\n",
        "0 waitall 3\n",
        "1 compute 1e3\n",
        "0 sendRecv 1 1 1 1 0 0\n",
        "1 alltoallv 1 1 1 2 1 1\n",
        "0 reducescatter 1 2 3 0\n",
        "\n",
        "9",
        "-",
    ];
    prop::sample::select(words.to_vec()).prop_map(String::from)
}

/// A message or computation of a random schedule: sender, receiver, bytes, nanoseconds of computation, and by bits on which
/// earlier operations of each end it depends.
type RandomStep = (u32, u32, u16, u16, u8);

/// Ranks of a random schedule.
const RANDOM_RANKS: u32 = 4;

/// A schedule in which messages are sent and received in one order, so that no rank waits for ever.
fn random_goal(steps: &[RandomStep]) -> String {
    let mut lines = vec![Vec::new(); RANDOM_RANKS as usize];
    let mut counts = [0u32; RANDOM_RANKS as usize];
    let mut add = |rank: u32, operation: String, dependencies: u8| {
        let (lines, count) = (&mut lines[rank as usize], &mut counts[rank as usize]);
        lines.push(format!("l{count}: {operation}"));
        for back in 1..=3u32 {
            let kind = dependencies >> (2 * (back - 1)) & 3;
            if kind > 0 && back <= *count {
                let relation = if kind == 1 { "irequires" } else { "requires" };
                lines.push(format!("l{count} {relation} l{}", *count - back));
            }
        }
        *count += 1;
    };
    for (tag, &(from, by, bytes, nanoseconds, dependencies)) in steps.iter().enumerate() {
        let to = (from + by) % RANDOM_RANKS;
        if from == to {
            add(from, format!("calc {nanoseconds}"), dependencies);
            continue;
        }
        // Starts without dependencies may change their order: a tag for each message keeps lengths together.
        add(
            from,
            format!("send {bytes}b to {to} tag {tag}"),
            dependencies,
        );
        let of_receiver = dependencies.rotate_left(3);
        add(
            to,
            format!("recv {bytes}b from {from} tag {tag}"),
            of_receiver,
        );
    }
    let ranks = (0..RANDOM_RANKS)
        .map(|rank| format!("rank {rank} {{\n{}\n}}\n", lines[rank as usize].join("\n")));
    format!("num_ranks {RANDOM_RANKS}\n{}", ranks.collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn totals_of_random_schedules_equal_whole_estimates(
        steps in prop::collection::vec(
            (0..RANDOM_RANKS, 0..RANDOM_RANKS, 1u16..2000, 0u16..3000, any::<u8>()),
            0..40,
        ),
        rendezvous: bool,
    ) {
        let text = random_goal(&steps);
        let limit = if rendezvous { 500 } else { 1 << 20 };
        let loggops = loggops(&[
            ("L", 900, "ns"),
            ("o", 300, "ns"),
            ("g", 200, "ns"),
            ("G", 2, "ns/byte"),
            ("O", 1, "ns/byte"),
            ("S", limit, "bytes"),
        ]);
        for platform in [loggops, loggp_2()] {
            let found = import(&text).expect("a schedule");
            let inputs = Inputs {
                program: &found.program,
                compute: std::slice::from_ref(&found.compute),
            };
            let whole = estimator::estimate(&inputs, &platform, &means());
            let content = TraceContent {
                name: "t",
                content: &mut text.as_bytes(),
                load: &no_file,
            };
            let total = estimator::estimate_trace_total(named("goal"), content, &platform, &means());
            // A send that waits for a receive behind another such send is a deadlock, for both.
            let total = total.map(|(total, remarks)| (total.headline, total.warnings, remarks));
            let whole = whole.ok().map(|whole| (whole.headline, whole.warnings, found.remarks));
            prop_assert_eq!(total, whole, "{}", text);
        }
    }
}
