! ui: assumptions --propose-all
! A guard is proposed only if all ranks find the same: otherwise a loop runs on some of them.
program t
  use mpi
  implicit none
  real :: x(100), r(100), rr, norm
  integer :: ierr, it, rank, i
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call random_number(x)
!case 4
  norm = sum(x**2)
!end case
  call norm_of(x, norm)
!case 2
  norm = sum(x**2)
!end case
  it = 0
!case 1 2 4
  if (norm /= 0.) then
!case 3
  if (rank == 0 .and. norm /= 0.) then
!end case
    do
      it = it + 1
      do i = 1, 100
        x(i) = x(i) - 0.1 * r(i)
        r(i) = 0.5 * x(i)
      end do
      call norm_of(r, rr)
      if (rr < 1e-6) exit
    end do
  end if
  call mpi_finalize(ierr)
contains
  subroutine norm_of(v, s)
!case 1 2 3
    real :: v(100), s
!case 4
    real :: v(100)
    real, value :: s
!end case
    s = sum(v**2)
    call mpi_allreduce(mpi_in_place, s, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end subroutine
end program
