! ui: assumptions --propose-all
! Whether a particle leaves the domain of its rank is no method switch: some ranks send, others do not.
program t
  use mpi
  implicit none
  real :: x(1000), v(1000), buffer(1000), energy
  integer :: ierr, it, i, rank, size, n, leaving, arriving, status(mpi_status_size)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  call mpi_comm_size(mpi_comm_world, size, ierr)
  n = 500
  do i = 1, n
    x(i) = i / 1000.
    v(i) = 0.01 * i
  end do
  do it = 1, 500
    leaving = 0
    energy = 0.
    do i = 1, n
      x(i) = x(i) + 0.1 * v(i)
      energy = energy + v(i)**2
!case 1
      if (x(i) > 1.) then
        leaving = leaving + 1
        buffer(leaving) = x(i)
      end if
!case 2
      if (x(i) > 1.) leaving = 1
      buffer(i) = x(i)
!end case
    end do
    call mpi_allreduce(mpi_in_place, energy, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
    if (energy < 1e-6) exit
!case 1
    call mpi_sendrecv(leaving, 1, mpi_integer, mod(rank + 1, size), 0, arriving, 1, mpi_integer, mod(rank + size - 1, size), &
      0, mpi_comm_world, status, ierr)
    if (leaving > 0) call mpi_send(buffer, leaving, mpi_real, mod(rank + 1, size), 1, mpi_comm_world, ierr)
    if (arriving > 0) call mpi_recv(x(n + 1), arriving, mpi_real, mod(rank + size - 1, size), 1, mpi_comm_world, status, ierr)
    n = n - leaving + arriving
!case 2
    if (leaving == 1) then
      call mpi_sendrecv_replace(buffer, n, mpi_real, mod(rank + 1, size), 1, mod(rank + size - 1, size), 1, mpi_comm_world, &
        status, ierr)
      x(1) = buffer(1)
    end if
!end case
  end do
  call mpi_finalize(ierr)
end program
