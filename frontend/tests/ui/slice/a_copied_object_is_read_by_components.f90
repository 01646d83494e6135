! ui: slice
! Of a copied object only the components that the slice needs are computed; all exist.
program t
  use mpi
  type matrix
    real, allocatable :: values(:)
    integer :: first, last
  end type
  type(matrix) :: a, b
  integer :: ierr, rank
  real :: sum
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  a%first = 10*rank + 1
  a%last = 10*rank + 10
  allocate(a%values(10))
  a%values = 1.0/(rank + 1)
  b = a
  b%values = 2*b%values
  sum = b%values(1)
  call mpi_bcast(sum, b%last - b%first, mpi_real, 0, mpi_comm_world, ierr)
  if (sum > 1) print *, sum
  call mpi_finalize(ierr)
end program
