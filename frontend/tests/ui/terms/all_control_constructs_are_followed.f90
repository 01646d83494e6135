! ui: terms
! All control constructs are followed.
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
  hi = n/ranks*me
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n !block
!case 1
    if (i > hi) cycle
    a(i) = a(i) + 1
    a(i) = a(i)*a(i)
!case 2
    if (i > hi) exit
    a(i) = a(i) + 1
    a(i) = a(i)*a(i)
!case 3
    if (mod(i, me + 1) == 0) a(i) = a(i) + sin(a(i))
!case 4
    if (mod(i, 6) == me .or. me == 3) a(i) = a(i) + sin(a(i))
!case 5
    if (mod(i, ranks) == 0) a(i) = a(i) + sin(a(i))
!case 6
    select case (merge(1, 0, i <= hi))
    case (1)
      a(i) = a(i) + sin(a(i))
    end select
!case 7
    if (i <= n) a(i) = a(i) + sin(a(i))
!end case
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_send(a, hi + given, mpi_real, mod(me + 1, ranks), 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  subroutine nothing()
  end subroutine

end program
