! ui: slice
! A wrapper of a barrier synchronises all processes if every call passes it a communicator of all.
! Under a test that some ranks pass, it may synchronise none.
module wrappers
  use mpi
contains
  subroutine synchronise(comm)
    integer, intent(in) :: comm
    integer :: ierr
    call mpi_barrier(comm, ierr)
  end subroutine
end module
program t
  use mpi
  use wrappers
  integer :: n, all, half, rank, ierr
  real :: x
  call mpi_init(ierr)
  call mpi_comm_dup(mpi_comm_world, all, ierr)
  call mpi_comm_split(mpi_comm_world, 0, 0, half, ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  open (8, file='deck')
  read (8, *) n
  call synchronise(all)
  write (8, *) 4
!case 1
  call synchronise(mpi_comm_world)
!case 2
  call synchronise(half)
!case 3
  if (rank < 2) call synchronise(half)
!end case
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
