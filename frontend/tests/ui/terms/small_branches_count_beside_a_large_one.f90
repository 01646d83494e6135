! ui: terms
! If one branch executes many statements more than another, each branch that executes more than the shortest one has a count.
program t
  use mpi
  integer :: ierr, i, me
  real :: x(100)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  read *, x
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  do i = 1, 100 !block
    select case (mod(me, 3))
    case (0)
    case (1)
      x(i) = x(i) + 1
      x(i) = x(i)*2
      x(i) = x(i) + 3
      x(i) = x(i)*4
      x(i) = x(i) + 5
      x(i) = x(i)*6
    case default
      x(i) = x(i) + 1
    end select
  end do
!case 2
  do i = 1, 100 !block
    if (me == 0) then
      x(i) = x(i) + 1
      x(i) = x(i)*2
      x(i) = x(i) + 3
      x(i) = x(i)*4
      x(i) = x(i) + 5
      x(i) = x(i)*6
    else if (me == 1) then
      x(i) = x(i) + 1
    end if
  end do
!end case
  call mpi_finalize(ierr)
end program
