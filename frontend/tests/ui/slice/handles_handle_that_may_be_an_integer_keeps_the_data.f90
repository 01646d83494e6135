! ui: slice
! Handle that may be an integer keeps the data.
module kept
  use mpi
  implicit none
  type types
    integer :: column = mpi_datatype_null
    integer :: row
  end type
  type(types) :: both
  integer :: col = mpi_datatype_null, many(3)
!case 6
  integer :: mine = mpi_integer
!else

!end case
  real(8) :: u(100)
end module
program t
  use kept
  implicit none
  integer :: e, r, k, i, other, st(mpi_status_size)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, r, e)
!case 1
  call mpi_type_vector(5, 1, 10, mpi_integer, col, e)
!case 2
  call mpi_type_contiguous(5, mpi_byte, col, e)
!case 3
  col = mpi_real; if (r > 5) col = mpi_integer
!case 4
  read *, col
!case 5
  call unseen(col)
!case 6
  if (r > 5) mine = mpi_real
!case 7
  call mpi_bcast(col, 1, mpi_integer, 0, mpi_comm_world, e)
!case 8
  many(1) = mpi_real; many(2) = mpi_integer
!end case
  do i = 1, 100
    u(i) = u(i)*2 !compute
  end do
!case 6
  if (r == 0) call mpi_send(u, 1, mine, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, mine, 0, 1, mpi_comm_world, st, e)
!case 8
  if (r == 0) call mpi_send(u, 1, many(1), 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, many(1), 0, 1, mpi_comm_world, st, e)
!else
  if (r == 0) call mpi_send(u, 1, col, 1, 1, mpi_comm_world, e)
  if (r == 1) call mpi_recv(u, 1, col, 0, 1, mpi_comm_world, st, e)
!end case
  k = 1
  if (r == 0) call mpi_recv(k, 1, mpi_integer, 1, 2, mpi_comm_world, st, e)
  if (r == 1) call mpi_send(k, 1, mpi_integer, 0, 2, mpi_comm_world, e)
  if (k > 0) call mpi_barrier(mpi_comm_world, e)
  call mpi_finalize(e)
end program
