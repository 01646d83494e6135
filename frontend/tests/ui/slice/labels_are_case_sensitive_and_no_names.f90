! ui: slice diagnostics
! Labels are case sensitive and no names.
subroutine upd(n, cnt) bind(c, name='k_update')
  use iso_c_binding
  integer(c_int), value :: n
  integer(c_int), intent(out) :: cnt
  integer :: unused
  unused = n
  cnt = n + 1
end subroutine
program main
  use mpi
  use iso_c_binding
  implicit none
  interface
!case 1
    subroutine flux(n, cnt) bind(c, name='K_update')
!case 2
    subroutine upd(n, cnt) bind(c, name='other')
!case 3
    subroutine upd(n, cnt) bind(c)
!end case
      import c_int
      integer(c_int), value :: n
      integer(c_int), intent(out) :: cnt
    end subroutine
  end interface
  integer :: e
  integer(c_int) :: c
  real(8) :: b(100)
  call mpi_init(e)
!case 1
  call flux(5_c_int, c)
!else
  call upd(5_c_int, c)
!end case
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e)
  call mpi_finalize(e)
end program
