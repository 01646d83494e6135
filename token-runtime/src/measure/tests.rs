//! A rank that measures, with a scripted clock.

use super::*;
use crate::clock::MockClock;

fn measure(rule: StoppingRule) -> (Measure, MockClock) {
    let mut clock = MockClock::default();
    (Measure::new(rule, &mut clock), clock)
}

fn run(measure: &mut Measure, clock: &mut MockClock, block: u32, terms: &[i64], ticks: u64) {
    measure.begin(block, terms, clock);
    clock.time += ticks;
    let now = clock.time;
    measure.end(now, clock);
}

#[test]
fn first_and_warm_executions_are_separate_per_variant() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    for ticks in [100, 10, 12, 14] {
        run(&mut m, &mut clock, 3, &[5], ticks);
    }
    run(&mut m, &mut clock, 3, &[6], 70);
    let measured = m.finish(2.0);
    assert_eq!(
        (
            measured[0].first,
            measured[0].warm.count,
            measured[0].warm.mean
        ),
        (200, 3, 24.0)
    );
    assert_eq!(measured[0].warm.quantiles[0], 20);
    assert_eq!(
        (
            measured[1].terms.as_slice(),
            measured[1].first,
            measured[1].warm.count
        ),
        (&[6][..], 140, 0)
    );
}

#[test]
fn timer_cost_is_subtracted_down_to_zero() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.set_cost(30);
    run(&mut m, &mut clock, 1, &[], 100);
    run(&mut m, &mut clock, 1, &[], 20);
    let measured = m.finish(1.0);
    assert_eq!((measured[0].first, measured[0].warm.mean), (70, 0.0));
}

#[test]
fn only_the_outermost_block_is_measured() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.begin(1, &[], &mut clock);
    run(&mut m, &mut clock, 2, &[], 5);
    clock.time += 10;
    m.end(15, &mut clock);
    let measured = m.finish(1.0);
    assert_eq!(measured.len(), 1);
    assert_eq!((measured[0].block.0, measured[0].first), (1, 15));
}

#[test]
fn prologue_ends_with_the_next_event() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.begin_prologue(1, &[7], &mut clock);
    clock.time += 20;
    run(&mut m, &mut clock, 2, &[], 5);
    clock.time += 100;
    m.begin_prologue(1, &[7], &mut clock);
    clock.time += 22;
    // A call begins.
    m.end_prologue(&mut clock);
    clock.time += 100;
    m.begin_prologue(1, &[7], &mut clock);
    clock.time += 24;
    m.enter_loop(4, Iterations::Alike, &mut clock);
    clock.time += 100;
    m.next_iteration(4, &mut clock);
    let measured = m.finish(1.0);
    let found: Vec<_> = measured
        .iter()
        .map(|one| (one.block.0, one.first, one.warm.count, one.warm.mean))
        .collect();
    assert_eq!(found, [(1, 20, 2, 23.0), (2, 5, 0, 0.0)]);
}

#[test]
fn epilogue_begins_after_the_last_call_or_block() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    run(&mut m, &mut clock, 2, &[], 5);
    clock.time += 3;
    let now = clock.time;
    m.epilogue(1, &[], (0, now), &mut clock);
    clock.time += 100;
    let called = clock.time;
    clock.time += 4;
    let now = clock.time;
    m.epilogue(1, &[], (called, now), &mut clock);
    let measured = m.finish(1.0);
    assert_eq!(
        (
            measured[1].block.0,
            measured[1].first,
            measured[1].warm.mean
        ),
        (1, 3, 4.0)
    );
}

#[test]
fn preempted_execution_is_discarded() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    for (wall, processor) in [
        (50_000_000, 50_000_000),
        (50_000_000, 49_000_000),
        (900_000_000, 50_000_000),
    ] {
        clock.processor = Some(0);
        m.begin(1, &[], &mut clock);
        clock.time += wall;
        clock.processor = Some(processor);
        let now = clock.time;
        m.end(now, &mut clock);
    }
    let measured = m.finish(1.0);
    assert_eq!(
        (
            measured[0].warm.count,
            measured[0].warm.mean,
            measured[0].disturbed
        ),
        (1, 49e6, 1)
    );
}

/// Runs a loop whose blocks take these times until the rank has seen enough.
fn iterations(rule: StoppingRule, times: impl Fn(u64) -> u64) -> u64 {
    let (mut m, mut clock) = measure(rule);
    m.enter_loop(4, Iterations::Alike, &mut clock);
    for i in 0..10_000 {
        let (iteration, enough) = m.next_iteration(4, &mut clock).unwrap();
        assert_eq!(iteration, i);
        if enough {
            return i;
        }
        run(&mut m, &mut clock, 1, &[], times(i));
    }
    10_000
}

#[test]
fn loop_exits_when_its_blocks_converge() {
    assert_eq!(
        iterations(StoppingRule::default(), |_| 100),
        6,
        "the first and five warm executions"
    );
    let noisy = iterations(StoppingRule::default(), |i| 100 + i % 2 * 20);
    assert!(noisy > 20 && noisy < 200, "{noisy}");
    let budget = StoppingRule {
        budget: Duration::from_nanos(1000),
        ..StoppingRule::default()
    };
    assert_eq!(
        iterations(budget, |_| 400_000),
        3,
        "the budget of 1000 ns is spent"
    );
    let minimum_time = StoppingRule {
        minimum_time: Duration::from_nanos(2500),
        ..StoppingRule::default()
    };
    assert_eq!(
        iterations(minimum_time, |_| 100_000),
        25,
        "2500 ns at least"
    );
    let none = StoppingRule {
        budget: Duration::ZERO,
        ..StoppingRule::default()
    };
    assert_eq!(iterations(none, |_| 400), 2, "two iterations in any case");
}

#[test]
fn negligible_blocks_do_not_prolong_a_loop() {
    for (long, expected) in [(1_000_000, 6), (100, 30)] {
        let (mut m, mut clock) = measure(StoppingRule::default());
        m.enter_loop(4, Iterations::Alike, &mut clock);
        let mut iterations = 0;
        while iterations < 30 && !m.next_iteration(4, &mut clock).unwrap().1 {
            run(&mut m, &mut clock, 1, &[], long);
            run(
                &mut m,
                &mut clock,
                2,
                &[],
                if iterations % 2 == 0 { 10 } else { 30 },
            );
            iterations += 1;
        }
        assert_eq!(iterations, expected, "beside a block of {long}");
    }
}

/// Iterations until a loop is left whose blocks take these times in even and in odd ones.
fn iterations_of(blocks: &[[u64; 2]]) -> u64 {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.enter_loop(4, Iterations::Alike, &mut clock);
    for i in 0..2_000 {
        if m.next_iteration(4, &mut clock).unwrap().1 {
            return i;
        }
        for (block, times) in (0..).zip(blocks) {
            run(&mut m, &mut clock, block, &[], times[i as usize % 2]);
        }
    }
    2_000
}

#[test]
fn each_block_is_known_to_five_times_the_interval() {
    // One block alone is to be known to 2 %, of ten each to 2 % times the root of ten, and none worse than 10 %.
    let [one, ten, hundred] =
        [1, 10, 90].map(|blocks| iterations_of(&vec![[90_000, 110_000]; blocks]));
    assert_eq!([one, ten, hundred], [100, 13, 8]);
    // A tenth of the time that varies by a half.
    assert_eq!(iterations_of(&[[900_000; 2], [50_000, 150_000]]), 102);
    // Half a hundredth of it.
    assert_eq!(iterations_of(&[[20_000_000; 2], [50_000, 150_000]]), 6);
}

#[test]
fn rare_variants_do_not_prolong_a_loop() {
    let rarely = |ticks: u64| {
        let (mut m, mut clock) = measure(StoppingRule::default());
        m.enter_loop(4, Iterations::Alike, &mut clock);
        for i in 0..100 {
            if m.next_iteration(4, &mut clock).unwrap().1 {
                return i;
            }
            run(&mut m, &mut clock, 1, &[], 100_000);
            if i == 0 {
                run(&mut m, &mut clock, 2, &[], ticks);
            }
        }
        100
    };
    assert_eq!(
        (rarely(1_000), rarely(20_000), rarely(200_000)),
        (6, 20, 100)
    );
}

#[test]
fn known_variants_do_not_prolong_a_loop() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    let known = Variant {
        block: BlockId(1),
        terms: vec![7],
    };
    m.mark_as_known(&[known.clone(), known]);
    let mut iterations = |term: i64| {
        m.enter_loop(4, Iterations::Alike, &mut clock);
        loop {
            let (iteration, enough) = m.next_iteration(4, &mut clock).unwrap();
            if enough {
                return iteration;
            }
            run(&mut m, &mut clock, 1, &[term], 100);
        }
    };
    assert_eq!((iterations(7), iterations(8)), (2, 6));
    let measured = m.finish(1.0);
    assert_eq!(
        measured
            .iter()
            .map(|variant| variant.terms[0])
            .collect::<Vec<_>>(),
        [7, 8]
    );
}

/// In iteration i the block has term i, at most 20, and is executed ten times.
fn iterations_with_new_variants(time: fn(u64) -> u64) -> u64 {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.enter_loop(4, Iterations::Alike, &mut clock);
    for i in 0..200 {
        if m.next_iteration(4, &mut clock).unwrap().1 {
            return i;
        }
        let term = (i + 1).min(20);
        (0..10).for_each(|_| run(&mut m, &mut clock, 1, &[term as i64], time(term)));
    }
    200
}

#[test]
fn nonlinear_blocks_with_new_variants_prolong_a_loop() {
    assert_eq!(iterations_with_new_variants(|term| 1000 + 100 * term), 2);
    assert_eq!(
        iterations_with_new_variants(|term| 100 * term * term),
        39,
        "20 come up, 19 bring none"
    );
}

#[test]
fn excess_variants_are_measured_as_their_mean() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    for _ in 0..2 {
        (1..=1000).for_each(|term| run(&mut m, &mut clock, 1, &[term], 1000 + 10 * term as u64));
    }
    let measured = m.finish(1.0);
    assert_eq!(measured.len(), 512 + 8, "up to 575, 639 and so on");
    let counted: u64 = measured.iter().map(|one| one.warm.count + 1).sum();
    assert_eq!(counted, 2000);
    for one in measured {
        let expected = 1000.0 + 10.0 * one.terms[0] as f64;
        assert!(
            (one.warm.mean - expected).abs() <= 5.0,
            "{:?} {} for {expected}",
            one.terms,
            one.warm.mean
        );
        assert!(
            (one.first as f64 - expected).abs() <= 5.0,
            "{:?} {} for {expected}",
            one.terms,
            one.first
        );
    }
}

#[test]
fn statement_counts_are_never_discarded() {
    let mut clock = MockClock {
        unit: Unit::Statements,
        ..MockClock::default()
    };
    let mut m = Measure::new(StoppingRule::default(), &mut clock);
    for ticks in [10, 10, 10, 10, 10, 10, 900_000_000, 10] {
        run(&mut m, &mut clock, 1, &[], ticks);
    }
    let measured = m.finish(1.0);
    assert_eq!((measured[0].warm.count, measured[0].disturbed), (7, 0));
}

#[test]
fn inner_loops_run_whole_with_outermost_cutting() {
    for (cutting, expected) in [
        (Cutting::Every, [true, true]),
        (Cutting::Outermost, [true, false]),
        (Cutting::Never, [false; 2]),
    ] {
        let (mut m, mut clock) = measure(StoppingRule {
            cutting,
            budget: Duration::ZERO,
            ..StoppingRule::default()
        });
        let mut enough = [false; 2];
        m.enter_loop(1, Iterations::Alike, &mut clock);
        for _ in 0..3 {
            enough[0] = m.next_iteration(1, &mut clock).unwrap().1;
        }
        m.enter_loop(2, Iterations::Alike, &mut clock);
        for _ in 0..3 {
            enough[1] = m.next_iteration(2, &mut clock).unwrap().1;
        }
        assert_eq!(enough, expected, "{cutting:?}");
    }
}

#[test]
fn inner_data_loops_run_whole_within_their_budget() {
    for (iterations, budget, expected) in [
        (Iterations::Alike, 1_000_000, [6, 6]),
        (Iterations::OverData, 1_000_000, [6, 1000]),
        (Iterations::OverData, 50, [6, 50]),
    ] {
        let budget = Duration::from_nanos(budget);
        let (mut m, mut clock) = measure(StoppingRule {
            budget,
            ..StoppingRule::default()
        });
        let mut made = |id: u32| {
            m.enter_loop(id, iterations, &mut clock);
            let goes_on = |_: &u64| {
                let enough = m.next_iteration(id, &mut clock).unwrap().1;
                run(&mut m, &mut clock, id, &[], 1000);
                !enough
            };
            (0..1000).take_while(goes_on).count() as u64
        };
        assert_eq!([made(1), made(2)], expected, "{iterations:?}, {budget:?}");
    }
}

#[test]
fn inner_loops_end_with_the_outer_iteration() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.enter_loop(1, Iterations::Alike, &mut clock);
    m.next_iteration(1, &mut clock);
    m.enter_loop(2, Iterations::Alike, &mut clock);
    m.next_iteration(2, &mut clock);
    assert_eq!(m.next_iteration(1, &mut clock), Some((1, false)));
    assert_eq!(
        m.next_iteration(2, &mut clock),
        None,
        "it was not entered again"
    );
}

#[test]
fn many_samples_keep_a_bounded_reservoir() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    for i in 0..10_000 {
        run(&mut m, &mut clock, 1, &[], 1000 + i % 100);
    }
    let warm = &m.finish(1.0)[0].warm;
    assert_eq!(warm.count, 9_999);
    assert!((warm.median() - 1049.5).abs() < 5.0, "{}", warm.median());
}

#[test]
fn preempted_first_execution_uses_processor_time() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    clock.processor = Some(7);
    m.begin(1, &[], &mut clock);
    (clock.time, clock.processor) = (900_000_000, Some(50_000_007));
    m.end(900_000_000, &mut clock);
    let measured = m.finish(1.0);
    assert_eq!(
        (
            measured[0].first,
            measured[0].warm.count,
            measured[0].disturbed
        ),
        (50_000_000, 0, 0)
    );
}

#[test]
fn moments_cover_all_samples_of_alternating_variants() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    let ticks = |i: u64| 1_000_000 + i * i * 7919 % 1013;
    for i in 0..3_000 {
        run(&mut m, &mut clock, 1, &[(i % 2) as i64], ticks(i));
    }
    for (parity, measured) in (0..).zip(m.finish(1.0)) {
        let all = (0..3_000)
            .filter(|i| i % 2 == parity)
            .skip(1)
            .map(|i| ticks(i) as i64)
            .collect();
        let expected = base_data::distribution::Distribution::of(all);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * b;
        assert!(
            near(measured.warm.mean, expected.mean),
            "{}",
            measured.warm.mean
        );
        assert!(near(
            measured.warm.standard_deviation,
            expected.standard_deviation
        ));
        assert_eq!(
            (measured.warm.count, measured.warm.quantiles),
            (1_499, expected.quantiles)
        );
    }
}

#[test]
fn inner_loop_blocks_prolong_the_outer_loop() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.enter_loop(1, Iterations::Alike, &mut clock);
    let mut left = None;
    for i in 0..100 {
        if m.next_iteration(1, &mut clock) == Some((i, true)) {
            left = Some(i);
            break;
        }
        m.enter_loop(2, Iterations::Alike, &mut clock);
        m.next_iteration(2, &mut clock);
        run(&mut m, &mut clock, 9, &[], 100);
    }
    assert_eq!(
        left,
        Some(6),
        "the first and five warm executions, one in each iteration"
    );
}

/// What a loop of so many steps with so many inner iterations each measures of a block whose work changes: the sum of all
/// that its time series contains, and the numbers of the last execution in the series and of the last one executed.
fn course_of(
    budget: Duration,
    (steps, inner): (u64, u64),
    time: impl Fn(u64, u64) -> u64,
) -> (f64, u64, u64) {
    let (mut m, mut clock) = measure(StoppingRule {
        budget,
        ..StoppingRule::default()
    });
    let mut executions = 0;
    m.enter_loop(1, Iterations::Alike, &mut clock);
    m.iteration_dependent_loop(1);
    for step in 0..steps {
        if m.next_iteration(1, &mut clock).unwrap().1 {
            m.leave_early();
            break;
        }
        m.enter_loop(2, Iterations::Alike, &mut clock);
        m.iteration_dependent_loop(2);
        for iteration in 0..inner {
            if m.next_iteration(2, &mut clock).unwrap().1 {
                m.leave_early();
                break;
            }
            m.iteration_dependent(5);
            run(&mut m, &mut clock, 5, &[], time(step, iteration));
            run(&mut m, &mut clock, 6, &[], 100);
            executions += 1;
        }
    }
    let measured = m.finish(1.0);
    let (iteration_dependent, other) = (&measured[0], &measured[1]);
    assert!(other.course.is_empty(), "its work does not change");
    let sum: f64 = iteration_dependent
        .course
        .iter()
        .map(|part| part.times.mean * part.times.count as f64)
        .sum();
    (
        sum + iteration_dependent.first as f64,
        iteration_dependent
            .course
            .last()
            .map_or(0, |part| part.last),
        executions - 1,
    )
}

#[test]
fn iteration_dependent_blocks_run_loops_whole() {
    let times: [fn(u64, u64) -> u64; 3] = [
        |step, _| 100 + 7 * step,
        |step, _| if step < 40 { 100 } else { 500 },
        |step, inner| 100 + 3 * step + 11 * inner,
    ];
    for time in times {
        let all: u64 = (0..100)
            .flat_map(|step| (0..8).map(move |inner| time(step, inner)))
            .sum();
        assert_eq!(
            course_of(StoppingRule::default().budget, (100, 8), time),
            (all as f64, 799, 799)
        );
    }
}

#[test]
fn executions_after_a_cut_loop_have_no_number() {
    // Three executions with what stands beside them take 30.3 ns; the next step makes the two that any does.
    let (sum, last_kept, last) = course_of(Duration::from_nanos(30), (100, 8), |_, _| 10_000);
    assert_eq!((sum, last_kept, last), (30_000.0, 2, 4));
}

/// Iterations of 200 of a loop that may execute a block whose work changes, which takes these times beside another one
/// of 100 µs; none where it is not executed.
fn iterations_beside(budget: Duration, time: impl Fn(u64) -> Option<u64>) -> u64 {
    let (mut m, mut clock) = measure(StoppingRule {
        budget,
        ..StoppingRule::default()
    });
    m.enter_loop(4, Iterations::Alike, &mut clock);
    m.iteration_dependent_loop(4);
    for iteration in 0..200 {
        if m.next_iteration(4, &mut clock).unwrap().1 {
            return iteration;
        }
        run(&mut m, &mut clock, 2, &[], 100_000);
        if let Some(ticks) = time(iteration) {
            m.iteration_dependent(1);
            run(&mut m, &mut clock, 1, &[], ticks);
        }
    }
    200
}

#[test]
fn iteration_dependent_block_with_small_share_prolongs_a_loop() {
    let whole = StoppingRule::default().budget;
    assert_eq!(
        iterations_beside(whole, |i| Some(if i < 150 { 0 } else { 50_000 })),
        200,
        "it grows late"
    );
    assert_eq!(
        iterations_beside(whole, |i| (i > 150).then_some(1_000_000)),
        200,
        "reached late"
    );
    assert_eq!(iterations_beside(whole, |_| None), 200, "others execute it");
    assert_eq!(
        iterations_beside(Duration::from_nanos(1_000), |_| Some(10)),
        10,
        "the budget is spent"
    );
}

#[test]
fn only_the_marked_loop_runs_whole() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    m.iteration_dependent_loop(7);
    let mut ended = |id: u32| {
        m.enter_loop(id, Iterations::Alike, &mut clock);
        if id == 5 {
            m.iteration_dependent_loop(5);
        }
        let goes_on = |_: &u64| {
            let enough = m.next_iteration(id, &mut clock).unwrap().1;
            run(&mut m, &mut clock, id, &[], 1000);
            !enough
        };
        (0..1000).take_while(goes_on).count()
    };
    assert_eq!(
        [ended(4), ended(5), ended(4)],
        [6, 1000, 2],
        "known by then"
    );
}

#[test]
fn page_faults_of_warm_long_blocks_are_stored() {
    let (mut m, mut clock) = measure(StoppingRule::default());
    let mut once = |block: u32, ticks: u64, faults: u64| {
        m.begin(block, &[], &mut clock);
        clock.time += ticks;
        clock.page_faults += faults;
        let now = clock.time;
        m.end(now, &mut clock);
        // Beside all blocks.
        clock.page_faults += 1000;
    };
    let long = LONG_BLOCK as u64 + 1;
    for faults in [500, 10, 0, 20] {
        once(0, long, faults);
    }
    once(1, long, 500);
    m.set_page(3.0);
    let missing_pages: Vec<f64> = m.finish(1.0).iter().map(|one| one.missing_pages).collect();
    assert_eq!(missing_pages, [30.0, 0.0]);
}
