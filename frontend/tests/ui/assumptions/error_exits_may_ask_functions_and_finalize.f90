! ui: slice assumptions --propose-all
! An error exit may ask a function, and end MPI in an orderly way; what ends the run where nothing
! else does, or after its last messages, is no error exit.
! - What also ends a loop may be how the program is meant to end: tests of convergence.
program t
  use mpi
  integer :: ierr, i
  real(8) :: a(200), s
  call mpi_init(ierr)
  do i = 1, 200
    a(i) = sqrt(real(i))
  end do
  call mpi_allreduce(a(5), s, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (bad(s)) call die(13)
  if (s > 1d9) then
!case 3
    call mpi_barrier(mpi_comm_world, ierr)
!case 1
    print *, 'too much'
!else
    print *, 'too much'
!end case
    call mpi_finalize(ierr)
    stop
  else if (s > 1d8) then
    call quit
  end if
  do
    call mpi_barrier(mpi_comm_world, ierr)
    if (a(3) > s) then
      call mpi_finalize(ierr)
      stop
    end if
    a(3) = a(3) + a(2)
    if (a(3) > 1d30) call quit
    i = i + 1
!case 2
!else
    if (i > 300) exit
!end case
  end do
  call mpi_finalize(ierr)
  stop
contains
  logical function bad(v)
    real(8) :: v
    bad = v > 1d20 .or. v /= v
  end function
  subroutine die(code)
    integer :: code
    call mpi_abort(mpi_comm_world, code, ierr)
  end subroutine
  subroutine quit
    call mpi_finalize(ierr)
    stop
  end subroutine
end program
