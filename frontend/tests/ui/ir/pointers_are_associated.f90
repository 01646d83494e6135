! ui: ir
! Pointers are associated.
subroutine s
  real, pointer :: p(:), q(:, :)
  real, target :: x(9)
  type(t) :: u
  p => x(2:5)
  q(1:3, 1:3) => x
  u%p => p
  nullify(p)
end
