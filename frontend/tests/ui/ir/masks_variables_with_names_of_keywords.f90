! ui: ir
! Variables with names of keywords.
subroutine s
!case 1
  character class
  integer close
  class = 'U'
  close = 3
  x = 1
!case 2
  integer write(9), read(9), data(9), end(9)
  write(i) = 2
  read(i) = 2
  data(2) = 4
end(1) = 2
!case 3
  integer data(9)
  logical l
  character class
  if (l) data(2) = 4
  if (l) class = 'U'
!case 4
  integer format, include, call
  format = 2
  include = 1
  call = 4
!end case
end
