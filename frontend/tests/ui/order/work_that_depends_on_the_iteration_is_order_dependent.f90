! ui: order
! Work that depends on the iteration is order dependent.
! - What the iteration before has left behind.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
  flag = .false.
  do while (.not. flag)
    call mpi_test(side(1), flag, mpi_status_ignore, error)
  end do
  do i = 1, n
!case 1
    call mpi_waitany(n, reqs, index, status, error)
    do j = 1, index * i
!case 2
    call mpi_waitany(n, reqs, index, status, error)
    k = k + 1
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count * k
!case 3
    call mpi_waitany(n, reqs, index, status, error)
    if (i > 2) cycle
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count
!case 4
    call mpi_waitany(n, reqs, index, status, error)
    m = i
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count * m
!case 5 7
    call mpi_waitany(n, reqs, index, status, error)
    if (index == 1) then
      call mpi_get_count(status, mpi_real, count, error)
      do j = 1, m
!case 6
    call mpi_waitany(n, reqs, index, status, error)
    if (index == i) then
      call mpi_get_count(status, mpi_real, count, error)
      do j = 1, m
!case 8
    call mpi_waitany(n, reqs, index, status, error)
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count * k
!case 9
    call mpi_waitany(n, reqs, index, status, error)
    if (index > 2) k = index
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count * k
!case 10
    do j = 1, index
!end case
      x(j) = x(j) + 1
    end do
!case 5 6
    end if
!case 7
    else if (i == 1) then
      call cpu_time(y)
    end if
!case 8
    call mpi_get_count(status, mpi_real, count, error)
    k = index
!case 10
    call mpi_waitany(n, reqs, index, status, error)

!end case
  end do

  call mpi_finalize(error)
end program
