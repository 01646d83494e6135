! ui: blocks slice
! A construct around an end of the section is no block.
! - It begins outside and ends inside.
program t
  use mpi
  integer :: ierr, i, j
  real :: a(10)
  call mpi_init(ierr)
  a = 1
  a(1) = 2
!case 1
  a(2) = 3
!case 2
  a(2) = 3 !section
!end case
  do i = 1, 10
!case 1
    a(i) = 4
    a(i) = 5 !section
!case 2
    a(i) = 4 !section
    a(i) = 5
!end case
    a(i) = 6
  end do
  a(3) = 7
  call mpi_finalize(ierr)
end program
