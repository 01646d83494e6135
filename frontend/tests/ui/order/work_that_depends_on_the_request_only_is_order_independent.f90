! ui: order
! Work that depends on the request only is order independent.
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
    call mpi_waitany(n, reqs, index, status, error)
!case 1 6
    do j = 1, index
!case 2
    do j = 1, index * m
!case 3
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count
!case 4
    k = index
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count * k
!case 5
    if (index > 2) cycle
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, count
!end case
      x(j) = x(j) + 1
    end do
  end do
!case 6
  index = 3
  call mpi_bcast(x, index, mpi_real, 0, mpi_comm_world, error)
!else

!end case
  call mpi_finalize(error)
end program
