! ui: slice diagnostics
! Dummies of an interface body may have other names than the procedure's own, and each other's.
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
!case 1
    subroutine flux(cnt, n) bind(c, name='k_update')
!case 2
    subroutine flux(a, b) bind(c, name='k_update')
!end case
      import c_int
!case 1
      integer(c_int), value :: cnt
      integer(c_int), intent(out) :: n
!case 2
      integer(c_int), value :: a
      integer(c_int), intent(out) :: b
!end case
    end subroutine
  end interface
  integer :: e
  integer(c_int) :: c
  real(8) :: b(100)
  call mpi_init(e)
!case 1
  call flux(n=c, cnt=5_c_int)
!case 2
  call flux(b=c, a=5_c_int)
!end case
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e)
  call mpi_finalize(e)
end program
