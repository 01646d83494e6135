! The module mpi of mpiete. Buffers of any type and rank are taken without checks; everything else
! is checked by the compiler.
module mpi
  implicit none
  include 'mpif.h'

  interface
    subroutine mpi_init(ierror)
      integer, intent(out) :: ierror
    end subroutine mpi_init
    subroutine mpi_init_thread(required, provided, ierror)
      integer, intent(in) :: required
      integer, intent(out) :: provided, ierror
    end subroutine mpi_init_thread
    subroutine mpi_initialized(flag, ierror)
      integer, intent(out) :: ierror
      logical, intent(out) :: flag
    end subroutine mpi_initialized
    subroutine mpi_finalize(ierror)
      integer, intent(out) :: ierror
    end subroutine mpi_finalize
    subroutine mpi_finalized(flag, ierror)
      integer, intent(out) :: ierror
      logical, intent(out) :: flag
    end subroutine mpi_finalized
    subroutine mpi_abort(comm, errorcode, ierror)
      integer, intent(in) :: comm, errorcode
      integer, intent(out) :: ierror
    end subroutine mpi_abort
    subroutine mpi_get_processor_name(name, resultlen, ierror)
      integer, intent(out) :: resultlen, ierror
      character(len=*), intent(out) :: name
    end subroutine mpi_get_processor_name
    subroutine mpi_get_version(version, subversion, ierror)
      integer, intent(out) :: version, subversion, ierror
    end subroutine mpi_get_version
    subroutine mpi_get_library_version(version, resultlen, ierror)
      integer, intent(out) :: resultlen, ierror
      character(len=*), intent(out) :: version
    end subroutine mpi_get_library_version
    subroutine mpi_error_string(errorcode, string, resultlen, ierror)
      integer, intent(in) :: errorcode
      integer, intent(out) :: resultlen, ierror
      character(len=*), intent(out) :: string
    end subroutine mpi_error_string
    subroutine mpi_comm_rank(comm, rank, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: rank, ierror
    end subroutine mpi_comm_rank
    subroutine mpi_comm_size(comm, size, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: size, ierror
    end subroutine mpi_comm_size
    subroutine mpi_comm_dup(comm, newcomm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: newcomm, ierror
    end subroutine mpi_comm_dup
    subroutine mpi_comm_split(comm, color, key, newcomm, ierror)
      integer, intent(in) :: comm, color, key
      integer, intent(out) :: newcomm, ierror
    end subroutine mpi_comm_split
    subroutine mpi_comm_free(comm, ierror)
      integer, intent(inout) :: comm
      integer, intent(out) :: ierror
    end subroutine mpi_comm_free
    subroutine mpi_comm_set_errhandler(comm, errhandler, ierror)
      integer, intent(in) :: comm, errhandler
      integer, intent(out) :: ierror
    end subroutine mpi_comm_set_errhandler
    subroutine mpi_type_size(datatype, size, ierror)
      integer, intent(in) :: datatype
      integer, intent(out) :: size, ierror
    end subroutine mpi_type_size
    subroutine mpi_send(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*), intent(in) :: buf
      integer, intent(in) :: count, datatype, dest, tag, comm
      integer, intent(out) :: ierror
    end subroutine mpi_send
    subroutine mpi_recv(buf, count, datatype, source, tag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count, datatype, source, tag, comm
      integer, intent(out) :: ierror
      integer, intent(out) :: status(MPI_STATUS_SIZE)
    end subroutine mpi_recv
    subroutine mpi_sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, status, ierror)
      import :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      type(*), dimension(*), intent(in) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: sendcount, sendtype, dest, sendtag, recvcount, recvtype, source, &
        recvtag, comm
      integer, intent(out) :: ierror
      integer, intent(out) :: status(MPI_STATUS_SIZE)
    end subroutine mpi_sendrecv
    subroutine mpi_isend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*), intent(in) :: buf
      integer, intent(in) :: count, datatype, dest, tag, comm
      integer, intent(out) :: request, ierror
    end subroutine mpi_isend
    subroutine mpi_irecv(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      type(*), dimension(*) :: buf
      integer, intent(in) :: count, datatype, source, tag, comm
      integer, intent(out) :: request, ierror
    end subroutine mpi_irecv
    subroutine mpi_wait(request, status, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(inout) :: request
      integer, intent(out) :: ierror
      integer, intent(out) :: status(MPI_STATUS_SIZE)
    end subroutine mpi_wait
    subroutine mpi_waitall(count, array_of_requests, array_of_statuses, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: count
      integer, intent(out) :: ierror
      integer, intent(inout) :: array_of_requests(*)
      integer, intent(out) :: array_of_statuses(MPI_STATUS_SIZE, *)
    end subroutine mpi_waitall
    subroutine mpi_get_count(status, datatype, count, ierror)
      import :: MPI_STATUS_SIZE
      integer, intent(in) :: datatype
      integer, intent(out) :: count, ierror
      integer, intent(in) :: status(MPI_STATUS_SIZE)
    end subroutine mpi_get_count
    subroutine mpi_barrier(comm, ierror)
      integer, intent(in) :: comm
      integer, intent(out) :: ierror
    end subroutine mpi_barrier
    subroutine mpi_bcast(buffer, count, datatype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      type(*), dimension(*) :: buffer
      integer, intent(in) :: count, datatype, root, comm
      integer, intent(out) :: ierror
    end subroutine mpi_bcast
    subroutine mpi_reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      type(*), dimension(*), intent(in) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count, datatype, op, root, comm
      integer, intent(out) :: ierror
    end subroutine mpi_reduce
    subroutine mpi_allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      type(*), dimension(*), intent(in) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      type(*), dimension(*) :: recvbuf
      integer, intent(in) :: count, datatype, op, comm
      integer, intent(out) :: ierror
    end subroutine mpi_allreduce
  end interface
end module mpi
