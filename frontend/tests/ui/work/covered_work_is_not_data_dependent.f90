! ui: work
! The work of each is covered by a term, or by values of the slice, or is negligible.
! - Every way is gone in each iteration.
! - A maximum and its place.
! - Lines are printed now and then.
! - Little is done now and then beside a lot of work.
! - The index of a loop of the block, and a number that stays.
! - A term covers the number.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s

  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
!case 2
  x = me
!else

!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
!case 1
    do j = 1, 3
      do i = 1, n !block
        if (j == 2) then
          b(i) = 1
          a(i) = 2
        end if
      end do
      call mpi_barrier(mpi_comm_world, ierr)
    end do
!case 2
    x = x*2
    do i = 1, n !block
      if (x(i) > s) then
        s = x(i)
        j = i
      end if
    end do
!case 3
    if (k > 10) then !block
      do i = 1, n
        print *, s, a(i)
      end do
    end if
!case 4
    if (k > 10) b(1) = s + k !block
    call mpi_barrier(mpi_comm_world, ierr)
    do i = 1, n
      do j = 1, n
        x(j) = x(i)*2
        a(j) = 3
        b(j) = a(j)*2
      end do
      do j = 1, n
        x(j) = x(i)*2
        a(j) = 3
      end do
    end do
!case 5
    do i = 1, n !block
      if (i < n/2) then
        b(i) = 1
        a(i) = 2
      end if
    end do
!case 6
    do i = 1, k !block
      if (i < k/2) then
        b(i) = 1
        a(i) = 2
      end if
    end do
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)

end program
