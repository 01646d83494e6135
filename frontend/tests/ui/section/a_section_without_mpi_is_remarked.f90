! ui: section diagnostics
! A section without MPI is remarked.
program t
  use mpi
  integer :: ierr, i
  call mpi_init(ierr)
!case 2
  do i = 1, 3 !section
!else
  do i = 1, 3
!end case
    call mpi_barrier(mpi_comm_world, ierr)
!case 1
  end do
  call solve(i)
!case 2
  end do !section
  call solve(i)
!case 3
  end do
  call solve(i) !section
!end case

  call mpi_finalize(ierr)
end program
subroutine solve(i)
  use mpi
  integer :: i, ierr
!case 1
  if (i > 7) return !section
!else
  if (i > 7) return
!end case
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
