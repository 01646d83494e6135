! ui: blocks
! Nor does one that is an ELSE or a CASE, if all it does with MPI is to end the run.
program t
  use mpi
  integer :: ierr, i
  real :: a(10)
  call mpi_init(ierr)
  do i = 1, 3
    select case (i)
    case (1:2)
      a(i) = 2
    case default
!case 1
      call mpi_abort(mpi_comm_world, 1, ierr)
!case 2
      call mpi_barrier(mpi_comm_world, ierr)
!end case
      stop
    end select
    if (a(1) < 1) then
      a(i) = 3
    else if (a(1) > 3) then
!case 1
      call mpi_abort(mpi_comm_world, 1, ierr)
!case 2
      call mpi_barrier(mpi_comm_world, ierr)
!end case
      stop
    else
      a(i) = 4
    end if
  end do
  call mpi_finalize(ierr)
end program
