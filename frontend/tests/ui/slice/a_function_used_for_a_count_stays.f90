! ui: slice
! Pitfall 1: a function is not an array.
program t
  use mpi
  integer :: n, ierr, np
  integer, external :: il2
  call mpi_init(ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = il2(np)
  call mpi_bcast(n, il2(n), mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
integer function il2(n)
  integer :: n, k
  k = n
  il2 = 0
  do while (k > 1)
    k = k/2
    il2 = il2 + 1
  end do
end function
