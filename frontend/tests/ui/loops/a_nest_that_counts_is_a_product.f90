! ui: counting
! A nest that counts is a product.
program t
  use mpi
  implicit none
  integer :: ierr, i, j, k, n, m, me, len
  real :: x(100), step
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = me
  len = 0
  do i = 1, n
    do j = 2, m, 3
      len = len + 1
      x(len) = i
    end do
  end do
  call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
