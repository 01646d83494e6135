! ui: timed-and-counted
! The statements of a compute block are counted between its begin and its end.
program p
  integer i, e
  call mpi_init(e)
  x = 0
  do i = 1, 3
    x = x + 1
    call mpi_barrier(0, e)
  end do
  x = 2
  call mpi_finalize(e)
end
