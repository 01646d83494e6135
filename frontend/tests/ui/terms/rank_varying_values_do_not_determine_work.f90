! ui: terms
! Rank varying values do not determine work.
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
  hi = n/ranks*me
!case 2
  hi = 5
  if (me == 0) hi = 7
!case 3
  hi = 5
  flag = me > 2
  if (flag) then
    if (n > 3) hi = 7
  end if
!case 4
  do i = 1, me
    hi = hi + 1
  end do
!case 5
  do
    hi = hi + 1
    if (hi > me) exit
  end do
!case 6
  do i = 1, 5
    if (i > me) cycle
    hi = i
  end do
!case 7
  if (me > 2) goto 10
  hi = 5
10 continue
!case 8
  select case (me)
  case (1)
    hi = 3
  end select
!case 9
  call mpi_comm_split(mpi_comm_world, me/2, me, own, ierr)
  call mpi_comm_size(own, hi, ierr)
!case 10
  call mpi_comm_split(mpi_comm_world, me/2, me, own, ierr)
  hi = me
  call mpi_bcast(hi, 1, mpi_integer, 0, own, ierr)
!case 11
  call mpi_recv(hi, 1, mpi_integer, 0, 0, mpi_comm_world, status, ierr)
!case 12
  call mpi_scan(n, hi, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 13
  few = me
  hi = few(1)
!case 14
  call mpi_dims_create(me + 1, 3, few, ierr)
  hi = few(2)
!case 15
  write (text, '(i0)') me
  read (text, *) hi
!case 16
  write (text, '(i0)') me
  open (10, file=text)
  read (10, *) hi
!case 17
  write (text, '(i0)') me
  open (10, file=text)
  do
    read (10, *, end=10)
    hi = hi + 1
  end do
10 continue
!case 18
  call get_environment_variable('RANK', text)
  read (text, *) hi
!case 19
  call random_number(time)
  hi = int(time*n)
!case 20
  hi = int(mpi_wtime())
!case 21
  call system_clock(hi)
!case 22
  call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)
  if (me == 0) hi = 7
!case 23
  hi = me
  call mpi_bcast(hi, n - 999, mpi_integer, 0, mpi_comm_world, ierr)
!case 24
  mine = me
  hi = mine
  call mpi_bcast(mine, 1, mpi_integer, 0, mpi_comm_world, ierr)
!case 25
  mine = me
  if (mine > 2) hi = 3
  call mpi_bcast(mine, 1, mpi_integer, 0, mpi_comm_world, ierr)
!case 26
  do i = 1, 2
    hi = me
    if (i > 1) exit
    call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)
  end do
!case 27
  mine = 0
  if (me == 0) then
    hi = 5
    call mpi_bcast(hi, 1, mpi_integer, 0, mpi_comm_world, ierr)
  else
    call mpi_bcast(mine, 1, mpi_integer, 0, mpi_comm_world, ierr)
  end if
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

end program
