! ui: terms
! Iterations that a condition selects by bounds or gives to ranks in turn are counted in closed form. Others are counted by a sum
! over the loop where there is a loop in the branch.
program t
  use mpi
  integer :: ierr, i, j, n, m, me, np
  integer(8) :: k, long
  real :: x(100)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = 4*np + 3
  m = 3*np
  long = n
  read *, x
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  do i = 1, n !block
    if (mod(i, np) == me) x(i) = x(i)**3 + sin(x(i))
  end do
!case 2
  do i = 1, n !block
    if (me == modulo(i - 1 + m, np)) then
      x(i) = 1
      do j = 1, m
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 3
  do i = 1, n !block
    if (mod(i, np) == me) then
      do j = 1, i
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 4
  do k = 2, long !block
    if (mod(k, long) == 0) x(k) = x(k)**3 + sin(x(k))
  end do
!case 5
  do i = 1, n !block
    if (mod(i, np) == me .or. mod(i, 2) == 0) then
      do j = 1, m
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 6
  do i = 1, n !block
    if (i > m) then
      do j = 1, m
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 7
  do i = 1, n !block
    if (i > m) x(i) = x(i)**3 + sin(x(i))
  end do
!case 8
  do i = 1, n !block
    if (i == m) then
      do j = 1, m
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 9
  do i = 1, n !block
    if (mod(i, np) /= me) cycle
    x(i) = x(i)**3 + sin(x(i))
    x(i) = x(i)**2
  end do
!case 10
  do i = 1, n !block
    x(i) = 0
    if (modulo(i, np) /= me) cycle
    do j = 1, i
      x(j) = x(j) + 1
    end do
  end do
!case 11
  do i = 1, n !block
    x(i) = 0
    if (x(i + 1) > 0) cycle
    do j = 1, m
      x(j) = x(j) + 1
    end do
  end do
!case 12
  do i = 1, n !block
    if (mod(i, np) == me .and. i >= m - 2 .and. 5 > i .and. me < 3) then
      do j = 1, m
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 13
  do i = 1, n !block
    if (i < me*m .or. i + 1 > (me + 1)*m) cycle
    x(i) = x(i)**3 + sin(x(i))
    x(i) = x(i)**2
  end do
!case 14
  do i = 1, n, 2 !block
    if (i > m) then
      do j = 1, m
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 15
  outer: do i = 1, n !block
    do j = 1, m
      if (j == me) cycle outer
      x(j) = x(j) + 1
    end do
  end do outer
!case 16
  do i = 1, n !block
    if (mod(i, np) == me .or. mod(i, 2) == 0) x(i) = x(i)**3 + sin(x(i))
  end do
!case 17
  do i = me + 1, n, np !block
    j = i/np
    if (mod(j, 2) == 0) cycle
    do k = 1, 20 + j
      x(k) = x(k) + 1
    end do
  end do
!case 18
  do i = 1, n !block
    if (iand(i - 1, np - 1) == me) then
      do j = 1, m
        x(j) = x(j) + 1
      end do
    end if
  end do
!case 19
  do i = 1, n !block
    select case (mod(i, np))
    case (0)
      do j = 1, 10
        x(j) = x(j) + 1
      end do
    case default
      if (mod(i, np) == me) then
        do j = 1, m
          x(j) = x(j) + 1
        end do
      end if
    end select
  end do
!case 20
  j = 0
  do i = 1, n !block
    j = j + 1
    if (j == np) j = 0
    if (j /= me) cycle
    do k = 1, m
      x(k) = x(k) + 1
    end do
  end do
!end case
  call mpi_finalize(ierr)
end program
