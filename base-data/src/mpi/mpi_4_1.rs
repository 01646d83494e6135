//! Functions that came after MPI 4.0. What depends on whether a library has a function (programs that ask the
//! loader, the observer over a library that may be older) must not find them where they do nothing.

/// Functions of MPI 4.1.
pub const SINCE_4_1: &[&str] = &[
    "MPI_Buffer_flush",
    "MPI_Buffer_iflush",
    "MPI_Comm_attach_buffer",
    "MPI_Comm_detach_buffer",
    "MPI_Comm_flush_buffer",
    "MPI_Comm_iflush_buffer",
    "MPI_Get_hw_resource_info",
    "MPI_Remove_error_class",
    "MPI_Remove_error_code",
    "MPI_Remove_error_string",
    "MPI_Request_get_status_all",
    "MPI_Request_get_status_any",
    "MPI_Request_get_status_some",
    "MPI_Session_attach_buffer",
    "MPI_Session_detach_buffer",
    "MPI_Session_flush_buffer",
    "MPI_Session_iflush_buffer",
    "MPI_Status_get_error",
    "MPI_Status_get_source",
    "MPI_Status_get_tag",
    "MPI_Status_set_error",
    "MPI_Status_set_source",
    "MPI_Status_set_tag",
    "MPI_Type_get_value_index",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::functions::FUNCTIONS;

    /// Stubs of these would be taken for the functions.
    #[test]
    fn every_later_function_runs() {
        for name in SINCE_4_1 {
            let row = FUNCTIONS.iter().find(|function| function.name == *name);
            assert!(
                row.is_some_and(|function| function.support.runs()),
                "{name}"
            );
        }
    }
}
