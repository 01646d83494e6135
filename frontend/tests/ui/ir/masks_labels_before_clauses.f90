! ui: ir
! Labels before clauses.
subroutine s

  if (a == 1) then
    i = 1
10 else if (a == 2) then
    i = 2
20 else
    i = 3
30 endif
  select case (i)
40 case (1)
    j = 1
  end select
end
