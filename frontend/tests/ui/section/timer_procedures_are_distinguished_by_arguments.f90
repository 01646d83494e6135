! ui: section --timed
! Timer procedures are distinguished by arguments.
program t
  use mpi
  integer, parameter :: all = 2
  integer :: ierr, i
  call mpi_init(ierr)
  call start(1)
  call mpi_barrier(mpi_comm_world, ierr)
  call finish(1)
  call start(all)
  do i = 1, 3
    call start(3)
    call mpi_barrier(mpi_comm_world, ierr)
    call finish(3)
  end do
  call finish(2)
  call mpi_finalize(ierr)
end program
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
