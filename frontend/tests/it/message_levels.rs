//! How much of each message the slice needs.

use crate::harness::analyse;

#[track_caller]
fn check(body: &str, expected: &[&str]) {
    let source = format!(
        "program t
  use mpi
  integer :: n, m, k, flag, ierr, request, status(mpi_status_size)
  real :: x, y
  call mpi_init(ierr)
{body}
  call mpi_finalize(ierr)
end program
"
    );
    let analysed = analyse(&source);
    let levels = analysed.levels();
    let between = &levels[1..levels.len() - 1];
    assert_eq!(between, expected, "{}", analysed.remarks());
}

#[test]
fn unneeded_payloads_are_not_live() {
    check(
        "  call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_recv(y, 1, mpi_real, 0, 1, mpi_comm_world, status, ierr)
  print *, y",
        &["MPI_Send recorded", "MPI_Recv recorded"],
    );
}

#[test]
fn data_that_decide_make_all_messages_of_their_kind_live() {
    check(
        "  call mpi_send(m, 1, mpi_integer, 0, 1, mpi_comm_world, ierr)
  call mpi_irecv(n, 1, mpi_integer, 0, 1, mpi_comm_world, request, ierr)
  call mpi_wait(request, status, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)",
        &[
            "MPI_Send payload",
            "MPI_Irecv payload",
            "MPI_Wait payload",
            "MPI_Barrier recorded",
            "MPI_Bcast recorded",
        ],
    );
}

#[test]
fn a_source_that_decides_makes_the_envelope_live() {
    check(
        "  call mpi_recv(y, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, ierr)
  call mpi_send(x, 1, mpi_real, status(mpi_source), 1, mpi_comm_world, ierr)",
        &["MPI_Recv envelope", "MPI_Send envelope"],
    );
}

#[test]
fn each_collective_is_its_own_class() {
    check(
        "  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_allreduce(x, y, n, mpi_real, mpi_sum, mpi_comm_world, ierr)
  call mpi_comm_dup(mpi_comm_world, m, ierr)",
        &[
            "MPI_Bcast payload",
            "MPI_Allreduce recorded",
            "MPI_Comm_dup payload",
        ],
    );
}

/// Sent data are live if received data are.
#[test]
fn live_data_are_computed() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: n, m, ierr
  call mpi_init(ierr)
  m = 7
  call mpi_allreduce(m, n, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
",
    );
    assert_eq!(analysed.kept(), [4, 5, 6, 7, 8]);
}

/// Which message comes first decides nothing: the sequence of calls is the same on every machine.
#[test]
fn wildcards_of_which_nothing_is_used_are_not_named() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: i, ierr, status(mpi_status_size)
  real :: x
  call mpi_init(ierr)
  do i = 1, 3
    call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, ierr)
  end do
  call mpi_finalize(ierr)
end program
",
    );
    assert!(
        !analysed.remarks().contains("takes a message"),
        "{}",
        analysed.remarks()
    );
    assert!(analysed.analysis.time_dependent.is_empty());
}

#[test]
fn wildcards_are_named_and_unknown_functions_listed() {
    let analysed = analyse(
        "program t
  use mpi
  integer :: ierr, win, status(mpi_status_size)
  real :: x
  call mpi_init(ierr)
  call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, ierr)
  if (status(mpi_source) == 1) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_put(x, ierr)
  call mpi_finalize(ierr)
end program
",
    );
    assert!(
        analysed.remarks().contains("receives from any source"),
        "{}",
        analysed.remarks()
    );
    let unsupported: Vec<&str> = analysed
        .analysis
        .unsupported
        .iter()
        .map(|(_, name)| name.as_str())
        .collect();
    assert_eq!(unsupported, ["MPI_Put"]);
    assert!(analysed.analysis.is_refused());
}

/// Members of a reduction have the same operation and data of one type, so calls that differ never meet.
#[test]
fn reductions_of_other_types_and_operations_are_other_messages() {
    let reduction = |buffer: &str, datatype: &str, operation: &str| {
        format!("  call mpi_allreduce({buffer}, {datatype}, {operation}, mpi_comm_world, ierr)\n")
    };
    let decides = "  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)";
    let live = reduction("m, n, 1", "mpi_integer", "mpi_max");
    let floating = reduction("x, y, 1", "mpi_real", "mpi_max");
    let sum = reduction("k, flag, 1", "mpi_integer", "mpi_sum");
    check(
        &format!("{live}{floating}{sum}{decides}"),
        &[
            "MPI_Allreduce payload",
            "MPI_Allreduce recorded",
            "MPI_Allreduce recorded",
            "MPI_Barrier recorded",
        ],
    );
    for other in ["mpi_byte, mpi_sum", "k, mpi_max", "mpi_integer, k"] {
        let (datatype, operation) = other.split_once(", ").unwrap();
        check(
            &format!(
                "{live}{floating}{}{decides}",
                reduction("x, y, 1", datatype, operation)
            ),
            &[
                "MPI_Allreduce payload",
                "MPI_Allreduce payload",
                "MPI_Allreduce payload",
                "MPI_Barrier recorded",
            ],
        );
    }
}

#[test]
fn broadcasts_of_other_types_are_other_messages() {
    check(
        "  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_bcast(flag, 1, mpi_logical, 0, mpi_comm_world, ierr)
  call mpi_bcast(x, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)",
        &[
            "MPI_Bcast payload",
            "MPI_Bcast payload",
            "MPI_Bcast recorded",
            "MPI_Barrier recorded",
        ],
    );
}

/// Integers that are sent never arrive where reals are received: what is needed of those needs nothing of these.
/// All are delivered, since requests of both may be waited for at once.
#[test]
fn messages_of_other_sorts_are_not_needed() {
    let exchange = |sort: &str| {
        format!(
            "program t
  use mpi
  integer :: n, m, ierr, requests(4)
  real :: x(9), y(9)
  call mpi_init(ierr)
  m = 3
  x = sqrt(2.0)
  call mpi_irecv(n, 1, mpi_integer, 0, 1, mpi_comm_world, requests(1), ierr)
  call mpi_irecv(y, 9, {sort}, 0, 2, mpi_comm_world, requests(2), ierr)
  call mpi_isend(m, 1, mpi_integer, 0, 1, mpi_comm_world, requests(3), ierr)
  call mpi_isend(x, 9, mpi_real, 0, 2, mpi_comm_world, requests(4), ierr)
  call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
"
        )
    };
    let apart = analyse(&exchange("mpi_real"));
    assert_eq!(apart.kept(), [5, 6, 8, 9, 10, 11, 12, 13, 14]);
    assert!(
        apart.levels()[1..6]
            .iter()
            .all(|level| level.ends_with(" payload")),
        "{:?}",
        apart.levels()
    );
    // Bytes may be anything.
    assert_eq!(
        analyse(&exchange("mpi_byte")).kept(),
        [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
    );
}
