! ui: terms
! Uniform values determine work.
module shared
  integer :: given, other
end module
program t
  use mpi
  use shared
  integer :: ierr, i, n, me, ranks, hi, mine, own, few(3), j, coordinates(1), status(mpi_status_size)
  real :: a(1000), time
  logical :: flag
  character(20) :: text
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  n = 1000
  hi = 0
  a = 1
!case 1
  hi = 5
!case 2
  hi = n/ranks
!case 3
  read *, hi
!case 4
  hi = ranks
  if (ierr /= 0) hi = 7
!case 5
  hi = n
  if (me > 100) stop
!case 6
  call mpi_allreduce(me, hi, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 7
  if (me == 0) read *, hi
  call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)
!case 8
  call mpi_comm_dup(mpi_comm_world, own, ierr)
  call mpi_comm_size(own, hi, ierr)
!case 9
  few = 0
  call mpi_dims_create(ranks, 3, few, ierr)
  hi = few(2)
!case 10
  do i = 1, ranks
    hi = hi + i
  end do
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n !block
    if (i*i <= hi) then
      a(i) = a(i) + 1
      a(i) = a(i)*a(i)
    end if
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_send(a, hi + given, mpi_real, mod(me + 1, ranks), 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  subroutine nothing()
  end subroutine

end program
