! ui: assumptions --propose-all
! A method switch may depend on results of collectives, copied by a wrapper or kept in arrays, and on input that one rank reads
! first. It must not depend on what a rank computes alone, nor on reductions over some ranks.
program t
  use mpi
  implicit none
  real :: x(100), r(100), alphas(500), rr, tol, word
  integer :: ierr, it, i, rank, unit, half
  logical :: fine
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_split(mpi_comm_world, mod(rank, 2), rank, half, ierr)
  call random_number(x)
  if (rank == 0) then
    unit = 10
    open (unit, file='input')
    call next_word
    close (unit)
  end if
  unit = 11
  open (unit, file='input')
  call next_word
  tol = word
  fine = .false.
  do it = 1, 500
    do i = 1, 100
      r(i) = 0.5 * x(i)
      x(i) = x(i) - 0.1 * r(i)
    end do
    rr = sum(r**2)
!case 1 2 3 5
    call all_sum(rr, mpi_comm_world)
!case 4
    call all_sum(rr, half)
!end case
    alphas(it) = rr
    if (rr < 1e-6) exit
!case 5
    alphas(it) = sum(x)
!end case
    if (.not. fine) then
!case 1 4
      if (rr < tol) fine = .true.
!case 2 5
      if (it > 5) call estimate(alphas, it, fine)
!case 3
      if (rr < tol * rank) fine = .true.
!end case
    end if
    if (fine) call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
contains
  subroutine next_word
    read (unit, *) word
  end subroutine
  subroutine all_sum(s, comm)
    real :: s, sums(2), total(2)
    integer :: comm
    sums(1) = s
    sums(2) = s
    total = sums
    call mpi_allreduce(sums, total, 2, mpi_real, mpi_sum, comm, ierr)
    s = total(1)
  end subroutine
  subroutine estimate(a, n, small)
    real :: a(500)
    integer :: n, j
    logical :: small
    do j = 1, n
      if (a(j) < tol) small = .true.
    end do
  end subroutine
end program
