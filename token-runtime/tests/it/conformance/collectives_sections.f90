! Sections of arrays with gaps in collectives of use mpi_f08 that move data: read and written element by
! element.
program sections
  use mpi_f08
  implicit none
  integer, parameter :: most = 8
  integer :: rank, size, i
  integer :: a(6, 6), all(4 * most)
  integer :: counts(most), places(most)
  type(MPI_Request) :: request
  call mpi_init()
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, size)

  call fill()
  call mpi_bcast(a(1:6:2, 2:6:4), 6, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call show('broadcast', a)
  call mpi_bcast(a(6:1:-1, 3), 4, MPI_INTEGER, size - 1, MPI_COMM_WORLD)
  call show('broadcast backwards', a)
  call mpi_bcast(a(2:1, 1:6:2), 0, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call mpi_bcast(a(:, 5), 6, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call show('broadcast of a column', a)

  call fill()
  all = -1
  call mpi_gather(a(2, 1:4), 4, MPI_INTEGER, all, 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a, 32i5)', 'gather', all(1:4 * size)
  all = -1
  call mpi_allgather(a(1:6:4, 3), 2, MPI_INTEGER, all, 2, MPI_INTEGER, MPI_COMM_WORLD)
  print '(a, i2, 32i5)', 'allgather', rank, all(1:2 * size)

  call fill()
  all = [(1000 + i, i = 1, 4 * most)]
  call mpi_scatter(all, 3, MPI_INTEGER, a(1:6:2, 4), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
  counts = 2
  places = [(3 * i, i = 0, most - 1)]
  call mpi_scatterv(all, counts, places, MPI_INTEGER, a(2, 5:6), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call show('scatter', a)

  call mpi_ibcast(a(5, :), 6, MPI_INTEGER, 0, MPI_COMM_WORLD, request)
  call mpi_wait(request, MPI_STATUS_IGNORE)
  call show('started broadcast', a)
  call any_rank(rank)
  call any_rank(a(1, 1:3))
  call any_rank(a(1:6:3, 1:6:3))
  call show('any rank', a)
  call mpi_finalize()

contains

  subroutine fill()
    a = reshape([(i, i = 1, 36)], [6, 6]) + 100 * rank
  end subroutine fill

  subroutine show(what, array)
    character(len=*), intent(in) :: what
    integer, intent(in) :: array(6, 6)
    print '(a, i2, 36i5)', what, rank, array
  end subroutine show

  ! The argument's rank is known at run time only.
  subroutine any_rank(data)
    type(*), dimension(..) :: data
    integer :: elements
    elements = product(shape(data))
    call mpi_bcast(data, elements, MPI_INTEGER, size - 1, MPI_COMM_WORLD)
  end subroutine any_rank
end program
