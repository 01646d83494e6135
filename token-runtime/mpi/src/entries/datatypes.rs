//! Datatypes, and packing of data.

use crate::arguments::{
    Aint, Aints, Buffer, Count, Counts, Displacements, Int, Ints, OldAint, OldAints, Out, OutAint, OutCount,
    OutOldAint, TextIn, TextOut,
};
use crate::datatypes::{arrays, asking, contents, making, packed};
use crate::entries::entries;

entries! {
    every_large Type_contiguous = making::contiguous: (count: Count, oldtype: Int, newtype: Out);
    every_large Type_vector = making::vector: (
        count: Count, blocklength: Count, stride: Count, oldtype: Int, newtype: Out
    );
    every_large Type_create_hvector = making::vector_of_bytes: (
        count: Count, blocklength: Count, stride: Aint, oldtype: Int, newtype: Out
    );
    old Type_hvector = making::old_vector_of_bytes: (
        count: Count, blocklength: Count, stride: OldAint, oldtype: Int, newtype: Out
    );
    every_large Type_indexed = making::indexed: (
        count: Count, blocklengths: Counts, displacements: Displacements, oldtype: Int, newtype: Out
    );
    every_large Type_create_hindexed = making::indexed_by_bytes: (
        count: Count, blocklengths: Counts, displacements: Aints, oldtype: Int, newtype: Out
    );
    old Type_hindexed = making::old_indexed_by_bytes: (
        count: Count, blocklengths: Counts, displacements: OldAints, oldtype: Int, newtype: Out
    );
    every_large Type_create_indexed_block = making::indexed_block: (
        count: Count, blocklength: Count, displacements: Displacements, oldtype: Int, newtype: Out
    );
    every_large Type_create_hindexed_block = making::indexed_block_by_bytes: (
        count: Count, blocklength: Count, displacements: Aints, oldtype: Int, newtype: Out
    );
    every_large Type_create_struct = making::structure: (
        count: Count, blocklengths: Counts, displacements: Aints, types: Ints, newtype: Out
    );
    old Type_struct = making::old_structure: (
        count: Count, blocklengths: Counts, displacements: OldAints, types: Ints, newtype: Out
    );
    every_large_c Type_create_resized = making::resized: (oldtype: Int, lower: Aint, extent: Aint, newtype: Out);
    every_large Type_create_subarray = arrays::subarray: (
        ndims: Int, sizes: Counts, subsizes: Counts, starts: Counts, order: Int, oldtype: Int, newtype: Out
    );
    every_large Type_create_darray = arrays::distributed: (
        size: Int, rank: Int, ndims: Int, sizes: Counts, distributions: Ints, arguments: Ints, processes: Ints,
        order: Int, oldtype: Int, newtype: Out
    );
    every Type_dup = making::duplicate: (oldtype: Int, newtype: Out);
    every Type_commit = making::commit: (datatype: Out);
    every Type_free = making::free: (datatype: Out);
    every Type_match_size = making::match_size: (typeclass: Int, size: Int, datatype: Out);
    every Type_get_value_index = making::value_index: (value_type: Int, index_type: Int, pair_type: Out);
    every Type_create_f90_real = making::fortran_real: (p: Int, r: Int, newtype: Out);
    every Type_create_f90_complex = making::fortran_complex: (p: Int, r: Int, newtype: Out);
    every Type_create_f90_integer = making::fortran_integer: (r: Int, newtype: Out);

    every_large Type_size = asking::size: (datatype: Int, size: OutCount);
    every Type_size_x = asking::size_x: (datatype: Int, size: OutAint);
    every_large_c Type_get_extent = asking::extent: (datatype: Int, lower: OutAint, extent: OutAint);
    every Type_get_extent_x = asking::extent: (datatype: Int, lower: OutAint, extent: OutAint);
    every_large_c Type_get_true_extent = asking::true_extent: (datatype: Int, lower: OutAint, extent: OutAint);
    every Type_get_true_extent_x = asking::true_extent: (datatype: Int, lower: OutAint, extent: OutAint);
    old Type_extent = asking::old_extent: (datatype: Int, extent: OutOldAint);
    old Type_lb = asking::old_lower: (datatype: Int, lower: OutOldAint);
    old Type_ub = asking::old_upper: (datatype: Int, upper: OutOldAint);
    every Type_set_name = asking::set_name: (datatype: Int, name: TextIn);
    every Type_get_name = asking::name: (datatype: Int, name: TextOut, length: Out);

    every Type_get_envelope = contents::envelope: (
        datatype: Int, integers: Out, addresses: Out, datatypes: Out, combiner: Out
    );
    every Type_get_contents = contents::contents: (
        datatype: Int, max_integers: Int, max_addresses: Int, max_datatypes: Int,
        integers: Out, addresses: OutAint, datatypes: Out
    );

    choice_large Pack = packed::pack: (
        inbuf: Buffer, incount: Count, datatype: Int, outbuf: Buffer, outsize: Count, position: OutCount, comm: Int
    );
    choice_large Unpack = packed::unpack: (
        inbuf: Buffer, insize: Count, position: OutCount, outbuf: Buffer, outcount: Count, datatype: Int, comm: Int
    );
    every_large Pack_size = packed::size: (incount: Count, datatype: Int, comm: Int, size: OutCount);
    choice_large Pack_external = packed::pack_external: (
        datarep: TextIn, inbuf: Buffer, incount: Count, datatype: Int, outbuf: Buffer, outsize: Aint,
        position: OutAint
    );
    choice_large Unpack_external = packed::unpack_external: (
        datarep: TextIn, inbuf: Buffer, insize: Aint, position: OutAint, outbuf: Buffer, outcount: Count,
        datatype: Int
    );
    every_large Pack_external_size = packed::external_size: (
        datarep: TextIn, incount: Count, datatype: Int, size: OutAint
    );
}

// Their forms for large counts have arguments of their own.
entries! { @c LargeC call, Type_get_envelope, contents::envelope_large, (
    datatype: Int, integers: OutCount, addresses: OutCount, counts: OutCount, datatypes: OutCount, combiner: Out
), MPI_Type_get_envelope_c PMPI_Type_get_envelope_c }
entries! { @fortran LargeF08 call, Type_get_envelope, contents::envelope_large, (
    datatype: Int, integers: OutCount, addresses: OutCount, counts: OutCount, datatypes: OutCount, combiner: Out
), mpi_type_get_envelope_f08_large_ pmpir_type_get_envelope_f08_large_ }
entries! { @c LargeC call, Type_get_contents, contents::contents_large, (
    datatype: Int, max_integers: Count, max_addresses: Count, max_counts: Count, max_datatypes: Count,
    integers: Out, addresses: OutAint, counts: OutCount, datatypes: Out
), MPI_Type_get_contents_c PMPI_Type_get_contents_c }
entries! { @fortran LargeF08 call, Type_get_contents, contents::contents_large, (
    datatype: Int, max_integers: Count, max_addresses: Count, max_counts: Count, max_datatypes: Count,
    integers: Out, addresses: OutAint, counts: OutCount, datatypes: Out
), mpi_type_get_contents_f08_large_ pmpir_type_get_contents_f08_large_ }
