! ui: slice diagnostics
! What it passes on, and what it reaches by an address that it was passed.
module w
  use iso_c_binding
contains
  subroutine hook(at, k) bind(c)
    type(c_ptr), value :: at
    integer(c_int) :: k
    integer(c_int), pointer :: there(:)
    call c_f_pointer(at, there, [4])
    there(2) = 3
    call fill(at, k)
  end subroutine
  subroutine fill(at, k)
    type(c_ptr), value :: at
    integer(c_int) :: k, unused
    integer(c_int), pointer :: there(:)
    unused = k
    k = 4
    call c_f_pointer(at, there, [4])
    there(3) = 3
  end subroutine
end module

program main
  use mpi
  use iso_c_binding
  use w
  integer :: e, c
  type(c_funptr) :: p
  real(8) :: b(100)
  call mpi_init(e)

  call lib(c)
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e)
  call mpi_finalize(e)
end program
