! ui: terms
! Sizes that libraries choose are no work.
program t
  use mpi
  integer, parameter :: size_of = mpi_status_size
  integer :: s(mpi_status_size, 50)
  integer :: e, me, n, i
  real :: x(100)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, me, e)
  n = me

  call mpi_barrier(mpi_comm_world, e)
  do i = 1, n !block
!case 1
    s(:, i) = 0
!case 2
    do e = 1, 2*size_of
      x(e) = 1
    end do
!end case
  end do
  call mpi_finalize(e)
end program
