/* Reductions: every operation on every kind of data the standard allows, all functions and forms. */
#include <complex.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

#define SHOW(name, format, ...)                                                                                        \
    do {                                                                                                               \
        for (int turn = 0; turn < size; turn++) {                                                                      \
            char own_line[256], the_line[256];                                                                         \
            snprintf(own_line, sizeof own_line, format, __VA_ARGS__);                                                  \
            if (turn == 0)                                                                                             \
                memcpy(the_line, own_line, sizeof the_line);                                                           \
            else if (rank == turn)                                                                                     \
                MPI_Send(own_line, 256, MPI_CHAR, 0, 1, MPI_COMM_WORLD);                                               \
            else if (rank == 0)                                                                                        \
                MPI_Recv(the_line, 256, MPI_CHAR, turn, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);                         \
            if (rank == 0)                                                                                             \
                printf("%s: rank %d: %s\n", name, turn, the_line);                                                     \
        }                                                                                                              \
    } while (0)

static const struct {
    const char *name;
    MPI_Op op;
} arithmetic[] = {{"max", MPI_MAX}, {"min", MPI_MIN}, {"sum", MPI_SUM}, {"prod", MPI_PROD}},
  logical[] = {{"land", MPI_LAND}, {"lor", MPI_LOR}, {"lxor", MPI_LXOR}},
  bits[] = {{"band", MPI_BAND}, {"bor", MPI_BOR}, {"bxor", MPI_BXOR}};

#define EACH(ops, type, handle, format, cast)                                                                          \
    for (size_t at = 0; at < sizeof ops / sizeof *ops; at++) {                                                         \
        type mine[3] = {(type)(rank + 1), (type)(2 * rank), 3}, all[3] = {0, 0, 0};                                    \
        MPI_Allreduce(mine, all, 3, handle, ops[at].op, MPI_COMM_WORLD);                                               \
        if (rank == 0)                                                                                                 \
            printf(#handle " %s: " format " " format " " format "\n", ops[at].name, (cast)all[0], (cast)all[1],        \
                   (cast)all[2]);                                                                                      \
    }

#define INTEGER(type, handle)                                                                                          \
    EACH(arithmetic, type, handle, "%lld", long long)                                                                  \
    EACH(logical, type, handle, "%lld", long long)                                                                     \
    EACH(bits, type, handle, "%lld", long long)

#define REAL(type, handle) EACH(arithmetic, type, handle, "%.10Lg", long double)

#define COMPLEX(type, handle)                                                                                          \
    for (int at = 2; at < 4; at++) {                                                                                   \
        type mine = (rank + 1) + (rank + 2) * (type)I, all = 0;                                                        \
        MPI_Allreduce(&mine, &all, 1, handle, arithmetic[at].op, MPI_COMM_WORLD);                                      \
        if (rank == 0)                                                                                                 \
            printf(#handle " %s: %.10Lg %.10Lg\n", arithmetic[at].name, creall((long double complex)all),              \
                   cimagl((long double complex)all));                                                                  \
    }

#define PAIR(value_type, handle)                                                                                       \
    {                                                                                                                  \
        struct {                                                                                                       \
            value_type value;                                                                                          \
            int index;                                                                                                 \
        } mine[2], high[2], low[2];                                                                                    \
        mine[0].value = (value_type)(rank % 2);                                                                        \
        mine[1].value = (value_type)(7 - rank);                                                                        \
        mine[0].index = mine[1].index = 10 * rank;                                                                     \
        MPI_Allreduce(mine, high, 2, handle, MPI_MAXLOC, MPI_COMM_WORLD);                                              \
        MPI_Allreduce(mine, low, 2, handle, MPI_MINLOC, MPI_COMM_WORLD);                                               \
        if (rank == 0)                                                                                                 \
            printf(#handle ": %g %d, %g %d; %g %d, %g %d\n", (double)high[0].value, high[0].index,                     \
                   (double)high[1].value, high[1].index, (double)low[0].value, low[0].index, (double)low[1].value,     \
                   low[1].index);                                                                                      \
    }

static void every_operation_and_datatype(void)
{
    INTEGER(signed char, MPI_SIGNED_CHAR)
    INTEGER(unsigned char, MPI_UNSIGNED_CHAR)
    INTEGER(short, MPI_SHORT)
    INTEGER(unsigned short, MPI_UNSIGNED_SHORT)
    INTEGER(int, MPI_INT)
    INTEGER(unsigned, MPI_UNSIGNED)
    INTEGER(long, MPI_LONG)
    INTEGER(unsigned long, MPI_UNSIGNED_LONG)
    INTEGER(long long, MPI_LONG_LONG)
    INTEGER(unsigned long long, MPI_UNSIGNED_LONG_LONG)
    INTEGER(int8_t, MPI_INT8_T)
    INTEGER(int16_t, MPI_INT16_T)
    INTEGER(int32_t, MPI_INT32_T)
    INTEGER(int64_t, MPI_INT64_T)
    INTEGER(uint8_t, MPI_UINT8_T)
    INTEGER(uint16_t, MPI_UINT16_T)
    INTEGER(uint32_t, MPI_UINT32_T)
    INTEGER(uint64_t, MPI_UINT64_T)
    INTEGER(MPI_Fint, MPI_INTEGER)
    EACH(arithmetic, MPI_Aint, MPI_AINT, "%lld", long long)
    EACH(arithmetic, MPI_Offset, MPI_OFFSET, "%lld", long long)
    EACH(arithmetic, MPI_Count, MPI_COUNT, "%lld", long long)
    REAL(float, MPI_FLOAT)
    REAL(double, MPI_DOUBLE)
    REAL(long double, MPI_LONG_DOUBLE)
    REAL(float, MPI_REAL)
    REAL(double, MPI_DOUBLE_PRECISION)
    EACH(logical, bool, MPI_C_BOOL, "%lld", long long)
    EACH(bits, unsigned char, MPI_BYTE, "%lld", long long)
    COMPLEX(float complex, MPI_C_FLOAT_COMPLEX)
    COMPLEX(double complex, MPI_C_DOUBLE_COMPLEX)
    COMPLEX(long double complex, MPI_C_LONG_DOUBLE_COMPLEX)
    PAIR(float, MPI_FLOAT_INT)
    PAIR(double, MPI_DOUBLE_INT)
    PAIR(long, MPI_LONG_INT)
    PAIR(int, MPI_2INT)
    PAIR(short, MPI_SHORT_INT)
    PAIR(long double, MPI_LONG_DOUBLE_INT)
}

/* Two-by-two matrices, whose product depends on the order. */
static void times(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    long *a = in, *b = inout;
    (void)datatype;
    for (int i = 0; i < *count; i++, a += 4, b += 4) {
        long c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                     a[2] * b[1] + a[3] * b[3]};
        memcpy(b, c, sizeof c);
    }
}

/* Every second number of each element. */
static void sum_with_gaps(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    MPI_Aint low, extent;
    MPI_Type_get_extent(*datatype, &low, &extent);
    for (int i = 0; i < *count; i++) {
        int *a = (int *)((char *)in + i * extent), *b = (int *)((char *)inout + i * extent);
        b[0] += a[0];
        b[2] += a[2];
    }
}

static void functions_of_the_program(void)
{
    MPI_Op op;
    MPI_Datatype matrix, gaps;
    int commutes;
    long mine[8] = {1, rank + 1, 0, 1, rank, 1, 1, 0}, all[8];
    MPI_Type_contiguous(4, MPI_LONG, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(times, 0, &op);
    MPI_Op_commutative(op, &commutes);
    SHOW("commutes", "%d", commutes);
    memset(all, 0, sizeof all);
    MPI_Reduce(mine, all, 2, matrix, op, size - 1, MPI_COMM_WORLD);
    SHOW("product", "%ld %ld %ld %ld, %ld %ld %ld %ld", all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]);
    MPI_Allreduce(mine, all, 2, matrix, op, MPI_COMM_WORLD);
    SHOW("product", "%ld %ld %ld %ld, %ld %ld %ld %ld", all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]);
    MPI_Scan(mine, all, 2, matrix, op, MPI_COMM_WORLD);
    SHOW("products so far", "%ld %ld %ld %ld, %ld %ld %ld %ld", all[0], all[1], all[2], all[3], all[4], all[5], all[6],
         all[7]);
    memset(all, 0, sizeof all);
    MPI_Exscan(mine, all, 2, matrix, op, MPI_COMM_WORLD);
    SHOW("products before", "%ld %ld %ld %ld, %ld %ld %ld %ld", all[0], all[1], all[2], all[3], all[4], all[5], all[6],
         all[7]);
    MPI_Op_free(&op);
    SHOW("freed", "%d", op == MPI_OP_NULL);
    MPI_Type_free(&matrix);

    MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Op_create(sum_with_gaps, 1, &op);
    MPI_Op_commutative(op, &commutes);
    SHOW("commutes", "%d", commutes);
    int with[6] = {rank, -1, rank + 1, 2 * rank, -1, 3}, sum[6] = {-5, -5, -5, -5, -5, -5};
    MPI_Allreduce(with, sum, 2, gaps, op, MPI_COMM_WORLD);
    SHOW("sum with gaps", "%d %d %d %d %d %d", sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]);
    MPI_Op_free(&op);
    MPI_Type_free(&gaps);
    MPI_Op_commutative(MPI_SUM, &commutes);
    SHOW("MPI_SUM commutes", "%d", commutes);
}

static void forms(void)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    int mine[2] = {rank + 1, rank * rank}, all[2], last = size - 1;
#define COMPLETE MPI_Wait(&request, MPI_STATUS_IGNORE)
#define BOTH(name)                                                                                                     \
    SHOW(name, "%d %d", all[0], all[1]);                                                                               \
    all[0] = all[1] = -1
    all[0] = all[1] = -1;
    MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, last, comm);
    BOTH("reduce");
    MPI_Ireduce(mine, all, 2, MPI_INT, MPI_SUM, last, comm, &request);
    COMPLETE;
    BOTH("ireduce");
    memcpy(all, mine, sizeof all);
    MPI_Reduce(rank == 0 ? MPI_IN_PLACE : mine, all, 2, MPI_INT, MPI_SUM, 0, comm);
    BOTH("reduce in place");
    MPI_Iallreduce(mine, all, 2, MPI_INT, MPI_MAX, comm, &request);
    COMPLETE;
    BOTH("iallreduce");
    memcpy(all, mine, sizeof all);
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_PROD, comm);
    BOTH("allreduce in place");
    MPI_Scan(mine, all, 2, MPI_INT, MPI_SUM, comm);
    BOTH("scan");
    MPI_Iscan(mine, all, 2, MPI_INT, MPI_SUM, comm, &request);
    COMPLETE;
    BOTH("iscan");
    memcpy(all, mine, sizeof all);
    MPI_Scan(MPI_IN_PLACE, all, 2, MPI_INT, MPI_SUM, comm);
    BOTH("scan in place");
    MPI_Exscan(mine, all, 2, MPI_INT, MPI_SUM, comm);
    BOTH("exscan");
    MPI_Iexscan(mine, all, 2, MPI_INT, MPI_SUM, comm, &request);
    COMPLETE;
    BOTH("iexscan");
    memcpy(all, mine, sizeof all);
    MPI_Exscan(MPI_IN_PLACE, all, 2, MPI_INT, MPI_SUM, comm);
    if (rank > 0)
        mine[0] = all[0];
    SHOW("exscan in place", "%d", mine[0]);

    /* Rank r gets r numbers of the sum; the first none. */
    int counts[64], total = 0, given[2048], got[64];
    for (int r = 0; r < size; r++)
        total += counts[r] = r;
    for (int i = 0; i < 2048; i++)
        given[i] = rank + i;
    memset(got, -1, sizeof got);
    MPI_Reduce_scatter(given, got, counts, MPI_INT, MPI_SUM, comm);
    SHOW("reduce_scatter", "%d %d", got[0], rank > 0 ? got[rank - 1] : 0);
    memset(got, -1, sizeof got);
    MPI_Ireduce_scatter(given, got, counts, MPI_INT, MPI_MAX, comm, &request);
    COMPLETE;
    SHOW("ireduce_scatter", "%d %d", got[0], rank > 0 ? got[rank - 1] : 0);
    MPI_Reduce_scatter_block(given, got, 2, MPI_INT, MPI_SUM, comm);
    SHOW("reduce_scatter_block", "%d %d", got[0], got[1]);
    MPI_Ireduce_scatter_block(given, got, 2, MPI_INT, MPI_MIN, comm, &request);
    COMPLETE;
    SHOW("ireduce_scatter_block", "%d %d", got[0], got[1]);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, given, 2, MPI_INT, MPI_SUM, comm);
    SHOW("reduce_scatter_block in place", "%d %d", given[0], given[1]);

    double from[3] = {1.5, 2.5, -1}, into[3] = {2, 2, 2};
    MPI_Reduce_local(from, into, 3, MPI_DOUBLE, MPI_MAX);
    SHOW("reduce_local", "%g %g %g", into[0], into[1], into[2]);
    MPI_Reduce(NULL, NULL, 0, MPI_INT, MPI_SUM, 0, comm);
    MPI_Allreduce(mine, all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    SHOW("allreduce alone", "%d", all[0] - mine[0]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    every_operation_and_datatype();
    functions_of_the_program();
    forms();
    MPI_Finalize();
    return 0;
}
