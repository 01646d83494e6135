! Rank 1 ends by a segmentation fault while the others wait for it. At least two ranks.
program crash
  use mpi
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  interface
    integer(c_int) function raise(signal) bind(c)
      import :: c_int
      integer(c_int), value :: signal
    end function raise
  end interface
  integer(c_int), parameter :: segmentation_fault = 11
  integer :: me, ierr, answer

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  if (me == 1) answer = raise(segmentation_fault)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program crash
