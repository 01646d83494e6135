! ui: loops
! Counter of a while loop is an index.
program t
  use mpi
  integer :: i, j, k, error
  real :: x(9), y(9,9), s
  call mpi_init(error)
  k = 1
  do while (k <= 9)
!case 1 4
    x(k) = s
!case 2
    j = k - 1; y(:, j) = s
!case 3
    x = s
!case 5
    x(j) = s
!end case
    call mpi_barrier(mpi_comm_world, error)
!case 4
    k = 10
!else
    k = k + 1
!end case
  end do

  call mpi_finalize(error)
contains

end program
