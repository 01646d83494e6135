! ui: section --timed
! The pair of readings with most calls is the section.
! - The difference where it is read, later, and as a sum of signs.
! - Elements of an array; what is begun anew; the one with more calls.
! - One rank reads the clock in what it prints: the others are where it would be.
! - The end is where the loop ends, not where each iteration is timed.
program t
  use mpi
  integer :: ierr, i, c0, c1, n; real(8) :: t0, t1, t(4), timer, wall; logical :: last
  call mpi_init(ierr)
!case 1 2 8 9 10
  t0 = mpi_wtime()
!case 3
  t0 = t0 - mpi_wtime()
!case 4
  call cpu_time(t0)
!case 5
  call system_clock(c0, n)
!case 6
  t(2) = mpi_wtime()
!case 7
  t0 = mpi_wtime()
  t0 = mpi_wtime()
!case 11
  t0 = mpi_wtime()
  do
    t1 = mpi_wtime()
!end case
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  t0 = mpi_wtime() - t0
!case 2
  t1 = mpi_wtime()
  print *, t1 - t0
!case 3
  t0 = t0 + mpi_wtime()
!case 4
  call cpu_time(t1)
  wall = t1 - t0
!case 5
  call system_clock(c1)
  wall = real(c1 - c0)/n
!case 6
  t(2) = mpi_wtime() - t(2)
!case 7
  t1 = mpi_wtime() - t0
!case 8
  call mpi_barrier(mpi_comm_world, ierr)
  t0 = mpi_wtime() - t0
  t1 = mpi_wtime()
  do i = 1, 5
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  t1 = mpi_wtime() - t1
!case 9
  if (n == 0) print *, mpi_wtime() - t0
!case 10
  if (n == 0) then
    t1 = mpi_wtime()
    print *, t1 - t0
  end if
!case 11
    t1 = mpi_wtime() - t1
    wall = mpi_wtime() - t0
    if (last) then
      wall = mpi_wtime() - t0
      exit
    end if
  end do
!end case
  call mpi_finalize(ierr)
end program
