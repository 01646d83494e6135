! ui: ir
! A function with a type of its own is called.
program p
  integer il2
  i = il2(4)
end
integer function il2(n)
  il2 = n/2
end
