! ui: ir
! Alternate returns.
subroutine s(a, *)
  call t(a, *10)
10 return 1
end
