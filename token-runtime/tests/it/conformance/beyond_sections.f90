! Sections of arrays with gaps in collectives of use mpi_f08 that combine data or give each rank a part of
! its own, which MPICH refuses or mistakes: they do what they do with copies that have no gaps.
program sections
  use mpi_f08
  implicit none
  integer, parameter :: most = 8
  integer :: rank, size, i
  integer :: a(6, 6), b(6, 6), c(6, 6), wide(3, 4 * most), tight(4 * most), other(4 * most), lines(2, 4 * most)
  integer :: counts(most), places(most)
  type(MPI_Request) :: request
  type(MPI_Op) :: minus
  type(MPI_Datatype) :: types(most), pair
  call mpi_init()
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, size)

  call fill()
  call mpi_allreduce(a(2, :), b(:, 2), 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  tight(1:6) = a(2, :)
  call mpi_allreduce(MPI_IN_PLACE, tight, 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  c(:, 2) = tight(1:6)
  call mpi_allreduce(a(2:6:2, 1), b(1, 4:6), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  c(1, 4:6) = [(2 * i + 100 * (size - 1), i = 1, 3)]
  call mpi_allreduce(MPI_IN_PLACE, b(6:2:-4, 5:6), 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  c(6:2:-4, 5:6) = size * c(6:2:-4, 5:6)
  call compare('allreduce')

  call fill()
  call mpi_reduce(a(3, 1:6:2), b(2:6:2, 3), 3, MPI_INTEGER, MPI_SUM, size - 1, MPI_COMM_WORLD)
  if (rank == size - 1) c(2:6:2, 3) = size * [3, 15, 27] + 50 * size * (size - 1)
  call mpi_scan(a(4, :), b(5, :), 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  c(5, :) = (rank + 1) * [(6 * i - 2, i = 1, 6)] + 50 * rank * (rank + 1)
  call mpi_exscan(a(4, :), b(1, :), 6, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank > 0) c(1, :) = rank * [(6 * i - 2, i = 1, 6)] + 50 * rank * (rank - 1)
  call compare('reduce and scans')

  call fill()
  call mpi_reduce_local(a(1:6:2, 2), b(2, 1:3), 3, MPI_INTEGER, MPI_MAX)
  c(2, 1:3) = a(1:6:2, 2)
  call mpi_op_create(subtract, .false., minus)
  call mpi_reduce_local(a(1:6:2, 2), b(4, 1:3), 3, MPI_INTEGER, minus)
  c(4, 1:3) = a(1:6:2, 2) - c(4, 1:3)
  call mpi_op_free(minus)
  call compare('reduce_local')

  ! Each rank's part.
  tight = [(i, i = 1, 4 * most)] + 1000 * rank
  wide = -1
  call mpi_gather(tight(1:8:4), 2, MPI_INTEGER, wide(2, :), 2, MPI_INTEGER, 0, MPI_COMM_WORLD)
  if (rank == 0) call expect('gather', wide(2, :2 * size), [([1, 5] + 1000 * i, i = 0, size - 1)])
  wide(3, :) = [(i, i = 1, 4 * most)] - 1
  call mpi_scatter(wide(3, :), 3, MPI_INTEGER, wide(1, 2:6:2), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call expect('scatter', wide(1, 2:6:2), [(3 * rank + i, i = 0, 2)])
  wide = -1
  call mpi_allgather(tight(2:4:2), 2, MPI_INTEGER, wide(2, ::2), 2, MPI_INTEGER, MPI_COMM_WORLD)
  call expect('allgather', wide(2, 1:4 * size:2), [([2, 4] + 1000 * i, i = 0, size - 1)])
  wide = -1
  call mpi_alltoall(tight(::2), 1, MPI_INTEGER, wide(1, :), 1, MPI_INTEGER, MPI_COMM_WORLD)
  call expect('alltoall', wide(1, :size), [(2 * rank + 1 + 1000 * i, i = 0, size - 1)])
  call mpi_alltoall(MPI_IN_PLACE, 0, MPI_INTEGER, wide(1, :), 1, MPI_INTEGER, MPI_COMM_WORLD)
  call expect('alltoall in place', wide(1, :size), [(2 * i + 1 + 1000 * rank, i = 0, size - 1)])

  counts = 2
  places = [(3 * i, i = 0, most - 1)]
  wide = -1
  call mpi_allgatherv(tight(2:4:2), 2, MPI_INTEGER, wide(2, :), counts, places, MPI_INTEGER, MPI_COMM_WORLD)
  call expect('allgatherv', wide(2, :3 * size), [([2 + 1000 * i, 4 + 1000 * i, -1], i = 0, size - 1)])
  lines = 0
  call mpi_alltoallv(wide(2, :), counts, places, MPI_INTEGER, lines(2, :), counts, places, MPI_INTEGER, &
    MPI_COMM_WORLD)
  call expect('alltoallv', lines(2, :3 * size), &
    [([2 + 1000 * rank, 4 + 1000 * rank, 0], i = 0, size - 1)])
  types = MPI_INTEGER
  lines = 0
  call mpi_alltoallw(wide(2, :), counts, 4 * places, types, lines(1, :), counts, 4 * places, types, &
    MPI_COMM_WORLD)
  call expect('alltoallw', lines(1, :3 * size), &
    [([2 + 1000 * rank, 4 + 1000 * rank, 0], i = 0, size - 1)])
  lines = 0
  call mpi_reduce_scatter_block(tight(::2), lines(1, ::4), 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  call expect('reduce_scatter_block', lines(1, 1:8:4), [4 * rank + 1, 4 * rank + 3] + 1000 * (size - 1))

  ! A derived datatype counts elements of the section.
  call fill()
  call mpi_type_contiguous(2, MPI_INTEGER, pair)
  call mpi_type_commit(pair)
  b(1:6:2, 1:4:3) = a(1:6:2, 1:4:3)
  call mpi_bcast(b(1:6:2, 1:4:3), 3, pair, 0, MPI_COMM_WORLD)
  call mpi_type_free(pair)
  c(1:6:2, 1:4:3) = a(1:6:2, 1:4:3) - 100 * rank
  call compare('pairs')

  ! The section itself has gone out of sight when the collective completes.
  call fill()
  call started(a(1:6:2, 1:4), b(1:5:4, :), request)
  call mpi_wait(request, MPI_STATUS_IGNORE)
  tight(1:12) = [a(1:6:2, 1:4)]
  call mpi_allreduce(tight, other, 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  c(1:5:4, :) = reshape(other(1:12), [2, 6])
  call mpi_allreduce_init(a(2, :), b(2, :), 6, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, MPI_INFO_NULL, request)
  do i = 1, 2
    call mpi_start(request)
    call mpi_wait(request, MPI_STATUS_IGNORE)
  end do
  call mpi_request_free(request)
  c(2, :) = a(2, :) - 100 * rank
  call compare('started')
  print '(a, i0)', 'sections compared on rank ', rank
  call mpi_finalize()

contains

  subroutine fill()
    a = reshape([(i, i = 1, 36)], [6, 6]) + 100 * rank
    b = -1
    c = -1
  end subroutine fill

  subroutine compare(what)
    character(len=*), intent(in) :: what
    if (any(b /= c)) print '(2a, 2(/, 36i5))', 'wrong: ', what, b, c
  end subroutine compare

  subroutine expect(what, found, expected)
    character(len=*), intent(in) :: what
    integer, intent(in) :: found(:), expected(:)
    if (any(found /= expected)) print '(2a, 2(/, 36i5))', 'wrong: ', what, found, expected
  end subroutine expect

  subroutine started(from, to, request)
    integer, asynchronous :: from(:, :), to(:, :)
    type(MPI_Request) :: request
    call mpi_iallreduce(from, to, 12, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
  end subroutine started

  subroutine subtract(first, second, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: first, second
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: left(:), right(:)
    call c_f_pointer(first, left, [length])
    call c_f_pointer(second, right, [length])
    right = left - right
  end subroutine subtract
end program
