! ui: terms
! Handles are named where they are integers.
program t
!case 1
  use mpi
  integer :: half
!case 2
  use mpi_f08
  type(mpi_comm) :: half
!end case
  integer :: e, me, n, i
  real :: x(100)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, me, e)
  n = me
  half = mpi_comm_world
  call mpi_barrier(mpi_comm_world, e)
  if (half /= mpi_comm_null) then !block
    do i = 1, n
      x(i) = 1
    end do
  end if
  call mpi_finalize(e)
end program
