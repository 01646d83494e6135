//! Smallest programs of what was predicted wrongly once: a block in a time loop, between barriers.

use super::trial::{Outcome, trial_of_text};

/// What the blocks of all these programs may name.
const HEAD: &str = "\
program found
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, error, step, n, i, j, k
  real(8) :: s, y(200)
  real(8), allocatable :: b(:)
  real(8), external :: f
  character(2000) :: text
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  n = 10 + 10*rank
  allocate(b(n))
  s = 0
  do step = 1, 20
    call mpi_barrier(mpi_comm_world, error)
";

const END: &str = "
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s, y, text
end program
real(8) function f(number)
  implicit none
  integer :: number, l
  f = 0
  do l = 1, mod(number, 7)
    f = f + l*0.1d0
  end do
end function
";

/// Blocks.
const FOUND: [&str; 9] = [
    // How large an array is may differ by rank.
    "do i = 1, 100
       if (i <= size(b)) then
         s = s + 1
         s = s*0.5
       end if
     end do",
    "do i = 1, 100
       if (i <= ubound(b, 1)) cycle
       s = s + 1
       s = s*0.5
     end do",
    // What implied DO loops call.
    "y(1:n) = [(f(j), j = 1, n)]",
    "s = s + sum([(f(j), j = 1, n)])",
    "s = s + sum([((f(j + k), j = 1, k), k = 1, n/4)])",
    "write(text, '(*(f9.3))') (f(j), j = 1, n)",
    // Ranks that are sampled are not all even ones.
    "if (mod(rank, 2) == 1) then
       j = 50
       do while (j > 0)
         j = j - 1
         s = s + 1
       end do
     end if",
    // What statements with messages in them ask and pass is in blocks that end before anything else begins.
    "b = 1
     if (f(step + int(sum(b)))*maxval(b) < 0) exit
     call mpi_allreduce(sum(b*b), s, 1, mpi_double_precision, mpi_sum, mpi_comm_self, error)",
    "b = 1
     do i = 1, count(b(1:4) > 0)
       call mpi_bcast(b(1:n:2), n/2, mpi_double_precision, 0, mpi_comm_self, error)
       s = s + i
     end do",
];

#[test]
fn former_mispredictions_are_predicted() {
    for block in FOUND {
        for ranks in [4, 9] {
            let outcome = trial_of_text(&format!("{HEAD}{block}{END}"), ranks);
            assert!(
                matches!(outcome, Outcome::Exact { .. }),
                "{block}\n{ranks} ranks: {outcome:?}"
            );
        }
    }
}

/// What all ranks are given before the loop decides: who measures alone has its own, though the slice makes the call.
const GIVEN: &str = "\
program given
  implicit none
  include 'mpif.h'
  integer :: rank, error, i, step
  real(8) :: s, x, y
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  x = 10 + mod(rank*7, 5)*20
  s = 0
  call mpi_allreduce(x, y, 1, mpi_double_precision, mpi_max, mpi_comm_world, error)
  do step = 1, 20
    call mpi_barrier(mpi_comm_world, error)
    do i = 1, 100
      if (y < i) cycle
      s = s + 1
      s = s*0.5
    end do
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

#[test]
fn received_data_before_a_loop_are_reported_for_solo_ranks() {
    let outcome = trial_of_text(GIVEN, 12);
    assert!(
        matches!(outcome, Outcome::Exact { .. } | Outcome::Warned),
        "{outcome:?}"
    );
}

/// A few long executions among very many, where a table says so: each keeps its place, and no rank has more of them
/// than it has.
const SCHEDULED: &str = "\
program scheduled
  implicit none
  include 'mpif.h'
  integer :: rank, error, i, step
  logical :: is_due(300)
  real(8) :: s
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  do i = 1, 300
    is_due(i) = mod(i, 20) == 0
  end do
  s = 0
  do step = 1, 300
    if (is_due(step)) then
      do i = 1, 20000
        s = s + 1
      end do
    end if
    do i = 1, 200
      s = s + 1
    end do
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

#[test]
fn table_dependent_long_executions_keep_their_iterations() {
    let outcome = trial_of_text(SCHEDULED, 16);
    assert!(matches!(outcome, Outcome::Exact { .. }), "{outcome:?}");
}

/// A variant for each step, in which work does not grow with the work term, since what is counted is only how often the
/// condition is asked.
const CYCLIC: &str = "\
program cyclic
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, error, i, j, step
  real(8) :: s
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  s = 0
  do step = 1, 199
    do j = step + 1, 200
      if (mod(j, ranks) == rank) then
        do i = step + 1, 200
          s = s + 1
        end do
      end if
    end do
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

#[test]
fn many_variants_equal_their_measurements() {
    let outcome = trial_of_text(CYCLIC, 6);
    assert!(matches!(outcome, Outcome::Exact { .. }), "{outcome:?}");
}
