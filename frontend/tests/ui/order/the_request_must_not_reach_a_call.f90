! ui: order
! The request must not reach a call.
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
    call mpi_send(x, 1, mpi_real, index, 1, mpi_comm_world, error)
!case 2
    if (index == 1) call mpi_barrier(mpi_comm_world, error)
!case 3
    call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, error)
    if (index > 2) y = mpi_wtime()
!case 4
    k = index
!case 5

!case 6
    m = index
!case 7
    if (index == 3) stop
!case 8
    if (index == 3) call mpi_abort(mpi_comm_world, 1, error)
!end case
  end do
!case 1 2 7 8

!case 3
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!case 4
  call mpi_bcast(x, k, mpi_real, 0, mpi_comm_world, error)
!case 5
  call mpi_bcast(x, index, mpi_real, 0, mpi_comm_world, error)
!case 6
  call mpi_bcast(x, m, mpi_real, 0, mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
