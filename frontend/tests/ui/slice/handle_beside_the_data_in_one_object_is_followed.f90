! ui: slice
! The datatype of a message cannot change by that message: a component that holds its handle stays apart from the data beside it.
! - 3 and 4: another message may change the handle, by integers that reach it and by a datatype of bytes. 5: displacements in
!   bytes may reach beside the data, but not an integer by a datatype of numbers.
module fields
  use mpi
  implicit none
  type halo_t
    integer :: first = 0
    integer :: column = mpi_datatype_null
  end type
  type field_t
    type(halo_t) :: halo
!case 1 3 4 5
    real(8), allocatable :: u(:, :)
!case 2
    real(8) :: u(100, 100)
!end case
  end type
  type(field_t) :: f
contains
  subroutine setup(f)
    type(field_t), intent(inout) :: f
    integer :: e
!case 1 2 3 4
    call mpi_type_vector(100, 1, 100, mpi_double_precision, f%halo%column, e)
!case 5
    call mpi_type_create_hvector(100, 1, 800_mpi_address_kind, mpi_double_precision, f%halo%column, e)
!end case
    call mpi_type_commit(f%halo%column, e)
!case 1 3 4 5
    allocate (f%u(100, 100))
!end case
    f%u = 1
  end subroutine
  subroutine exchange(f, to, from)
    type(field_t), intent(inout) :: f
    integer, intent(in) :: to, from
    integer :: e
    call mpi_sendrecv(f%u(2, 1), 1, f%halo%column, to, 1, f%u(1, 1), 1, f%halo%column, from, 1, mpi_comm_world, &
      mpi_status_ignore, e)
!case 3
    call mpi_bcast(f%halo%first, 2, mpi_integer, 0, mpi_comm_world, e)
!case 4
    call mpi_bcast(f%halo, 12, mpi_byte, 0, mpi_comm_world, e)
!end case
  end subroutine
end module
program t
  use fields
  implicit none
  integer :: e, it, r, p, k
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, r, e)
  call mpi_comm_size(mpi_comm_world, p, e)
  call setup(f)
  k = 1
  do it = 1, 20
    call exchange(f, mod(r + 1, p), mod(r + p - 1, p))
    f%u = f%u*0.5d0
    if (r == 0) call mpi_send(k, 1, mpi_integer, 1, 2, mpi_comm_world, e)
    if (r == 1) call mpi_recv(k, 1, mpi_integer, 0, 2, mpi_comm_world, mpi_status_ignore, e)
    if (k > 3) exit
  end do
  call mpi_finalize(e)
end program
