! ui: slice
! A unit that is open, that is not tested, or that is another than the one that was asked about is
! any unit.
program t
  use mpi
  integer :: n, ierr, deck
  real :: x
  call mpi_init(ierr)
  open (20, file='log')
  write (20, *) 3
  deck = got()
  open (deck, file='deck')
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  integer function got()
    integer :: q
    logical :: o, there
!case 1 2
    got = -1
    do q = 11, 99
!case 3
    q = 20
!case 4
    do q = 11, 99
!case 5
    q = 19
!end case
    inquire (unit=q, opened=o)
!case 1
      if (o) then
        got = q
        return
      end if
    end do
!case 2
      if (o) got = q
    end do
!case 3
    if (o .and. q > 30) q = 12
    got = q
!case 4
      if (.not. o .or. q > 20) exit
    end do
    got = q
!case 5
    if (.not. o) q = q + 1
    got = q
!end case
  end function
end program
