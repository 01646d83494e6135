! ui: order
! The same where a procedure computes.
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
    last = last + index
!case 1 6 8 9
    call unpack(x, index)
!case 2
    call unpack(x, length(index))
!case 3 5 7
    call unpack(x, last)
!case 4
    call unpack(x, i * index)
!end case
  end do
  call mpi_finalize(error)
contains
  subroutine unpack(into, many)
    real :: into(100)
    integer :: many, number
!case 1 2 3 4
    do j = 1, many
      into(j) = into(j) + 1
    end do
!case 5
    into(many) = 0
!case 6 7
    number = 2 * many
    do j = 1, number
      into(j) = 0
    end do
!case 8
    if (into(3) > 2) into(1) = 0
    into(3) = many
!case 9
    m = m + many
    do j = 1, m
      into(j) = 0
    end do
!end case
  end subroutine
end program
