! ui: slice
! What a rank reads before its first communication depends on its own earlier accesses only, though a later write may be to the
! same file. A reading after communication, or in a loop with the write, depends on it.
program t
  use mpi
  integer :: n, steps, r, ierr, it
  logical :: there
  real :: x
  character(20) :: restart
  namelist /run/ n, steps, restart
!case 1
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, r, ierr)
  open (10, file='run.nml', status='old')
  read (10, nml=run)
  close (10)
  x = r
  inquire (file=restart, exist=there)
  if (there) then
    open (11, file=restart, form='unformatted')
    read (11) x
    close (11)
  end if
  do it = 1, steps
    x = x + 1
    call mpi_allreduce(mpi_in_place, x, n, mpi_real, mpi_sum, mpi_comm_world, ierr)
  end do
  open (12, file=restart, form='unformatted')
  write (12) x
  close (12)
  call mpi_finalize(ierr)
!case 2
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, r, ierr)
  restart = 'state'
  x = r
  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  open (12, file=restart, form='unformatted')
  write (12) 1
  close (12)
  open (12, file=restart, form='unformatted')
  read (12) n
  close (12)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
!case 3
  call mpi_init(ierr)
  restart = 'state'
  do it = 1, 3
    open (12, file=restart)
    read (12, *) n
    close (12)
    open (12, file=restart)
    write (12, *) n + 1
    close (12)
  end do
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
!end case
end program
