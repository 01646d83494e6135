! ui: slice
! A function that arranges elements determines the shape of what is allocated; integers and masks may be part of that.
program t
  use mpi
  real, allocatable :: a(:, :), b(:), y(:)
  integer :: ierr, n, k(2)
  call mpi_init(ierr)
  n = 6
  allocate (a(2, 3))
!case 1
  a = 1.0
  b = reshape(a(1:2, :), [n])
  call mpi_bcast(y, size(b), mpi_real, 0, mpi_comm_world, ierr)
!case 2
  a = 2.0
  k = 3
  b = reshape(sqrt(a), k)
  call mpi_bcast(y, size(b), mpi_real, 0, mpi_comm_world, ierr)
!case 3
  a = 3.0
  b = sum(matmul(a, transpose(a)), dim=1)
  call mpi_bcast(y, size(b), mpi_real, 0, mpi_comm_world, ierr)
!case 4
  a = 4.0
  b = pack(a, a > 0)
  call mpi_bcast(y, size(b), mpi_real, 0, mpi_comm_world, ierr)
!case 5
  a = 5.0
  b = reshape(a, [int(a(1, 1))])
  call mpi_bcast(y, size(b), mpi_real, 0, mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
