! ui: ir
! Procedure pointers are called through variables.
subroutine s
  procedure(f), pointer :: p
  external f
  p => f
  call p(1)
end
