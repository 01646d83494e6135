! Attributes, error handlers and infos as Fortran sees them.
module callbacks
  use mpi
  implicit none
  integer :: copies = 0, deletions = 0, handled = 0
contains
  subroutine copy(comm, key, extra, value, new, flag, code)
    integer :: comm, key, code
    integer(kind=MPI_ADDRESS_KIND) :: extra, value, new
    logical :: flag
    copies = copies + 1
    new = value + extra
    flag = .true.
    code = MPI_SUCCESS
  end subroutine copy

  subroutine drop(comm, key, value, extra, code)
    integer :: comm, key, code
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    deletions = deletions + int(value)
    code = MPI_SUCCESS
  end subroutine drop

  subroutine handle(comm, code)
    integer :: comm, code, class, ignored
    call MPI_Error_class(code, class, ignored)
    handled = class
  end subroutine handle
end module callbacks

program attributes
  use callbacks
  implicit none
  integer :: rank, code, key, same, old, made, length, handler, got, info, class
  integer(kind=MPI_ADDRESS_KIND) :: value, extra
  logical :: flag
  integer :: number
  character(len=MPI_MAX_ERROR_STRING) :: text
  character(len=20) :: word
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, code)
  if (rank == 0) write (*, *) 'tag bound', flag, value >= 32767
  call MPI_Attr_get(MPI_COMM_WORLD, MPI_HOST, number, flag, code)
  if (rank == 0) write (*, *) 'host', flag, number == MPI_PROC_NULL
  extra = 100
  call MPI_Comm_create_keyval(copy, drop, key, extra, code)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, same, extra, code)
  value = 5
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, code)
  value = -6
  call MPI_Comm_set_attr(MPI_COMM_WORLD, same, value, code)
  call MPI_Comm_dup(MPI_COMM_WORLD, made, code)
  call MPI_Comm_get_attr(made, key, value, flag, code)
  if (rank == 0) write (*, *) 'copied', flag, value, copies
  call MPI_Comm_get_attr(made, same, value, flag, code)
  if (rank == 0) write (*, *) 'duplicated', flag, value
  call MPI_Comm_free(made, code)
  if (rank == 0) write (*, *) 'deletions', deletions
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, code)
  if (rank == 0) write (*, *) 'deletions', deletions
  call MPI_Comm_free_keyval(key, code)
  if (rank == 0) write (*, *) 'freed', key == MPI_KEYVAL_INVALID
  call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, old, 0, code)
  call MPI_Attr_put(MPI_COMM_WORLD, old, -12, code)
  call MPI_Attr_get(MPI_COMM_WORLD, old, number, flag, code)
  if (rank == 0) write (*, *) 'old form', flag, number
  call MPI_Attr_delete(MPI_COMM_WORLD, old, code)

  call MPI_Comm_create_errhandler(handle, handler, code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, code)
  call MPI_Send(number, 1, MPI_INTEGER, 1000, 0, MPI_COMM_WORLD, code)
  call MPI_Error_class(code, class, number)
  if (rank == 0) write (*, *) 'handled', handled == MPI_ERR_RANK, class == MPI_ERR_RANK
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, got, code)
  if (rank == 0) write (*, *) 'same handler', got == handler
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call MPI_Add_error_class(class, code)
  call MPI_Add_error_string(class, 'of my own', code)
  call MPI_Error_string(class, text, length, code)
  if (rank == 0) write (*, *) text(1:length), length

  call MPI_Info_create(info, code)
  call MPI_Info_set(info, '  key ', ' some value  ', code)
  call MPI_Info_get(info, 'key', 20, word, flag, code)
  if (rank == 0) write (*, *) '[', word, ']', flag
  call MPI_Info_get_valuelen(info, 'key', length, flag, code)
  if (rank == 0) write (*, *) length, flag
  call MPI_Info_get_nthkey(info, 0, word, code)
  if (rank == 0) write (*, *) '[', word, ']'
  call MPI_Info_free(info, code)
  if (rank == 0) write (*, *) 'freed', info == MPI_INFO_NULL
  call MPI_Finalize(code)
end program attributes
