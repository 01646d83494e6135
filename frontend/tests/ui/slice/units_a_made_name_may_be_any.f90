! ui: slice
! A name that is made may be that of the file that is read.
module units
  integer :: log, deck
contains
  integer function free_unit()
    logical :: used
    integer :: u
    do u = 7, 99 !free
      inquire (unit=u, opened=used) !free
      if (.not. used) exit !free
    end do
    free_unit = u !free
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
  name = 'de' // 'ck'
  open (newunit=log, file=name)
  open (newunit=deck, file='deck')
  write (log, *) 'log'
  read (deck, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
