//! Datatypes, and packing of data.

use crate::arguments::{
    Aint, Aints, Buffer, Count, Counts, Data, Displacements, Int, Ints, OldAint, OldAints, Out,
    OutAint, OutCount, OutOldAint, TextIn, TextOut,
};
use crate::datatypes::arrays::{DistributedArray, Subarray};
use crate::datatypes::contents::{LargeLimits, LargePlaces, Limits};
use crate::datatypes::pack_unpack::PackBuffer;
use crate::datatypes::{arrays, constructors, contents, pack_unpack, queries};
use crate::entries::entries;

entries! {
    every_large Type_contiguous = constructors::contiguous: (count: Count, oldtype: Int, newtype: Out);
    every_large Type_vector = constructors::vector: (
        count: Count, blocklength: Count, stride: Count, oldtype: Int, newtype: Out
    );
    every_large Type_create_hvector = constructors::vector_of_bytes: (
        count: Count, blocklength: Count, stride: Aint, oldtype: Int, newtype: Out
    );
    old Type_hvector = constructors::old_vector_of_bytes: (
        count: Count, blocklength: Count, stride: OldAint, oldtype: Int, newtype: Out
    );
    every_large Type_indexed = constructors::indexed: (
        count: Count, blocklengths: Counts, displacements: Displacements, oldtype: Int, newtype: Out
    );
    every_large Type_create_hindexed = constructors::indexed_by_bytes: (
        count: Count, blocklengths: Counts, displacements: Aints, oldtype: Int, newtype: Out
    );
    old Type_hindexed = constructors::old_indexed_by_bytes: (
        count: Count, blocklengths: Counts, displacements: OldAints, oldtype: Int, newtype: Out
    );
    every_large Type_create_indexed_block = constructors::indexed_block: (
        count: Count, blocklength: Count, displacements: Displacements, oldtype: Int, newtype: Out
    );
    every_large Type_create_hindexed_block = constructors::indexed_block_by_bytes: (
        count: Count, blocklength: Count, displacements: Aints, oldtype: Int, newtype: Out
    );
    every_large Type_create_struct = constructors::structure: (
        count: Count, blocklengths: Counts, displacements: Aints, types: Ints, newtype: Out
    );
    old Type_struct = constructors::old_structure: (
        count: Count, blocklengths: Counts, displacements: OldAints, types: Ints, newtype: Out
    );
    every_large_c Type_create_resized = constructors::resized: (oldtype: Int, lower: Aint, extent: Aint, newtype: Out);
    every_large Type_create_subarray = arrays::subarray: (
        ndims: Int, sizes: Counts, subsizes: Counts, starts: Counts, order: Int, oldtype: Int,
        newtype: Out;
        Subarray { ndims, sizes, subsizes, starts, order }, oldtype, newtype
    );
    every_large Type_create_darray = arrays::distributed: (
        size: Int, rank: Int, ndims: Int, sizes: Counts, distributions: Ints, arguments: Ints, processes: Ints,
        order: Int, oldtype: Int, newtype: Out;
        DistributedArray { size, rank, ndims, sizes, distributions, arguments, processes, order },
        oldtype, newtype
    );
    every Type_dup = constructors::duplicate: (oldtype: Int, newtype: Out);
    every Type_commit = constructors::commit: (datatype: Out);
    every Type_free = constructors::free: (datatype: Out);
    every Type_match_size = constructors::match_size: (typeclass: Int, size: Int, datatype: Out);
    every Type_get_value_index = constructors::value_index: (value_type: Int, index_type: Int, pair_type: Out);
    every Type_create_f90_real = constructors::fortran_real: (p: Int, r: Int, newtype: Out);
    every Type_create_f90_complex = constructors::fortran_complex: (p: Int, r: Int, newtype: Out);
    every Type_create_f90_integer = constructors::fortran_integer: (r: Int, newtype: Out);

    every_large Type_size = queries::size: (datatype: Int, size: OutCount);
    every Type_size_x = queries::size_x: (datatype: Int, size: OutAint);
    every_large_c Type_get_extent = queries::extent: (datatype: Int, lower: OutAint, extent: OutAint);
    every Type_get_extent_x = queries::extent: (datatype: Int, lower: OutAint, extent: OutAint);
    every_large_c Type_get_true_extent = queries::true_extent: (datatype: Int, lower: OutAint, extent: OutAint);
    every Type_get_true_extent_x = queries::true_extent: (datatype: Int, lower: OutAint, extent: OutAint);
    old Type_extent = queries::old_extent: (datatype: Int, extent: OutOldAint);
    old Type_lb = queries::old_lower: (datatype: Int, lower: OutOldAint);
    old Type_ub = queries::old_upper: (datatype: Int, upper: OutOldAint);
    every Type_set_name = queries::set_name: (datatype: Int, name: TextIn);
    every Type_get_name = queries::name: (datatype: Int, name: TextOut, length: Out);

    every Type_get_envelope = contents::envelope: (
        datatype: Int, integers: Out, addresses: Out, datatypes: Out, combiner: Out
    );
    every Type_get_contents = contents::contents: (
        datatype: Int, max_integers: Int, max_addresses: Int, max_datatypes: Int,
        integers: Out, addresses: OutAint, datatypes: Out;
        datatype,
        Limits { integers: max_integers, addresses: max_addresses, datatypes: max_datatypes },
        integers, addresses, datatypes
    );

    choice_large Pack = pack_unpack::pack: (
        inbuf: Buffer, incount: Count, datatype: Int, outbuf: Buffer, outsize: Count, position: OutCount,
        comm: Int;
        Data::new(inbuf, incount, datatype), PackBuffer { buffer: outbuf, size: outsize, position }, comm
    );
    choice_large Unpack = pack_unpack::unpack: (
        inbuf: Buffer, insize: Count, position: OutCount, outbuf: Buffer, outcount: Count, datatype: Int,
        comm: Int;
        PackBuffer { buffer: inbuf, size: insize, position }, Data::new(outbuf, outcount, datatype), comm
    );
    every_large Pack_size = pack_unpack::size: (incount: Count, datatype: Int, comm: Int, size: OutCount);
    choice_large Pack_external = pack_unpack::pack_external: (
        datarep: TextIn, inbuf: Buffer, incount: Count, datatype: Int, outbuf: Buffer, outsize: Aint,
        position: OutAint;
        datarep, Data::new(inbuf, incount, datatype), PackBuffer { buffer: outbuf, size: outsize, position }
    );
    choice_large Unpack_external = pack_unpack::unpack_external: (
        datarep: TextIn, inbuf: Buffer, insize: Aint, position: OutAint, outbuf: Buffer, outcount: Count,
        datatype: Int;
        datarep, PackBuffer { buffer: inbuf, size: insize, position }, Data::new(outbuf, outcount, datatype)
    );
    every_large Pack_external_size = pack_unpack::external_size: (
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
    integers: Out, addresses: OutAint, counts: OutCount, datatypes: Out;
    datatype,
    LargeLimits { integers: max_integers, addresses: max_addresses, counts: max_counts, datatypes: max_datatypes },
    LargePlaces { integers, addresses, counts, datatypes }
), MPI_Type_get_contents_c PMPI_Type_get_contents_c }
entries! { @fortran LargeF08 call, Type_get_contents, contents::contents_large, (
    datatype: Int, max_integers: Count, max_addresses: Count, max_counts: Count, max_datatypes: Count,
    integers: Out, addresses: OutAint, counts: OutCount, datatypes: Out;
    datatype,
    LargeLimits { integers: max_integers, addresses: max_addresses, counts: max_counts, datatypes: max_datatypes },
    LargePlaces { integers, addresses, counts, datatypes }
), mpi_type_get_contents_f08_large_ pmpir_type_get_contents_f08_large_ }
