! ui: terms
! Functions of the program that only assign to their own variables have the values that they compute.
! - 3: a function with a loop. 4: one that reads what the caller changes afterwards. 5: recursion.
module kept
  integer :: width = 3
contains
  pure integer function scaled(a)
    integer, intent(in) :: a
    scaled = a*width
  end function
end module
program t
  use mpi
  use kept
  integer, parameter :: n = 200
  integer :: me, np, ierr, k
  real :: u(1000)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  width = np
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  do k = me + 1, n, stride(np) !block
!case 2
  do k = scaled(me + 1), n, scaled(2) !block
!case 3
  do k = 1, looped(np) !block
!case 4
  k = scaled(2) !block
  width = 4
  do k = k, n, scaled(1)
!case 5
  do k = 1, endless(np) !block
!end case
    u(k) = u(k) + 1
  end do
  call mpi_finalize(ierr)
contains
  integer function stride(a)
    integer, intent(in) :: a
    stride = a + 1
  end function
  integer function looped(a)
    integer, intent(in) :: a
    integer :: i
    looped = 0
    do i = 1, a
      looped = looped + i
    end do
  end function
  recursive integer function endless(a) result(r)
    integer, intent(in) :: a
    r = 1
    if (a > 1) r = endless(a - 1)
  end function
end program
