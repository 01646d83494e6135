! ui: section
! Lines are whole statements.
! - A construct that ends outside is not in it, its body is.
program t
  use mpi
  integer :: ierr, i
  call mpi_init(ierr)
!case 1
  do i = 1, 3 !section
    call mpi_barrier(mpi_comm_world, ierr)
!case 2
  do i = 1, 3
    call mpi_barrier(mpi_comm_world, ierr) !section
!end case
  end do
  call solve(i)
!case 1
  !section
!case 2

!end case
  call mpi_finalize(ierr)
end program
subroutine solve(i)
  use mpi
  integer :: i, ierr
  if (i > 7) return
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
