! ui: loops
! A function in a condition may not be called, so that its argument keeps its value.
program t
  use mpi
  implicit none
  integer :: ierr, i, k, n, m, me, len, request, requests(4), status(mpi_status_size), last
  real :: x(100), t0, total(3)
  common /shared/ m, last
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  len = 1
  do i = 1, n
    if (me == 0 .and. sets(k)) len = 1
    call mpi_send(x, k, mpi_real, 0, 1, mpi_comm_world, ierr)
    k = k + 1
  end do
  call mpi_finalize(ierr)
contains
  logical function sets(it)
    integer :: it
    it = 4
    sets = .true.
  end function
end program
