! ui: ir
! Control that is not understood is refused.
subroutine s
  integer i, j
!case 1
  do 1 0 i=1,4
  j = 3
!case 2
  j = i f(i)
!end case
end
