! ui: ir
! Blank common and lengths.
subroutine s
  common // x(3), y
  character n*(10), m*4
  n = m
end
