! ui: ir
! Missing declarations are reported.
!case 1
program p
  implicit none
  include 'x.h'
  i = 1
end
!case 2
Dear all,
this is a letter.
!case 3
subroutine s
end
subroutine s
end
!end case
