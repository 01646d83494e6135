! ui: ir
! Internal procedures see their host.
program p
  real x(3)
  i = 1
  call q
contains
  subroutine q
    real i
    x(1) = i + j
  end
end
