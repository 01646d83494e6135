! ui: work
! Unequal callees depend on the selector.
module works
  abstract interface
    subroutine worker(s)
      real, intent(inout) :: s
    end subroutine
  end interface
contains
  subroutine first(s)
    real, intent(inout) :: s
    integer :: i
!case 1 4
    s = s + 1
!case 2 3
    do i = 1, 100
      s = s + 1
    end do
!end case
  end subroutine
  subroutine second(s)
    real, intent(inout) :: s
    integer :: i
!case 1 3
    do i = 1, 100
      s = s + 1
    end do
!case 2

!case 4
    s = s + 2
!end case
  end subroutine
end module
program t
  use mpi
  use works
  procedure(worker), pointer :: one
  integer :: ierr, me
  real :: s
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  one => first
  if (me == 5) one => second
  s = 0
  call mpi_barrier(mpi_comm_world, ierr)
  call one(s)
  call mpi_finalize(ierr)
  print *, s
end program
