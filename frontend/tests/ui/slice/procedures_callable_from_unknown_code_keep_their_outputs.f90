! ui: slice diagnostics
! Procedures callable from unknown code keep their outputs.
! - Passed, or by its address.
module w
!case 1
end module
subroutine hook(n, cnt)
!case 2
contains
  subroutine hook(n, cnt)
!case 3
end module
subroutine hook(n, cnt) bind(c)
!case 4 7 8
contains
  subroutine hook(n, cnt) bind(c)
!case 5
end module
integer function hook(n, cnt) bind(c, name='Hook')
!case 6
contains
  integer function hook(n, cnt) bind(c, name='Hook')
!end case
  integer :: n, cnt, w, unused
  unused = n
  w = n + 1
  cnt = w
!case 5
  hook = cnt + w
end function
!case 6
    hook = cnt + w
  end function
end module
!end case

!case 1 3
end subroutine

!case 2 4 7 8
  end subroutine
end module

!end case
program main
  use mpi
  use iso_c_binding
  use w
  integer :: e, c
  type(c_funptr) :: p
  real(8) :: b(100)
  call mpi_init(e)
!case 7

  call lib(c, hook)
!case 8
  p = c_funloc(hook)
  call lib(p, c)
!else

  call lib(c)
!end case
  call mpi_bcast(b, c, mpi_real8, 0, mpi_comm_world, e)
  call mpi_finalize(e)
end program
