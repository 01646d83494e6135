! ui: order
! Functions with a state.
module shared
  use mpi
  integer, parameter :: n = 3
  integer :: list(n), statuses(mpi_status_size, n), number, total, last
  real :: w(1000)
contains
  subroutine first()
    integer :: j
    do j = 1, list(1)
      w(j) = 0
    end do
  end subroutine
  subroutine by_number()
    integer :: j
    do j = 1, number
      w(j) = 0
    end do
  end subroutine
  subroutine upto(many)
    integer :: many, j
    do j = 1, many
      w(j) = 0
    end do
  end subroutine
  integer function numbered()
    numbered = number
  end function
  integer function next()
    integer, save :: state = 0
    state = state + 1
    next = state
  end function
  integer function sum_with(more)
    integer :: more
    total = total + more
    sum_with = total
  end function
  integer function twice(of)
    integer :: of
    twice = 2 * of
  end function
  subroutine automatic(many)
    integer :: many
    real :: made(many)
    made = 1
    w(1) = sum(made)
  end subroutine
  subroutine text(many)
    integer :: many
    character(len=many) :: made
    made = 'a'
    print *, made
  end subroutine
  subroutine sized(array, many)
    integer :: many
    real :: array(many)
    array = array + 1
  end subroutine
end module
program t
  use shared
  integer :: i, j, index, count, done, error, reqs(n)
  integer, allocatable :: made(:)
  character(len=100) :: line
  call mpi_init(error)
  do i = 1, n
    call mpi_waitany(n, reqs, index, mpi_status_ignore, error)
    last = last + index
!case 1
    if (twice(index) > 2) then
      do j = 1, 100
        w(j) = 0
      end do
    end if
!case 2
    if (sum_with(index) > 2) then
      do j = 1, 100
        w(j) = 0
      end do
    end if
!case 3
    if (index == next()) then
      do j = 1, 100
        w(j) = 0
      end do
    end if
!case 4
    w(1:twice(index)) = 0
!case 5
    w(1:sum_with(index)) = 0
!case 6
    call upto(twice(index))
!case 7
    call upto(sum_with(index))
!case 8
    call upto(twice(sum_with(index)))
!case 9
    w(1) = sum_with(index)
!end case
  end do
  call mpi_finalize(error)
end program
