! ui: work
! Values computed from themselves change.
! - By way of another.
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
!case 1
    do i = 1, n
      x(i) = x(i)*0.5 + a(i)
    end do
!case 2
    x = b
    b = x*0.5
!end case
    do i = 1, n !block
      if (x(i) > 3) s = s + x(i)*x(i) + sin(x(i))
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)

end program
