! ui: work
! Called procedures are followed.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
  a = me
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
!case 2
    call halve(a)
!case 3
    call halve(b)
!case 4
    call fill(a, k)
!case 1
!end case
    call count(a)
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)
contains
  subroutine count(y)
    real, intent(in) :: y(100)
    integer :: l
    call mpi_barrier(mpi_comm_world, ierr)
    do l = 1, 50 !block
      if (y(l) > 3) s = s + y(l)*y(l) + sin(y(l))
    end do
  end subroutine
  subroutine halve(y)
    real, intent(inout) :: y(100)
    y = y*0.5
  end subroutine
  subroutine fill(y, level)
    real, intent(inout) :: y(100)
    integer, intent(in) :: level
    if (level > 5) return
    y = 0
  end subroutine
end program
