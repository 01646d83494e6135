! ui: work
! Trip counts of earlier loops change.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
  a = me
  first = me
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
!case 2
    j = 0
!end case
    if (k > 5) then
      do j = 1, 60
      end do
    end if
    do i = 1, n !block
!case 1
      if (j > 50) s = s + x(i)*x(i) + sin(x(i))
!case 2
      if (first(j) > 50) s = s + x(i)*x(i) + sin(x(i))
!end case
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)

end program
