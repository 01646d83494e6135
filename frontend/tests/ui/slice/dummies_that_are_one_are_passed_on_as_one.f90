! ui: slice
! Who passes on what is one, passes it on as one.
program t
  use mpi
  integer :: v, w, ierr
  call mpi_init(ierr)
!case 1
  call outer(v, v)
!case 2
  call outer(v, w)
!end case
  call mpi_finalize(ierr)
end program
subroutine outer(one, two)
  integer :: one, two
  call inner(one, two)
end subroutine
subroutine inner(one, two)
  use mpi
  integer :: one, two, x, ierr
  one = 4
  two = 9
  call mpi_bcast(x, one, mpi_integer, 0, mpi_comm_world, ierr)
end subroutine
