! ui: ir
! The library of openmp is known.
subroutine s
  use omp_lib
  integer(omp_lock_kind) :: l
  call omp_init_lock(l)
  i = omp_get_thread_num()
end
