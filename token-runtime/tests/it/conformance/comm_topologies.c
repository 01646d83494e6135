/* Grids and graphs: what each function answers. */
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void turn(int begin)
{
    static int at;
    if (begin)
        for (at = 0; at < rank; at++)
            MPI_Barrier(MPI_COMM_WORLD);
    else {
        fflush(stdout);
        for (at = rank; at < size; at++)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void list(const char *name, int count, const int *values)
{
    printf("rank %d %s:", rank, name);
    for (int i = 0; i < count; i++)
        printf(" %d", values[i]);
    printf("\n");
}

static void grids(void)
{
    MPI_Comm grid, row;
    int dims[2] = {0, 0}, periods[2] = {0, 1}, coords[2], seen[2], loops[2], own, status, count, mapped;
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Cart_sub(grid, (int[]){0, 1}, &row);
    turn(1);
    list("dims", 2, dims);
    MPI_Topo_test(grid, &status);
    MPI_Cartdim_get(grid, &count);
    MPI_Comm_rank(grid, &own);
    MPI_Cart_coords(grid, own, 2, coords);
    list("coords", 2, coords);
    MPI_Cart_get(grid, 2, seen, loops, coords);
    list("get dims", 2, seen);
    list("get periods", 2, loops);
    list("get coords", 2, coords);
    MPI_Cart_rank(grid, coords, &own);
    coords[1] -= 1;
    MPI_Cart_rank(grid, coords, &count);
    printf("rank %d topo %d own %d neighbour %d\n", rank, status == MPI_CART, own, count);
    for (int direction = 0; direction < 2; direction++) {
        int ends[2];
        MPI_Cart_shift(grid, direction, 1, &ends[0], &ends[1]);
        list("shift", 2, ends);
        MPI_Cart_shift(grid, direction, -2, &ends[0], &ends[1]);
        list("shift back", 2, ends);
    }
    MPI_Cart_map(MPI_COMM_WORLD, 2, dims, periods, &mapped);
    MPI_Comm_size(row, &count);
    MPI_Comm_rank(row, &own);
    MPI_Cartdim_get(row, &status);
    printf("rank %d mapped %d row %d of %d dims %d\n", rank, mapped, own, count, status);
    MPI_Topo_test(MPI_COMM_WORLD, &status);
    printf("rank %d world has none %d\n", rank, status == MPI_UNDEFINED);
    turn(0);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){1}, (int[]){1}, 0, &grid);
    turn(1);
    printf("rank %d is left out %d\n", rank, grid == MPI_COMM_NULL);
    turn(0);
    if (grid != MPI_COMM_NULL)
        MPI_Comm_free(&grid);
}

/* A ring in which each rank knows its two neighbours. */
static void graphs(void)
{
    MPI_Comm graph;
    int index[64], edges[128], nodes, count, around[8], status, mapped;
    for (int i = 0; i < size; i++) {
        index[i] = 2 * (i + 1);
        edges[2 * i] = (i + 1) % size;
        edges[2 * i + 1] = (i + size - 1) % size;
    }
    MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &graph);
    turn(1);
    MPI_Topo_test(graph, &status);
    MPI_Graphdims_get(graph, &nodes, &count);
    printf("rank %d graph %d nodes %d edges %d\n", rank, status == MPI_GRAPH, nodes, count);
    MPI_Graph_get(graph, size, 2 * size, index, edges);
    list("index", size, index);
    list("edges", 2 * size, edges);
    MPI_Graph_neighbors_count(graph, rank, &count);
    MPI_Graph_neighbors(graph, rank, 8, around);
    list("neighbours", count, around);
    MPI_Graph_map(MPI_COMM_WORLD, size, index, edges, &mapped);
    printf("rank %d mapped %d\n", rank, mapped);
    turn(0);
    MPI_Comm_free(&graph);
}

static void show_distributed(const char *name, MPI_Comm comm)
{
    int in, out, weighted, sources[8], from[8] = {0}, targets[8], to[8] = {0}, status;
    turn(1);
    MPI_Topo_test(comm, &status);
    MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    MPI_Dist_graph_neighbors(comm, in, sources, weighted ? from : MPI_UNWEIGHTED, out, targets,
                             weighted ? to : MPI_UNWEIGHTED);
    printf("rank %d %s %d in %d out %d weighted %d\n", rank, name, status == MPI_DIST_GRAPH, in, out, weighted);
    list("sources", in, sources);
    list("weights", in, from);
    list("targets", out, targets);
    list("weights", out, to);
    turn(0);
}

static void distributed(void)
{
    MPI_Comm graph;
    int next = (rank + 1) % size, last = (rank + size - 1) % size, one = 1, weight = 10 + rank, back = 10 + last;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &last, &back, 1, &next, &weight, MPI_INFO_NULL, 0, &graph);
    show_distributed("adjacent", graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0, &last, MPI_UNWEIGHTED, rank == size - 1, &next,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    show_distributed("unweighted", graph);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &last, MPI_WEIGHTS_EMPTY, 0, &next, MPI_WEIGHTS_EMPTY,
                                   MPI_INFO_NULL, 0, &graph);
    show_distributed("empty", graph);
    MPI_Comm_free(&graph);
    /* Each names the edge from its neighbour to itself. */
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &next, &one, &rank, &weight, MPI_INFO_NULL, 0, &graph);
    show_distributed("distributed", graph);
    MPI_Comm_free(&graph);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    grids();
    graphs();
    distributed();
    MPI_Finalize();
    return 0;
}
