! ui: order
! What is computed need not be in the slice; where it depends on the order its work is unknown.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
  do i = 1, n
    call mpi_waitany(n, reqs, index, mpi_status_ignore, error)
!case 1
    do j = 1, 100 * index
      x(j) = x(j) + 1
    end do
!case 2
    do j = 1, i
      x(j) = x(j) + 1
    end do
!case 3
    do j = 1, length(index)
      x(j) = x(j) + 1
    end do
!case 4
    if (index == 2) then
      do j = 1, index * 7
        x(j) = x(j) + 1
      end do
    end if
!case 5
    if (i == 2) then
      do j = 1, 7
        x(j) = x(j) + 1
      end do
    end if
!case 6
    last = last + 1
    do j = 1, last
      x(j) = x(j) + 1
    end do
!case 7
    last = length(index)
    do j = 1, last
      x(j) = x(j) + 1
    end do
!case 8
    x(1:length(index)) = 0
!case 9
    y = y + x(index)
    last = last + index
!case 10
    last = last + index
    do j = 1, last
      x(j) = x(j) + 1
    end do
!case 11
    if (i == n - 1) then
      do j = 1, index * 7
        x(j) = x(j) + 1
      end do
    end if
!case 12
    if (index == 2) then
      do j = 1, i
        x(j) = x(j) + 1
      end do
    end if
!case 13
    if (index == i) then
      do j = 1, 3
        x(j) = x(j) + 1
      end do
    end if
!case 14
    do j = 1, i * index
      x(j) = x(j) + 1
    end do
!case 15
    y = y + x(index)
    if (y > 2) then
      do j = 1, 3
        x(j) = x(j) + 1
      end do
    end if
!case 16
    last = last + index
    x(1:last) = 0
!case 17
    do j = 1, last
      x(j) = x(j) + 1
    end do
    last = index
!end case
  end do
  call mpi_finalize(error)
end program
