! A number goes once round the ring; each rank adds its own. Any number of ranks.
program ring
  use mpi
  implicit none
  integer :: me, ranks, left, right, ierr
  integer :: status(MPI_STATUS_SIZE)
  integer :: token(1), expected

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  right = mod(me + 1, ranks)
  left = mod(me + ranks - 1, ranks)

  token(1) = 0
  if (ranks > 1) then
    if (me > 0) call MPI_Recv(token, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, status, ierr)
    token(1) = token(1) + me
    call MPI_Send(token, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, ierr)
    if (me == 0) call MPI_Recv(token, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, status, ierr)
  end if

  if (me == 0) then
    expected = ranks*(ranks - 1)/2
    if (token(1) == expected) then
      write (*, '(a,i0)') ' ring SUCCESSFUL ', token(1)
    else
      write (*, '(a,i0)') ' ring FAILED ', token(1)
    end if
  end if
  call MPI_Finalize(ierr)
end program ring
