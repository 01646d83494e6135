! ui: ir
! Cray pointers are refused.
subroutine s
  integer i
  pointer (p, i)
  i = 1
end
