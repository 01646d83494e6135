! ui: slice
! All other values may.
program t
  use mpi
  type box
    real, allocatable :: a(:)
  end type
  type(box) :: o, tiles(2)
  real, allocatable :: a(:), b(:)
  character(:), allocatable :: c
  real :: x, y(9)
  integer :: ierr, n, k
  call mpi_init(ierr)
!case 1
  allocate (a(4), b(3))
  a = [1, 2]
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 2
  allocate (a(4), b(3))
  a = b
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 3
  allocate (a(4), b(3))
  a = 2 * b
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 4
  allocate (a(4), b(3))
  a = a(2:)
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 5
  allocate (a(4), b(3))
  a = pack(a, a > 0)
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 6
  allocate (a(4), b(3))
  a = y(:3)
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 7
  allocate (a(4), b(3))
  a = sqrt(b)
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 8
  allocate (a(4), b(3))
  a = o%a
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 9
  o%a = [1, 2]
  call mpi_bcast(y, size(o%a), mpi_real, 0, mpi_comm_world, ierr)
!case 10
  o = box([1, 2])
  call mpi_bcast(y, size(o%a), mpi_real, 0, mpi_comm_world, ierr)
!case 11
  o%a = tiles(1)%a
  call mpi_bcast(y, size(o%a), mpi_real, 0, mpi_comm_world, ierr)
!case 12
  o%a = 2 * o%a(2:)
  call mpi_bcast(y, size(o%a), mpi_real, 0, mpi_comm_world, ierr)
!case 13
  c = 'abc'
  c = c // 'd'
  call mpi_bcast(y, len(c), mpi_real, 0, mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
