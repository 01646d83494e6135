! ui: slice
! The effects of an operation on its arguments are not visible in the program.
program t
  use mpi
  integer :: n, k, op, ierr
  external combine
  call mpi_init(ierr)
  k = 1
  call mpi_op_create(combine, .true., op, ierr)
  call mpi_allreduce(k, n, 1, mpi_integer, op, mpi_comm_world, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine combine(a, b, length, datatype)
  integer :: length, datatype, a(length), b(length)
  call add(a, b, length)
end subroutine
subroutine add(a, b, length)
  integer :: length, i, a(length), b(length)
  do i = 1, length
    b(i) = b(i) + a(i)
  end do
end subroutine
