! ui: slice
! Returns cycles and error labels stay where they decide.
program t
  use mpi
  integer :: ierr, i, n
  call mpi_init(ierr)
  do i = 1, 9
    if (mod(i, 2) == 0) cycle
    call work(i)
  end do
  read (5, *, end=99) n
  call mpi_barrier(mpi_comm_world, ierr)
99 continue
  call mpi_finalize(ierr)
end program
subroutine work(i)
  use mpi
  integer :: i, ierr
  if (i > 5) return
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
