! ui: section --timed
! Timed call is distinguished from warm up.
program t
  use mpi
  integer :: ierr, n
  call mpi_init(ierr)
  read *, n
  call solve(1)
  call solve(n)
  call mpi_finalize(ierr)
end program
subroutine solve(n)
  use mpi
  integer :: n, i, ierr
  call start(1)
  do i = 1, n
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call finish(1)
end subroutine
real(8) function now()
  use mpi
  now = mpi_wtime()
end function
subroutine start(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = now()
end subroutine
subroutine finish(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = now() - begun(n)
end subroutine
