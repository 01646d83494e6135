! ui: slice diagnostics
! An interface means the procedure of its label.
module kernels
  use iso_c_binding
  implicit none
  integer :: calls = 0, others = 0
contains
  subroutine upd(n, cnt) bind(c, name='k_update')
    integer(c_int), value :: n
    integer(c_int), intent(out) :: cnt
    others = others + 1
    calls = calls + 1
    cnt = n + calls
  end subroutine
end module
program main
  use mpi
  use iso_c_binding
  implicit none
  interface
!case 1 5
    subroutine k_update(n, cnt) bind(c)
!case 2
    subroutine k_update(n, cnt) bind(c, name='k_update')
!case 3
    subroutine k_update(n, cnt) bind(C, NAME=c_char_" k_update")
!case 4
    subroutine flux(n, cnt) bind(c, name='k_update')
!end case
      import c_int
      integer(c_int), value :: n
      integer(c_int), intent(out) :: cnt
    end subroutine
!case 5
    subroutine flux(n, cnt) bind(c, name='k_update')
      import c_int
      integer(c_int), value :: n
      integer(c_int), intent(out) :: cnt
    end subroutine
!end case
  end interface
  integer :: e
  integer(c_int) :: c
  real(8) :: b(100)
  call mpi_init(e)
!case 4 5
  call flux(5_c_int, c)
!else
  call k_update(5_c_int, c)
!end case
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e)
  call mpi_finalize(e)
end program
