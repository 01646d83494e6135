//! Completion loops of MPI_Waitsome and MPI_Testsome: proven where each request completes once and no order matters, named
//! where one may, or where it matters how many completed at once.

use crate::time_dependence::{BARRIER, named, proven, work};

/// A loop over the completions of MPI_Waitsome with this body, and the statements after it.
fn in_completion_loop(body: &str, after: &str) -> String {
    format!(
        "  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
{body}
    end do
    count = count + m
  end do
{after}"
    )
}

const BODY: &str = "    total = total + length(list(k))";

#[test]
fn each_request_completes_once() {
    proven(&in_completion_loop(BODY, BARRIER));
    proven(&in_completion_loop(BODY, BARRIER).replace("waitsome", "testsome"));
    for condition in ["n > count", "count /= n", "n /= count"] {
        proven(&in_completion_loop(BODY, BARRIER).replace("count < n", condition));
    }
    let undefined = "    if (m == mpi_undefined) exit\n    do k = 1";
    proven(&in_completion_loop(BODY, BARRIER).replace("    do k = 1", undefined));
    let until_none = in_completion_loop(BODY, BARRIER)
        .replace("do while (count < n)", "do")
        .replace("    count = count + m", "");
    proven(&until_none.replace("    do k = 1", undefined));
    named(&until_none);
    for condition in ["count == n", "count >= n", "n <= count"] {
        let test = format!("    count = count + m\n    if ({condition}) exit\n");
        proven(
            &in_completion_loop(BODY, BARRIER)
                .replace("while (count < n)", "")
                .replace("    count = count + m\n", &test),
        );
    }
}

/// Loops that may leave requests, report them twice, or do something once for each call.
#[test]
fn loop_with_leftover_requests_is_no_completion_loop() {
    for (from, to) in [
        ("count = 0", "count = 1"),
        ("count = 0", "count = j"),
        ("count = 0", "if (flag) count = 0"),
        ("count < n", "count < n - 1"),
        ("count < n", "count < 3"),
        ("count < n", "count < m"),
        ("count < n", "count <= n"),
        ("count < n", "count > n"),
        ("count < n", "count < n .and. flag"),
        ("waitsome(n,", "waitsome(3,"),
        ("waitsome(n,", "waitsome(count,"),
        ("do k = 1, m", "do k = 2, m"),
        ("do k = 1, m", "do k = 1, m - 1"),
        ("do k = 1, m", "do k = 1, m, 2"),
        ("do k = 1, m", "do k = 1, n"),
        ("count = count + m", "count = count + 1"),
        ("count = count + m", "count = count - m"),
        ("count = count + m", "if (flag) count = count + m"),
        (
            "count = count + m",
            "count = count + m\n    count = count + m",
        ),
        (
            "count = count + m",
            "count = count + m\n    if (count > 2) exit",
        ),
        (
            "count = count + m",
            "count = count + m\n    total = total + 1",
        ),
        (
            "count = count + m",
            "count = count + m\n    do i = 1, 5\n      x(i) = x(i) + 1\n    end do",
        ),
        (
            "count = count + m",
            "count = count + m\n    call mpi_barrier(mpi_comm_world, error)",
        ),
        ("    do k", "    m = min(m, 2)\n    do k"),
        ("    do k", "    list(1) = 2\n    do k"),
        ("    do k", "    if (m > 2) cycle\n    do k"),
        (
            "    call mpi_waitsome",
            "    y = y + 1\n    call mpi_waitsome",
        ),
        (BODY, "    total = total + length(list(k))\n    count = 0"),
        (
            BODY,
            "    total = total + length(list(k))\n    if (list(k) == 2) exit",
        ),
    ] {
        named(&in_completion_loop(BODY, BARRIER).replacen(from, to, 1));
    }
    // What is there is counted before the last are looked at.
    let early = "    count = count + m\n    if (count == n) exit\n    do k = 1, m";
    let endless = in_completion_loop(BODY, BARRIER).replace("while (count < n)", "");
    named(
        &endless
            .replace("    count = count + m\n", "")
            .replace("    do k = 1, m", early),
    );
}

#[test]
fn work_that_depends_on_the_request_alone_is_independent_of_order() {
    proven(&in_completion_loop(
        "    index = list(k)\n    total = total + length(index)",
        BARRIER,
    ));
    proven(&in_completion_loop(
        "    if (list(k) > 2) total = total + 1",
        BARRIER,
    ));
    proven(&in_completion_loop(
        "    total = total + statuses(mpi_tag, k)",
        BARRIER,
    ));
    let table = BARRIER.replace("total", "table(2)");
    proven(&in_completion_loop(
        "    table(list(k)) = length(list(k))",
        &table,
    ));
    proven(&in_completion_loop(
        "    index = list(k)\n    table(index) = length(index)",
        &table,
    ));
    let counted = "    call mpi_get_count(statuses(1, k), mpi_real, j, error)\n";
    proven(&in_completion_loop(
        &format!("{counted}    total = total + j"),
        BARRIER,
    ));
    proven(&in_completion_loop(
        &format!("    index = list(k)\n{}", work("length(index)")),
        "",
    ));
    named(&in_completion_loop(&work("m"), ""));
    named(&in_completion_loop(&work("k"), ""));
    named(&in_completion_loop(
        &format!("    last = last + list(k)\n{}", work("last")),
        "",
    ));
}

#[test]
fn work_that_depends_on_the_number_of_completions_depends_on_order() {
    for body in [
        "    total = total + k",
        "    total = total + m",
        "    total = total + count",
        "    total = total + k * list(k)",
        "    total = total + list(1)",
        "    total = total + list(k) * list(m)",
        "    total = total + statuses(mpi_tag, 1)",
        "    total = total + statuses(k, k)",
        "    total = list(k)",
        "    total = 2 * total + list(k)",
        "    if (k == 1) total = total + list(k)",
        "    if (m > 1) total = total + 1",
    ] {
        named(&in_completion_loop(body, BARRIER));
    }
    let table = BARRIER.replace("total", "table(2)");
    for body in [
        "    table(list(k)) = k",
        "    table(k) = list(k)",
        "    table(list(k)) = table(1)",
        "    index = list(1)\n    table(index) = length(list(k))",
        "    if (list(k) > 1) index = list(k)\n    table(index) = length(list(k))",
        "    table(list(k)) = length(list(k))\n    table(1) = k",
    ] {
        named(&in_completion_loop(body, &table));
    }
    for read in ["m", "k", "count", "list(1)", "statuses(mpi_tag, 1)"] {
        named(&in_completion_loop(BODY, &BARRIER.replace("total", read)));
    }
    named(&in_completion_loop(
        "    call mpi_send(x, 1, mpi_real, list(k), 1, mpi_comm_world, error)",
        "",
    ));
    named(&in_completion_loop(
        "    if (list(k) == 2) call mpi_barrier(mpi_comm_world, error)",
        "",
    ));
    named(&in_completion_loop("    if (list(k) == 2) stop", ""));
    named(&in_completion_loop(
        "    sum = sum + length(list(k))",
        &BARRIER.replace("total", "sum"),
    ));
}

/// The count is 0 whenever the loop begins, not only the first time.
#[test]
fn what_an_earlier_run_has_counted_is_no_zero() {
    let rounds = |first: &str, before: &str| {
        let body = in_completion_loop(BODY, "").replace("  count = 0\n", "");
        format!("{first}  do other = 1, 2\n{before}{body}  end do\n{BARRIER}")
    };
    let zero = "  count = 0\n";
    proven(&rounds("", zero));
    proven(&rounds("", "  count = 0\n  y = 1\n"));
    proven(&rounds(
        "",
        "  if (flag) then\n    count = 0\n  else\n    count = 0\n  end if\n",
    ));
    named(&rounds(zero, ""));
    named(&rounds(zero, "  if (flag) count = 0\n"));
    named(&rounds(zero, "  if (other == 1) count = 0\n  y = 1\n"));
}

/// `list(k)` is the `k`-th completion of the call, if the array is declared so.
#[test]
fn each_index_names_the_completion_at_its_position() {
    let source =
        |declared: &str| in_completion_loop(BODY, BARRIER).replacen("  count = 0", declared, 1);
    let lists = |list: &str, made: &str| {
        source(&format!("  block\n  {list}\n{made}  count = 0"))
            .replace("\n  end do\n  if", "\n  end do\n  end block\n  if")
    };
    proven(&lists("integer :: list(n)", ""));
    proven(&lists("integer :: list(1:n)", ""));
    named(&lists("integer :: list(0:n)", ""));
    named(&lists("integer :: list(2, n)", "").replace("list(k)", "list(1, k)"));
    named(&lists(
        "integer, allocatable :: list(:)",
        "  allocate(list(0:n))\n",
    ));
    named(&lists(
        "integer, pointer :: list(:)",
        "  allocate(list(0:n))\n",
    ));
    let with_statuses = |statuses: &str| {
        lists(&format!("integer :: {statuses}"), "")
            .replace("length(list(k))", "statuses(mpi_source, k)")
    };
    proven(&with_statuses("statuses(mpi_status_size, n)"));
    named(&with_statuses("statuses(mpi_status_size + 1, n)"));
    named(&with_statuses("statuses(0:mpi_status_size, n)"));
    named(&with_statuses("statuses(mpi_status_size, 0:n)"));
    named(&with_statuses("statuses(mpi_status_size * n)").replace(", k)", " + k)"));
}

/// The same, counting down.
fn counted_down(before: &str, after: &str) -> String {
    let down = in_completion_loop(BODY, after).replace("count = count + m", "count = count - m");
    down.replace("count < n", "count > 0")
        .replace("  count = 0\n", before)
}

#[test]
fn requests_may_be_counted_down() {
    let down = counted_down("  count = n\n", BARRIER);
    proven(&down);
    proven(&counted_down(
        "  count = n\n  y = 1\n  if (flag) y = 2\n",
        BARRIER,
    ));
    proven(&counted_down(
        "  if (flag) then\n    count = n\n  else\n    count = n\n  end if\n",
        BARRIER,
    ));
    for condition in ["0 < count", "count /= 0", "0 /= count"] {
        proven(&down.replace("count > 0", condition));
    }
    for condition in ["count == 0", "count <= 0", "0 >= count"] {
        let test = format!("    count = count - m\n    if ({condition}) exit\n");
        proven(
            &down
                .replace("while (count > 0)", "")
                .replace("    count = count - m\n", &test),
        );
    }
    for (from, to) in [
        ("count = n", "count = n - 1"),
        ("count = n", "count = 3"),
        ("count = n", "if (flag) count = n"),
        ("count = n\n", "count = n\n  if (flag) count = 2\n"),
        ("count > 0", "count > 1"),
        ("count > 0", "count < 0"),
        ("count > 0", "count >= 0"),
        ("count > 0", "count < n"),
        ("count = count - m", "count = m - count"),
        ("count = count - m", "count = count - 1"),
    ] {
        named(&down.replacen(from, to, 1));
    }
    let of_last =
        |before: &str| counted_down(before, BARRIER).replace("waitsome(n,", "waitsome(last,");
    proven(&of_last("  last = 3\n  count = last\n"));
    proven(&of_last("  last = 3\n  count = last\n  if (flag) y = 2\n"));
    named(&of_last("  last = 3\n  count = last\n  last = 2\n"));
    named(&of_last(
        "  last = 3\n  count = last\n  if (flag) last = 2\n",
    ));
    named(&of_last(
        "  last = 3\n  count = last\n  do last = 1, 2\n  end do\n",
    ));
    named(&of_last("  last = 3\n  count = m\n"));
    let rounds = |first: &str, before: &str| {
        format!(
            "{first}  do other = 1, 2\n{}  end do\n{BARRIER}",
            counted_down(before, "")
        )
    };
    proven(&rounds("", "  count = n\n"));
    named(&rounds("  count = n\n", ""));
    named(&rounds("  count = n\n", "  if (other == 1) count = n\n"));
}
