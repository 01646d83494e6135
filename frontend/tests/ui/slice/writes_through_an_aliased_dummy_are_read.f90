! ui: slice
! Writes through an aliased dummy are read.
program t
  use mpi
  integer :: c, v, ierr
  common /shared/ c
  call mpi_init(ierr)
!case 1
  call p(v, v)
!case 2
  call p(v, c)
!end case
  call mpi_finalize(ierr)
end program
subroutine p(one, two)
  use mpi
  integer :: one, two, x, ierr
  one = 4
  two = 9
  call mpi_bcast(x, one, mpi_integer, 0, mpi_comm_world, ierr)
end subroutine
