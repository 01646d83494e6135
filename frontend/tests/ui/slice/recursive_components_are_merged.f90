! ui: slice
! Recursive components are merged.
program t
  use mpi
  type node
    integer :: n, unused
    type(node), allocatable :: next
  end type
  type(node) :: list
  integer :: ierr, d(9)
  allocate(list%next)
  list%next%n = 3
  list%next%unused = 3
  list%n = 4
  call mpi_bcast(d, list%next%n, mpi_integer, 0, mpi_comm_world, ierr)
end program
