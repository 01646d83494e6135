! ui: blocks levels
! An error exit cuts no block, though it jumps and calls MPI_Abort; its calls are sites all the
! same.
program t
  use mpi
  integer :: ierr, k
  real :: x(10)
  call mpi_init(ierr)
  do k = 1, 10
    x(k) = 1
    if (x(k) < 0) then
      print *, 'negative'
      call mpi_abort(mpi_comm_world, 1, ierr)
    end if
    call limit(x)
    if (x(k) > 5) goto 99
  end do
  call mpi_finalize(ierr)
  stop
99 stop 'too large'
end program
subroutine limit(x)
  use mpi
  real :: x(10)
  integer :: ierr
  if (x(1) > 9) call mpi_abort(mpi_comm_world, 2, ierr)
end subroutine
