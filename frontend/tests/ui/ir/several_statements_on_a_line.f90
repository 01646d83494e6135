! ui: ir
! Several statements on a line.
subroutine s

  a = 1; b = 2; if (a) c = 3
end
