! ui: section --timed
! `t(n) = t(n) - now()` in one procedure and `+` in the other, `t(n) = -now()`; not the other way
! round.
program t
  use mpi
  integer :: ierr, i, c0, c1, n; real(8) :: t0, t1, t(4), timer, wall; logical :: last
  call mpi_init(ierr)
!case 6
  t0 = -mpi_wtime()
!else
  call start(1)
!end case
  call mpi_barrier(mpi_comm_world, ierr)
!case 6
  t0 = t0 + mpi_wtime()
!else
  call finish(1)
!end case
  call mpi_finalize(ierr)
end program
!case 1
real(8) function now()
  use mpi
  now = mpi_wtime()
end function
subroutine start(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = begun(n) - now()
end subroutine
subroutine finish(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = begun(n) + now()
end subroutine
!case 2
real(8) function now()
  use mpi
  now = mpi_wtime()
end function
subroutine start(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = -now()
end subroutine
subroutine finish(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = begun(n) + now()
end subroutine
!case 3
real(8) function now()
  use mpi
  now = mpi_wtime()
end function
subroutine start(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = -now()
end subroutine
subroutine finish(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = now() + begun(n)
end subroutine
!case 4
real(8) function now()
  use mpi
  now = mpi_wtime()
end function
subroutine start(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = begun(n) + now()
end subroutine
subroutine finish(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = begun(n) + now()
end subroutine
!case 5
real(8) function now()
  use mpi
  now = mpi_wtime()
end function
subroutine start(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = begun(n) - now()
end subroutine
subroutine finish(n)
  integer :: n
  real(8) :: begun(9), now
  common /kept/ begun
  begun(n) = begun(n) - now()
end subroutine
!end case
