! ui: ir
! Procedures as arguments and dummies.
subroutine s(f, g)
  external f
  x = f(2)
  call g(x)
  call t(f)
end
subroutine t(h)
  external u
  call s(u, h)
end
