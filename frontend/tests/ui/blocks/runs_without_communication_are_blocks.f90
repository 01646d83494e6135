! ui: blocks loops levels
! Runs without communication are blocks.
program t
  use mpi
  integer :: ierr, i, j
  real :: a(10)
  call mpi_init(ierr)
  a = 1
  do i = 1, 10
    a(i) = 2
  end do
  do i = 1, 3
    call work(a)
    call mpi_send(a, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
    if (i == 2) then
      a(1) = 3
      call mpi_barrier(mpi_comm_world, ierr)
    end if
    print *, a
    stop
  end do
  continue
  call mpi_finalize(ierr)
end program
subroutine work(a)
  real :: a(10)
  a(1) = 2
end subroutine
