! Grids, graphs, groups and names as Fortran sees them.
program topologies
  use mpi
  implicit none
  integer :: rank, ranks, grid, row, dims(2), coords(2), seen(2), source, dest, length, own, turn, code
  integer :: all, part, made, ranges(3, 1), near(2), weights(2), in, out, sources(4), targets(4), from(4), to(4)
  integer :: shared
  logical :: periods(2), loops(2), flag, weighted
  character(len=MPI_MAX_OBJECT_NAME) :: name
  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, code)
  dims = 0
  periods = [.false., .true.]
  call MPI_Dims_create(ranks, 2, dims, code)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, .true., grid, code)
  call MPI_Cart_sub(grid, [.true., .false.], row, code)
  call MPI_Comm_set_name(grid, 'the grid', code)
  call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, shared, code)
  near = [modulo(rank - 1, ranks), modulo(rank + 1, ranks)]
  weights = [rank, rank + 1]
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, near, weights, 2, near, weights, MPI_INFO_NULL, &
    & .false., made, code)
  do turn = 0, ranks - 1
    call MPI_Barrier(MPI_COMM_WORLD, code)
    if (turn /= rank) cycle
    call MPI_Cart_get(grid, 2, seen, loops, coords, code)
    write (*, '(a, 5i3, 2l3)') 'grid', rank, seen, coords, loops
    call MPI_Cart_coords(grid, rank, 2, coords, code)
    call MPI_Cart_rank(grid, coords, own, code)
    call MPI_Cart_shift(grid, 0, 1, source, dest, code)
    write (*, '(a, 4i3)') 'shift', rank, own, source, dest
    call MPI_Cart_shift(grid, 1, 1, source, dest, code)
    write (*, '(a, 3i3)') 'shift', rank, source, dest
    call MPI_Comm_size(row, length, code)
    call MPI_Comm_rank(row, own, code)
    write (*, '(a, 3i3)') 'row', rank, own, length
    call MPI_Comm_get_name(grid, name, length, code)
    call MPI_Comm_test_inter(grid, flag, code)
    write (*, '(3a, i3, l3)') '[', trim(name), ']', length, flag
    call MPI_Comm_size(shared, length, code)
    write (*, '(a, i3)') 'shared', length
    call MPI_Comm_group(MPI_COMM_WORLD, all, code)
    ranges(:, 1) = [ranks - 1, 0, -1]
    call MPI_Group_range_incl(all, 1, ranges, part, code)
    call MPI_Group_rank(part, own, code)
    call MPI_Group_translate_ranks(part, 1, [0], all, coords, code)
    write (*, '(a, 3i3)') 'group', rank, own, coords(1)
    call MPI_Group_free(part, code)
    call MPI_Dist_graph_neighbors_count(made, in, out, weighted, code)
    call MPI_Dist_graph_neighbors(made, 2, sources, from, 2, targets, to, code)
    write (*, '(a, 11i3, l2)') 'graph', rank, in, out, sources(1:2), targets(1:2), from(1:2), to(1:2), weighted
    flush (6)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, code)
  call MPI_Comm_free(row, code)
  call MPI_Comm_free(grid, code)
  if (rank == 0) write (*, *) 'freed', grid == MPI_COMM_NULL
  call MPI_Finalize(code)
end program topologies
