//! The functions of MPI that only the analysis knows: arguments and their roles, so that calls of them can be
//! followed and named. Nothing records, observes or predicts them. One that is to run moves to
//! [`super::functions`], with its entries.
//!
//! Those of MPI 4.1 that Fortran programs can call, with those that MPI 3.0 removed.

use super::function::{Function, Support, rows};
use super::roles::Role::*;
use super::roles::{Argument, FunctionKind};

/// All rows, by chapter.
pub static OTHERS: &[Function] = rows! {
    // Attributes.
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
    "MPI_Compare_and_swap" Other NotYet [origin_addr: BufferIn, compare_addr: BufferIn, result_addr: BufferOut, datatype: Datatype, target_rank: Peer, target_disp: Control, win: Control];
    "MPI_Fetch_and_op" Other NotYet [origin_addr: BufferIn, result_addr: BufferOut, datatype: Datatype, target_rank: Peer, target_disp: Control, op: ReduceOp, win: Control];
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
    "MPI_Sizeof" Local NotYet [x: Control, size: Result];

    // Processes and sessions.
    "MPI_Close_port" Local NotYet [port_name: Control];
    "MPI_Comm_accept" Other NotYet [port_name: Control, info: Control, root: Root, comm: Communicator, newcomm: NewCommunicator];
    "MPI_Comm_connect" Other NotYet [port_name: Control, info: Control, root: Root, comm: Communicator, newcomm: NewCommunicator];
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

    // Errors, information and the rest.
    "MPI_Get" Other NotYet [origin_addr: BufferOut, origin_count: Count, origin_datatype: Datatype, target_rank: Peer, target_disp: Control, target_count: Count, target_datatype: Datatype, win: Control];
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::functions::FUNCTIONS;

    #[test]
    fn no_function_stands_twice() {
        let names: Vec<&str> = FUNCTIONS
            .iter()
            .chain(OTHERS)
            .map(|function| function.name)
            .collect();
        for (i, name) in names.iter().enumerate() {
            assert!(!names[..i].contains(name), "{name}");
        }
    }

    #[test]
    fn arguments_are_named_once_and_none_runs() {
        for function in OTHERS {
            let names: Vec<&str> = function
                .arguments
                .iter()
                .map(|argument| argument.name)
                .collect();
            assert!(
                (0..names.len()).all(|i| !names[..i].contains(&names[i])),
                "{}",
                function.name
            );
            assert_eq!(function.support, Support::NotYet, "{}", function.name);
        }
    }

    #[test]
    fn constructed_handle_follows_its_inputs() {
        let makes = |function: &&Function| function.kind == FunctionKind::MakeCommunicator;
        assert!(
            OTHERS
                .iter()
                .filter(makes)
                .all(|function| function.position(NewCommunicator).is_some())
        );
    }
}
