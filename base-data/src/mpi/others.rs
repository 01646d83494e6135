//! The functions of MPI that only the analysis knows: arguments and their roles, so that calls of them can be
//! followed and named. Nothing records, observes or predicts them. One that is to run moves to
//! [`super::functions`], with its entries.
//!
//! Those of MPI 4.1 that Fortran programs can call, with those that MPI 3.0 removed.

use super::functions::{Function, Support, rows};
use super::roles::Role::*;
use super::roles::{Argument, Kind};

/// All rows, by chapter.
pub static OTHERS: &[Function] = rows! {
    // Attributes.
    "MPI_Attr_delete" Local NotYet [comm: Communicator, keyval: Control];
    "MPI_Attr_get" Local NotYet [comm: Communicator, keyval: Control, attribute_val: Result, flag: Result];
    "MPI_Attr_put" Local NotYet [comm: Communicator, keyval: Control, attribute_val: Control];
    "MPI_Comm_create_keyval" Local NotYet [comm_copy_attr_fn: Control, comm_delete_attr_fn: Control, comm_keyval: Result, extra_state: Control];
    "MPI_Comm_delete_attr" Local NotYet [comm: Communicator, comm_keyval: Control];
    "MPI_Comm_free_keyval" Local NotYet [comm_keyval: Updated];
    "MPI_Comm_get_attr" Local NotYet [comm: Communicator, comm_keyval: Control, attribute_val: Result, flag: Result];
    "MPI_Comm_set_attr" Local NotYet [comm: Communicator, comm_keyval: Control, attribute_val: Control];
    "MPI_Keyval_create" Local NotYet [copy_fn: Control, delete_fn: Control, keyval: Result, extra_state: Control];
    "MPI_Keyval_free" Local NotYet [keyval: Updated];
    "MPI_Type_create_keyval" Local NotYet [type_copy_attr_fn: Control, type_delete_attr_fn: Control, type_keyval: Result, extra_state: Control];
    "MPI_Type_delete_attr" Local NotYet [datatype: Datatype, type_keyval: Control];
    "MPI_Type_free_keyval" Local NotYet [type_keyval: Updated];
    "MPI_Type_get_attr" Local NotYet [datatype: Datatype, type_keyval: Control, attribute_val: Result, flag: Result];
    "MPI_Type_set_attr" Local NotYet [datatype: Datatype, type_keyval: Control, attribute_val: Control];
    "MPI_Win_create_keyval" Local NotYet [win_copy_attr_fn: Control, win_delete_attr_fn: Control, win_keyval: Result, extra_state: Control];
    "MPI_Win_delete_attr" Local NotYet [win: Control, win_keyval: Control];
    "MPI_Win_free_keyval" Local NotYet [win_keyval: Updated];
    "MPI_Win_get_attr" Local NotYet [win: Control, win_keyval: Control, attribute_val: Result, flag: Result];
    "MPI_Win_set_attr" Local NotYet [win: Control, win_keyval: Control, attribute_val: Control];

    // Files.
    "MPI_File_call_errhandler" Local NotYet [fh: Control, errorcode: Control];
    "MPI_File_create_errhandler" Local NotYet [file_errhandler_fn: Control, errhandler: Result];
    "MPI_File_get_errhandler" Local NotYet [file: Control, errhandler: Result];
    "MPI_File_set_errhandler" Local NotYet [file: Control, errhandler: Control];
    "MPI_File_open" Other NotYet [comm: Communicator, filename: Control, amode: Control, info: Control, fh: Result];
    "MPI_File_close" Other NotYet [fh: Updated];
    "MPI_File_delete" Other NotYet [filename: Control, info: Control];
    "MPI_File_set_size" Other NotYet [fh: Control, size: Control];
    "MPI_File_preallocate" Other NotYet [fh: Control, size: Control];
    "MPI_File_get_size" Local NotYet [fh: Control, size: Result];
    "MPI_File_get_group" Local NotYet [fh: Control, group: Result];
    "MPI_File_get_amode" Local NotYet [fh: Control, amode: Result];
    "MPI_File_set_info" Other NotYet [fh: Control, info: Control];
    "MPI_File_get_info" Local NotYet [fh: Control, info_used: Result];
    "MPI_File_set_view" Other NotYet [fh: Control, disp: Control, etype: Datatype, filetype: Datatype, datarep: Control, info: Control];
    "MPI_File_get_view" Local NotYet [fh: Control, disp: Result, etype: Result, filetype: Result, datarep: Text];
    "MPI_File_read_at" Other NotYet [fh: Control, offset: Control, buf: BufferOut, count: Count, datatype: Datatype, status: Status];
    "MPI_File_read_at_all" Other NotYet [fh: Control, offset: Control, buf: BufferOut, count: Count, datatype: Datatype, status: Status];
    "MPI_File_write_at" Other NotYet [fh: Control, offset: Control, buf: BufferIn, count: Count, datatype: Datatype, status: Status];
    "MPI_File_write_at_all" Other NotYet [fh: Control, offset: Control, buf: BufferIn, count: Count, datatype: Datatype, status: Status];
    "MPI_File_iread_at" Other NotYet [fh: Control, offset: Control, buf: BufferOut, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_iwrite_at" Other NotYet [fh: Control, offset: Control, buf: BufferIn, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_read" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype, status: Status];
    "MPI_File_read_all" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype, status: Status];
    "MPI_File_write" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype, status: Status];
    "MPI_File_write_all" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype, status: Status];
    "MPI_File_iread" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_iwrite" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_seek" Other NotYet [fh: Control, offset: Control, whence: Control];
    "MPI_File_get_position" Local NotYet [fh: Control, offset: Result];
    "MPI_File_get_byte_offset" Local NotYet [fh: Control, offset: Control, disp: Result];
    "MPI_File_read_shared" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype, status: Status];
    "MPI_File_write_shared" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype, status: Status];
    "MPI_File_iread_shared" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_iwrite_shared" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_read_ordered" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype, status: Status];
    "MPI_File_write_ordered" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype, status: Status];
    "MPI_File_seek_shared" Other NotYet [fh: Control, offset: Control, whence: Control];
    "MPI_File_get_position_shared" Local NotYet [fh: Control, offset: Result];
    "MPI_File_read_at_all_begin" Other NotYet [fh: Control, offset: Control, buf: BufferOut, count: Count, datatype: Datatype];
    "MPI_File_read_at_all_end" Other NotYet [fh: Control, buf: BufferOut, status: Status];
    "MPI_File_write_at_all_begin" Other NotYet [fh: Control, offset: Control, buf: BufferIn, count: Count, datatype: Datatype];
    "MPI_File_write_at_all_end" Other NotYet [fh: Control, buf: BufferIn, status: Status];
    "MPI_File_read_all_begin" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype];
    "MPI_File_read_all_end" Other NotYet [fh: Control, buf: BufferOut, status: Status];
    "MPI_File_write_all_begin" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype];
    "MPI_File_write_all_end" Other NotYet [fh: Control, buf: BufferIn, status: Status];
    "MPI_File_read_ordered_begin" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype];
    "MPI_File_read_ordered_end" Other NotYet [fh: Control, buf: BufferOut, status: Status];
    "MPI_File_write_ordered_begin" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype];
    "MPI_File_write_ordered_end" Other NotYet [fh: Control, buf: BufferIn, status: Status];
    "MPI_File_get_type_extent" Local NotYet [fh: Control, datatype: Datatype, extent: Result];
    "MPI_Register_datarep" Local NotYet [datarep: Control, read_conversion_fn: Control, write_conversion_fn: Control, dtype_file_extent_fn: Control, extra_state: Control];
    "MPI_File_set_atomicity" Other NotYet [fh: Control, flag: Control];
    "MPI_File_get_atomicity" Local NotYet [fh: Control, flag: Result];
    "MPI_File_sync" Other NotYet [fh: Control];
    "MPI_File_iread_at_all" Other NotYet [fh: Control, offset: Control, buf: BufferOut, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_iwrite_at_all" Other NotYet [fh: Control, offset: Control, buf: BufferIn, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_iread_all" Other NotYet [fh: Control, buf: BufferOut, count: Count, datatype: Datatype, request: NewRequest];
    "MPI_File_iwrite_all" Other NotYet [fh: Control, buf: BufferIn, count: Count, datatype: Datatype, request: NewRequest];

    // One-sided communication.
    "MPI_Win_call_errhandler" Local NotYet [win: Control, errorcode: Control];
    "MPI_Win_create_errhandler" Local NotYet [win_errhandler_fn: Control, errhandler: Result];
    "MPI_Win_get_errhandler" Local NotYet [win: Control, errhandler: Result];
    "MPI_Win_set_errhandler" Local NotYet [win: Control, errhandler: Control];
    "MPI_Accumulate" Other NotYet [origin_addr: BufferIn, origin_count: Count, origin_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, op: ReduceOp, win: Control];
    "MPI_Alloc_mem" Local NotYet [size: Control, info: Control, baseptr: Result];
    "MPI_Compare_and_swap" Other NotYet [origin_addr: BufferIn, compare_addr: BufferIn, result_addr: BufferOut, datatype: Datatype, target_rank: Peer, target_disp: Control, win: Control];
    "MPI_Fetch_and_op" Other NotYet [origin_addr: BufferIn, result_addr: BufferOut, datatype: Datatype, target_rank: Peer, target_disp: Control, op: ReduceOp, win: Control];
    "MPI_Free_mem" Local NotYet [base: Control];
    "MPI_Get_accumulate" Other NotYet [origin_addr: BufferIn, origin_count: Count, origin_datatype: Datatype, result_addr: BufferOut, result_count: Count, result_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, op: ReduceOp, win: Control];
    "MPI_Put" Other NotYet [origin_addr: BufferIn, origin_count: Count, origin_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, win: Control];
    "MPI_Raccumulate" Other NotYet [origin_addr: BufferIn, origin_count: Count, origin_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, op: ReduceOp, win: Control, request: NewRequest];
    "MPI_Rget" Other NotYet [origin_addr: BufferOut, origin_count: Count, origin_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, win: Control, request: NewRequest];
    "MPI_Rget_accumulate" Other NotYet [origin_addr: BufferIn, origin_count: Count, origin_datatype: Datatype, result_addr: BufferOut, result_count: Count, result_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, op: ReduceOp, win: Control, request: NewRequest];
    "MPI_Rput" Other NotYet [origin_addr: BufferIn, origin_count: Count, origin_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, win: Control, request: NewRequest];
    "MPI_Win_allocate" Other NotYet [size: Control, disp_unit: Control, info: Control, comm: Communicator, baseptr: Result, win: Result];
    "MPI_Win_allocate_shared" Other NotYet [size: Control, disp_unit: Control, info: Control, comm: Communicator, baseptr: Result, win: Result];
    "MPI_Win_attach" Local NotYet [win: Control, base: Control, size: Control];
    "MPI_Win_complete" Other NotYet [win: Control];
    "MPI_Win_create" Other NotYet [base: BufferInOut, size: Control, disp_unit: Control, info: Control, comm: Communicator, win: Result];
    "MPI_Win_create_dynamic" Other NotYet [info: Control, comm: Communicator, win: Result];
    "MPI_Win_detach" Local NotYet [win: Control, base: Control];
    "MPI_Win_fence" Other NotYet [assert: Control, win: Control];
    "MPI_Win_flush" Other NotYet [rank: Control, win: Control];
    "MPI_Win_flush_all" Other NotYet [win: Control];
    "MPI_Win_flush_local" Other NotYet [rank: Control, win: Control];
    "MPI_Win_flush_local_all" Other NotYet [win: Control];
    "MPI_Win_free" Other NotYet [win: Updated];
    "MPI_Win_get_group" Local NotYet [win: Control, group: Result];
    "MPI_Win_get_info" Local NotYet [win: Control, info_used: Result];
    "MPI_Win_get_name" Local NotYet [win: Control, win_name: Text, resultlen: Result];
    "MPI_Win_lock" Other NotYet [lock_type: Control, rank: Control, assert: Control, win: Control];
    "MPI_Win_lock_all" Other NotYet [assert: Control, win: Control];
    "MPI_Win_post" Other NotYet [group: Control, assert: Control, win: Control];
    "MPI_Win_set_info" Local NotYet [win: Control, info: Control];
    "MPI_Win_set_name" Local NotYet [win: Control, win_name: Control];
    "MPI_Win_shared_query" Local NotYet [win: Control, rank: Control, size: Result, disp_unit: Result, baseptr: Result];
    "MPI_Win_start" Other NotYet [group: Control, assert: Control, win: Control];
    "MPI_Win_sync" Other NotYet [win: Control];
    "MPI_Win_test" Other NotYet [win: Control, flag: Completion];
    "MPI_Win_unlock" Other NotYet [rank: Control, win: Control];
    "MPI_Win_unlock_all" Other NotYet [win: Control];
    "MPI_Win_wait" Other NotYet [win: Control];

    // Datatypes and packing.
    "MPI_Get_address" Local NotYet [location: Control, address: Result];
    "MPI_Address" Local NotYet [location: Control, address: Result];
    "MPI_Aint_add" Local NotYet [base: Control, disp: Control];
    "MPI_Aint_diff" Local NotYet [addr1: Control, addr2: Control];
    "MPI_Sizeof" Local NotYet [x: Control, size: Result];
    "MPI_Type_get_value_index" Local NotYet [value_type: Datatype, index_type: Datatype, pair_type: Result];

    // Groups, communicators and topologies.
    "MPI_Comm_compare" Local NotYet [comm1: Communicator, comm2: Communicator, result: Result];
    "MPI_Comm_create_group" MakeCommunicator NotYet [comm: Communicator, group: Control, tag: Tag, newcomm: NewCommunicator];
    "MPI_Comm_get_info" Local NotYet [comm: Communicator, info_used: Result];
    "MPI_Comm_get_name" Local NotYet [comm: Communicator, comm_name: Text, resultlen: Result];
    "MPI_Comm_idup" MakeCommunicator NotYet [comm: Communicator, newcomm: NewCommunicator, request: NewRequest];
    "MPI_Comm_idup_with_info" MakeCommunicator NotYet [comm: Communicator, info: Control, newcomm: NewCommunicator, request: NewRequest];
    "MPI_Comm_remote_group" Local NotYet [comm: Communicator, group: Result];
    "MPI_Comm_remote_size" Local NotYet [comm: Communicator, size: Result];
    "MPI_Comm_set_info" Local NotYet [comm: Communicator, info: Control];
    "MPI_Comm_set_name" Local NotYet [comm: Communicator, comm_name: Control];
    "MPI_Comm_test_inter" Local NotYet [comm: Communicator, flag: Result];
    "MPI_Intercomm_create" MakeCommunicator NotYet [local_comm: Communicator, local_leader: Control, peer_comm: Communicator, remote_leader: Control, tag: Tag, newintercomm: NewCommunicator];
    "MPI_Intercomm_create_from_groups" MakeCommunicator NotYet [local_group: Control, local_leader: Control, remote_group: Control, remote_leader: Control, stringtag: Control, info: Control, errhandler: Control, newintercomm: NewCommunicator];
    "MPI_Intercomm_merge" MakeCommunicator NotYet [intercomm: Communicator, high: Control, newintracomm: NewCommunicator];
    "MPI_Comm_create_errhandler" Local NotYet [comm_errhandler_fn: Control, errhandler: Result];
    "MPI_Comm_get_errhandler" Local NotYet [comm: Communicator, errhandler: Result];
    "MPI_Group_compare" Local NotYet [group1: Control, group2: Control, result: Result];
    "MPI_Group_difference" Local NotYet [group1: Control, group2: Control, newgroup: Result];
    "MPI_Group_excl" Local NotYet [group: Control, n: Control, ranks: Control, newgroup: Result];
    "MPI_Group_free" Local NotYet [group: Updated];
    "MPI_Group_incl" Local NotYet [group: Control, n: Control, ranks: Control, newgroup: Result];
    "MPI_Group_intersection" Local NotYet [group1: Control, group2: Control, newgroup: Result];
    "MPI_Group_range_excl" Local NotYet [group: Control, n: Control, ranges: Control, newgroup: Result];
    "MPI_Group_range_incl" Local NotYet [group: Control, n: Control, ranges: Control, newgroup: Result];
    "MPI_Group_rank" Local NotYet [group: Control, rank: Result];
    "MPI_Group_size" Local NotYet [group: Control, size: Result];
    "MPI_Group_translate_ranks" Local NotYet [group1: Control, n: Control, ranks1: Control, group2: Control, ranks2: Result];
    "MPI_Group_union" Local NotYet [group1: Control, group2: Control, newgroup: Result];
    "MPI_Comm_create_from_group" MakeCommunicator NotYet [group: Control, stringtag: Control, info: Control, errhandler: Control, newcomm: NewCommunicator];
    "MPI_Group_from_session_pset" Local NotYet [session: Control, pset_name: Control, newgroup: Result];
    "MPI_Comm_get_parent" Local NotYet [parent: Result];
    "MPI_Cart_map" Local NotYet [comm: Communicator, ndims: Control, dims: Control, periods: Control, newrank: Result];
    "MPI_Cartdim_get" Local NotYet [comm: Communicator, ndims: Result];
    "MPI_Dist_graph_create" MakeCommunicator NotYet [comm_old: Communicator, n: Control, sources: Control, degrees: Control, destinations: Control, weights: Control, info: Control, reorder: Control, comm_dist_graph: NewCommunicator];
    "MPI_Dist_graph_create_adjacent" MakeCommunicator NotYet [comm_old: Communicator, indegree: Control, sources: Control, sourceweights: Control, outdegree: Control, destinations: Control, destweights: Control, info: Control, reorder: Control, comm_dist_graph: NewCommunicator];
    "MPI_Dist_graph_neighbors" Local NotYet [comm: Communicator, maxindegree: Control, sources: Result, sourceweights: Result, maxoutdegree: Control, destinations: Result, destweights: Result];
    "MPI_Dist_graph_neighbors_count" Local NotYet [comm: Communicator, indegree: Result, outdegree: Result, weighted: Result];
    "MPI_Graph_create" MakeCommunicator NotYet [comm_old: Communicator, nnodes: Control, index: Control, edges: Control, reorder: Control, comm_graph: NewCommunicator];
    "MPI_Graph_get" Local NotYet [comm: Communicator, maxindex: Control, maxedges: Control, index: Result, edges: Result];
    "MPI_Graph_map" Local NotYet [comm: Communicator, nnodes: Control, index: Control, edges: Control, newrank: Result];
    "MPI_Graph_neighbors" Local NotYet [comm: Communicator, rank: Control, maxneighbors: Control, neighbors: Result];
    "MPI_Graph_neighbors_count" Local NotYet [comm: Communicator, rank: Control, nneighbors: Result];
    "MPI_Graphdims_get" Local NotYet [comm: Communicator, nnodes: Result, nedges: Result];
    "MPI_Topo_test" Local NotYet [comm: Communicator, status: Result];
    "MPI_Comm_attach_buffer" Local NotYet [comm: Communicator, buffer: Control, size: Control];
    "MPI_Comm_detach_buffer" Local NotYet [comm: Communicator, buffer_addr: Result, size: Result];

    // Processes and sessions.
    "MPI_Comm_call_errhandler" Local NotYet [comm: Communicator, errorcode: Control];
    "MPI_Session_call_errhandler" Local NotYet [session: Control, errorcode: Control];
    "MPI_Session_create_errhandler" Local NotYet [session_errhandler_fn: Control, errhandler: Result];
    "MPI_Session_get_errhandler" Local NotYet [session: Control, errhandler: Result];
    "MPI_Session_set_errhandler" Local NotYet [session: Control, errhandler: Control];
    "MPI_Is_thread_main" Local NotYet [flag: Result];
    "MPI_Query_thread" Local NotYet [provided: Result];
    "MPI_Session_finalize" Other NotYet [session: Updated];
    "MPI_Session_get_info" Local NotYet [session: Control, info_used: Result];
    "MPI_Session_get_nth_pset" Local NotYet [session: Control, info: Control, n: Control, pset_len: Result, pset_name: Text];
    "MPI_Session_get_num_psets" Local NotYet [session: Control, info: Control, npset_names: Result];
    "MPI_Session_get_pset_info" Local NotYet [session: Control, pset_name: Control, info: Result];
    "MPI_Session_init" Other NotYet [info: Control, errhandler: Control, session: Result];
    "MPI_Close_port" Local NotYet [port_name: Control];
    "MPI_Comm_accept" Other NotYet [port_name: Control, info: Control, root: Root, comm: Communicator, newcomm: NewCommunicator];
    "MPI_Comm_connect" Other NotYet [port_name: Control, info: Control, root: Root, comm: Communicator, newcomm: NewCommunicator];
    "MPI_Comm_disconnect" Other NotYet [comm: FreedCommunicator];
    "MPI_Comm_join" Other NotYet [fd: Control, intercomm: NewCommunicator];
    "MPI_Comm_spawn" Other NotYet [command: Control, argv: Control, maxprocs: Control, info: Control, root: Root, comm: Communicator, intercomm: NewCommunicator, array_of_errcodes: Result];
    "MPI_Comm_spawn_multiple" Other NotYet [count: Count, array_of_commands: Control, array_of_argv: Control, array_of_maxprocs: Control, array_of_info: Control, root: Root, comm: Communicator, intercomm: NewCommunicator, array_of_errcodes: Result];
    "MPI_Lookup_name" Local NotYet [service_name: Control, info: Control, port_name: Text];
    "MPI_Open_port" Local NotYet [info: Control, port_name: Text];
    "MPI_Publish_name" Local NotYet [service_name: Control, info: Control, port_name: Control];
    "MPI_Unpublish_name" Local NotYet [service_name: Control, info: Control, port_name: Control];

    // Collectives.
    "MPI_Precv_init" MakePersistent NotYet [buf: BufferOut, partitions: Control, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, info: Control, request: NewRequest];
    "MPI_Psend_init" MakePersistent NotYet [buf: BufferIn, partitions: Control, count: Count, datatype: Datatype, dest: Peer, tag: Tag, comm: Communicator, info: Control, request: NewRequest];

    // Requests, messages and partitions.
    "MPI_Parrived" Other NotYet [request: Request, partition: Control, flag: Completion];
    "MPI_Pready" Other NotYet [partition: Control, request: Request];
    "MPI_Pready_list" Other NotYet [length: Control, array_of_partitions: Control, request: Request];
    "MPI_Pready_range" Other NotYet [partition_low: Control, partition_high: Control, request: Request];
    "MPI_Buffer_flush" Local NotYet [];
    "MPI_Buffer_iflush" Local NotYet [request: NewRequest];
    "MPI_Request_get_status_all" Test NotYet [count: RequestCount, array_of_requests: Request, flag: Completion, array_of_statuses: Status];
    "MPI_Request_get_status_any" Test NotYet [count: RequestCount, array_of_requests: Request, index: Completion, flag: Completion, status: Status];
    "MPI_Request_get_status_some" Test NotYet [incount: RequestCount, array_of_requests: Request, outcount: Completion, array_of_indices: Completion, array_of_statuses: Status];
    "MPI_Status_get_error" Local NotYet [status: StatusIn, err: Result];
    "MPI_Status_get_source" Local NotYet [status: StatusIn, source: Result];
    "MPI_Status_get_tag" Local NotYet [status: StatusIn, tag: Result];

    // Errors, information and the rest.
    "MPI_Add_error_class" Local NotYet [errorclass: Result];
    "MPI_Add_error_code" Local NotYet [errorclass: Control, errorcode: Result];
    "MPI_Add_error_string" Local NotYet [errorcode: Control, string: Control];
    "MPI_Errhandler_free" Local NotYet [errhandler: Updated];
    "MPI_Error_class" Local NotYet [errorcode: Control, errorclass: Result];
    "MPI_Errhandler_create" Local NotYet [comm_errhandler_fn: Control, errhandler: Result];
    "MPI_Errhandler_get" Local NotYet [comm: Communicator, errhandler: Result];
    "MPI_Errhandler_set" Local NotYet [comm: Communicator, errhandler: Control];
    "MPI_Info_create" Local NotYet [info: Result];
    "MPI_Info_create_env" Local NotYet [info: Result];
    "MPI_Info_delete" Local NotYet [info: Control, key: Control];
    "MPI_Info_dup" Local NotYet [info: Control, newinfo: Result];
    "MPI_Info_free" Local NotYet [info: Updated];
    "MPI_Info_get" Local NotYet [info: Control, key: Control, valuelen: Control, value: Text, flag: Result];
    "MPI_Info_get_nkeys" Local NotYet [info: Control, nkeys: Result];
    "MPI_Info_get_nthkey" Local NotYet [info: Control, n: Control, key: Text];
    "MPI_Info_get_string" Local NotYet [info: Control, key: Control, buflen: Updated, value: Text, flag: Result];
    "MPI_Info_get_valuelen" Local NotYet [info: Control, key: Control, valuelen: Result, flag: Result];
    "MPI_Info_set" Local NotYet [info: Control, key: Control, value: Control];
    "MPI_Pcontrol" Local NotYet [level: Control];
    "MPI_Get" Other NotYet [origin_addr: BufferOut, origin_count: Count, origin_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, win: Control];
    "MPI_Remove_error_class" Local NotYet [errorclass: Control];
    "MPI_Remove_error_code" Local NotYet [errorcode: Control];
    "MPI_Remove_error_string" Local NotYet [errorcode: Control];
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::functions::FUNCTIONS;

    #[test]
    fn no_function_stands_twice() {
        let names: Vec<&str> = FUNCTIONS.iter().chain(OTHERS).map(|function| function.name).collect();
        for (i, name) in names.iter().enumerate() {
            assert!(!names[..i].contains(name), "{name}");
        }
    }

    #[test]
    fn arguments_are_named_once_and_none_runs() {
        for function in OTHERS {
            let names: Vec<&str> = function.arguments.iter().map(|argument| argument.name).collect();
            assert!((0..names.len()).all(|i| !names[..i].contains(&names[i])), "{}", function.name);
            assert_eq!(function.support, Support::NotYet, "{}", function.name);
        }
    }

    #[test]
    fn what_is_made_comes_after_what_it_is_made_of() {
        let makes = |function: &&Function| function.kind == Kind::MakeCommunicator;
        assert!(OTHERS.iter().filter(makes).all(|function| function.position(NewCommunicator).is_some()));
    }
}
