! ui: slice
! Pitfall 16: a count made in a packing loop stays, the packing goes.
program t
  use mpi
  integer :: len, i, j, ierr
  real :: u(10, 10), buff(100)
  call mpi_init(ierr)
  len = 0
  do i = 2, 9
    do j = 2, 9
      len = len + 1
      buff(len) = u(i, j)
    end do
  end do
  call mpi_send(buff, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
