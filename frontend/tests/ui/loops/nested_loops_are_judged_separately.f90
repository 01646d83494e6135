! ui: loops
! Whether a loop indexes data does not depend on the loops in it or around it.
program t
  use mpi
  integer :: i, j, k, error
  real :: x(9), y(9,9), s
  call mpi_init(error)
!case 1
  do k = 1, 5
!case 2
  do while (s < 1)
!end case
    do i = 1, 9
!case 1
      x(i) = s
!case 2
      s = s + 1
!end case
      call mpi_barrier(mpi_comm_world, error)
    end do
  end do

  call mpi_finalize(error)
contains

end program
