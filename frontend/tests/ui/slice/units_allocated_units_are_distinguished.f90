! ui: slice
! Two units that are free when they are got are two files, if these have two names.
module units
  integer :: log, deck
contains
  integer function free_unit()
    logical :: used
    integer :: u
!case 4 5
    do u = 7, 99 !free
      inquire (unit=u, opened=used) !free
      if (.not. used) exit !free
!else
    do u = 7, 99
      inquire (unit=u, opened=used)
      if (.not. used) exit
!end case
    end do
!case 4 5
    free_unit = u !free
!else
    free_unit = u
!end case
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
!case 1
  log = free_unit()
  open (log, file='log')
  deck = free_unit()
  open (deck, file='deck')
!case 2
  log = free_unit()
  open (log, file='deck')
  deck = free_unit()
  open (deck, file='deck')
!case 3
  log = free_unit()
  open (log, file='new')
  deck = free_unit()
  open (deck, file='new')
!case 4
  open (newunit=log, file='log')
  open (newunit=deck, file='deck')
!case 5
  open (newunit=log, file='./deck')
  open (newunit=deck, file='deck')
!end case
  write (log, *) 'log'
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
