! ui: slice
! Every way to the answer tests that the unit is not open.
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
!case 1
    got = -1
    do q = 11, 99
      inquire (unit=q, opened=o)
      if (.not. o) then
        got = q
        return
      end if
!case 2
    do q = 11, 99
      inquire (unit=q, opened=o)
      if (o) cycle
      got = q
      return
!case 3
    q = 11
    do
      inquire (unit=q, opened=o)
      if (.not. o) exit
      q = q + 1
!case 4
    do got = 11, 99
      inquire (unit=got, exist=there, opened=o)
      if (there .and. .not. o) return
!end case
    end do
!case 3
    got = q
!end case
  end function
end program
