//! Which programs depend on time: loops that take what comes in the order in which it comes are proven where no order
//! matters, and named where one may. Beside each form that is proven stands what must not be taken for it.

use crate::harness::{Analysed, analyse};

pub(crate) const DECLARED: &str = "program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
";

pub(crate) fn analysed(body: &str) -> Analysed {
    analyse(&format!(
        "{DECLARED}{body}\n  call mpi_finalize(error)\nend program\n"
    ))
}

#[track_caller]
pub(crate) fn proven(body: &str) {
    let analysed = analysed(body);
    assert!(
        analysed.analysis.time_dependent.is_empty(),
        "not proven:\n{body}\n{}",
        analysed.remarks()
    );
    assert!(
        !analysed.analysis.any_order.is_empty(),
        "nothing was proven:\n{body}"
    );
}

#[track_caller]
pub(crate) fn named(body: &str) {
    let analysed = analysed(body);
    assert!(
        !analysed.analysis.time_dependent.is_empty(),
        "taken for proven:\n{body}\n{}",
        analysed.remarks()
    );
}

/// A loop over MPI_Waitany whose body is this, and what stands behind it. The poll before it makes the slice need
/// what completes, so that work terms may, too.
fn in_completion_loop(body: &str, after: &str) -> String {
    format!(
        "  flag = .false.
  do while (.not. flag)
    call mpi_test(side(1), flag, mpi_status_ignore, error)
  end do
  do i = 1, n
    call mpi_waitany(n, reqs, index, status, error)
{body}
  end do
{after}"
    )
}

/// What makes a count decide.
pub(crate) const BARRIER: &str = "  if (total > 3) call mpi_barrier(mpi_comm_world, error)";

pub(crate) fn work(bound: &str) -> String {
    format!("    do j = 1, {bound}\n      x(j) = x(j) + 1\n    end do")
}

#[test]
fn work_that_depends_on_the_request_only_is_order_independent() {
    proven(&in_completion_loop(&work("index"), ""));
    proven(&in_completion_loop(&work("index * m"), ""));
    let counted = "    call mpi_get_count(status, mpi_real, count, error)\n";
    proven(&in_completion_loop(
        &format!("{counted}{}", work("count")),
        "",
    ));
    proven(&in_completion_loop(
        &format!("    k = index\n{counted}{}", work("count * k")),
        "",
    ));
    proven(&in_completion_loop(
        &format!("    if (index > 2) cycle\n{counted}{}", work("count")),
        "",
    ));
    let after = "  index = 3\n  call mpi_bcast(x, index, mpi_real, 0, mpi_comm_world, error)";
    proven(&in_completion_loop(&work("index"), after));
}

#[test]
fn work_that_depends_on_the_iteration_is_order_dependent() {
    named(&in_completion_loop(&work("index * i"), ""));
    let counted = "    call mpi_get_count(status, mpi_real, count, error)\n";
    named(&in_completion_loop(
        &format!("    k = k + 1\n{counted}{}", work("count * k")),
        "",
    ));
    named(&in_completion_loop(
        &format!("    if (i > 2) cycle\n{counted}{}", work("count")),
        "",
    ));
    named(&in_completion_loop(
        &format!("    m = i\n{counted}{}", work("count * m")),
        "",
    ));
    let guarded = |condition: &str| {
        format!(
            "    if ({condition}) then\n{counted}{}\n    end if",
            work("m")
        )
    };
    proven(&in_completion_loop(&guarded("index == 1"), ""));
    named(&in_completion_loop(&guarded("index == i"), ""));
    named(&in_completion_loop(
        &guarded("index == 1").replace(
            "    end if",
            "    else if (i == 1) then\n  call cpu_time(y)\n    end if",
        ),
        "",
    ));
    // What the iteration before has left behind.
    named(&in_completion_loop(
        &format!("{counted}{}\n{counted}    k = index", work("count * k")),
        "",
    ));
    named(&in_completion_loop(
        &format!(
            "    if (index > 2) k = index\n{counted}{}",
            work("count * k")
        ),
        "",
    ));
    let waits_last = format!(
        "{}\n    call mpi_waitany(n, reqs, index, status, error)",
        work("index")
    );
    named(&in_completion_loop("", "").replace(
        "    call mpi_waitany(n, reqs, index, status, error)",
        &waits_last,
    ));
}

#[test]
fn the_request_must_not_reach_a_call() {
    named(&in_completion_loop(
        "    call mpi_send(x, 1, mpi_real, index, 1, mpi_comm_world, error)",
        "",
    ));
    named(&in_completion_loop(
        "    if (index == 1) call mpi_barrier(mpi_comm_world, error)",
        "",
    ));
    named(&in_completion_loop(
        "    call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, error)\n    if (index > 2) y = mpi_wtime()",
        BARRIER,
    ));
    named(&in_completion_loop(
        "    k = index",
        "  call mpi_bcast(x, k, mpi_real, 0, mpi_comm_world, error)",
    ));
    named(&in_completion_loop(
        "",
        "  call mpi_bcast(x, index, mpi_real, 0, mpi_comm_world, error)",
    ));
    named(&in_completion_loop(
        "    m = index",
        "  call mpi_bcast(x, m, mpi_real, 0, mpi_comm_world, error)",
    ));
    named(&in_completion_loop("    if (index == 3) stop", ""));
    named(&in_completion_loop(
        "    if (index == 3) call mpi_abort(mpi_comm_world, 1, error)",
        "",
    ));
}

#[test]
fn loop_with_leftover_requests_is_no_completion_loop() {
    let body = work("index");
    for (from, to) in [
        ("do i = 1, n", "do i = 1, n - 1"),
        ("do i = 1, n", "do i = 2, n"),
        ("do i = 1, n", "do i = 1, n, 2"),
        ("do i = 1, n", "do i = 1, k"),
        ("waitany(n, reqs,", "waitany(3, reqs,"),
        ("waitany(n, reqs,", "waitany(2, reqs(i),"),
    ] {
        named(&in_completion_loop(&body, "").replace(from, to));
    }
    named(&in_completion_loop(
        &format!("{body}\n    if (index == 2) exit"),
        "",
    ));
    named(&in_completion_loop(
        &format!("{body}\n    if (i == 2) exit"),
        "",
    ));
    named(&in_completion_loop(
        &format!("{body}\n    reqs(1) = mpi_request_null"),
        "",
    ));
    let again = "    call mpi_irecv(x, 1, mpi_real, 0, 1, mpi_comm_world, reqs(1), error)";
    named(&in_completion_loop(&format!("{body}\n{again}"), ""));
    named(&in_completion_loop(&body, "").replace(
        "    call mpi_waitany",
        "    if (m > i) cycle\n    call mpi_waitany",
    ));
    named(
        &in_completion_loop(&body, "")
            .replace("    call mpi_waitany", "    if (m > i) call mpi_waitany"),
    );
    // The list is as long as a variable says, which the loop changes.
    let counted = in_completion_loop(&body, "")
        .replace("do i = 1, n", "do i = 1, m")
        .replace("waitany(n,", "waitany(m,");
    proven(&counted);
    named(&counted.replace("    do j", "    m = m - 1\n    do j"));
}

#[test]
fn sums_of_integers_may_be_taken_in_any_order() {
    proven(&in_completion_loop(
        "    total = total + length(index)",
        BARRIER,
    ));
    proven(&in_completion_loop(
        "    total = total - length(index) * m",
        BARRIER,
    ));
    proven(&in_completion_loop(
        "    total = length(index) + total",
        BARRIER,
    ));
    proven(&in_completion_loop(
        "    if (index > 2) total = total + 1",
        BARRIER,
    ));
    proven(&in_completion_loop(
        "    table(length(index)) = table(length(index)) + 1",
        &BARRIER.replace("total", "table(2)"),
    ));
    named(&in_completion_loop(
        "    total = length(index) - total",
        BARRIER,
    ));
    named(&in_completion_loop(
        "    total = total + length(index) * i",
        BARRIER,
    ));
    named(&in_completion_loop(
        "    total = 2 * total + length(index)",
        BARRIER,
    ));
    named(&in_completion_loop(
        "    total = total + length(index)\n    total = total * index",
        BARRIER,
    ));
    named(&in_completion_loop(
        "    total = total + length(index)\n    other = total",
        &BARRIER.replace("total", "other"),
    ));
    let counted = "    call mpi_get_count(status, mpi_real, count, error)";
    named(&in_completion_loop(
        &format!(
            "    total = total + length(index)\n{counted}\n{}",
            work("total")
        ),
        "",
    ));
    named(&in_completion_loop(
        "    sum = sum + length(index)",
        &BARRIER.replace("total", "sum"),
    ));
    named(&in_completion_loop(
        "    total = total + length(index) * 0.5",
        BARRIER,
    ));
    named(&in_completion_loop(
        "    total = total + sqrt(sum) * index",
        BARRIER,
    ));
    named(&in_completion_loop("    total = length(index)", BARRIER));
}

#[test]
fn each_request_may_have_an_element_of_its_own() {
    let read = BARRIER.replace("total", "table(2)");
    proven(&in_completion_loop(
        "    table(index) = 2 * length(index)",
        &read,
    ));
    named(&in_completion_loop("    table(index) = i", &read));
    named(&in_completion_loop("    table(i) = index", &read));
    named(&in_completion_loop(
        "    table(length(index)) = index",
        &read,
    ));
    named(&in_completion_loop(
        "    index = mod(index, 2) + 1\n    table(index) = length(index)",
        &read,
    ));
    named(&in_completion_loop(
        "    table(index) = length(index)\n    table(1) = i",
        &read,
    ));
    named(&in_completion_loop(
        "    table(index) = length(index)\n    k = table(3)",
        &BARRIER.replace("total", "k"),
    ));
    named(&in_completion_loop(
        "    table(index) = length(index)\n    side(index) = table(1)",
        &BARRIER.replace("total", "side(1)"),
    ));
}

/// A loop that asks until something is there waits.
#[test]
fn polling_loops_are_waits() {
    let loops = [
        "  flag = .false.\n  do while (.not. flag)\n    CALL\n  end do\n",
        "  do\n    CALL\n    if (flag) exit\n  end do\n",
        "  do\n    CALL\n    if (flag) then\n      exit\n    end if\n    continue\n  end do\n",
        "1 CALL\n  if (.not. flag) goto 1\n",
    ];
    let calls = [
        "call mpi_test(reqs(1), flag, status, error)",
        "call mpi_testall(n, reqs, flag, statuses, error)",
        "call mpi_iprobe(0, 1, mpi_comm_world, flag, status, error)",
    ];
    for (form, call) in loops.iter().flat_map(|form| calls.map(|call| (form, call))) {
        let poll = form.replace("CALL", call);
        proven(&format!(
            "{poll}  if (flag) call mpi_barrier(mpi_comm_world, error)"
        ));
        named(
            &poll
                .replace("  if (flag)", "  k = k + 1\n  if (flag)")
                .replace("  end do", "  y = y + 1\n  end do")
                .replace("  if (.not.", "  y = y + 1\n  if (.not."),
        );
        named(&format!(
            "  call mpi_barrier(mpi_comm_world, error)\n{}",
            poll.replace("flag)", "flag .or. done)")
        ));
    }
    // It is left although nothing was there, after some time.
    named(
        "  do k = 1, 100\n    call mpi_test(reqs(1), flag, status, error)\n    if (flag) exit\n  end do\n  if (flag) call mpi_barrier(mpi_comm_world, error)",
    );
    named(
        "  call mpi_test(reqs(1), flag, status, error)\n  if (flag) call mpi_barrier(mpi_comm_world, error)",
    );
    named(
        "  flag = .false.\n  do while (.not. flag)\n    call mpi_testany(n, reqs, index, flag, status, error)\n  end do\n  if (index > 2) call mpi_barrier(mpi_comm_world, error)",
    );
    named(
        "  flag = .false.\n  do while (.not. flag)\n    call mpi_test(reqs(1), flag, status, error)\n    call mpi_barrier(mpi_comm_world, error)\n  end do",
    );
    named(
        "  flag = .false.\n  do while (.not. flag)\n    call mpi_iprobe(mpi_any_source, 1, mpi_comm_world, flag, status, error)\n  end do\n  call mpi_recv(x, 1, mpi_real, status(mpi_source), 1, mpi_comm_world, status, error)",
    );
}

/// A function among the arguments would do what it does as often as is asked.
#[test]
fn polling_loops_call_nothing_else() {
    let polls = |asked: &str| {
        let body = format!("  flag = .false.\n  do while (.not. flag)\n    {asked}\n  end do\n");
        let counts =
            "contains\n  integer function next()\n    m = m + 1\n    next = 1\n  end function\n";
        let uses = "  if (m > 3) call mpi_barrier(mpi_comm_world, error)\n";
        let source =
            format!("{DECLARED}{body}{uses}  call mpi_finalize(error)\n{counts}end program\n");
        analyse(&source).analysis.time_dependent.len()
    };
    assert_eq!(
        polls("call mpi_test(reqs(max(1, k)), flag, status, error)"),
        0
    );
    assert_eq!(polls("call mpi_test(reqs(next()), flag, status, error)"), 1);
    assert_eq!(
        polls("call mpi_iprobe(next(), 1, mpi_comm_world, flag, status, error)"),
        1
    );
    assert_eq!(
        polls("call mpi_iprobe(0, next(), mpi_comm_world, flag, status, error)"),
        1
    );
}

/// Values that are not read determine nothing; but a receive that takes any message leaves the others to
/// receives whose results are used.
#[test]
fn each_call_is_judged_by_its_result() {
    let unread = in_completion_loop("    y = y + x(index)", "");
    proven(&unread);
    let used = "  call mpi_waitany(n, reqs, k, status, error)\n  if (k > 2) call mpi_barrier(mpi_comm_world, error)";
    let both = analysed(&format!("{unread}{used}"));
    assert_eq!(both.analysis.time_dependent.len(), 1, "{}", both.remarks());
    let any = "  call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, error)\n";
    proven(&format!("{any}{}", in_completion_loop(&work("index"), "")));
    named(&format!(
        "{any}  call mpi_recv(y, 1, mpi_real, 0, 1, mpi_comm_world, statuses, error)\n  call mpi_get_count(statuses, mpi_real, k, error)\n  if (k > 2) call mpi_barrier(mpi_comm_world, error)"
    ));
}

/// Which requests are null says which have completed.
#[test]
fn request_handles_identify_completions() {
    let waits = "  call mpi_waitany(n, reqs, index, status, error)\n";
    proven(waits);
    for decision in [
        "  if (reqs(2) == mpi_request_null) call mpi_barrier(mpi_comm_world, error)",
        "  k = reqs(2)\n  if (k == mpi_request_null) call mpi_barrier(mpi_comm_world, error)",
        "  k = count(reqs == mpi_request_null)\n  do i = 1, k\n    call mpi_barrier(mpi_comm_world, error)\n  end do",
    ] {
        named(&format!("{waits}{decision}"));
    }
    let waited = "  call mpi_wait(reqs(2), status, error)\n";
    let copied = "  k = reqs(2)\n  call mpi_wait(k, status, error)";
    proven(&format!("{waits}{waited}{copied}"));
}

/// What is left of requests when one of them has completed.
#[test]
fn wait_after_partial_completion_knows_completed_requests() {
    let waits = "  call mpi_waitany(n, reqs, index, status, error)\n";
    let told = "  call mpi_waitall(n, reqs, statuses, error)\n  call mpi_get_count(statuses, mpi_real, k, error)\n  if (k > 2) call mpi_barrier(mpi_comm_world, error)";
    named(&format!("{waits}{told}"));
    named(&format!(
        "{waits}{}",
        in_completion_loop("    if (index > 0) total = total + index", BARRIER)
    ));
    let probe = "  call mpi_improbe(0, 1, mpi_comm_world, flag, k, status, error)\n  if (k /= mpi_message_null) call mpi_barrier(mpi_comm_world, error)";
    named(probe);
}

/// Wildcards go through variables, constants and arguments.
#[test]
fn wildcards_are_followed() {
    let used = "  if (status(mpi_source) > 2) call mpi_barrier(mpi_comm_world, error)\n";
    let receive = |source: &str| {
        format!(
            "  call mpi_recv(x, 1, mpi_real, {source}, 1, mpi_comm_world, status, error)\n{used}"
        )
    };
    named(&receive("mpi_any_source"));
    named(&format!("  k = mpi_any_source\n{}", receive("k")));
    named(&format!(
        "  table(2) = mpi_any_source\n{}",
        receive("table(2)")
    ));
    named(&receive("merge(mpi_any_source, 1, flag)"));
    let wrapped = "  call take(mpi_any_source, status)\n";
    let wrapper = "contains\n  subroutine take(source, told)\n    integer :: source, told(mpi_status_size)\n    call mpi_recv(x, 1, mpi_real, source, 1, mpi_comm_world, told, error)\n  end subroutine\n";
    let whole = |call: &str| {
        format!("{DECLARED}{call}{used}  call mpi_finalize(error)\n{wrapper}end program\n")
    };
    assert_eq!(analyse(&whole(wrapped)).analysis.time_dependent.len(), 1);
    assert!(
        analyse(&whole("  call take(3, status)\n"))
            .analysis
            .time_dependent
            .is_empty()
    );
    let concrete = analysed(&format!("  k = 3\n{}", receive("k")));
    assert!(
        concrete.analysis.time_dependent.is_empty(),
        "{}",
        concrete.remarks()
    );
}

/// Messages of one source do not overtake each other: the source alone determines the message that any tag receives.
#[test]
fn any_tag_from_one_source_is_deterministic() {
    let used = "  if (status(mpi_tag) > 2) call mpi_barrier(mpi_comm_world, error)\n";
    let any = |source: &str| {
        let receive = format!(
            "mpi_recv(x, 1, mpi_real, {source}, mpi_any_tag, mpi_comm_world, status, error)"
        );
        let probe = format!("mpi_probe({source}, mpi_any_tag, mpi_comm_world, status, error)");
        [receive, probe].map(|call| {
            analysed(&format!("  call {call}\n{used}"))
                .analysis
                .time_dependent
                .len()
        })
    };
    assert_eq!(any("2"), [0, 0]);
    assert_eq!(any("mpi_any_source"), [1, 1]);
}

/// What a wrapper answers is its caller's to read.
#[test]
fn answers_leave_wrappers() {
    let wrapper = "contains
  subroutine take(position)
    integer :: position
    call mpi_waitany(n, reqs, position, mpi_status_ignore, error)
  end subroutine
  logical function ready()
    call mpi_test(side(1), ready, mpi_status_ignore, error)
  end function
";
    let found = |body: &str| {
        let source = format!("{DECLARED}{body}  call mpi_finalize(error)\n{wrapper}end program\n");
        analyse(&source).analysis.time_dependent.len()
    };
    assert_eq!(found("  call take(k)\n"), 0);
    assert_eq!(
        found("  call take(k)\n  if (k > 2) call mpi_barrier(mpi_comm_world, error)\n"),
        1
    );
    assert_eq!(
        found("  if (ready()) call mpi_barrier(mpi_comm_world, error)\n"),
        1
    );
    assert_eq!(
        found("  flag = ready()\n  if (flag) call mpi_barrier(mpi_comm_world, error)\n"),
        1
    );
    assert_eq!(found("  flag = ready()\n"), 0);
}

/// What is computed need not be in the slice; where it depends on the order its work is unknown.
#[test]
fn order_dependent_work_is_reported() {
    let waits = |body: &str| {
        format!(
            "  do i = 1, n\n    call mpi_waitany(n, reqs, index, mpi_status_ignore, error)\n{body}\n  end do"
        )
    };
    let after = |condition: &str, bound: &str| {
        format!("    if ({condition}) then\n{}\n    end if", work(bound))
    };
    proven(&waits(&work("100 * index")));
    proven(&waits(&work("i")));
    proven(&waits(&work("length(index)")));
    proven(&waits(&after("index == 2", "index * 7")));
    proven(&waits(&after("i == 2", "7")));
    proven(&waits(&format!("    last = last + 1\n{}", work("last"))));
    proven(&waits(&format!(
        "    last = length(index)\n{}",
        work("last")
    )));
    proven(&waits("    x(1:length(index)) = 0"));
    proven(&waits("    y = y + x(index)\n    last = last + index"));
    named(&waits(&format!(
        "    last = last + index\n{}",
        work("last")
    )));
    named(&waits(&after("i == n - 1", "index * 7")));
    named(&waits(&after("index == 2", "i")));
    named(&waits(&after("index == i", "3")));
    named(&waits(&work("i * index")));
    named(&waits(&format!(
        "    y = y + x(index)\n{}",
        after("y > 2", "3")
    )));
    named(&waits("    last = last + index\n    x(1:last) = 0"));
    named(&waits(&format!("{}\n    last = index", work("last"))));
}

/// The same where a procedure computes.
#[test]
fn order_dependent_work_of_procedures_is_reported() {
    let found = |argument: &str, body: &str| {
        let source = format!(
            "{DECLARED}  do i = 1, n
    call mpi_waitany(n, reqs, index, mpi_status_ignore, error)
    last = last + index
    call unpack(x, {argument})
  end do
  call mpi_finalize(error)
contains
  subroutine unpack(into, many)
    real :: into(100)
    integer :: many, number
{body}
  end subroutine
end program
"
        );
        analyse(&source).analysis.time_dependent.len()
    };
    let counts = "    do j = 1, many\n      into(j) = into(j) + 1\n    end do";
    assert_eq!(found("index", counts), 0);
    assert_eq!(found("length(index)", counts), 0);
    assert_eq!(found("last", counts), 1);
    assert_eq!(found("i * index", counts), 1);
    assert_eq!(found("last", "    into(many) = 0"), 0);
    let made = "    number = 2 * many\n    do j = 1, number\n      into(j) = 0\n    end do";
    assert_eq!(found("index", made), 0);
    assert_eq!(found("last", made), 1);
    assert_eq!(
        found(
            "index",
            "    if (into(3) > 2) into(1) = 0\n    into(3) = many"
        ),
        1
    );
    assert_eq!(
        found(
            "index",
            "    m = m + many\n    do j = 1, m\n      into(j) = 0\n    end do"
        ),
        1
    );
}

/// What recordings cannot hold is said before anything runs.
#[test]
fn cancelled_transfers_are_reported() {
    let remarks = analysed("  call mpi_cancel(reqs(1), error)\n").remarks();
    assert!(
        remarks.contains("cancelled transfers cannot be recorded"),
        "{remarks}"
    );
}
