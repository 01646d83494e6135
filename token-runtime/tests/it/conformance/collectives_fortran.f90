! Collectives from Fortran: in place, functions of the program, kinds of its own.
program collectives_fortran
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, ierr, op, request, i
  integer :: mine(2), all(2), table(64), status(MPI_STATUS_SIZE)
  logical :: truth, truths(3), commutes
  double precision :: pair(2), best(2)
  complex(kind(1d0)) :: z, product
  external :: affine

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)

  ! x -> a x + b, composed in the order of ranks.
  call MPI_Op_create(affine, .false., op, ierr)
  call MPI_Op_commutative(op, commutes, ierr)
  mine = [rank + 2, rank + 1]
  call MPI_Allreduce(mine, all, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call say('composed', all)
  all = mine
  call MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call say('composed in place', all)
  call MPI_Op_free(op, ierr)
  if (rank == 0) print '(a,2l2)', 'commutes and freed:', commutes, op == MPI_OP_NULL

  truth = mod(rank, 2) == 0
  call MPI_Allreduce(truth, truths(1), 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(truth, truths(2), 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(truth, truths(3), 1, MPI_LOGICAL, MPI_LXOR, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,3l2)', 'logical:', truths

  pair = [dble(mod(rank, 2)), dble(rank)]
  call MPI_Allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,2f6.1)', 'maxloc:', best
  z = cmplx(rank + 1, 1, kind(1d0))
  call MPI_Allreduce(z, product, 1, MPI_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a,2f9.1)', 'complex product:', product

  table = -1
  table(rank + 1) = rank * rank
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, table, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  call say('allgather in place', table(1:2))
  mine = rank
  call MPI_Ireduce(mine, all, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, request, ierr)
  call MPI_Wait(request, status, ierr)
  if (rank == 0) print '(a,2i5)', 'ireduce:', all
  call MPI_Finalize(ierr)

contains

  subroutine say(name, values)
    character(*), intent(in) :: name
    integer, intent(in) :: values(2)
    integer :: everything(2, 64), r
    call MPI_Gather(values, 2, MPI_INTEGER, everything, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      do r = 1, ranks
        print '(a,a,i3,a,2i9)', name, ' on rank', r - 1, ':', everything(:, r)
      end do
    end if
  end subroutine say

end program collectives_fortran

subroutine affine(earlier, later, count, datatype)
  implicit none
  integer :: count, datatype
  integer :: earlier(count), later(count)
  integer :: a, b
  a = later(1) * earlier(1)
  b = later(1) * earlier(2) + later(2)
  later(1:2) = [a, b]
end subroutine affine
