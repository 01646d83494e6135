! ui: slice
! An attribute's procedures run where communicators are copied and freed.
module m
  integer :: times = 0
contains
  subroutine gone(comm, key, value, extra, ierr)
    integer :: comm, key, ierr
    integer(8) :: value, extra
    times = times + 1
    ierr = 0
  end subroutine
end module
program t
  use mpi
  use m
  integer :: key, comm, ierr
  external mpi_comm_null_copy_fn
  call mpi_init(ierr)
  call mpi_comm_dup(mpi_comm_world, comm, ierr)
  call mpi_comm_create_keyval(mpi_comm_null_copy_fn, gone, key, 0_8, ierr)
  call mpi_comm_set_attr(comm, key, 1_8, ierr)
  call mpi_comm_free(comm, ierr)
  if (times > 0) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
