//! Loops that receive messages in order of arrival: sliced and whole program make the same calls in any order
//! of arrival, and in each order the first rank makes the same calls except for that order.

use crate::command::{done, mpiete};
use base_data::CallSiteId;
use base_data::block_table::CallSite;
use base_data::ids::Rank;
use base_data::program_data::ProgramData;
use base_data::stream_difference::{first_difference, first_difference_but_for};
use std::path::Path;

/// All send to the first rank, in the order that FIRST, STEP and a chain of messages determine. It polls for a
/// message, completes requests in loops that add, store and branch by the request, and polls without success in between.
const PROGRAM: &str = "\
program arrivals
  use mpi
  implicit none
  integer, parameter :: first = FIRST, step = STEP
  integer :: error, rank, size, i, j, k, me, index, total, count, round
  integer :: reqs(8), held(8), table(8), list(8), status(mpi_status_size), statuses(mpi_status_size, 8), lone, many
  logical :: flag
  real(8) :: data(100), got(100, 8), x(1000)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, size, error)
  data = rank
  x = 0
  total = 0
  do i = 1, 8
    held(i) = 10 * i
  end do
  do round = 1, 2
    if (rank == 0) then
      do i = 1, size - 1
        call mpi_irecv(got(1, i), 100, mpi_double_precision, i, 1, mpi_comm_world, reqs(i), error)
      end do
      call mpi_irecv(data, 1, mpi_double_precision, size - 1, 3, mpi_comm_world, lone, error)
      flag = .false.
      do while (.not. flag)
        call mpi_test(lone, flag, mpi_status_ignore, error)
      end do
DRAIN    else
      call mpi_send(data, 1, mpi_double_precision, mod(rank, size - 1) + 1, 4, mpi_comm_world, error)
      call mpi_recv(data, 1, mpi_double_precision, mod(rank + size - 3, size - 1) + 1, 4, mpi_comm_world, status, error)
      if (rank == size - 1) call mpi_send(data, 1, mpi_double_precision, 0, 3, mpi_comm_world, error)
      me = mod((rank - 1) * step + first, size - 1)
      do k = 1, size - 1
        if (mod((k - 1) * step + first, size - 1) == me - 1) &
          call mpi_recv(data, 1, mpi_double_precision, k, 2, mpi_comm_world, status, error)
      end do
      call mpi_send(data, 10 * rank, mpi_double_precision, 0, 1, mpi_comm_world, error)
      if (me < size - 2) then
        do k = 1, size - 1
          if (mod((k - 1) * step + first, size - 1) == me + 1) &
            call mpi_send(data, 1, mpi_double_precision, k, 2, mpi_comm_world, error)
        end do
      end if
    end if
  end do
  do i = 1, size - 1
    total = total + table(i)
  end do
  if (rank == 0) then
    do i = 1, total
      call mpi_barrier(mpi_comm_self, error)
    end do
  end if
  call mpi_finalize(error)
end program
";

/// What takes the requests one by one, and what is done for each.
const ONE: (&str, &str) = (
    "\
      do i = 1, size - 1
        call mpi_waitany(size - 1, reqs, index, status, error)
",
    "      end do\n",
);

/// What takes those that have completed, until none is left.
const SOME: (&str, &str) = (
    "\
      do
        call mpi_waitsome(size - 1, reqs, many, list, statuses, error)
        if (many == mpi_undefined) exit
        do i = 1, many
        index = list(i)
",
    "        end do\n      end do\n",
);

const EACH: &str = "\
        call mpi_get_count(STATUS_NAME, mpi_double_precision, count, error)
        total = total + held(index)
        table(index) = count + index
        if (index > 1) then
          do j = 1, count
            x(j) = x(j) + got(j, index)
          end do
        end if
";

fn recorded(here: &Path, (begin, end): (&str, &str), first: u32, step: u32) -> ProgramData {
    let status = if begin.contains("list(i)") {
        "statuses(1, i)"
    } else {
        "status"
    };
    let source = PROGRAM.replace("DRAIN", &format!("{begin}{EACH}{end}"));
    recorded_of(here, &source.replace("STATUS_NAME", status), first, step)
}

fn recorded_of(here: &Path, source: &str, first: u32, step: u32) -> ProgramData {
    let name = format!("from{first}by{step}");
    let source = source
        .replace("FIRST", &first.to_string())
        .replace("STEP", &step.to_string());
    std::fs::write(here.join("arrivals.f90"), source).unwrap();
    let answer = mpiete(
        here,
        &[
            "prepare",
            "arrivals.f90",
            "-o",
            &name,
            "--kind",
            "program",
            "--check",
            "-n",
            "6",
            "--whole",
        ],
    );
    assert_eq!(answer.code, 0, "{}\n{}", answer.out, answer.err);
    assert!(
        answer.out.contains("make equal event streams on 6 ranks"),
        "{}",
        answer.out
    );
    done(here, &["record", &name, "-n", "6"]);
    let file = here.join(name).join("program-n6.mpiete");
    base_data::format::decode(&std::fs::read(file).unwrap()).unwrap()
}

#[test]
fn calls_are_equal_in_each_arrival_order() {
    let made = |here: &Path, first, step| recorded(here, ONE, first, step);
    in_each_order(&made, &["MPI_Waitany", "MPI_Test"]);
}

#[test]
fn calls_are_equal_with_waitsome() {
    let made = |here: &Path, first, step| recorded(here, SOME, first, step);
    in_each_order(&made, &["MPI_Waitsome", "MPI_Test"]);
    let (begin, end) = (SOME.0.replace("waitsome", "testsome"), SOME.1);
    let made = |here: &Path, first, step| recorded(here, (&begin, end), first, step);
    in_each_order(&made, &["MPI_Testsome", "MPI_Test"]);
}

fn in_each_order(made: &dyn Fn(&Path, u32, u32) -> ProgramData, functions: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let orders = [(0, 1), (2, 1), (3, 3), (1, 2)];
    let all: Vec<ProgramData> = orders
        .iter()
        .map(|&(first, step)| made(here, first, step))
        .collect();
    let sites = (0..).map(CallSiteId).zip(&all[0].table.call_sites);
    let is_free = |(_, site): &(CallSiteId, &CallSite)| functions.contains(&&site.function[..]);
    let any_order: Vec<CallSiteId> = sites.filter(is_free).map(|(id, _)| id).collect();
    let on_first = |rank: Option<Rank>| rank == Some(Rank(0));
    for other in &all[1..] {
        assert!(
            other.time_dependent.is_empty(),
            "{:?}",
            other.time_dependent
        );
        let difference = first_difference_but_for(&all[0], other, &any_order);
        assert!(
            !difference.as_ref().is_some_and(|d| on_first(d.rank)),
            "{difference:?}"
        );
    }
    let in_order = all[1..].iter().filter(|other| {
        !first_difference(&all[0], other).is_some_and(|difference| on_first(difference.rank))
    });
    assert!(
        in_order.count() < all.len() - 1,
        "all orders of arrival were one"
    );
}

/// All others send one message each to the first rank, in the order that FIRST and STEP say, which takes them as they
/// come.
const GATHER: &str = "\
program gather
  use mpi
  implicit none
  integer, parameter :: first = FIRST, step = STEP
  integer :: error, rank, size, i, j, me, source, count, total, table(8), status(mpi_status_size)
  real(8) :: data(100), x(1000)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, size, error)
  data = rank
  x = 0
  total = 0
  table = 0
  me = mod((rank - 1) * step + first, size - 1)
  do i = 1, size - 1
    if (rank > 0 .and. mod((i - 1) * step + first, size - 1) == me - 1) &
      call mpi_recv(data, 1, mpi_double_precision, i, 2, mpi_comm_world, mpi_status_ignore, error)
  end do
  if (rank == 0) then
    do i = 1, size - 1
      call mpi_recv(data, 100, mpi_double_precision, mpi_any_source, 1, mpi_comm_world, status, error)
      source = status(mpi_source)
      call mpi_get_count(status, mpi_double_precision, count, error)
      total = total + source
      table(source) = count
      do j = 1, count
        x(j) = x(j) + data(j)
      end do
    end do
  else
    call mpi_send(data, 10 * rank, mpi_double_precision, 0, 1, mpi_comm_world, error)
  end if
  do i = 1, size - 1
    if (rank > 0 .and. mod((i - 1) * step + first, size - 1) == me + 1) &
      call mpi_send(data, 1, mpi_double_precision, i, 2, mpi_comm_world, error)
  end do
  do i = 1, total + table(2)
    call mpi_barrier(mpi_comm_self, error)
  end do
  call mpi_finalize(error)
end program
";

#[test]
fn calls_are_equal_with_any_source_receives() {
    in_each_order(
        &|here, first, step| recorded_of(here, GATHER, first, step),
        &["MPI_Recv"],
    );
}
