! ui: terms
! A caller that does not mention a module's variable can name it if it uses the module.
module other
  integer :: n = 4
end module
module field
  implicit none
  integer :: n
  real :: w(1000)
contains
  subroutine set(k)
    integer, intent(in) :: k
    n = k
  end subroutine
  subroutine step()
    integer :: i
    do i = 1, n
      w(i) = w(i)*1.01
    end do
  end subroutine
end module
subroutine prepare(k)
  use field, only: set
  integer, intent(in) :: k
  call set(k)
end subroutine
program t
  use mpi
!case 1
  use field
!case 2
  use field, only: step, n
!end case
  integer :: ierr, me
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call prepare(me)
  call mpi_barrier(mpi_comm_world, ierr)
  call step() !block
  call mpi_barrier(mpi_comm_world, ierr)
end program
