! ui: loops
! Index selects elements and bounds.
program t
  use mpi
  integer :: i, j, k, error
  real :: x(9), y(9,9), s
  call mpi_init(error)
  do i = 1, 9
!case 1
    s = s + 1
!case 2
    if (mod(i, 3) == 0) print *, i
!case 3
    x = i
!case 4
    x(i) = s
!case 5
    y(:, i) = s
!case 6
    y(2:i, 1) = s
!case 7
    s = x(i)
!case 8
    call mpi_bcast(x(i), 1, mpi_real, 0, mpi_comm_world, error)
!case 9
    call mpi_bcast(x, 1, mpi_real, mod(i, 2), mpi_comm_world, error)
!case 10
    k = 10 - i; j = k + 1; x(j) = s
!case 11
    do j = 1, i; s = s + x(j); end do
!case 12
    do j = 1, 9; x(j) = s; end do
!end case
    call mpi_barrier(mpi_comm_world, error)
  end do

  call mpi_finalize(error)
contains

end program
