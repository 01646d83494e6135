//! Any-source receive loops: receives that are proven to get the same messages in any order, and what
//! must not be taken for them.

use crate::time_dependence::{BARRIER, named, proven, work};

/// All others send to one, which does this for each message, and what stands behind.
fn gathered(body: &str, after: &str) -> String {
    format!(
        "  m = 3
  if (flag) then
    do i = 1, m - 1
      call mpi_recv(x, 100, mpi_real, mpi_any_source, 7, mpi_comm_world, status, error)
{body}
    end do
  else
    call mpi_send(x, 100, mpi_real, 0, 7, mpi_comm_world, error)
  end if
{after}"
    )
}

const BODY: &str = "    total = total + length(status(mpi_source))";

#[test]
fn messages_of_each_sender_may_come_in_any_order() {
    proven(&gathered(BODY, BARRIER));
    proven(&gathered(
        "    k = status(mpi_source)\n    total = total + length(k)",
        BARRIER,
    ));
    let table = BARRIER.replace("total", "table(2)");
    proven(&gathered(
        "    table(status(mpi_source)) = length(status(mpi_source))",
        &table,
    ));
    proven(&gathered(
        "    k = status(mpi_source)\n    table(k) = 2 * k",
        &table,
    ));
    proven(&gathered(
        "    if (status(mpi_source) > 2) total = total + 1",
        BARRIER,
    ));
    let counted =
        "    call mpi_get_count(status, mpi_real, count, error)\n    total = total + count";
    proven(&gathered(counted, BARRIER));
    proven(&gathered(&format!("{BODY}\n    y = y + x(3)"), BARRIER));
    // The only send may be of any tag.
    proven(&gathered(BODY, BARRIER).replace("0, 7", "0, k"));
    // Other messages have other tags.
    let others = "  call mpi_send(y, 1, mpi_real, 0, 8, mpi_comm_world, error)\n  call mpi_recv(y, 1, mpi_real, 0, 8, mpi_comm_world, statuses, error)\n";
    proven(&format!("{others}{}", gathered(BODY, BARRIER)));
}

#[test]
fn order_dependent_work_is_rejected() {
    for body in [
        "    total = status(mpi_source)",
        "    total = total + i * status(mpi_source)",
        "    if (i == 1) total = total + status(mpi_source)",
        "    total = 2 * total + status(mpi_source)",
        "    if (status(mpi_source) == 2) exit\n    total = total + 1",
    ] {
        named(&gathered(body, BARRIER));
    }
    let table = BARRIER.replace("total", "table(2)");
    named(&gathered("    table(i) = status(mpi_source)", &table));
    named(&gathered(
        "    table(status(mpi_tag)) = status(mpi_source)",
        &table,
    ));
    named(&gathered("    table(status(mpi_source)) = i", &table));
    named(&gathered(
        "    sum = sum + status(mpi_source)",
        &BARRIER.replace("total", "sum"),
    ));
    named(&gathered(
        BODY,
        "  if (status(mpi_source) > 2) call mpi_barrier(mpi_comm_world, error)",
    ));
    // Master and worker.
    named(&gathered(
        "    call mpi_send(y, 1, mpi_real, status(mpi_source), 8, mpi_comm_world, error)",
        "",
    ));
    named(&gathered(
        "    if (status(mpi_source) == 2) call mpi_barrier(mpi_comm_world, error)",
        "",
    ));
    let last = "    last = last + status(mpi_source)\n";
    named(&gathered(
        &format!("{BODY}\n{last}{}", work("last")),
        BARRIER,
    ));
    // What is in the message depends on who sent it.
    named(&gathered(
        &format!("{BODY}\n    if (x(1) > i) then\n{}\n    end if", work("7")),
        BARRIER,
    ));
    named(&gathered("    total = total + int(x(1))", BARRIER));
}

/// A sender may send twice, and a receive beside the loop takes messages of others.
#[test]
fn other_messages_may_take_the_place() {
    let gather = gathered(BODY, BARRIER);
    for (from, to) in [
        ("any_source, 7", "any_source, k"),
        ("any_source, 7", "any_source, mpi_any_tag"),
        ("  if (flag)", "  do j = 1, 2\n  if (flag)"),
        ("    call mpi_send", "    do k = 1, 2\n    call mpi_send"),
        (
            "    call mpi_send",
            "    call mpi_send(x, 1, mpi_real, 0, 7, mpi_comm_world, error)\n    call mpi_send",
        ),
        (
            "  m = 3",
            "  m = 3\n  call mpi_recv(x, 1, mpi_real, 2, 7, mpi_comm_world, mpi_status_ignore, error)",
        ),
        (
            "  m = 3",
            "  m = 3\n  call mpi_recv(x, 1, mpi_real, 2, mpi_any_tag, mpi_comm_world, mpi_status_ignore, error)",
        ),
        (
            "  m = 3",
            "  m = 3\n  call mpi_iprobe(2, 7, mpi_comm_world, done, mpi_status_ignore, error)",
        ),
        (
            "  m = 3",
            "  m = 3\n  call mpi_sendrecv(x, 1, mpi_real, 0, 8, x, 1, mpi_real, 0, 7, mpi_comm_world, mpi_status_ignore, error)",
        ),
        ("  m = 3", "  m = 3\n  call unknown(x)"),
        ("  m = 3", "1 m = 3\n  if (k > 7) goto 1"),
    ] {
        let mut changed = gather.replacen(from, to, 1);
        if to.contains("do j") {
            changed += "\n  end do";
        }
        if to.contains("do k") {
            changed = changed.replace("  end if\n", "    end do\n  end if\n");
        }
        assert!(changed != gather, "{from}");
        named(&changed);
    }
}
