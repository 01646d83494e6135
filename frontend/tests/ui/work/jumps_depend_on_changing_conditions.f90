! ui: work
! Jumps depend on changing conditions.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
!case 1 2 3 7
  x = 0
!case 4 5 6
  x = 0
  first = 1
!case 8
  s = 0
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
!case 1
    x(k) = 1
    do i = 1, n !block
      if (x(i) < 0.5) cycle
      s = s + 1
      s = s*0.5
      b(i) = s + sin(s)
10    continue
    end do
!case 2
    x(k) = 1
    do i = 1, n !block
      if (x(i) < 0.5) goto 10
      s = s + 1
      s = s*0.5
      b(i) = s + sin(s)
10    continue
    end do
!case 3
    x(k) = 1
    do i = 1, n !block
      if (x(i) < 0.5) exit
      s = s + 1
      s = s*0.5
      b(i) = s + sin(s)
10    continue
    end do
!case 4
    x(k) = 1
    do i = 1, n !block
      if (x(i) - 0.5) 20, 20, 10
10    s = s + 1
      s = s*0.5
      b(i) = s + sin(s)
20    continue
    end do
!case 5
    first(k) = 2
    do i = 1, n !block
      goto (20, 10), first(i)
10    s = s + 1
      s = s*0.5
      b(i) = s + sin(s)
20    continue
    end do
!case 6
    x(k) = 1
    do i = 1, n !block
      select case (nint(x(i)))
      case (0)
        cycle
      end select
      s = s + 1
      s = s*0.5
      b(i) = s + sin(s)
    end do
!case 7
    x(k) = 1
    do i = 1, n !block
      call work(x(i))
    end do
!case 8
    s = s + 0.1
    call work(s) !block
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)
!case 7
contains
  subroutine work(y)
    real, intent(in) :: y
    if (y < 0.5) return
    s = s + 1
    s = s*0.5
    b(1) = s + sin(s)
  end subroutine
!case 8
contains
  subroutine work(y)
    real, intent(in) :: y
    if (y < 1.5) return
    s = s + 1
    s = s*0.5
    b(1) = s + sin(s)
  end subroutine
!else

!end case
end program
