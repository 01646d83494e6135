! ui: slice
! The definition of a dummy leads back to itself through the calls of both procedures.
program t
  use mpi
  integer :: n, x, ierr
  call mpi_init(ierr)
  n = 7
  call p(n)
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  recursive subroutine p(one)
    integer, intent(inout) :: one
    if (one > 2) then
      one = one - 1
      call q(one)
    end if
  end subroutine
  recursive subroutine q(two)
    integer, intent(inout) :: two
    if (two > 2) then
      two = two - 2
      call p(two)
    end if
  end subroutine
end program
