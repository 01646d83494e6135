! Ranks on a grid three columns wide; sums along rows and columns on communicators of their own.
program split
  use mpi
  implicit none
  integer, parameter :: columns = 3
  integer :: me, ranks, row, column, in_row, in_column, ierr
  integer :: row_comm, column_comm
  double precision :: mine(2), row_sum(2), column_sum(2)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  row = me/columns
  column = mod(me, columns)

  ! Columns are numbered from the bottom: keys need not follow the ranks.
  call MPI_Comm_split(MPI_COMM_WORLD, row, column, row_comm, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, column, -row, column_comm, ierr)
  call MPI_Comm_rank(row_comm, in_row, ierr)
  call MPI_Comm_rank(column_comm, in_column, ierr)

  mine(1) = dble(me)
  mine(2) = dble(in_column)
  call MPI_Allreduce(mine, row_sum, 2, MPI_DOUBLE_PRECISION, MPI_SUM, row_comm, ierr)
  call MPI_Allreduce(mine, column_sum, 2, MPI_DOUBLE_PRECISION, MPI_SUM, column_comm, ierr)
  if (in_row == 0) call MPI_Bcast(column_sum, 1, MPI_DOUBLE_PRECISION, 0, column_comm, ierr)

  if (me == 0) write (*, '(a,2f8.1)') ' split', row_sum(1), column_sum(1)
  call MPI_Comm_free(row_comm, ierr)
  call MPI_Comm_free(column_comm, ierr)
  call MPI_Finalize(ierr)
end program split
