! ui: slice terms
! A block ends before the first loop whose bounds no expression at its entry gives, but the variables at the loop's entry do, if the
! slice can compute these at next to no cost.
! - 3: the slice would repeat a loop. 4: it would read computed data. 5: a jump leads over the place. 7: nothing is gained.
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
  u = 0
!case 1
  call decompose(n, np, me, first, last)
  do k = first, last
    u(k) = u(k) + 1
  end do
  do k = last, first, -1
    u(k) = u(k)*2
  end do
!case 2
  px = 1
  do while (px*px < np)
    px = 2*px
  end do
  py = max(1, np/px)
  do j = me/px + 1, n, py
    do k = mod(me, px) + 1, n, px
      u(k) = u(k) + j
    end do
  end do
!case 3
  s = 1
  do i = 1, 1000
    s = mod(7*s + i, 13)
  end do
  do k = 1, n, s
    u(k) = u(k) + 1
  end do
!case 4
  s = 1
  call chosen(u, s)
  do k = 1, n, s
    u(k) = u(k) + 1
  end do
!case 5
  if (me == 0) goto 10
  call decompose(n, np, me, first, last)
  10 do k = first, last
    u(k) = u(k) + 1
  end do
!case 6
  select case (me)
  case (0)
    s = 2
  case default
    s = np
  end select
  do k = 1, n, s
    u(k) = u(k) + 1
  end do
!case 7
  call decompose(n, np, me, first, last)
  do k = 1, n
    u(k) = u(k) + 1
  end do
!end case
  call mpi_finalize(ierr)

contains
  subroutine decompose(n, np, me, first, last)
    integer, intent(in) :: n, np, me
    integer, intent(out) :: first, last
    integer :: rest
    rest = mod(n, np)
    first = me*(n/np) + 1
    if (me < rest) then
      first = first + me
      last = first + n/np
    else
      first = first + rest
      last = first + n/np - 1
    end if
  end subroutine
  subroutine chosen(v, s)
    real, intent(in) :: v(:)
    integer, intent(inout) :: s
    if (v(1) > 0) s = 2
  end subroutine
end program
