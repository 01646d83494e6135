! ui: assumptions --propose-all
! Ranks agree on the code of one of them, or on a truth value. A sum of codes is a number: it counts ranks, so its test is none
! of convergence.
program t
  use mpi
  implicit none
  real :: x(100), rr
  integer :: ierr, it, code, all, i
  call mpi_init(ierr)
  call random_number(x)
  it = 0
  do
    it = it + 1
    do i = 1, 100
      x(i) = 0.5 * x(i)
    end do
    rr = sum(x**2)
    code = 0
    if (rr < 1e-6) code = 1
!case 1
    call mpi_allreduce(code, all, 1, mpi_integer, mpi_max, mpi_comm_world, ierr)
!case 2
    call mpi_allreduce(code, all, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 3
    call mpi_scan(code, all, 1, mpi_integer, mpi_max, mpi_comm_world, ierr)
!case 4
    all = code
    call mpi_bcast(all, 1, mpi_integer, 0, mpi_comm_world, ierr)
!end case
    if (all > 0) exit
  end do
  call mpi_finalize(ierr)
end program
