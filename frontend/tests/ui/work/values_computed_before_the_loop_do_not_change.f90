! ui: work
! Values computed before the loop do not change.
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
    do i = 1, n !block
!case 1
      if (a(i) > 3) s = s + x(i)*x(i) + sin(x(i))
!case 2
      do j = first(i), first(i + 1)
        s = s + a(j)
      end do
!end case
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)

end program
