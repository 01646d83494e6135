! The Mandelbrot set on 64 x 64 points. Each rank computes a block of rows; rank 0 collects them in the order of arrival.
program mandelbrot
  use mpi
  implicit none
  integer, parameter :: n = 64, most = 251
  integer :: me, ranks, rows, row, column, source, ierr
  integer :: status(MPI_STATUS_SIZE)
  integer, allocatable :: own(:, :), block(:, :), image(:, :)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  rows = n/ranks
  allocate (own(n, rows), block(n, rows), image(n, n))
  do row = 1, rows
    do column = 1, n
      own(column, row) = iterations(column, me*rows + row)
    end do
  end do
  if (me /= 0) then
    call MPI_Send(own, n*rows, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierr)
  else
    image(:, 1:rows) = own
    do source = 1, ranks - 1
      call MPI_Recv(block, n*rows, MPI_INTEGER, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, status, ierr)
      row = status(MPI_SOURCE)*rows
      image(:, row + 1:row + rows) = block
    end do
    write (*, '(a,i0)') 'iterations ', sum(image)
  end if
  call MPI_Finalize(ierr)

contains

  integer function iterations(column, row)
    integer, intent(in) :: column, row
    complex :: c, z
    c = cmplx(-2.0 + 3.0*column/n, -1.5 + 3.0*row/n)
    z = 0.0
    do iterations = 1, most
      z = z*z + c
      if (abs(z) > 2.0) return
    end do
  end function iterations
end program mandelbrot
