! ui: order
! Values that are not read determine nothing; but a receive that takes any message leaves the others
! to receives whose results are used.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 1
  flag = .false.
  do while (.not. flag)
    call mpi_test(side(1), flag, mpi_status_ignore, error)
  end do
  do i = 1, n
    call mpi_waitany(n, reqs, index, status, error)
    y = y + x(index)
  end do

!case 2
  flag = .false.
  do while (.not. flag)
    call mpi_test(side(1), flag, mpi_status_ignore, error)
  end do
  do i = 1, n
    call mpi_waitany(n, reqs, index, status, error)
    y = y + x(index)
  end do
  call mpi_waitany(n, reqs, k, status, error)
  if (k > 2) call mpi_barrier(mpi_comm_world, error)
!case 3
  call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, error)
  flag = .false.
  do while (.not. flag)
    call mpi_test(side(1), flag, mpi_status_ignore, error)
  end do
  do i = 1, n
    call mpi_waitany(n, reqs, index, status, error)
    do j = 1, index
      x(j) = x(j) + 1
    end do
  end do

!case 4
  call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, error)
  call mpi_recv(y, 1, mpi_real, 0, 1, mpi_comm_world, statuses, error)
  call mpi_get_count(statuses, mpi_real, k, error)
  if (k > 2) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
