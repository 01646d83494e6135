! ui: section --timed
! Region not timed exactly once is no section.
program t
  use mpi
  integer :: ierr, i, c0, c1, n; real(8) :: t0, t1, t(4), timer, wall; logical :: last
  call mpi_init(ierr)
!case 1
  call mpi_barrier(mpi_comm_world, ierr)
!case 2
  t0 = mpi_wtime()
  t0 = mpi_wtime() - t0
!case 3
  do i = 1, 3
    t0 = mpi_wtime()
    call mpi_barrier(mpi_comm_world, ierr)
    t0 = mpi_wtime() - t0
  end do
!case 4
  if (last) t0 = mpi_wtime()
  call mpi_barrier(mpi_comm_world, ierr)
  if (last) t0 = mpi_wtime() - t0
!case 5
  t0 = mpi_wtime()
  if (last) goto 7
  call mpi_barrier(mpi_comm_world, ierr)
  t0 = mpi_wtime() - t0
7 continue
!end case
  call mpi_finalize(ierr)
end program
