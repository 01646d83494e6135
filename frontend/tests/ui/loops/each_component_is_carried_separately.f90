! ui: loops
! A loop carries each component of an object separately.
program t
  use mpi
  implicit none
  integer :: ierr, i, k, n, m, me, len, request, requests(4), status(mpi_status_size), last
  real :: x(100), t0, total(3)
  common /shared/ m, last
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  len = 1
  call step(n)
  call mpi_finalize(ierr)
end program
subroutine step(n)
  use mpi
  use objects
  integer :: i, n, ierr
  type(state) :: it
  real :: x(3)
  it%old = 1
  do i = 1, n
!case 1
    it%sum = it%sum + 1
!case 2
    it%new = it%old
!case 3
    it%old = it%old + 1
!case 4
    it%new = it%old
    it%old = it%new + 1
!end case
    call mpi_send(x, it%old, mpi_real, 0, 1, mpi_comm_world, ierr)
  end do
end subroutine
module objects
  type state
    integer :: old, new
    real :: sum
  end type
end module
