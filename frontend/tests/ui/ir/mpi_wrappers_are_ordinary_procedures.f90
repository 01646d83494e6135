! ui: ir
! Mpi wrappers are ordinary procedures.
module comms
  use mpi_f08, only: mpi_comm, world => mpi_comm_world, mpi_comm_dup, mpi_barrier
  type(mpi_comm) :: own
contains
  subroutine start
    call mpi_comm_dup(world, own)
  end subroutine
  subroutine meet(where)
    type(mpi_comm), intent(in), optional :: where
    if (present(where)) then
      call mpi_barrier(where)
    else
      call mpi_barrier(own)
    end if
  end subroutine
end module
