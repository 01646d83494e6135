! ui: assumptions --propose-all
! A test that ends no loop is proposed if all ranks find the same, and only together with those that end loops it makes the slice
! small. The flag that it sets is no test of data.
program t
  use mpi
  implicit none
  real :: x(100), r(100), rr
  integer :: ierr, it, i
  logical :: fine
  call mpi_init(ierr)
  call random_number(x)
  fine = .false.
  do it = 1, 500
    do i = 1, 100
      r(i) = 0.5 * x(i)
      x(i) = x(i) - 0.1 * r(i)
    end do
    rr = sum(r**2)
    call mpi_allreduce(mpi_in_place, rr, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
    if (rr < 1e-6) exit
!case 1
    rr = 2 * rr
!case 2
    rr = r(1)
!end case
    if (.not. fine) then
      if (rr < 1e-3 .and. it > 5) fine = .true.
    end if
    if (fine) call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
