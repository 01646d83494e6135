! ui: terms
! A variable has the value of the last assignment before a loop; different values of the branches of an IF are joined.
! - 6: the loop before may or may not have changed it. 7: the other branch is not executed before.
! - 8: what may divide by 0 is evaluated only where the program does. 10: no term is longer than a few lines.
program t
  use mpi
  integer, parameter :: n = 200
  integer :: me, np, ierr, i, j, k, s, first, last, px, py
  integer(8) :: long
  real :: u(1000), x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  long = np
  read *, x, u
  call mpi_barrier(mpi_comm_world, ierr)
  s = np
  first = me
!case 1
  s = np !block
  first = me
  first = first + 1
  s = s*2
!case 2
  s = 1 !block
  if (me < np/2) s = 2
!case 3
  if (mod(me, 2) == 0) then !block
    s = np
    first = me + 1
  else if (me == 1) then
    s = 3
  else
    s = 2*np
    first = 1
  end if
!case 4
  first = 1 !block
  if (me == 0) first = 2
  if (me == np - 1) then
    if (np > 2) first = first + 1
  end if
!case 5
  block !block
    s = 2*s
    s = s + 1
  end block
!case 6
  do i = 1, np !block
    s = s + 1
  end do
!case 7
  if (x > 0) then !block
    s = 7
  else
    s = 8
    do i = 1, s
      u(i) = 2
    end do
  end if
!case 8
  s = np !block
  if (me > 0) s = np/me
!case 9
  s = np !block
  if (x > 0) s = 2
!case 10
  s = np !block
  s = s + s
  s = s + s
  s = s + s
  s = s + s
  s = s + s
  s = s + s
  s = s + s
!case 11
  s = np !block
  read *, s
!case 12
  s = twice(np) !block
!case 13
  s = capped(me) !block
!case 14
  s = counted(me) !block
!case 15
  s = spoiling(first) !block
!end case
  do k = first, n, s !block
    u(k) = u(k) + 1
  end do
  call mpi_finalize(ierr)

contains
  integer function twice(a)
    integer, intent(in) :: a
    twice = a
    twice = 2*twice
  end function
  integer function capped(a)
    integer, intent(in) :: a
    integer :: most
    most = np
    capped = twice(a) + 1
    if (capped > most) capped = most
  end function
  integer function counted(a)
    integer, intent(in) :: a
    integer, save :: calls = 0
    calls = calls + 1
    counted = a + calls
  end function
  integer function spoiling(a)
    integer, intent(inout) :: a
    a = a + 1
    spoiling = a
  end function
end program
