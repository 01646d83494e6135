! ui: slice
! Writes to common are read through a dummy.
program t
  use mpi
  integer :: c, v, ierr
  common /shared/ c
  call mpi_init(ierr)
!case 2
  call p(v, c)
!case 1
  call p(c, v)
!else
  call p(c, v)
!end case
  call mpi_finalize(ierr)
end program
subroutine p(one, two)
  use mpi
  integer :: one, two, x, ierr
  common /shared/ c
!case 3
!else
  one = 4
!end case
  c = 9
  call mpi_bcast(x, one, mpi_integer, 0, mpi_comm_world, ierr)
end subroutine
