/* Ranks that poll with MPI_Iprobe and MPI_Test while others compute. Arguments: rounds, and how they poll:

     0  a ring: Iprobe for the message of the left neighbour, then Test of the own send
     1  Iprobe until a time, then a message to any rank
     2  Test, with work of uneven length in between
     3  Iprobe and Test in turn
     4  Test of a nonblocking barrier
     5  Test of a receive of a long message, which MPI libraries send by rendezvous
     6  Iprobe and Probe for a message of a rank that waits for a nonblocking barrier

   Rank 0 prints how often it polled, and its time. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static void work(int n) { volatile double x = 0; for (int k = 0; k < n; k++) x += k; }
int main(int argc, char **argv) {
    int rank, ranks, flag, some, got = 0, polls = 0;
    int rounds = argc > 1 ? atoi(argv[1]) : 20, mode = argc > 2 ? atoi(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Request request;
    MPI_Status status;
    srand(rank + 1);
    for (int r = 0; r < rounds; r++) {
        int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
        if (mode == 0) { /* ring, polled */
            if (r % ranks == rank) work(rand() % 20000);
            MPI_Isend(&r, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &request);
            flag = 0;
            while (!flag) { MPI_Iprobe(left, 1, MPI_COMM_WORLD, &flag, &status); polls++; }
            MPI_Recv(&some, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
            flag = 0;
            while (!flag) { MPI_Test(&request, &flag, &status); polls++; }
        } else if (mode == 1) { /* clock-limited polls */
            double until = MPI_Wtime() + 1e-4 * (rand() % 10);
            while (MPI_Wtime() < until) { MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &status); polls++;
                if (flag) { MPI_Recv(&some, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status); got++; } }
            MPI_Send(&r, 1, MPI_INT, rand() % ranks, 1, MPI_COMM_WORLD);
        } else if (mode == 2) { /* work between */
            MPI_Irecv(&some, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
            work(rand() % 50000);
            MPI_Send(&r, 1, MPI_INT, right, 2, MPI_COMM_WORLD);
            flag = 0;
            while (!flag) { work(rand() % 3000); MPI_Test(&request, &flag, &status); polls++; }
        } else if (mode == 3) { /* both kinds in turn */
            int have = 0, sent = 0;
            MPI_Irecv(&some, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &request);
            MPI_Send(&r, 1, MPI_INT, left, 1, MPI_COMM_WORLD);
            while (!have || !sent) {
                if (!sent) { MPI_Iprobe(right, 1, MPI_COMM_WORLD, &flag, &status);
                    if (flag) { int x; MPI_Recv(&x, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &status); work(1000); MPI_Send(&r, 1, MPI_INT, right, 2, MPI_COMM_WORLD); sent = 1; } }
                if (!have) { MPI_Test(&request, &have, &status); }
                polls++;
            }
        } else if (mode == 5) { /* rendezvous */
            static double from[1 << 15], to[1 << 15];
            MPI_Request both[2];
            MPI_Irecv(to, 1 << 15, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &both[0]);
            work(rand() % 50000);
            MPI_Isend(from, 1 << 15, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &both[1]);
            flag = 0;
            while (!flag) { MPI_Testall(2, both, &flag, MPI_STATUSES_IGNORE); polls++; }
        } else if (mode == 6) { /* the barrier goes on while rank 0 looks for a message */
            MPI_Ibarrier(MPI_COMM_WORLD, &request);
            if (rank == 0) {
                flag = r % 2;
                while (!flag) { MPI_Iprobe(1, 3, MPI_COMM_WORLD, &flag, &status); polls++; }
                MPI_Probe(1, 3, MPI_COMM_WORLD, &status);
                MPI_Recv(&some, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &status);
            }
            MPI_Wait(&request, &status);
            if (rank == 1) MPI_Send(&r, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        } else { /* Ibarrier */
            MPI_Ibarrier(MPI_COMM_WORLD, &request); work(rand() % 30000);
            flag = 0;
            while (!flag) { MPI_Test(&request, &flag, &status); polls++; }
        }
    }
    if (mode == 1) { MPI_Barrier(MPI_COMM_WORLD);
        for (flag = 1; flag;) { MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &status);
           if (flag) MPI_Recv(&some, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD, &status); } }
    double end = MPI_Wtime();
    if (rank == 0) printf("%d polls %.6f s\n", polls, end);
    MPI_Finalize();
}
