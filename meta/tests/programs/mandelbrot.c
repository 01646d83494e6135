/* The Mandelbrot set on N x N points, N the first argument or 64. Each rank computes a block of rows; rank 0 collects them in the
   order of arrival. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int most = 251;

static int iterations(int n, int column, int row)
{
  float re = -2.0f + 3.0f * column / n, im = -1.5f + 3.0f * row / n;
  float x = 0.0f, y = 0.0f;
  int count;
  for (count = 1; count <= most; count++) {
    float next = x * x - y * y + re;
    y = 2.0f * x * y + im;
    x = next;
    if (hypotf(x, y) > 2.0f)
      return count;
  }
  return most;
}

int main(int argc, char **argv)
{
  int me, ranks, n = 64, rows, row, column, source;
  int *own, *image;

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1)
    n = atoi(argv[1]);
  rows = n / ranks;
  own = malloc(sizeof *own * n * rows);
  image = malloc(sizeof *image * n * n);
  for (row = 0; row < rows; row++)
    for (column = 0; column < n; column++)
      own[row * n + column] = iterations(n, column + 1, me * rows + row + 1);
  if (me != 0) {
    MPI_Send(own, n * rows, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    long total = 0;
    int point;
    memcpy(image, own, sizeof *own * n * rows);
    for (source = 1; source < ranks; source++) {
      MPI_Status status;
      MPI_Recv(own, n * rows, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
      memcpy(image + status.MPI_SOURCE * rows * n, own, sizeof *own * n * rows);
    }
    for (point = 0; point < ranks * rows * n; point++)
      total += image[point];
    printf("iterations %ld\n", total);
  }
  MPI_Finalize();
  return 0;
}
