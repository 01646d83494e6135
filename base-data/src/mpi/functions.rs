//! The table of MPI functions: one row per function with its kind, its arguments' roles and
//! whether this version runs and predicts it. Adding a function of a known family is one row here.
//!
//! C, PMPI, Fortran and `mpi_f08` names are derived from the standard name by the methods of
//! [`Function`]; every Fortran subroutine has `ierror` after the listed arguments.

use super::function::rows;
use super::roles::Role::*;
use super::roles::{Argument, FunctionKind};

pub use super::function::{Function, Support};

/// The row of `name`, in any case, with or without the leading `P`; `None` for a function that is
/// not in the table.
pub fn find(name: &str) -> Option<&'static Function> {
    let lower = name.to_ascii_lowercase();
    // No standard name begins with `p` itself.
    let lower = lower.strip_prefix('p').unwrap_or(&lower);
    FUNCTIONS
        .iter()
        .find(|function| function.name.eq_ignore_ascii_case(lower))
}

/// The same, also for functions that nothing but the analysis knows ([`super::unsupported`]).
pub fn find_any(name: &str) -> Option<&'static Function> {
    let lower = name.to_ascii_lowercase();
    let plain = lower.strip_prefix('p').unwrap_or(&lower);
    find(name).or_else(|| {
        super::unsupported::OTHERS
            .iter()
            .find(|function| function.name.eq_ignore_ascii_case(plain))
    })
}

/// Whether a name, in any case, is in MPI's name space: `MPI_…` or `PMPI_…`.
pub fn is_mpi_name(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower.starts_with("mpi_") || lower.starts_with("pmpi_")
}

/// All rows, in the order of the standard's chapters.
pub static FUNCTIONS: &[Function] = rows! {
    "MPI_Init" Start Full [];
    "MPI_Init_thread" Start Full [required: Control, provided: Result];
    "MPI_Initialized" Local Full [flag: Result];
    "MPI_Finalize" End Full [];
    "MPI_Finalized" Local Full [flag: Result];
    "MPI_Abort" Abort Full [comm: Communicator, errorcode: Control];
    "MPI_Get_processor_name" Local Full [name: Text, resultlen: Result];
    "MPI_Get_version" Local Full [version: Result, subversion: Result];
    "MPI_Get_library_version" Local Full [version: Text, resultlen: Result];
    "MPI_Error_string" Local Full [errorcode: Control, string: Text, resultlen: Result];
    "MPI_Wtime" Clock Full [];
    "MPI_Wtick" Local Full [];

    "MPI_Comm_rank" Local Full [comm: Communicator, rank: Result];
    "MPI_Comm_size" Local Full [comm: Communicator, size: Result];
    "MPI_Comm_dup" MakeCommunicator Full [comm: Communicator, newcomm: NewCommunicator];
    "MPI_Comm_split" MakeCommunicator Full [comm: Communicator, color: Control, key: Control, newcomm: NewCommunicator];
    "MPI_Comm_dup_with_info" MakeCommunicator Full [comm: Communicator, info: Control, newcomm: NewCommunicator];
    "MPI_Comm_split_type" MakeCommunicator Full [comm: Communicator, split_type: Control, key: Control, info: Control, newcomm: NewCommunicator];
    "MPI_Comm_free" Local Full [comm: FreedCommunicator];
    "MPI_Comm_create" MakeCommunicator Full [comm: Communicator, group: Control, newcomm: NewCommunicator];
    "MPI_Comm_group" Local Full [comm: Communicator, group: Result];
    "MPI_Comm_set_errhandler" Local Full [comm: Communicator, errhandler: Control];
    "MPI_Cart_create" MakeCommunicator Full [comm: Communicator, ndims: Control, dims: Control, periods: Control, reorder: Control, newcomm: NewCommunicator];
    "MPI_Cart_coords" Local Full [comm: Communicator, rank: Control, maxdims: Control, coords: Result];
    "MPI_Cart_rank" Local Full [comm: Communicator, coords: Control, rank: Result];
    "MPI_Cart_shift" Local Full [comm: Communicator, direction: Control, disp: Control, source: Result, dest: Result];
    "MPI_Cart_sub" MakeCommunicator Full [comm: Communicator, remain_dims: Control, newcomm: NewCommunicator];
    "MPI_Cart_get" Local Full [comm: Communicator, maxdims: Control, dims: Result, periods: Result, coords: Result];
    "MPI_Dims_create" Local Full [nnodes: Control, ndims: Control, dims: Result];

    "MPI_Group_size" Local Full [group: Control, size: Result];
    "MPI_Group_rank" Local Full [group: Control, rank: Result];
    "MPI_Group_translate_ranks" Local Full [group1: Control, n: Control, ranks1: Control, group2: Control, ranks2: Result];
    "MPI_Group_compare" Local Full [group1: Control, group2: Control, result: Result];
    "MPI_Group_union" Local Full [group1: Control, group2: Control, newgroup: Result];
    "MPI_Group_intersection" Local Full [group1: Control, group2: Control, newgroup: Result];
    "MPI_Group_difference" Local Full [group1: Control, group2: Control, newgroup: Result];
    "MPI_Group_incl" Local Full [group: Control, n: Control, ranks: Control, newgroup: Result];
    "MPI_Group_excl" Local Full [group: Control, n: Control, ranks: Control, newgroup: Result];
    "MPI_Group_range_incl" Local Full [group: Control, n: Control, ranges: Control, newgroup: Result];
    "MPI_Group_range_excl" Local Full [group: Control, n: Control, ranges: Control, newgroup: Result];
    "MPI_Group_free" Local Full [group: Updated];

    "MPI_Comm_compare" Local Full [comm1: Communicator, comm2: Communicator, result: Result];
    "MPI_Comm_create_group" MakeCommunicator Full [comm: Communicator, group: Control, tag: Tag, newcomm: NewCommunicator];
    // Sessions.
    "MPI_Intercomm_create_from_groups" MakeCommunicator Runs [local_group: Control, local_leader: Control, remote_group: Control, remote_leader: Control, stringtag: Control, info: Control, errhandler: Control, newintercomm: NewCommunicator];
    "MPI_Comm_create_from_group" MakeCommunicator Runs [group: Control, stringtag: Control, info: Control, errhandler: Control, newcomm: NewCommunicator];
    "MPI_Group_from_session_pset" Local Runs [session: Control, pset_name: Control, newgroup: Result];
    "MPI_Session_call_errhandler" Local Runs [session: Control, errorcode: Control];
    "MPI_Session_create_errhandler" Local Runs [session_errhandler_fn: Control, errhandler: Result];
    "MPI_Session_get_errhandler" Local Runs [session: Control, errhandler: Result];
    "MPI_Session_set_errhandler" Local Runs [session: Control, errhandler: Control];
    "MPI_Session_finalize" Local Runs [session: Updated];
    "MPI_Session_get_info" Local Runs [session: Control, info_used: Result];
    "MPI_Session_get_nth_pset" Local Runs [session: Control, info: Control, n: Control, pset_len: Result, pset_name: Text];
    "MPI_Session_get_num_psets" Local Runs [session: Control, info: Control, npset_names: Result];
    "MPI_Session_get_pset_info" Local Runs [session: Control, pset_name: Control, info: Result];
    "MPI_Session_init" Local Runs [info: Control, errhandler: Control, session: Result];
    "MPI_Comm_idup" MakeCommunicator Full [comm: Communicator, newcomm: NewCommunicator, request: NewRequest];
    "MPI_Comm_idup_with_info" MakeCommunicator Full [comm: Communicator, info: Control, newcomm: NewCommunicator, request: NewRequest];
    "MPI_Comm_set_info" Local Full [comm: Communicator, info: Control];
    "MPI_Comm_get_info" Local Full [comm: Communicator, info_used: Result];
    "MPI_Comm_set_name" Local Full [comm: Communicator, comm_name: Control];
    "MPI_Comm_get_name" Local Full [comm: Communicator, comm_name: Text, resultlen: Result];
    "MPI_Comm_disconnect" Local Full [comm: FreedCommunicator];
    "MPI_Comm_get_parent" Local Full [parent: Result];
    "MPI_Comm_test_inter" Local Full [comm: Communicator, flag: Result];
    "MPI_Comm_remote_size" Local Full [comm: Communicator, size: Result];
    "MPI_Comm_remote_group" Local Full [comm: Communicator, group: Result];
    "MPI_Intercomm_create" MakeCommunicator Full [local_comm: Communicator, local_leader: Control, peer_comm: Communicator, remote_leader: Control, tag: Tag, newintercomm: NewCommunicator];
    "MPI_Intercomm_merge" MakeCommunicator Full [intercomm: Communicator, high: Control, newintracomm: NewCommunicator];

    "MPI_Cart_map" Local Full [comm: Communicator, ndims: Control, dims: Control, periods: Control, newrank: Result];
    "MPI_Cartdim_get" Local Full [comm: Communicator, ndims: Result];
    "MPI_Graph_create" MakeCommunicator Full [comm_old: Communicator, nnodes: Control, index: Control, edges: Control, reorder: Control, comm_graph: NewCommunicator];
    "MPI_Graph_map" Local Full [comm: Communicator, nnodes: Control, index: Control, edges: Control, newrank: Result];
    "MPI_Graphdims_get" Local Full [comm: Communicator, nnodes: Result, nedges: Result];
    "MPI_Graph_get" Local Full [comm: Communicator, maxindex: Control, maxedges: Control, index: Result, edges: Result];
    "MPI_Graph_neighbors_count" Local Full [comm: Communicator, rank: Control, nneighbors: Result];
    "MPI_Graph_neighbors" Local Full [comm: Communicator, rank: Control, maxneighbors: Control, neighbors: Result];
    "MPI_Dist_graph_create_adjacent" MakeCommunicator Full [comm_old: Communicator, indegree: Control, sources: Control, sourceweights: Control, outdegree: Control, destinations: Control, destweights: Control, info: Control, reorder: Control, comm_dist_graph: NewCommunicator];
    "MPI_Dist_graph_create" MakeCommunicator Full [comm_old: Communicator, n: Control, sources: Control, degrees: Control, destinations: Control, weights: Control, info: Control, reorder: Control, comm_dist_graph: NewCommunicator];
    "MPI_Dist_graph_neighbors_count" Local Full [comm: Communicator, indegree: Result, outdegree: Result, weighted: Result];
    "MPI_Dist_graph_neighbors" Local Full [comm: Communicator, maxindegree: Control, sources: Result, sourceweights: Result, maxoutdegree: Control, destinations: Result, destweights: Result];
    "MPI_Topo_test" Local Full [comm: Communicator, status: Result];

    "MPI_Comm_create_keyval" Local Full [comm_copy_attr_fn: Control, comm_delete_attr_fn: Control, comm_keyval: Result, extra_state: Control];
    "MPI_Comm_free_keyval" Local Full [comm_keyval: Updated];
    "MPI_Comm_set_attr" Local Full [comm: Communicator, comm_keyval: Control, attribute_val: Control];
    "MPI_Comm_get_attr" Local Full [comm: Communicator, comm_keyval: Control, attribute_val: Result, flag: Result];
    "MPI_Comm_delete_attr" Local Full [comm: Communicator, comm_keyval: Control];
    "MPI_Keyval_create" Local Full [copy_fn: Control, delete_fn: Control, keyval: Result, extra_state: Control];
    "MPI_Keyval_free" Local Full [keyval: Updated];
    "MPI_Attr_put" Local Full [comm: Communicator, keyval: Control, attribute_val: Control];
    "MPI_Attr_get" Local Full [comm: Communicator, keyval: Control, attribute_val: Result, flag: Result];
    "MPI_Attr_delete" Local Full [comm: Communicator, keyval: Control];
    "MPI_Type_create_keyval" Local Full [type_copy_attr_fn: Control, type_delete_attr_fn: Control, type_keyval: Result, extra_state: Control];
    "MPI_Type_free_keyval" Local Full [type_keyval: Updated];
    "MPI_Type_set_attr" Local Full [datatype: Datatype, type_keyval: Control, attribute_val: Control];
    "MPI_Type_get_attr" Local Full [datatype: Datatype, type_keyval: Control, attribute_val: Result, flag: Result];
    "MPI_Type_delete_attr" Local Full [datatype: Datatype, type_keyval: Control];

    "MPI_Comm_create_errhandler" Local Full [comm_errhandler_fn: Control, errhandler: Result];
    "MPI_Comm_get_errhandler" Local Full [comm: Communicator, errhandler: Result];
    "MPI_Comm_call_errhandler" Local Full [comm: Communicator, errorcode: Control];
    "MPI_Errhandler_create" Local Full [comm_errhandler_fn: Control, errhandler: Result];
    "MPI_Errhandler_get" Local Full [comm: Communicator, errhandler: Result];
    "MPI_Errhandler_set" Local Full [comm: Communicator, errhandler: Control];
    "MPI_Errhandler_free" Local Full [errhandler: Updated];
    "MPI_Error_class" Local Full [errorcode: Control, errorclass: Result];
    "MPI_Add_error_class" Local Full [errorclass: Result];
    "MPI_Add_error_code" Local Full [errorclass: Control, errorcode: Result];
    "MPI_Add_error_string" Local Full [errorcode: Control, string: Control];
    "MPI_Remove_error_class" Local Full [errorclass: Control];
    "MPI_Remove_error_code" Local Full [errorcode: Control];
    "MPI_Remove_error_string" Local Full [errorcode: Control];

    "MPI_Info_create" Local Full [info: Result];
    "MPI_Info_create_env" Local Full [info: Result];
    "MPI_Get_hw_resource_info" Local Full [hw_info: Result];
    "MPI_Info_set" Local Full [info: Control, key: Control, value: Control];
    "MPI_Info_delete" Local Full [info: Control, key: Control];
    "MPI_Info_get" Local Full [info: Control, key: Control, valuelen: Control, value: Text, flag: Result];
    "MPI_Info_get_string" Local Full [info: Control, key: Control, buflen: Updated, value: Text, flag: Result];
    "MPI_Info_get_valuelen" Local Full [info: Control, key: Control, valuelen: Result, flag: Result];
    "MPI_Info_get_nkeys" Local Full [info: Control, nkeys: Result];
    "MPI_Info_get_nthkey" Local Full [info: Control, n: Control, key: Text];
    "MPI_Info_dup" Local Full [info: Control, newinfo: Result];
    "MPI_Info_free" Local Full [info: Updated];

    "MPI_Get_address" Local Full [location: Control, address: Result];
    "MPI_Address" Local Full [location: Control, address: Result];
    "MPI_Aint_add" Local Full [base: Control, disp: Control];
    "MPI_Aint_diff" Local Full [addr1: Control, addr2: Control];
    "MPI_Alloc_mem" Local Full [size: Control, info: Control, baseptr: Result];
    "MPI_Free_mem" Local Full [base: Control];
    "MPI_Query_thread" Local Full [provided: Result];
    "MPI_Is_thread_main" Local Full [flag: Result];
    "MPI_Pcontrol" Local Full [level: Control];

    "MPI_Type_size" Local Full [datatype: Datatype, size: Result];
    "MPI_Type_contiguous" Local Full [count: Count, oldtype: Datatype, newtype: Result];
    "MPI_Type_vector" Local Full [count: Count, blocklength: Control, stride: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_commit" Local Full [datatype: Datatype];
    "MPI_Type_free" Local Full [datatype: Datatype];
    "MPI_Type_create_f90_integer" Local Full [r: Control, newtype: Result];
    "MPI_Type_create_f90_real" Local Full [p: Control, r: Control, newtype: Result];
    "MPI_Type_create_f90_complex" Local Full [p: Control, r: Control, newtype: Result];
    "MPI_Pack" Local Full [inbuf: Control, incount: Control, datatype: Datatype, outbuf: Updated, outsize: Control, position: Updated, comm: Communicator];
    "MPI_Pack_external" Local Full [datarep: Control, inbuf: Control, incount: Control, datatype: Datatype, outbuf: Updated, outsize: Control, position: Updated];
    "MPI_Pack_external_size" Local Full [datarep: Control, incount: Control, datatype: Datatype, size: Result];
    "MPI_Pack_size" Local Full [incount: Control, datatype: Datatype, comm: Communicator, size: Result];
    "MPI_Type_create_darray" Local Full [size: Control, rank: Control, ndims: Control, array_of_gsizes: Control, array_of_distribs: Control, array_of_dargs: Control, array_of_psizes: Control, order: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_create_hindexed" Local Full [count: Control, array_of_blocklengths: Control, array_of_displacements: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_create_hindexed_block" Local Full [count: Control, blocklength: Control, array_of_displacements: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_create_hvector" Local Full [count: Control, blocklength: Control, stride: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_create_indexed_block" Local Full [count: Control, blocklength: Control, array_of_displacements: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_create_resized" Local Full [oldtype: Datatype, lb: Control, extent: Control, newtype: Result];
    "MPI_Type_create_struct" Local Full [count: Control, array_of_blocklengths: Control, array_of_displacements: Control, array_of_types: Datatype, newtype: Result];
    "MPI_Type_create_subarray" Local Full [ndims: Control, array_of_sizes: Control, array_of_subsizes: Control, array_of_starts: Control, order: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_dup" Local Full [oldtype: Datatype, newtype: Result];
    "MPI_Type_get_contents" Local Full [datatype: Datatype, max_integers: Control, max_addresses: Control, max_datatypes: Control, array_of_integers: Result, array_of_addresses: Result, array_of_datatypes: Result];
    "MPI_Type_get_envelope" Local Full [datatype: Datatype, num_integers: Result, num_addresses: Result, num_datatypes: Result, combiner: Result];
    "MPI_Type_get_extent" Local Full [datatype: Datatype, lb: Result, extent: Result];
    "MPI_Type_get_extent_x" Local Full [datatype: Datatype, lb: Result, extent: Result];
    "MPI_Type_get_name" Local Full [datatype: Datatype, type_name: Text, resultlen: Result];
    "MPI_Type_get_true_extent" Local Full [datatype: Datatype, true_lb: Result, true_extent: Result];
    "MPI_Type_get_true_extent_x" Local Full [datatype: Datatype, true_lb: Result, true_extent: Result];
    "MPI_Type_indexed" Local Full [count: Control, array_of_blocklengths: Control, array_of_displacements: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_match_size" Local Full [typeclass: Control, size: Control, datatype: Result];
    "MPI_Type_get_value_index" Local Full [value_type: Datatype, index_type: Datatype, pair_type: Result];
    "MPI_Type_set_name" Local Full [datatype: Datatype, type_name: Control];
    "MPI_Type_size_x" Local Full [datatype: Datatype, size: Result];
    "MPI_Unpack" Local Full [inbuf: Control, insize: Control, position: Updated, outbuf: Updated, outcount: Control, datatype: Datatype, comm: Communicator];
    "MPI_Unpack_external" Local Full [datarep: Control, inbuf: Control, insize: Control, position: Updated, outbuf: Updated, outcount: Control, datatype: Datatype];
    "MPI_Type_extent" Local Full [datatype: Datatype, extent: Result];
    "MPI_Type_lb" Local Full [datatype: Datatype, displacement: Result];
    "MPI_Type_ub" Local Full [datatype: Datatype, displacement: Result];
    "MPI_Type_hindexed" Local Full [count: Control, array_of_blocklengths: Control, array_of_displacements: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_hvector" Local Full [count: Control, blocklength: Control, stride: Control, oldtype: Datatype, newtype: Result];
    "MPI_Type_struct" Local Full [count: Control, array_of_blocklengths: Control, array_of_displacements: Control, array_of_types: Datatype, newtype: Result];

    "MPI_Send" Send Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator];
    "MPI_Ssend" Send Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator];
    "MPI_Rsend" Send Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator];
    "MPI_Bsend" Send Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator];
    "MPI_Recv" Receive Full [buf: BufferOut, count: Count, datatype: Datatype, source: Peer, tag: Tag, comm: Communicator, status: Status];
    "MPI_Sendrecv" SendReceive Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, dest: Peer, sendtag: Tag, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, source: Peer, recvtag: Tag, comm: Communicator, status: Status];
    "MPI_Sendrecv_replace" SendReceive Full [buf: BufferInOut, count: Count, datatype: Datatype, dest: Peer, sendtag: Tag, source: Peer, recvtag: Tag, comm: Communicator, status: Status];
    "MPI_Isend" StartSend Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Issend" StartSend Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Irsend" StartSend Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Ibsend" StartSend Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Irecv" StartReceive Full [buf: BufferOut, count: Count, datatype: Datatype, source: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Send_init" MakePersistent Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Ssend_init" MakePersistent Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Rsend_init" MakePersistent Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Bsend_init" MakePersistent Full [buf: BufferIn, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Recv_init" MakePersistent Full [buf: BufferOut, count: Count, datatype: Datatype, source: Peer, tag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Start" StartPersistent Full [request: Request];
    "MPI_Startall" StartPersistent Full [count: RequestCount, array_of_requests: Request];
    "MPI_Wait" Wait Full [request: Request, status: Status];
    "MPI_Waitall" Wait Full [count: RequestCount, array_of_requests: Request, array_of_statuses: Status];
    "MPI_Waitany" Wait Full [count: RequestCount, array_of_requests: Request, index: Completion, status: Status];
    "MPI_Waitsome" Wait Full [incount: RequestCount, array_of_requests: Request, outcount: Completion, array_of_indices: Completion, array_of_statuses: Status];
    "MPI_Test" Test Full [request: Request, flag: Completion, status: Status];
    "MPI_Testall" Test Full [count: RequestCount, array_of_requests: Request, flag: Completion, array_of_statuses: Status];
    "MPI_Testany" Test Full [count: RequestCount, array_of_requests: Request, index: Completion, flag: Completion, status: Status];
    "MPI_Testsome" Test Full [incount: RequestCount, array_of_requests: Request, outcount: Completion, array_of_indices: Completion, array_of_statuses: Status];
    "MPI_Probe" Probe Full [source: Peer, tag: Tag, comm: Communicator, status: Status];
    "MPI_Iprobe" Probe Full [source: Peer, tag: Tag, comm: Communicator, flag: Completion, status: Status];
    "MPI_Get_count" Local Full [status: StatusIn, datatype: Datatype, count: Result];
    "MPI_Request_free" Local Full [request: Request];
    "MPI_Cancel" Local Full [request: Request];
    "MPI_Get_elements" Local Full [status: StatusIn, datatype: Datatype, count: Result];
    "MPI_Get_elements_x" Local Full [status: StatusIn, datatype: Datatype, count: Result];
    "MPI_Status_set_elements" Local Full [status: Status, datatype: Datatype, count: Control];
    "MPI_Status_set_elements_x" Local Full [status: Status, datatype: Datatype, count: Control];
    "MPI_Buffer_attach" Local Full [buffer: Control, size: Control];
    "MPI_Buffer_detach" Local Full [buffer_addr: Result, size: Result];
    "MPI_Buffer_flush" Local Full [];
    "MPI_Buffer_iflush" Local Full [request: NewRequest];
    "MPI_Comm_attach_buffer" Local Full [comm: Communicator, buffer: Control, size: Control];
    "MPI_Comm_detach_buffer" Local Full [comm: Communicator, buffer_addr: Result, size: Result];
    "MPI_Comm_flush_buffer" Local Full [comm: Communicator];
    "MPI_Comm_iflush_buffer" Local Full [comm: Communicator, request: NewRequest];
    "MPI_Session_attach_buffer" Local Runs [session: Control, buffer: Control, size: Control];
    "MPI_Session_detach_buffer" Local Runs [session: Control, buffer_addr: Result, size: Result];
    "MPI_Session_flush_buffer" Local Runs [session: Control];
    "MPI_Session_iflush_buffer" Local Runs [session: Control, request: NewRequest];
    "MPI_Improbe" Probe Full [source: Peer, tag: Tag, comm: Communicator, flag: Completion, message: Result, status: Status];
    "MPI_Imrecv" StartReceive Full [buf: BufferOut, count: Count, datatype: Datatype, message: Updated, request: NewRequest];
    "MPI_Isendrecv" SendReceive Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, dest: Peer, sendtag: Tag, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, source: Peer, recvtag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Isendrecv_replace" SendReceive Full [buf: BufferInOut, count: Count, datatype: Datatype, dest: Peer, sendtag: Tag, source: Peer, recvtag: Tag, comm: Communicator, request: NewRequest];
    "MPI_Mprobe" Probe Full [source: Peer, tag: Tag, comm: Communicator, message: Result, status: Status];
    "MPI_Mrecv" Receive Full [buf: BufferOut, count: Count, datatype: Datatype, message: Updated, status: Status];
    "MPI_Grequest_complete" Local Full [request: Request];
    "MPI_Grequest_start" Local Full [query_fn: Control, free_fn: Control, cancel_fn: Control, extra_state: Control, request: NewRequest];
    "MPI_Request_get_status" Test Full [request: Request, flag: Completion, status: Status];
    "MPI_Request_get_status_all" Test Full [count: RequestCount, array_of_requests: Request, flag: Completion, array_of_statuses: Status];
    "MPI_Request_get_status_any" Test Full [count: RequestCount, array_of_requests: Request, index: Completion, flag: Completion, status: Status];
    "MPI_Request_get_status_some" Test Full [incount: RequestCount, array_of_requests: Request, outcount: Completion, array_of_indices: Completion, array_of_statuses: Status];
    "MPI_Status_get_error" Local Full [status: StatusIn, err: Result];
    "MPI_Status_get_source" Local Full [status: StatusIn, source: Result];
    "MPI_Status_get_tag" Local Full [status: StatusIn, tag: Result];
    "MPI_Status_set_error" Local Full [status: Status, err: Control];
    "MPI_Status_set_source" Local Full [status: Status, source: Control];
    "MPI_Status_set_tag" Local Full [status: Status, tag: Control];
    "MPI_Status_set_cancelled" Local Full [status: Status, flag: Control];
    "MPI_Test_cancelled" Local Full [status: StatusIn, flag: Result];

    "MPI_Barrier" Collective Full [comm: Communicator];
    "MPI_Bcast" Collective Full [buffer: BufferInOut, count: Count, datatype: Datatype, root: Root, comm: Communicator];
    "MPI_Reduce" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, root: Root, comm: Communicator];
    "MPI_Allreduce" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator];
    "MPI_Gather" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator];
    "MPI_Gatherv" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, root: Root, comm: Communicator];
    "MPI_Scatter" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator];
    "MPI_Scatterv" Collective Full [sendbuf: BufferIn, sendcounts: Count, displs: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator];
    "MPI_Allgather" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator];
    "MPI_Allgatherv" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, comm: Communicator];
    "MPI_Alltoall" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator];
    "MPI_Alltoallv" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtype: Datatype, comm: Communicator];
    "MPI_Reduce_scatter" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, recvcounts: Count, datatype: Datatype, op: ReduceOp, comm: Communicator];
    "MPI_Reduce_scatter_block" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, recvcount: Count, datatype: Datatype, op: ReduceOp, comm: Communicator];
    "MPI_Scan" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator];
    "MPI_Exscan" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator];

    "MPI_Ibarrier" Collective Full [comm: Communicator, request: NewRequest];
    "MPI_Ibcast" Collective Full [buffer: BufferInOut, count: Count, datatype: Datatype, root: Root, comm: Communicator, request: NewRequest];
    "MPI_Ireduce" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, root: Root, comm: Communicator, request: NewRequest];
    "MPI_Iallreduce" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, request: NewRequest];
    "MPI_Igather" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator, request: NewRequest];
    "MPI_Igatherv" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, root: Root, comm: Communicator, request: NewRequest];
    "MPI_Iscatter" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator, request: NewRequest];
    "MPI_Iscatterv" Collective Full [sendbuf: BufferIn, sendcounts: Count, displs: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator, request: NewRequest];
    "MPI_Iallgather" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Iallgatherv" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ialltoall" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ialltoallv" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ireduce_scatter" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, recvcounts: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, request: NewRequest];
    "MPI_Ireduce_scatter_block" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, recvcount: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, request: NewRequest];
    "MPI_Iscan" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, request: NewRequest];
    "MPI_Iexscan" Collective Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, request: NewRequest];

    "MPI_Allgather_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Allgatherv_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Allreduce_init" MakePersistent Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Alltoall_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Alltoallv_init" MakePersistent Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Alltoallw" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtypes: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtypes: Datatype, comm: Communicator];
    "MPI_Alltoallw_init" MakePersistent Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtypes: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtypes: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Barrier_init" MakePersistent Full [comm: Communicator, info: Control, request: NewRequest];
    "MPI_Bcast_init" MakePersistent Full [buffer: BufferInOut, count: Count, datatype: Datatype, root: Root, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Exscan_init" MakePersistent Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Gather_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Gatherv_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, root: Root, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Ialltoallw" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtypes: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtypes: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ineighbor_allgather" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ineighbor_allgatherv" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ineighbor_alltoall" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ineighbor_alltoallv" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtype: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Ineighbor_alltoallw" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtypes: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtypes: Datatype, comm: Communicator, request: NewRequest];
    "MPI_Neighbor_allgather" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator];
    "MPI_Neighbor_allgather_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Neighbor_allgatherv" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, comm: Communicator];
    "MPI_Neighbor_allgatherv_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, displs: Displacement, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Neighbor_alltoall" Collective Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator];
    "MPI_Neighbor_alltoall_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Neighbor_alltoallv" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtype: Datatype, comm: Communicator];
    "MPI_Neighbor_alltoallv_init" MakePersistent Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtype: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Neighbor_alltoallw" Collective Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtypes: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtypes: Datatype, comm: Communicator];
    "MPI_Neighbor_alltoallw_init" MakePersistent Full [sendbuf: BufferIn, sendcounts: Count, sdispls: Displacement, sendtypes: Datatype, recvbuf: BufferOut, recvcounts: Count, rdispls: Displacement, recvtypes: Datatype, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Reduce_init" MakePersistent Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, root: Root, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Reduce_local" Local Full [inbuf: Control, inoutbuf: Updated, count: Control, datatype: Datatype, op: ReduceOp];
    "MPI_Reduce_scatter_block_init" MakePersistent Full [sendbuf: BufferIn, recvbuf: BufferOut, recvcount: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Reduce_scatter_init" MakePersistent Full [sendbuf: BufferIn, recvbuf: BufferOut, recvcounts: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Scan_init" MakePersistent Full [sendbuf: BufferIn, recvbuf: BufferOut, count: Count, datatype: Datatype, op: ReduceOp, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Scatter_init" MakePersistent Full [sendbuf: BufferIn, sendcount: Count, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Scatterv_init" MakePersistent Full [sendbuf: BufferIn, sendcounts: Count, displs: Displacement, sendtype: Datatype, recvbuf: BufferOut, recvcount: Count, recvtype: Datatype, root: Root, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Op_commutative" Local Full [op: ReduceOp, commute: Result];
    "MPI_Op_create" Local Full [user_fn: Control, commute: Control, op: Result];
    "MPI_Op_free" Local Full [op: Updated];
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_in_any_spelling() {
        for spelling in ["MPI_Send", "mpi_send", "PMPI_SEND"] {
            assert_eq!(find(spelling).unwrap().name, "MPI_Send");
        }
        assert!(
            find("MPI_Put").is_none() && is_mpi_name("MPI_Put") && !is_mpi_name("mpiete_block")
        );
    }

    #[test]
    fn names_and_arguments_are_unique() {
        for (i, function) in FUNCTIONS.iter().enumerate() {
            assert!(
                FUNCTIONS[..i]
                    .iter()
                    .all(|earlier| earlier.name != function.name),
                "{}",
                function.name
            );
            for (j, argument) in function.arguments.iter().enumerate() {
                assert!(
                    function.arguments[..j]
                        .iter()
                        .all(|earlier| earlier.name != argument.name)
                );
            }
        }
    }

    #[test]
    fn derives_symbols() {
        let send = find("mpi_send").unwrap();
        assert_eq!(
            (send.fortran_symbol().as_str(), send.f08_symbol().as_str()),
            ("mpi_send_", "mpi_send_f08ts_")
        );
        assert_eq!(find("mpi_wait").unwrap().f08_symbol(), "mpi_wait_f08_");
    }
}
