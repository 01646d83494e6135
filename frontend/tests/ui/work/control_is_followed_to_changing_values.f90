! ui: work
! Control is followed to changing values.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, first(100)
  real :: a(100), b(100), x(100), s
!case 1
  logical :: late
!case 2
  character(3) :: word
!case 3 4 7 15 18
  integer :: m
!case 5 8 9 10 11 12 13 16 17

!case 6
  logical :: is
!case 14
  type box
    integer :: a
  end type
  type(box) :: one
!end case
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
!case 1
  late = .false.
!case 2
  word = 'off'
!case 3 15
  m = 0
!case 4 11 12 13 17

!case 5 6 7 8 9 16
  x = 0
!case 10
  first = 0
!case 14
  one%a = 0
!case 18
  m = 3
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do k = 1, 20
!case 1
    if (k > 10) late = .true.
!case 2
    if (k > 10) word = 'on'
!case 3
    if (k > 10) m = 4
!case 4
    m = merge(1, 0, mod(k, 10) > 6)
!case 5 6 7 8 9 16
    x(k) = 1
!case 10
    first(k) = 1
!case 11 12 13 18

!case 14
    if (k > 9) one%a = 1
!case 15
    m = iand(ieor(m*5 + 3, k), 1023)
!case 17
    call random_number(s)
!end case
    do i = 1, n !block
!case 1
      if (late) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 2
      if (word == 'on') then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 3
      if (m == 4) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 4
      if (m > 0) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 5
      s = x(i)
      if (s > 0.5) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 6
      is = x(i) > 0.5
      if (is) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 7
      m = nint(x(i))
      if (m == 1) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 8
      if (large(i)) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 9
      if (number(x(i)) > 0) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 10
      if (all(first(1:i) == 0)) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 11
      if (i < k) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 12
      if (k > 10) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 13
      if (mod(k, 10) > 6) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 14
      if (one%a > 0) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 15
      if (iand(m, 512) > 0) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 16
      associate (z => x(i))
        if (z > 0.5) then
          s = s + 1
          s = s*0.5
          b(i) = s + sin(s)
        end if
      end associate
!case 17
      if (s > 0.5) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!case 18
      m = m*5 - m/7
      if (mod(m, 2) == 0) then
        s = s + 1
        s = s*0.5
        b(i) = s + sin(s)
      end if
!end case
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do

  call mpi_finalize(ierr)
contains
  logical function large(l)
    integer, intent(in) :: l
    large = x(l) > 0.5
  end function
  integer function number(y)
    real, intent(in) :: y
    number = 0
    if (y > 0.5) number = 1
  end function
end program
