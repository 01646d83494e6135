! ui: ir
! Select rank has a body for each rank.
subroutine s
  real :: x(..)
  select rank (x)
  rank (0)
  k = 0
  rank (1)
  k = 1
  rank default
  k = 2
end select
end
