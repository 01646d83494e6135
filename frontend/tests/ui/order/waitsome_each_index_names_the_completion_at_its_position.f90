! ui: order
! `list(k)` is the `k`-th completion of the call, if the array is declared so.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
  block
!case 1
    integer :: list(n)
!case 2
    integer :: list(1:n)
!case 3
    integer :: list(0:n)
!case 4
    integer :: list(2, n)
!case 5
    integer, allocatable :: list(:)
    allocate(list(0:n))
!case 6
    integer, pointer :: list(:)
    allocate(list(0:n))
!case 7
    integer :: statuses(mpi_status_size, n)
!case 8
    integer :: statuses(mpi_status_size + 1, n)
!case 9
    integer :: statuses(0:mpi_status_size, n)
!case 10
    integer :: statuses(mpi_status_size, 0:n)
!case 11
    integer :: statuses(mpi_status_size * n)
!end case
    count = 0
    do while (count < n)
      call mpi_waitsome(n, reqs, m, list, statuses, error)
      do k = 1, m
!case 1 2 3 5 6
        total = total + length(list(k))
!case 4
        total = total + length(list(1, k))
!case 7 8 9 10
        total = total + statuses(mpi_source, k)
!case 11
        total = total + statuses(mpi_source + k)
!end case
      end do
      count = count + m
    end do
  end block
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program
