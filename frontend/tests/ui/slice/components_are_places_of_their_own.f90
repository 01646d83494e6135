! ui: slice
! Components are places of their own.
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
  allocate(c%tiles(2))
  allocate(c%buffer(9))
  do i = 1, 2
    allocate(c%tiles(i)%f%density(100))
    c%tiles(i)%f%density = i
    c%tiles(i)%f%cells = 10
    c%tiles(i)%neighbours = 1
  end do
  c%left = 0
  c%right = 1
  c%buffer(1:9) = c%tiles(1)%f%density(1:9)
  call mpi_send(c%buffer, c%tiles(1)%f%cells, mpi_real, c%left, 1, mpi_comm_world, ierr)
end program
