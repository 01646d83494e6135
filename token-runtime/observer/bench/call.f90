! What a call costs: the shortest mean of many calls that do nothing, in nanoseconds of the processor.
program call_cost
  implicit none
  include 'mpif.h'
  integer, parameter :: calls = 200000, batches = 15
  integer :: i, batch, ierr
  real(kind(1d0)) :: begin, end, best
  call MPI_Init(ierr)
  best = huge(best)
  do batch = 1, batches
    call cpu_time(begin)
    do i = 1, calls
      call MPI_Send(i, 1, MPI_INTEGER, MPI_PROC_NULL, 1, MPI_COMM_WORLD, ierr)
    end do
    call cpu_time(end)
    best = min(best, (end - begin) / calls)
  end do
  print '(f0.2)', best * 1d9
  call MPI_Finalize(ierr)
end program
