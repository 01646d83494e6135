! ui: levels
! Data at an address from MPI arrive with messages that do not name them.
program t
  use mpi
  implicit none
  integer :: ierr, me, x(99), n, form
  real :: v(10)
  integer(mpi_address_kind) :: places(2)
  call mpi_init(ierr)
  n = 0
  call mpi_get_address(n, places(1), ierr)
  call mpi_get_address(v, places(2), ierr)
!case 2
  places(1) = places(1) - places(2)
  places(2) = 0
!end case
  call mpi_type_create_struct(2, [1, 10], places, [mpi_integer, mpi_real], form, ierr)
  call mpi_type_commit(form, ierr)
!case 1
  call mpi_bcast(mpi_bottom, 1, form, 0, mpi_comm_world, ierr)
!case 2
  call mpi_bcast(v, 1, form, 0, mpi_comm_world, ierr)
!end case
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
