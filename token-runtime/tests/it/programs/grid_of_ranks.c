/* A grid of ranks 16 columns wide, with communicators for its rows and columns. Only how many points
   there are is known to one rank alone, which gives it to the others. */
#include "mpi.h"

extern void mpiete_call_(int *site, int *level);

enum { RECORDED, ENVELOPE, PAYLOAD };

static void at(int site, int level) {
    mpiete_call_(&site, &level);
}

static int share(int points, int parts, int part) {
    return points / parts + (part < points % parts);
}

int main(int argc, char **argv) {
    static double data[4000];
    int rank, ranks, points = 0, columns = 16;
    MPI_Comm in_row, in_column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int rows = ranks / columns, x = rank % columns, y = rank / columns;
    if (rank == ranks - 1) points = 1000;
    at(1, PAYLOAD);
    MPI_Bcast(&points, 1, MPI_INT, ranks - 1, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, y, x, &in_row);
    MPI_Comm_split(MPI_COMM_WORLD, x, -y, &in_column);
    int width = share(points, columns, x), height = share(points, rows, y);
    for (int step = 0; step < 3; step++) {
        at(2, RECORDED);
        MPI_Send(data, height, MPI_DOUBLE, (x + 1) % columns, 0, in_row);
        at(3, RECORDED);
        MPI_Recv(data, height, MPI_DOUBLE, (x + columns - 1) % columns, 0, in_row, MPI_STATUS_IGNORE);
        if (y > 0) {
            at(4, RECORDED);
            MPI_Send(data, width, MPI_DOUBLE, rank - columns, 1, MPI_COMM_WORLD);
        }
        if (y < rows - 1) {
            at(5, RECORDED);
            MPI_Recv(data, width, MPI_DOUBLE, rank + columns, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        at(6, RECORDED);
        MPI_Bcast(data, width, MPI_DOUBLE, rows / 2, in_column);
    }
    return MPI_Finalize();
}
