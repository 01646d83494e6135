! ui: ir
! Assigned goto without labels.
subroutine s
  integer i
  assign 20 to i
  if (i > 3) goto i
  go to i
10 i = 1
20 i = 2
end
