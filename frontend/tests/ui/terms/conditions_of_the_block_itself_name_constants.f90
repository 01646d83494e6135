! ui: terms
! Conditions of the block itself name constants.
program t
!case 1
  use mpi
!case 2
  include 'mpif.h'
!end case
  integer :: e, me, n, i
  real :: x(100)
  call mpi_init(e)
  call mpi_comm_rank(mpi_comm_world, me, e)
  n = me

  call mpi_barrier(mpi_comm_world, e)
  if (n /= mpi_undefined) then !block
    do i = 1, n
      x(i) = 1
    end do
  end if
  call mpi_finalize(e)
end program
