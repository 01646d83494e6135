! ui: order
! Order dependent array sizes.
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
    call automatic(index)
!case 2
    call automatic(last)
!case 3
    call text(index)
!case 4
    call text(last)
!case 5
    call sized(w, index)
!case 6
    call sized(w, last)
!case 7
    w(1) = sum([(w(j), j = 1, index)])
!case 8
    w(1) = sum([(w(j), j = 1, last)])
!case 9
    w(1) = sum([w(index), w(2), w(3)])
!case 10
    print *, (w(j), j = 1, last)
!case 11
    print *, index, last
!case 12
    print *, (w(j), j = 1, 3, last)
!case 13
    w(1) = sum(spread(w(2), 1, index))
!case 14
    w(1) = sum(spread(w(2), 1, last))
!case 15
    line = repeat('a', index)
!case 16
    line = repeat('a', last)
!case 17
    allocate(made(index))
    made = 1
    deallocate(made)
!case 18
    allocate(made(last))
    made = 1
    deallocate(made)
!case 19
    allocate(made(1:last))
    made = 1
    deallocate(made)
!end case
  end do
  call mpi_finalize(error)
end program
