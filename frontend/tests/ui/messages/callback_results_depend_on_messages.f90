! ui: levels
! What an operation leaves beside is there only if the reduction is carried out.
module m
  integer :: times = 0
end module
program t
  use mpi
  use m
  integer :: n, op, ierr
  external combine
  call mpi_init(ierr)
  call mpi_op_create(combine, .true., op, ierr)
  call mpi_reduce(ierr, n, 1, mpi_integer, op, 0, mpi_comm_world, ierr)
!case 1
  if (times > 3) call mpi_barrier(mpi_comm_world, ierr)
!case 2
  if (op > 3) call mpi_barrier(mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
subroutine combine(a, b, length, datatype)
  use m
  integer :: length, datatype, a(length), b(length)
  b = b + a
  times = 4
end subroutine
