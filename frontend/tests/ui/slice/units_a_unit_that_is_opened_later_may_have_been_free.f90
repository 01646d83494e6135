! ui: slice
! A number that is used before any OPEN of it may be that of a unit that was free.
module units
  integer :: log, deck
contains
  integer function free_unit()
    logical :: used
    integer :: u
    do u = 7, 99
      inquire (unit=u, opened=used)
      if (.not. used) exit
    end do
    free_unit = u
  end function
  integer function next_unit(before)
    integer :: before
    next_unit = before + 1 !next
  end function
end module
program t
  use mpi
  use units
  integer :: n, ierr, other, rank
  character(9) :: name
  real :: x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, rank, ierr)
  log = 8
!case 1
  open (log, file='log')
  write (log, *) 3
!end case
  deck = free_unit()
  open (deck, file='deck')
!case 2
  write (log, *) 3
  open (log, file='log')
!end case
  write (log, *) 'log'
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
