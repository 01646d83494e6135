! ui: slice
! Neither a scalar nor an expression of the array itself gives it another shape.
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
  x = 3
  y = 4
  allocate (a(4))
  a = 0
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 2
  x = 3
  y = 4
  allocate (a(4))
  a = x
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 3
  x = 3
  y = 4
  allocate (a(4))
  a = y(3) * x
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 4
  x = 3
  y = 4
  allocate (a(4))
  a = a
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 5
  x = 3
  y = 4
  allocate (a(4))
  a = -a
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 6
  x = 3
  y = 4
  allocate (a(4))
  a = a * x + y
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 7
  x = 3
  y = 4
  allocate (a(4))
  a = x + (a + 1) ** 2
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 8
  x = 3
  y = 4
  allocate (a(4))
  a = sqrt(a)
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 9
  x = 3
  y = 4
  allocate (a(4))
  a = x - max(2 * a, y)
  call mpi_bcast(y, size(a), mpi_real, 0, mpi_comm_world, ierr)
!case 10
  x = 3
  allocate (o%a(4))
  o%a = 0
  call mpi_bcast(y, size(o%a), mpi_real, 0, mpi_comm_world, ierr)
!case 11
  x = 3
  allocate (o%a(4))
  o%a = o%a + x * a
  call mpi_bcast(y, size(o%a), mpi_real, 0, mpi_comm_world, ierr)
!case 12
  x = 3
  allocate (o%a(4))
  o%a = exp(-o%a)
  call mpi_bcast(y, size(o%a), mpi_real, 0, mpi_comm_world, ierr)
!case 13
  k = 1
  allocate (tiles(k)%a(4))
  tiles(k)%a = 2 * tiles(k)%a
  call mpi_bcast(y, size(tiles(k)%a), mpi_real, 0, mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
