! ui: slice
! An assignment of an object changes where its data are only if a component is allocatable or a pointer.
program t
  use mpi
  type point
    real :: x, y
    integer :: id
  end type
  type pair
    type(point) :: first, second
  end type
  type list
    real, allocatable :: x(:)
  end type
  type(pair) :: sent(10), received(10)
  type(list) :: a, b
  integer :: ierr
  call mpi_init(ierr)
!case 1
  sent(3)%first%x = 1.0
  call mpi_sendrecv_replace(sent, 40, mpi_real, 0, 0, 0, 0, mpi_comm_world, mpi_status_ignore, ierr)
  received = sent
  sent = received
  call mpi_bcast(sent, 40, mpi_real, 0, mpi_comm_world, ierr)
!case 2
  allocate (b%x(10))
  b%x = 2.0
  a = b
  call mpi_bcast(a%x, size(a%x), mpi_real, 0, mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
