/* Constructors, bounds, contents, packing. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void show(const char *name, MPI_Datatype type) {
    MPI_Aint lower, extent, true_lower, true_extent;
    MPI_Count size_x, lower_x, extent_x;
    int size, integers, addresses, datatypes, combiner;
    MPI_Type_size(type, &size);
    MPI_Type_size_x(type, &size_x);
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_get_extent_x(type, &lower_x, &extent_x);
    MPI_Type_get_true_extent(type, &true_lower, &true_extent);
    MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner);
    printf("%s: size %d %ld, from %ld, extent %ld, data from %ld, %ld long, made by %d of %d %d %d\n", name, size,
           (long)size_x, (long)lower, (long)extent, (long)true_lower, (long)true_extent, combiner, integers,
           addresses, datatypes);
    if (lower_x != lower || extent_x != extent) printf("%s: _x differs\n", name);
    if (combiner != MPI_COMBINER_NAMED) {
        int i[64];
        MPI_Aint a[64];
        MPI_Datatype d[16];
        MPI_Type_get_contents(type, integers, addresses, datatypes, i, a, d);
        printf("  contents");
        for (int k = 0; k < integers; k++) printf(" %d", i[k]);
        for (int k = 0; k < addresses; k++) printf(" %ld", (long)a[k]);
        for (int k = 0; k < datatypes; k++) {
            int of;
            MPI_Type_size(d[k], &of);
            printf(" (%d)", of);
        }
        printf("\n");
    }
    /* What is packed of 0, 1, 2, ... */
    if (true_lower >= 0 && true_extent < 900 && size > 0) {
        unsigned char data[2048], packed[1024], back[2048];
        int position = 0, room;
        unsigned sum = 0;
        for (int k = 0; k < 2048; k++) data[k] = (unsigned char)(k * 7 + k / 256);
        MPI_Type_commit(&type);
        MPI_Pack_size(2, type, MPI_COMM_WORLD, &room);
        MPI_Pack(data, 2, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
        for (int k = 0; k < position; k++) sum = sum * 31 + packed[k];
        printf("  packed %d of %d: %u\n", position, room, sum);
        memset(back, 0, sizeof back);
        position = 0;
        MPI_Unpack(packed, sizeof packed, &position, back, 2, type, MPI_COMM_WORLD);
        sum = 0;
        for (int k = 0; k < 2048; k++) sum = sum * 31 + back[k];
        printf("  unpacked %d: %u\n", position, sum);
    }
}

int main(int argc, char **argv) {
    MPI_Datatype t, u;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Datatype named[] = {MPI_INT, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_FLOAT_INT, MPI_2INT,
                                MPI_C_BOOL, MPI_C_DOUBLE_COMPLEX, MPI_LONG_DOUBLE, MPI_WCHAR, MPI_PACKED, MPI_LONG_INT};
        for (int k = 0; k < 12; k++) {
            char name[MPI_MAX_OBJECT_NAME];
            int length;
            MPI_Type_get_name(named[k], name, &length);
            printf("%d ", length);
            show(name, named[k]);
            int lengths[2] = {1, 1};
            MPI_Aint places[2] = {0, 64};
            MPI_Datatype parts[2] = {named[k], MPI_CHAR};
            MPI_Type_create_struct(2, lengths, places, parts, &t);
            show("in a structure", t);
            MPI_Type_free(&t);
        }
        MPI_Type_contiguous(5, MPI_INT, &t);
        show("contiguous", t);
        MPI_Type_dup(t, &u);
        show("dup", u);
        MPI_Type_free(&t);
        show("dup without its origin", u);
        MPI_Type_set_name(u, "mine");
        char name[MPI_MAX_OBJECT_NAME];
        int length;
        MPI_Type_get_name(u, name, &length);
        printf("name %s %d\n", name, length);
        MPI_Type_vector(3, 2, 4, u, &t);
        show("vector", t);
        MPI_Type_free(&t);
        MPI_Type_free(&u);
        printf("null %d\n", u == MPI_DATATYPE_NULL);
        MPI_Type_create_hvector(3, 2, 40, MPI_DOUBLE_INT, &t);
        show("hvector", t);
        MPI_Type_free(&t);
        MPI_Type_vector(3, 1, -2, MPI_INT, &t);
        show("backwards", t);
        MPI_Type_free(&t);
        int lengths[] = {2, 0, 3}, places[] = {5, 99, 0};
        MPI_Aint bytes[] = {40, 999, 3};
        MPI_Type_indexed(3, lengths, places, MPI_SHORT, &t);
        show("indexed", t);
        MPI_Type_free(&t);
        MPI_Type_create_hindexed(3, lengths, bytes, MPI_SHORT, &t);
        show("hindexed", t);
        MPI_Type_free(&t);
        MPI_Type_create_indexed_block(3, 2, places, MPI_CHAR, &t);
        show("indexed_block", t);
        MPI_Type_free(&t);
        bytes[1] = 80;
        MPI_Type_create_hindexed_block(3, 2, bytes, MPI_INT, &t);
        show("hindexed_block", t);
        MPI_Type_create_resized(t, -8, 200, &u);
        show("resized", u);
        MPI_Type_free(&t);
        MPI_Type_contiguous(3, u, &t);
        show("of resized", t);
        MPI_Datatype parts[3] = {u, MPI_DOUBLE, MPI_CHAR};
        MPI_Aint at[3] = {8, 300, 500};
        int ones[3] = {1, 1, 1};
        MPI_Type_free(&t);
        MPI_Type_create_struct(3, ones, at, parts, &t);
        show("structure of resized", t);
        MPI_Type_free(&t);
        MPI_Type_free(&u);
        int sizes[3] = {4, 5, 6}, subsizes[3] = {2, 3, 2}, starts[3] = {1, 0, 3};
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_SHORT, &t);
        show("subarray of C", t);
        MPI_Type_free(&t);
        MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_SHORT, &t);
        show("subarray of Fortran", t);
        MPI_Type_free(&t);
        int distributions[3] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
        int arguments[3] = {MPI_DISTRIBUTE_DFLT_DARG, 2, MPI_DISTRIBUTE_DFLT_DARG};
        int grid[3] = {2, 2, 1};
        for (int process = 0; process < 4; process++) {
            MPI_Type_create_darray(4, process, 3, sizes, distributions, arguments, grid,
                                   process % 2 ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_SHORT, &t);
            show("darray", t);
            MPI_Type_free(&t);
        }
        int classes[3] = {MPI_TYPECLASS_REAL, MPI_TYPECLASS_INTEGER, MPI_TYPECLASS_COMPLEX};
        for (int k = 0; k < 3; k++) {
            MPI_Type_match_size(classes[k], 8, &t);
            MPI_Type_get_name(t, name, &length);
            printf("matches %s\n", name);
        }
        MPI_Type_create_f90_real(10, MPI_UNDEFINED, &t);
        MPI_Type_create_f90_real(10, MPI_UNDEFINED, &u);
        show("real of 10 digits", t);
        printf("same %d\n", t == u);
        MPI_Type_create_f90_integer(5, &t);
        show("integer of 5 digits", t);
        MPI_Type_create_f90_complex(5, 20, &t);
        show("complex of 5 digits", t);
        int value = 0x01020304, back = 0;
        char external[16];
        MPI_Aint position = 0, room;
        MPI_Pack_external_size("external32", 1, MPI_INT, &room);
        MPI_Pack_external("external32", &value, 1, MPI_INT, external, sizeof external, &position);
        printf("external %ld %ld: %d %d %d %d\n", (long)room, (long)position, external[0], external[1], external[2],
               external[3]);
        position = 0;
        MPI_Unpack_external("external32", external, sizeof external, &position, &back, 1, MPI_INT);
        printf("back %d\n", back == value);
        MPI_Type_contiguous_c(3, MPI_INT, &t);
        MPI_Count size, integers, addresses, counts, datatypes;
        int combiner;
        MPI_Type_size_c(t, &size);
        MPI_Type_get_envelope_c(t, &integers, &addresses, &counts, &datatypes, &combiner);
        printf("large %ld %d %ld\n", (long)size, combiner, (long)(integers + counts));
        MPI_Type_free(&t);
        MPI_Status status;
        MPI_Type_contiguous(3, MPI_DOUBLE_INT, &t);
        MPI_Type_commit(&t);
        for (int k = 0; k < 8; k++) {
            int count, elements;
            MPI_Count elements_x;
            MPI_Status_set_elements(&status, MPI_INT, k * 3);
            MPI_Get_count(&status, t, &count);
            MPI_Get_elements(&status, t, &elements);
            MPI_Get_elements_x(&status, MPI_INT, &elements_x);
            printf("status %d: %d %d %ld\n", k, count, elements, (long)elements_x);
        }
        MPI_Type_free(&t);
        int cancelled;
        MPI_Status_set_cancelled(&status, 1);
        MPI_Test_cancelled(&status, &cancelled);
        printf("cancelled %d\n", cancelled);
    }
    MPI_Finalize();
    return 0;
}
