! ui: slice
! Handle of numbers is no integer.
! - Made of another, copied, freed and made again.
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
  call mpi_type_vector(5, 1, 10, mpi_double_precision, col, e); call mpi_type_commit(col, e)
!case 2
  call mpi_type_vector(5, 1, 10, mpi_double_precision, both%column, e); call mpi_type_commit(both%column, e)
!case 3
  call mpi_type_vector(5, 1, 10, mpi_double_precision, both%row, e); call mpi_type_commit(both%row, e)
!case 4
  call mpi_type_vector(5, 1, 10, mpi_double_precision, many(2), e); call mpi_type_commit(many(2), e)
!case 5
  call mpi_type_vector(5, 1, 10, mpi_double_precision, col, e); call mpi_type_commit(col, e); call mpi_type_contiguous(3, col, other, e)
!case 6
  call mpi_type_vector(5, 1, 10, mpi_double_precision, col, e); call mpi_type_commit(col, e); both%row = col; many = [both%row, col, mpi_real]
!case 7
  call mpi_type_vector(5, 1, 10, mpi_double_precision, col, e); call mpi_type_commit(col, e); call mpi_type_free(col, e); call mpi_type_vector(5, 1, 10, mpi_double_precision, col, e); call mpi_type_commit(col, e)
!end case
  do i = 1, 100
    u(i) = u(i)*2 !compute
  end do
!case 1 7
  if (r == 0) call mpi_send(u, 1, col, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, col, 0, 1, mpi_comm_world, st, e)
!case 2
  if (r == 0) call mpi_send(u, 1, both%column, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, both%column, 0, 1, mpi_comm_world, st, e)
!case 3
  if (r == 0) call mpi_send(u, 1, both%row, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, both%row, 0, 1, mpi_comm_world, st, e)
!case 4
  if (r == 0) call mpi_send(u, 1, many(2), 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, many(2), 0, 1, mpi_comm_world, st, e)
!case 5
  if (r == 0) call mpi_send(u, 1, other, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, other, 0, 1, mpi_comm_world, st, e)
!case 6
  if (r == 0) call mpi_send(u, 1, many(3), 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, many(3), 0, 1, mpi_comm_world, st, e)
!end case
  k = 1
  if (r == 0) call mpi_recv(k, 1, mpi_integer, 1, 2, mpi_comm_world, st, e)
  if (r == 1) call mpi_send(k, 1, mpi_integer, 0, 2, mpi_comm_world, e)
  if (k > 0) call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
