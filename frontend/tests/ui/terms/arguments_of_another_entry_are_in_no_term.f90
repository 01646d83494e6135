! ui: terms
! Behind an ENTRY, arguments of the others are nothing.
program t
  use mpi
  integer :: ierr, me
  logical :: flag
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  flag = me > 3
  call sweep(flag, me)
  call mpi_finalize(ierr)
end program
subroutine sweep(flag, k)
  use mpi
  logical :: flag
  integer :: k, i, ierr
  real, save :: x(100)
!case 1

!case 2
  entry again(flag)
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  if (flag) then !block
    do i = 1, k
      x(i) = x(i) + 1
    end do
  end if
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
