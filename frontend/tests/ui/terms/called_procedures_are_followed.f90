! ui: terms
! Called procedures are followed.
module shared
  integer :: given, other
end module
program t
  use mpi
  use shared
  integer :: ierr, i, n, me, ranks, hi, mine, own, few(3), j, coordinates(1), status(mpi_status_size)
  real :: a(1000), time
  logical :: flag
  character(20) :: text
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  n = 1000
  hi = 0
  a = 1
!case 1
  call put(hi, me)
!case 2
  call put(hi, n)
!case 3
  call put_at_once(hi)
!case 4
  other = 5
  if (me == 0) call set()
  hi = other
!case 5
  call set()
  hi = other
!case 6
  hi = twice(me)
!case 7
  hi = twice(ranks)
!case 8
  call read_given()
  call give()
  hi = given
!case 9
  call read_given()
  hi = given
  call give()
!case 10
  call read_given()
  call give_some()
  hi = given
!case 11
  call give()
  call read_given()
  hi = given
!case 12
  call read_given()
  call give()
  hi = given
  if (me == 3) call read_given()
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n !block
    if (i*i <= hi) then
      a(i) = a(i) + 1
      a(i) = a(i)*a(i)
    end if
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_send(a, hi + given, mpi_real, mod(me + 1, ranks), 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  subroutine nothing()
  end subroutine
  subroutine put(to, what)
    integer, intent(out) :: to
    integer, intent(in) :: what
    to = what
  end subroutine
  subroutine put_at_once(to)
    integer, intent(inout) :: to
    if (me > 2) return
    to = 7
  end subroutine
  subroutine set()
    other = 7
  end subroutine
  integer function twice(what)
    integer, intent(in) :: what
    twice = 2*what
  end function
  subroutine read_given()
    if (me == 0) then
      given = 3
      read *, given
      if (given < 3) stop
    end if
  end subroutine
  subroutine give()
    call mpi_bcast(given, 1, mpi_integer, 0, mpi_comm_world, ierr)
  end subroutine
  subroutine give_some()
    if (n > 5) return
    call give()
  end subroutine
end program
