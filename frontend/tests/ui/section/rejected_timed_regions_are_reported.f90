! ui: section diagnostics --timed
! What the program times, but perhaps not once, is said with its line, if it is more than the
! section.
! - What one of two loops times ends in it, although the other ends such a time, too.
program t
  use mpi
  integer :: ierr, i, c0, c1, n; real(8) :: t0, t1, t(4), timer, wall; logical :: last
  call mpi_init(ierr)
!case 1
  do i = 1, n
    t0 = mpi_wtime()
!case 2
  if (last) then
    t0 = mpi_wtime()
!case 3
  t1 = mpi_wtime()
!case 4
  if (last) t0 = mpi_wtime()
!case 5
  t0 = mpi_wtime()
  if (last) goto 7
!case 6
  t0 = mpi_wtime()
!case 7
  do i = 1, 2
    t1 = mpi_wtime()
!case 8
!end case
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
    call mpi_barrier(mpi_comm_world, ierr)
    t0 = mpi_wtime() - t0
  end do
!case 2
    call mpi_barrier(mpi_comm_world, ierr)
    t0 = mpi_wtime() - t0
  end if
!case 3
  t1 = mpi_wtime() - t1
  if (last) then
    t0 = mpi_wtime()
    call mpi_barrier(mpi_comm_world, ierr)
    call mpi_barrier(mpi_comm_world, ierr)
    t0 = mpi_wtime() - t0
  end if
!case 4
  if (last) t0 = mpi_wtime() - t0
!case 5
  t0 = mpi_wtime() - t0
7 continue
!case 6
  call mpi_barrier(mpi_comm_world, ierr)
  t0 = mpi_wtime() - t0
  if (last) then
    t1 = mpi_wtime()
    call mpi_barrier(mpi_comm_world, ierr)
    t1 = mpi_wtime() - t1
  end if
!case 7
    t1 = mpi_wtime() - t1
  end do
  t0 = mpi_wtime()
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  t0 = mpi_wtime() - t0
  do i = 1, 2
    t1 = mpi_wtime()
    call mpi_barrier(mpi_comm_world, ierr)
    t1 = mpi_wtime() - t1
  end do
!end case
  call mpi_finalize(ierr)
end program
