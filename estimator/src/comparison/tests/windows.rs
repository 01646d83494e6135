//! Which part of the run is compared.

use super::*;

/// [`ROUNDS`] with a section that holds the second round.
const SECTION: &str = "init site=0\nclock site=4\nblock 0\nbarrier site=1 count=0\nblock 1\n\
                       allreduce site=2 count=1 type=real8 op=sum\nsection begin\nblock 0\n\
                       barrier site=1 count=0\nblock 1\nallreduce site=2 count=1 type=real8 op=sum\n\
                       section end\nclock site=5\nfinalize site=3\n";

/// Half of the estimate's time: what lies in the second round.
fn estimate_of_section() -> Estimate {
    let mut estimate = estimate();
    estimate.program = program(SECTION);
    estimate.program.section = Some(base_data::block_table::SourceSpan {
        first_line: 18,
        last_line: 52,
        ..Default::default()
    });
    for cell in &mut estimate.cells {
        cell.count /= 2;
        cell.split = cell.split.map(|time| time.scaled(0.5));
    }
    (estimate.headline, estimate.p10, estimate.p90) = (us(250), us(240), us(270));
    estimate
}

fn between(from: &str, to: &str) -> Between {
    Between {
        from: from.parse().unwrap(),
        to: to.parse().unwrap(),
    }
}

fn cut(a: Content<'_>, b: Content<'_>, from: &str, to: &str) -> Result<Times, CompareError> {
    let sides = Both {
        a: ComparedFile {
            name: "a",
            content: a,
        },
        b: ComparedFile {
            name: "b",
            content: b,
        },
    };
    compare(sides, Some(&between(from, to))).map(|found| found.times.unwrap())
}

#[test]
fn between_two_reads_of_the_clock() {
    let (estimate, run) = (estimate(), slower_run());
    let times = cut(
        Content::Estimate(&estimate),
        Content::Observation(&run),
        "cg.f:15",
        "cg.f:55",
    )
    .unwrap();
    assert_eq!(
        (times.totals.mean, times.totals.predicted.a),
        (
            Both {
                a: us(500),
                b: us(560)
            },
            None
        )
    );
    assert_eq!(times.window, "from leaving cg.f:15 to entering cg.f:55");
}

#[test]
fn between_executions_of_calls() {
    let (estimate, run) = (estimate(), slower_run());
    let content = (Content::Estimate(&estimate), Content::Observation(&run));
    let times = cut(content.0, content.1, "cg.f:30#1", "cg.f:50#1").unwrap();
    assert_eq!(lines(&times.gaps), ["cg.f:30>cg.f:50 2 125 155 30 100%"]);
    assert_eq!(
        times.ranks[1].total,
        Both {
            a: us(150),
            b: us(180)
        }
    );
    let refused =
        |from: &str, to: &str| cut(content.0, content.1, from, to).unwrap_err().to_string();
    assert!(
        refused("cg.f:30", "cg.f:55")
            .starts_with("cg.f:30: is executed 2 times on rank 0; select one")
    );
    assert!(
        refused("cg.f:30#3", "cg.f:55")
            .starts_with("cg.f:30#3: rank 0 does not come there 3 times")
    );
    assert!(
        refused("cg.f:55", "cg.f:15")
            .starts_with("cg.f:15: rank 0 does not come there after cg.f:55")
    );
    assert!(
        refused("cg.f:99", "cg.f:15").starts_with("cg.f:99: neither file has a call site there")
    );
}

#[test]
fn places_are_lines_and_executions() {
    assert!(
        "cg.f:30#0".parse::<CallSelector>().is_err()
            && "cg.f:30#x".parse::<CallSelector>().is_err()
    );
    assert_eq!(
        "cg.f:30#2".parse::<CallSelector>().unwrap().to_string(),
        "cg.f:30#2"
    );
}

#[test]
fn the_section_where_both_mark_it() {
    let estimate = estimate_of_section();
    let mut run = slower_run();
    run.program = program(SECTION);
    for (rank, second) in run.ranks.iter_mut().zip([130, 180]) {
        rank.gaps = times(&[0, 5, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0]);
        rank.durations = times(&[1000, 0, 50, 10, second, 90, 0, 50, 10, second, 90, 0, 0, 7]);
    }
    let found = compared(Content::Estimate(&estimate), Content::Observation(&run)).unwrap();
    let times = found.times.unwrap();
    assert_eq!(times.window, "the section cg.f:18-52");
    assert_eq!(times.totals.predicted.a.unwrap().time, us(250));
    assert_eq!(
        times.ranks[0].total,
        Both {
            a: us(250),
            b: us(283)
        }
    );
}

#[test]
fn the_calls_of_a_section_that_only_one_side_marks() {
    let (estimate, run) = (estimate_of_section(), slower_run());
    let times = compared(Content::Estimate(&estimate), Content::Observation(&run))
        .unwrap()
        .times
        .unwrap();
    assert!(
        times
            .window
            .starts_with("the MPI calls of the section cg.f:18-52"),
        "{}",
        times.window
    );
    // The block before the first call of the section is left out on both sides.
    assert_eq!(
        times.ranks[0].total,
        Both {
            a: us(200),
            b: us(230)
        }
    );
    assert_eq!(times.totals.predicted.a, None);
}

#[test]
fn uncovered_parts_are_not_compared() {
    let (estimate, mut run) = (estimate_of_section(), slower_run());
    let refused = cut(
        Content::Estimate(&estimate),
        Content::Observation(&run),
        "cg.f:15",
        "cg.f:55",
    );
    let sentence = refused.unwrap_err().to_string();
    assert!(
        sentence.starts_with("a predicts the section cg.f:18-52, which ends or begins between"),
        "{sentence}"
    );
    let inside = cut(
        Content::Estimate(&estimate),
        Content::Observation(&run),
        "cg.f:30#2",
        "cg.f:50#2",
    );
    assert_eq!(
        inside.unwrap().ranks[1].total,
        Both {
            a: us(150),
            b: us(180)
        }
    );
    run.program = program(&CALLS.replace("count=0", "count=9"));
    let found = compared(Content::Estimate(&estimate), Content::Observation(&run)).unwrap();
    assert!(
        found.times.is_none() && found.remarks[0].contains("--between"),
        "{:?}",
        found.remarks
    );
}
