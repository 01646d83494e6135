! ui: order
! Each request may have an element of its own.
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
!case 1
    table(index) = 2 * length(index)
!case 2
    table(index) = i
!case 3
    table(i) = index
!case 4
    table(length(index)) = index
!case 5
    index = mod(index, 2) + 1
    table(index) = length(index)
!case 6
    table(index) = length(index)
    table(1) = i
!case 7
    table(index) = length(index)
    k = table(3)
!case 8
    table(index) = length(index)
    side(index) = table(1)
!end case
  end do
!case 7
  if (k > 3) call mpi_barrier(mpi_comm_world, error)
!case 8
  if (side(1) > 3) call mpi_barrier(mpi_comm_world, error)
!else
  if (table(2) > 3) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
