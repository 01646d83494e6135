! ui: slice
! An assignment to an object writes its components.
module w
  type field
    real, allocatable :: density(:)
    integer :: cells
  end type
  type tile
    type(field) :: f
    integer :: neighbours(4)
  end type
  type chunk
    type(tile), allocatable :: tiles(:)
    real, allocatable :: buffer(:)
    integer :: left, right
  end type
  type(chunk) :: c
end module
program t
  use mpi
  use w
  integer :: ierr, i
  type(tile) :: one
  type(field) :: fields(2)
  call mpi_init(ierr)
  one%neighbours = 3
  one%f%cells = 7
  fields(1)%cells = 8
  fields(2) = fields(1)
  one%f = fields(2)
  call mpi_send(fields(1)%density, one%f%cells, mpi_real, one%neighbours(1), 1, mpi_comm_world, ierr)
end program
