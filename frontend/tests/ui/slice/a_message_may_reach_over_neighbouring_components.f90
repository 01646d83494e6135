! ui: slice levels
! A component as a buffer may stand for what is behind it: of a datatype of the program, or of a
! count that may be more than 1.
program t
  use mpi
  type params
    integer :: a, b, list(2)
  end type
  type(params) :: p
  integer :: ierr, pair, x(9)
  p%a = 1
  p%b = 2
!case 1
  call mpi_bcast(p%a, 1, mpi_integer, 0, mpi_comm_world, ierr)
!case 2
  call mpi_bcast(p%a, 2, mpi_integer, 0, mpi_comm_world, ierr)
!case 3
  call mpi_bcast(p%a, 1, pair, 0, mpi_comm_world, ierr)
!case 4
  call mpi_bcast(p%list, 2, mpi_integer, 0, mpi_comm_world, ierr)
!case 5
  call mpi_bcast(p, 1, pair, 0, mpi_comm_world, ierr)
!end case
  call mpi_bcast(x, p%b, mpi_integer, 0, mpi_comm_world, ierr)
end program
