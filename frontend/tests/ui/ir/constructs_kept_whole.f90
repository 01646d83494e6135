! ui: ir
! Constructs kept whole.
subroutine s
  real a(3), b(3)
  where (a > 0)
  b = a
elsewhere
  b = 1
end where
forall (i = 1:3) a(i) = b(i)
end
