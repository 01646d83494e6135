/* The wave equation on a string, by finite differences: N points and T steps, the arguments or 1000 and 20. Each rank has a part of
   the string and exchanges its ends. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static const double squared_speed = 0.25, pi = 3.141592653589793;

int main(int argc, char **argv)
{
  int me, ranks, n = 1000, steps = 20, part, step, i;
  double *before, *now, *next, *string;
  MPI_Status status;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 2) {
    n = atoi(argv[1]);
    steps = atoi(argv[2]);
  }
  part = n / ranks;
  before = malloc(sizeof *before * (part + 2));
  now = malloc(sizeof *now * (part + 2));
  next = malloc(sizeof *next * (part + 2));
  string = malloc(sizeof *string * n);
  for (i = 0; i <= part + 1; i++)
    before[i] = now[i] = sin(2 * pi * ((double) me * part + i) / n);
  for (step = 1; step <= steps; step++) {
    double *oldest = before;
    if (me > 0) {
      MPI_Send(&now[1], 1, MPI_DOUBLE, me - 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&now[0], 1, MPI_DOUBLE, me - 1, 0, MPI_COMM_WORLD, &status);
    }
    if (me < ranks - 1) {
      MPI_Send(&now[part], 1, MPI_DOUBLE, me + 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&now[part + 1], 1, MPI_DOUBLE, me + 1, 0, MPI_COMM_WORLD, &status);
    }
    for (i = 1; i <= part; i++)
      next[i] = 2 * now[i] - before[i] + squared_speed * (now[i - 1] - 2 * now[i] + now[i + 1]);
    before = now;
    now = next;
    next = oldest;
  }
  MPI_Gather(&now[1], part, MPI_DOUBLE, string, part, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (me == 0) {
    double largest = string[0];
    for (i = 1; i < part * ranks; i++)
      if (string[i] > largest)
        largest = string[i];
    printf("largest %12.6f\n", largest);
  }
  MPI_Finalize();
  return 0;
}
