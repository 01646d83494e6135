! ui: ir
! A local scalar may bear a procedures name.
program p
  real error
  error = 1.0
  call t(error)
end
subroutine error
end
subroutine t(x)
end
