! ui: ir
! Unreadable statements are kept whole.
subroutine s
!case 1
  integer i, j
!case 2

!end case
  i = 1
!case 1
  j = i i + 2
  j = 3
!case 2
  call f(%val(i))
  i = 2
!end case
end
