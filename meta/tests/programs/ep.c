/* EP, "embarrassingly parallel", from its specification (RNR-94-007, section 3.1), as ep.f90 of npb-fixtures: 2^M pairs, M the first
   argument or 24. */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOG2_BATCH = 16 };

static const int64_t multiplier = 1220703125, seed = 271828183;
static double uniform[2 << LOG2_BATCH];

/* a*b mod 2^46 for a, b below 2^46, in halves of 23 bits so that nothing overflows 63 bits. */
static int64_t product46(int64_t a, int64_t b)
{
  const int64_t low23 = ((int64_t) 1 << 23) - 1, low46 = ((int64_t) 1 << 46) - 1;
  int64_t middle = ((a >> 23) * (b & low23) + (a & low23) * (b >> 23)) & low23;
  return ((middle << 23) + (a & low23) * (b & low23)) & low46;
}

/* a^n mod 2^46, by squaring. */
static int64_t power46(int64_t a, int64_t n)
{
  int64_t power = 1;
  while (n > 0) {
    if (n & 1)
      power = product46(power, a);
    a = product46(a, a);
    n >>= 1;
  }
  return power;
}

/* The next n deviates, uniform in (0, 1). */
static void draw(int n, int64_t state)
{
  int i;
  for (i = 0; i < n; i++) {
    state = product46(multiplier, state);
    uniform[i] = ldexp(1.0, -46) * (double) state;
  }
}

/* Adds the pairs of one batch to the sums and the counts. Each batch finds its own place in the random sequence. */
static void add_batch(int batch, int pairs, double *sx, double *sy, double *counts)
{
  int pair;
  draw(2 * pairs, product46(seed, power46(multiplier, (int64_t) 2 * pairs * batch)));
  for (pair = 0; pair < pairs; pair++) {
    double u = 2.0 * uniform[2 * pair] - 1.0, v = 2.0 * uniform[2 * pair + 1] - 1.0;
    double square = u * u + v * v;
    if (square <= 1.0) {
      double factor = sqrt(-2.0 * log(square) / square);
      double x = u * factor, y = v * factor;
      counts[(int) fmax(fabs(x), fabs(y))] += 1.0;
      *sx += x;
      *sy += y;
    }
  }
}

int main(int argc, char **argv)
{
  int me, ranks, log2_pairs = 24, batches, share, extra, first, last, batch, annulus;
  double began, elapsed, longest, sx = 0.0, sy = 0.0, all_x, all_y;
  double counts[10], all_counts[10];

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc > 1)
    log2_pairs = atoi(argv[1]);
  MPI_Bcast(&log2_pairs, 1, MPI_INT, 0, MPI_COMM_WORLD);

  /* The first `extra` ranks take one batch more. */
  batches = 1 << (log2_pairs - LOG2_BATCH);
  share = batches / ranks;
  extra = batches % ranks;
  first = me * share + (me < extra ? me : extra);
  last = first + share + (me < extra ? 1 : 0);
  for (annulus = 0; annulus < 10; annulus++)
    counts[annulus] = 0.0;

  MPI_Barrier(MPI_COMM_WORLD);
  began = MPI_Wtime();
  for (batch = first; batch < last; batch++)
    add_batch(batch, 1 << LOG2_BATCH, &sx, &sy, counts);
  MPI_Allreduce(&sx, &all_x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(&sy, &all_y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(counts, all_counts, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  elapsed = MPI_Wtime() - began;
  MPI_Allreduce(&elapsed, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  if (me == 0)
    printf("sums %24.15e %24.15e\n", all_x, all_y);
  MPI_Finalize();
  return 0;
}
