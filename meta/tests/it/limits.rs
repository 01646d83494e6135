//! Large and deep meta-programs.

use meta::{Arguments, MetaProgram, Units};

const UNITS: Units = Units {
    computation: 1000.0,
    stream: 0.0,
    message: 1.0,
};

#[test]
fn a_million_iterations_on_a_thousand_ranks_are_one_loop() {
    let text = "\
FOR 1000000
  compute(100)
  msgsendrecv(8, (ID + 1) % RANKS, (ID - 1) % RANKS)
  allreduce(8)
END
";
    let program = MetaProgram::parse("a.meta", text).unwrap();
    let data = program
        .base_data(&Arguments::default(), Some(1024), UNITS, 1)
        .unwrap();
    assert_eq!(data.program.classes.len(), 1);
    assert_eq!(data.program.classes[0].stream.len(), 4);
}

#[test]
fn periods_of_iterations_are_one_loop() {
    let text = "\
FOR k IN 0..100000
  compute(k % 7)
  allreduce(8)
END
";
    let program = MetaProgram::parse("a.meta", text).unwrap();
    let data = program
        .base_data(&Arguments::default(), Some(1024), UNITS, 1)
        .unwrap();
    let stream = &data.program.classes[0].stream;
    // 14,285 periods, whose first iteration costs nothing, and 5 further iterations.
    assert_eq!(stream.len(), 1 + 13 + 9);
    let calls = base_data::stream::expanded(stream);
    assert_eq!(calls, 14_285 * 13 + 9);
}

#[test]
fn work_without_calls_is_evaluated_once_for_all_ranks() {
    let text = "\
FOR k IN 0..20000
  compute(k)
END
allreduce(8)
";
    let program = MetaProgram::parse("a.meta", text).unwrap();
    // 2000 ranks with 20,000 iterations each would be refused.
    let data = program
        .base_data(&Arguments::default(), Some(2000), UNITS, 1)
        .unwrap();
    assert_eq!(data.program.variants.len(), 1);
    assert_eq!(data.compute.entries[0].warm.mean, 199_990_000_000.0);
}

#[test]
fn deep_texts_are_refused_without_recursion() {
    for (text, message) in [
        ("FOR 2\n".repeat(10_000), "nest deeper"),
        (
            format!("compute({}1", "(".repeat(100_000)),
            "more than 150 parts",
        ),
        (
            format!("compute({}1)", "-".repeat(100_000)),
            "more than 150 parts",
        ),
        (
            format!("compute(1{})", "+1".repeat(100_000)),
            "more than 150 parts",
        ),
        (
            format!("compute(2{})", "^2".repeat(100_000)),
            "more than 150 parts",
        ),
        (
            format!("x = getTime.of(f{})", "<-f".repeat(100_000)),
            "at most 400 functions",
        ),
        (
            "FOR 1000\n  x = C_y + x\nEND\ncompute(x)".into(),
            "200 costs",
        ),
    ] {
        let result = MetaProgram::parse("a.meta", &text)
            .map_err(|error| error.to_string())
            .and_then(|program| {
                let costs = program.costs(&Arguments::default(), Some(1));
                costs.map_err(|error| error.to_string())
            });
        let error = result.unwrap_err();
        assert!(error.contains(message), "{error}");
    }
}

/// What becomes of 10¹² iterations of a body.
fn of_long_loop(body: &str) -> Result<usize, String> {
    let text = format!("x = 0\nFOR k IN 0..1000000000000\n{body}\nEND\n");
    let program = MetaProgram::parse("a.meta", &text).unwrap();
    let data = program.base_data(&Arguments::default(), Some(2), UNITS, 1);
    match data {
        Ok(data) => Ok(data.program.classes[0].stream.len()),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn long_loops_are_refused_if_their_iterations_differ() {
    for body in [
        "allreduce(k)",
        "x = x + 1\nallreduce(x)",
        "IF 0.5\nallreduce(8)\nEND",
        "x = x + 1\nIF x % 3 == 0\nallreduce(8)\nEND",
    ] {
        let error = of_long_loop(body).unwrap_err();
        assert!(error.contains("a.meta:2:10"), "{error}");
        assert!(error.contains("67108864 statements"), "{error}");
    }
    // Values that come to rest: 99 calls that differ, and a loop with one call.
    assert_eq!(
        of_long_loop("x = min(x + 1, 100)\nallreduce(8 * x)"),
        Ok(99 + 2)
    );
}
