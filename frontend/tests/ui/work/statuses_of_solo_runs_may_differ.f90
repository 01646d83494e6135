! ui: work
! A rank that is measured solo gets tag 0 for MPI_ANY_TAG, and as many elements as its buffer holds. Where the slice needs the
! envelope, the recording contains it (case 3).
program t
  use mpi
  integer :: ierr, i, me, n, status(mpi_status_size)
  real :: x(100), s
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 100
  x = me
!case 1
  call mpi_recv(s, 1, mpi_real, 0, mpi_any_tag, mpi_comm_world, status, ierr)
  n = status(mpi_tag)
!case 2
  call mpi_recv(x, 100, mpi_real, 0, 0, mpi_comm_world, status, ierr)
  call mpi_get_count(status, mpi_real, n, ierr)
!case 3
  call mpi_recv(s, 1, mpi_real, 0, mpi_any_tag, mpi_comm_world, status, ierr)
  n = status(mpi_tag)
  call mpi_send(s, 1, mpi_real, n, 0, mpi_comm_world, ierr)
!case 4
  call mpi_recv(s, 1, mpi_real, 0, mpi_any_tag, mpi_comm_world, status, ierr)
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, 100 !block
    if (i*i < n) s = s + i*i + sin(real(i))
  end do
  call mpi_finalize(ierr)
  print *, s
end program
