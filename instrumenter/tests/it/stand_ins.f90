! Stand-ins for MPI and for the token runtime on one rank: calls do nothing, timers must pair. A barrier of a
! negative communicator says so.
module pairs
  implicit none
  integer(4) :: open_block = -1
  integer(4) :: statements = 0
contains
  subroutine check_terms(count, terms)
    integer(4), intent(in) :: count
    integer(8), intent(in) :: terms(*)
    if (count > 0) then
      if (terms(1) < 0) error stop 'terms'
    end if
  end subroutine
end module pairs

subroutine mpi_comm_rank(comm, rank, ierror)
  implicit none
  integer :: comm, rank, ierror
  rank = 0
  ierror = comm*0
end subroutine

subroutine mpi_barrier(comm, ierror)
  implicit none
  integer :: comm, ierror
  if (comm < 0) print *, 'barrier', comm
  if (comm >= 0) ierror = 0
end subroutine

subroutine mpi_bcast(buffer, count, datatype, root, comm, ierror)
  implicit none
  real :: buffer
  integer :: count, datatype, root, comm, ierror
  buffer = buffer + 0*(count + datatype + root + comm)
  ierror = 0
end subroutine

subroutine mpiete_call(site, level)
  implicit none
  integer(4) :: site, level
  if (site < 0 .or. level < 0) error stop 'site'
end subroutine

subroutine mpiete_block(block, count, terms)
  use pairs
  implicit none
  integer(4) :: block, count
  integer(8) :: terms(*)
  if (block < 0) error stop 'block'
  call check_terms(count, terms)
end subroutine

subroutine mpiete_begin(block, count, terms)
  use pairs
  implicit none
  integer(4) :: block, count
  integer(8) :: terms(*)
  if (open_block /= -1) error stop 'begin inside a block'
  open_block = block
  call check_terms(count, terms)
end subroutine

subroutine mpiete_prologue(block, count, terms)
  use pairs
  implicit none
  integer(4) :: block, count
  integer(8) :: terms(*)
  if (open_block /= -1 .or. block < 0) error stop 'head inside a block'
  call check_terms(count, terms)
end subroutine

subroutine mpiete_epilogue(block, count, terms)
  use pairs
  implicit none
  integer(4) :: block, count
  integer(8) :: terms(*)
  if (open_block /= -1 .or. block < 0) error stop 'tail inside a block'
  call check_terms(count, terms)
end subroutine

subroutine mpiete_iteration_dependent(block)
  use pairs
  implicit none
  integer(4) :: block
  if (open_block /= -1 .or. block < 0) error stop 'changing inside a block'
end subroutine

subroutine mpiete_end(block)
  use pairs
  implicit none
  integer(4) :: block
  if (open_block /= block) error stop 'end without begin'
  open_block = -1
end subroutine

subroutine mpiete_loop(loop)
  implicit none
  integer(4) :: loop
  if (loop < 0) error stop 'loop'
end subroutine

subroutine mpiete_data_loop(loop)
  implicit none
  integer(4) :: loop
  if (loop < 0) error stop 'loop over data'
end subroutine

subroutine mpiete_iteration_dependent_loop(loop)
  implicit none
  integer(4) :: loop
  if (loop < 0) error stop 'changing loop'
end subroutine

logical(4) function mpiete_cut(loop)
  implicit none
  integer(4) :: loop
  mpiete_cut = loop < 0
end function

subroutine mpiete_section(which)
  implicit none
  integer(4) :: which
  if (which < 1 .or. which > 2) error stop 'section'
end subroutine

subroutine mpiete_section_on_call_path(which, way)
  implicit none
  integer(4) :: which, way
  if (which < 1 .or. which > 2 .or. way < 1) error stop 'section'
end subroutine

subroutine mpiete_call_path(calls)
  implicit none
  integer(4) :: calls
  if (abs(calls) /= 1) error stop 'way'
end subroutine

subroutine mpiete_count(count)
  use pairs
  implicit none
  integer(4) :: count
  if (count < 1) error stop 'count'
  statements = statements + count
end subroutine

logical(4) function mpiete_condition(number, value)
  implicit none
  integer(4) :: number
  logical(4) :: value
  if (number < 0) error stop 'number'
  mpiete_condition = value
end function

logical(4) function mpiete_exit_condition(number, value)
  implicit none
  integer(4) :: number
  logical(4) :: value
  if (number < 0) error stop 'number'
  mpiete_exit_condition = value
end function

logical(4) function mpiete_assumed_value(value, answer)
  implicit none
  logical(4) :: value, answer
  if (value) continue
  mpiete_assumed_value = answer
end function

logical(4) function mpiete_trip(number, evaluations)
  implicit none
  integer(4) :: number
  integer(8) :: evaluations
  mpiete_trip = number >= 0 .and. evaluations > 0
end function

subroutine mpiete_enter(number)
  implicit none
  integer(4) :: number
  if (number < 0) error stop 'number'
end subroutine

subroutine mpiete_enter_loop(number)
  implicit none
  integer(4) :: number
  if (number < 0) error stop 'number'
end subroutine

subroutine mpiete_iteration(number)
  implicit none
  integer(4) :: number
  if (number < 0) error stop 'number'
end subroutine

subroutine mpiete_assumption(number)
  implicit none
  integer(4) :: number
  if (number < 0) error stop 'number'
end subroutine

subroutine mpiete_branch_taken(number)
  implicit none
  integer(4) :: number
  if (number < 0) error stop 'number'
end subroutine

integer(4) function mpiete_jump(number, watched, labels, value)
  implicit none
  integer(4) :: number, labels
  integer(8) :: watched, value
  if (number < 0 .or. watched < 1 .or. labels < 1) error stop 'jump'
  mpiete_jump = int(value, 4)
end function

integer(4) function mpiete_sign(number, watched, value)
  implicit none
  integer(4) :: number
  integer(8) :: watched
  real(8) :: value
  if (number < 0 .or. watched < 1) error stop 'sign'
  mpiete_sign = 0
  if (value < 0) mpiete_sign = -1
  if (value > 0) mpiete_sign = 1
end function

! How many statements were counted so far.
subroutine report_statements(count)
  use pairs
  implicit none
  integer(4) :: count
  count = statements
end subroutine

subroutine mpiete_repeat(loop)
  implicit none
  integer(4) :: loop
  if (loop < 0) error stop 'repeat'
end subroutine

logical(4) function mpiete_loop_iteration(loop, count, signature)
  implicit none
  integer(4) :: loop, count
  integer(8) :: signature(*)
  mpiete_loop_iteration = loop < 0 .and. count > 0 .and. signature(1) > 1
end function

subroutine mpiete_repeated(loop)
  implicit none
  integer(4) :: loop
  if (loop < 0) error stop 'repeated'
end subroutine

subroutine mpiete_allocate(object, replaces, bytes)
  implicit none
  integer(4) :: object, replaces
  integer(8) :: bytes
  if (object < 0 .or. replaces < 0 .or. bytes < 0) error stop 'allocate'
end subroutine

subroutine mpiete_free(object)
  implicit none
  integer(4) :: object
  if (object < 0) error stop 'free'
end subroutine
