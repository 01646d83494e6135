! ui: slice
! What a pointer in an expression aims at is read where the expression is passed, though the dummy
! is not read.
program t
  use mpi
  integer, target :: k
  integer :: n, ierr
!case 4
  integer, allocatable :: p
!case 5
  integer, allocatable :: p(:)
!case 1
  integer, pointer :: p
!else
  integer, pointer :: p
!end case
  call mpi_init(ierr)
!case 4
  allocate(p)
  p = 5
!case 5
  allocate(p(3))
  p = 5
!else
  p => k
  k = 5
!end case
  n = 3
!case 2
  call sub((p))
!case 3
  call sub(-p)
!else
  call sub(n + p)
!end case
  call mpi_finalize(ierr)
contains
  subroutine sub(m)
    integer :: m(*)
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end program
