! ui: slice
! Handle made in procedure is followed.
module kept
  use mpi
  implicit none
  type types
    integer :: column = mpi_datatype_null
    integer :: row
  end type
  type(types) :: both
  integer :: col = mpi_datatype_null, many(3)

  real(8) :: u(100)
end module
program t
  use kept
  implicit none
  integer :: e, r, k, i, other, st(mpi_status_size)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, r, e)
!case 1
  call make(col)
!case 2
  call make(both%column)
!end case
  do i = 1, 100
    u(i) = u(i)*2 !compute
  end do
!case 1
  if (r == 0) call mpi_send(u, 1, col, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, col, 0, 1, mpi_comm_world, st, e)
!case 2
  if (r == 0) call mpi_send(u, 1, both%column, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, both%column, 0, 1, mpi_comm_world, st, e)
!end case
  k = 1
  if (r == 0) call mpi_recv(k, 1, mpi_integer, 1, 2, mpi_comm_world, st, e)
  if (r == 1) call mpi_send(k, 1, mpi_integer, 0, 2, mpi_comm_world, e)
  if (k > 0) call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
subroutine make(handle)
  use mpi
  integer :: handle, e
  call mpi_type_vector(5, 1, 10, mpi_double_precision, handle, e)
end subroutine
