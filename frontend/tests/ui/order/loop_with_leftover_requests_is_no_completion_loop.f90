! ui: order
! Loop with leftover requests is no completion loop.
! - The list is as long as a variable says, which the loop changes.
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
!case 1
  do i = 1, n - 1
    call mpi_waitany(n, reqs, index, status, error)
!case 2
  do i = 2, n
    call mpi_waitany(n, reqs, index, status, error)
!case 3
  do i = 1, n, 2
    call mpi_waitany(n, reqs, index, status, error)
!case 4
  do i = 1, k
    call mpi_waitany(n, reqs, index, status, error)
!case 5
  do i = 1, n
    call mpi_waitany(3, reqs, index, status, error)
!case 6
  do i = 1, n
    call mpi_waitany(2, reqs(i), index, status, error)
!case 7 8 9 10
  do i = 1, n
    call mpi_waitany(n, reqs, index, status, error)
!case 11
  do i = 1, n
    if (m > i) cycle
    call mpi_waitany(n, reqs, index, status, error)
!case 12
  do i = 1, n
    if (m > i) call mpi_waitany(n, reqs, index, status, error)
!case 13
  do i = 1, m
    call mpi_waitany(m, reqs, index, status, error)
!case 14
  do i = 1, m
    call mpi_waitany(m, reqs, index, status, error)
    m = m - 1
!end case
    do j = 1, index
      x(j) = x(j) + 1
    end do
!case 7
    if (index == 2) exit
!case 8
    if (i == 2) exit
!case 9
    reqs(1) = mpi_request_null
!case 10
    call mpi_irecv(x, 1, mpi_real, 0, 1, mpi_comm_world, reqs(1), error)
!end case
  end do

  call mpi_finalize(error)
end program
