! ui: ir
! Statement functions.
subroutine s
  f(x) = x*c
  y = f(2.0) + 1
end
