/* Computes for ever, or fails if it has an argument; each rank leaves a file with its process id
   and the run's folder. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    volatile unsigned long steps = 0;
    char name[64];
    FILE *file;
    sprintf(name, "part-%s", getenv("MPIETE_RANK"));
    file = fopen(name, "w");
    fprintf(file, "%d %s", (int)getpid(), getenv("MPIETE_FOLDER"));
    fclose(file);
    rename(name, name + 5);
    if (argc > 1) return 3;
    MPI_Init(&argc, &argv);
    for (;;) steps++;
}
