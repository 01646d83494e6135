! ui: slice
! Not all that is passed is wanted with the value.
program t
  use mpi
  integer :: n, m, k, ierr
  call mpi_init(ierr)
  m = 3
  k = 4
  n = first(m, k)
  call mpi_bcast(p, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  integer function first(a, b)
    integer :: a, b, c
    first = a
    c = b
    call mpi_barrier(mpi_comm_world, ierr)
  end function
end program
