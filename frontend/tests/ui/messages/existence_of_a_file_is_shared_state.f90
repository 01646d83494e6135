! ui: levels diagnostics
! Whether a file is there is read from the storage that all share.
program t
  use mpi
  integer :: n, k, ios, rank, ierr, status(mpi_status_size)
  logical :: there
  real :: x
  call mpi_init(ierr)
  n = 3
  if (rank == 1) then
    open (8, file='deck')
    write (8, *) 4
    close (8)
  end if
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  inquire (file='deck', exist=there)
  if (there) n = 4
!case 2
  open (9, file='deck', status='old', iostat=ios)
  if (ios == 0) n = 4
!case 3
  open (9, file='deck', action='read', iostat=ios)
  if (ios == 0) n = 4
!case 4
  inquire (8, opened=there)
  if (there) n = 4
!end case
  if (n == 4) call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
