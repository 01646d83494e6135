//! The named constants of MPI: which there are, and which of them the statements of a scope can name. Probes name them
//! instead of their values, which every library has of its own.

use crate::ir::bit_set::BitSet;
use std::sync::LazyLock;

/// Constants that are default integers in all bindings, without `mpi_`.
const INTEGERS: &str = "
    address_kind any_source any_tag appnum bsend_overhead cart combiner_contiguous combiner_darray
    combiner_dup combiner_f90_complex combiner_f90_integer combiner_f90_real combiner_hindexed
    combiner_hindexed_block combiner_hindexed_integer combiner_hvector combiner_hvector_integer
    combiner_indexed combiner_indexed_block combiner_named combiner_resized combiner_struct
    combiner_struct_integer combiner_subarray combiner_vector comm_type_hw_guided
    comm_type_hw_unguided comm_type_shared congruent count_kind displacement_current dist_graph
    distribute_block distribute_cyclic distribute_dflt_darg distribute_none err_access err_amode
    err_arg err_assert err_bad_file err_base err_buffer err_comm err_conversion err_count err_dims
    err_disp err_dup_datarep err_file err_file_exists err_file_in_use err_group err_in_status
    err_info err_info_key err_info_nokey err_info_value err_intern err_io err_keyval err_lastcode
    err_locktype err_name err_no_mem err_no_space err_no_such_file err_not_same err_op err_other
    err_pending err_port err_proc_aborted err_quota err_rank err_read_only err_request
    err_rma_attach err_rma_conflict err_rma_flavor err_rma_range err_rma_shared err_rma_sync
    err_root err_service err_session err_size err_spawn err_tag err_topology err_truncate err_type
    err_unknown err_unsupported_datarep err_unsupported_operation err_value_too_large err_win error
    graph host ident integer_kind io keyval_invalid lastusedcode lock_exclusive lock_shared
    max_datarep_string max_error_string max_info_key max_info_val max_library_version_string
    max_object_name max_port_name max_processor_name max_pset_name_len max_stringtag_len mode_append
    mode_create mode_delete_on_close mode_excl mode_nocheck mode_noprecede mode_noput mode_nostore
    mode_nosucceed mode_rdonly mode_rdwr mode_sequential mode_unique_open mode_wronly offset_kind
    order_c order_fortran proc_null root seek_cur seek_end seek_set similar source status_size
    subversion success tag tag_ub thread_funneled thread_multiple thread_serialized thread_single
    typeclass_complex typeclass_integer typeclass_real undefined unequal universe_size version
    win_base win_create_flavor win_disp_unit win_flavor_allocate win_flavor_create
    win_flavor_dynamic win_flavor_shared win_model win_separate win_size win_unified wtime_is_global
";

/// Handles: integers in `mpif.h` and the module `mpi`, objects of derived types in `mpi_f08`.
const HANDLES: &str = "
    2double_precision 2int 2integer 2real aint band bor bxor byte c_bool c_complex c_double_complex
    c_float_complex c_long_double_complex char character comm_null comm_self comm_world complex
    complex16 complex32 complex8 count cxx_bool cxx_double_complex cxx_float_complex
    cxx_long_double_complex datatype_null double double_complex double_int double_precision
    errhandler_null errors_abort errors_are_fatal errors_return file_null float float_int
    group_empty group_null info_env info_null int int16_t int32_t int64_t int8_t integer integer1
    integer16 integer2 integer4 integer8 land lb logical long long_double long_double_int long_int
    long_long long_long_int lor lxor max maxloc message_no_proc message_null min minloc no_op offset
    op_null packed prod real real16 real4 real8 replace request_null session_null short short_int
    signed_char sum ub uint16_t uint32_t uint64_t uint8_t unsigned unsigned_char unsigned_long
    unsigned_long_long unsigned_short wchar win_null
";

/// Functions of the token runtime and of the observer that return what the library of a run has for a constant, for
/// places where its name is not visible.
const FUNCTIONS: [(&str, &str); 4] = [
    ("mpi_any_source", "mpiete_mpi_any_source"),
    ("mpi_any_tag", "mpiete_mpi_any_tag"),
    ("mpi_proc_null", "mpiete_mpi_proc_null"),
    ("mpi_undefined", "mpiete_mpi_undefined"),
];

/// All names in alphabetical order, and whether each is a handle.
static NAMES: LazyLock<Vec<(String, bool)>> = LazyLock::new(|| {
    let mut names = Vec::new();
    for (list, is_handle) in [(INTEGERS, false), (HANDLES, true)] {
        for name in list.split_ascii_whitespace() {
            names.push((format!("mpi_{name}"), is_handle));
        }
    }
    names.sort();
    names
});

fn number(name: &str) -> Option<usize> {
    NAMES
        .binary_search_by(|(known, _)| known.as_str().cmp(name))
        .ok()
}

/// The function that returns the value of a constant of MPI, if there is one.
pub fn function_of(constant: &str) -> Option<&'static str> {
    FUNCTIONS
        .iter()
        .find(|(name, _)| *name == constant)
        .map(|&(_, function)| function)
}

/// The functions that return values of constants of MPI.
pub fn functions() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|&(_, function)| function)
}

/// The constants of MPI that the statements of a scope can name by their own names.
#[derive(Clone, Default)]
pub struct VisibleConstants {
    numbers: BitSet,
}

impl VisibleConstants {
    /// What `mpif.h` or a module of MPI declares.
    pub fn declared_by(source: &str) -> Self {
        let mut numbers = BitSet::default();
        for (number, (_, is_handle)) in NAMES.iter().enumerate() {
            if !is_handle || source != "mpi_f08" {
                numbers.insert(number);
            }
        }
        Self { numbers }
    }

    /// Those among them for which a condition on the name holds.
    pub fn filtered(&self, is_wanted: impl Fn(&str) -> bool) -> Self {
        let mut numbers = BitSet::default();
        for number in self.numbers.iter() {
            if is_wanted(&NAMES[number].0) {
                numbers.insert(number);
            }
        }
        Self { numbers }
    }

    /// Adds others.
    pub fn add(&mut self, others: &Self) {
        self.numbers.union(&others.numbers);
    }

    /// Whether a constant is among them.
    pub fn contains(&self, name: &str) -> bool {
        number(name).is_some_and(|number| self.numbers.contains(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table contains every Fortran constant of the project's own headers, with its type.
    #[test]
    fn table_holds_the_constants_of_the_headers() {
        let text = include_str!("../../../token-runtime/headers/constants.txt");
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let [kind, name, _] = line.split_ascii_whitespace().collect::<Vec<_>>()[..] else {
                continue;
            };
            if kind == "c_int" {
                continue;
            }
            let is_handle = !["int", "keyval", "room"].contains(&kind);
            let known = number(&name.to_ascii_lowercase()).map(|number| NAMES[number].1);
            assert_eq!(known, Some(is_handle), "{name}");
        }
    }
}
