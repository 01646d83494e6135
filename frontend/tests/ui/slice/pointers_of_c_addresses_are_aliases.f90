! ui: slice
! C_F_POINTER makes a pointer of the value of C_LOC: an assignment to the pointer changes the trip count.
program t
  use, intrinsic :: iso_c_binding
  use mpi
  implicit none
  integer :: ierr, n, i
  integer, target :: k
  integer, pointer :: p
  call mpi_init(ierr)
  k = 1
  call c_f_pointer(c_loc(k), p)
  p = 3
  n = k
  do i = 1, n
    call mpi_barrier(MPI_COMM_WORLD, ierr)
  end do
  call mpi_finalize(ierr)
end program
