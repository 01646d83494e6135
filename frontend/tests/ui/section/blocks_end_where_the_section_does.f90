! ui: blocks slice
! Blocks end where the section does.
! - Only at ends that would be inside a block.
program t
  use mpi
  integer :: ierr, i, j
  real :: a(10)
  call mpi_init(ierr)
!case 1
  a = 1
  a(1) = 2 !section
  a(2) = 3 !section
!case 2
  a = 1
  a(1) = 2
  a(2) = 3 !section
!case 3
  a = 1 !section
  a(1) = 2
  a(2) = 3
!end case
  do i = 1, 10
    a(i) = 4
    a(i) = 5
    a(i) = 6
!case 1
  end do
  a(3) = 7
!case 2
  end do !section
  a(3) = 7
!case 3
  end do
  a(3) = 7 !section
!end case
  call mpi_finalize(ierr)
end program
