! ui: ir
! Bit patterns.
subroutine s
  integer i, j
  data i /x'0F'/, j /'0F'x/
  k = i
end
