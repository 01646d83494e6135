! ui: slice levels diagnostics
! A communicator is followed through objects and wrappers.
module w
  use mpi_f08
  type grid
    type(mpi_comm) :: comm
    integer :: rank
    real, allocatable :: field(:)
  end type
contains
  type(mpi_comm) function comm_of(g)
  type(grid) :: g
  comm_of = g%comm
end function
subroutine set_up(g, colour)
  type(grid) :: g
  integer :: colour
  call mpi_comm_split(mpi_comm_world, colour, 0, g%comm)
  call mpi_comm_rank(g%comm, g%rank)
end subroutine
end module
program t
  use w, only: grid, set_up, comm_of
  use mpi_f08, only: reduce => mpi_allreduce, mpi_init, mpi_finalize, mpi_sum, mpi_integer, here => mpi_comm_world
  type(grid) :: g
  integer :: a, b, colour, useless
  call mpi_init()
  colour = 3
  useless = 3
  call set_up(g, colour)
  call reduce(a, b, 1, mpi_integer, mpi_sum, comm_of(g))
  call reduce(a, b, 1, mpi_integer, mpi_sum, here)
  call mpi_finalize()
end program
