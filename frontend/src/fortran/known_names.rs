//! Names that come without source: intrinsic procedures, MPI's constants, and the constants of
//! the intrinsic modules.

/// Intrinsic functions.
const FUNCTIONS: &str = "
    abs achar acos acosd acosh adjustl adjustr aimag aint all allocated alog alog10 amax0 amax1 amin0 amin1
    amod and anint any asin asinh associated atan atan2 atanh bessel_j0 bessel_j1 bessel_y0 bessel_y1
    bit_size btest c_associated c_f_pointer c_loc c_null_char c_sizeof cabs ccos ceiling cexp char clog
    cmplx command_argument_count conjg cos cosh count cshift csin csqrt ctime dabs dacos dasin datan datan2 dble
    dcmplx dconjg dcos dcosh ddim dexp dfloat digits dim dimag dint dlog dlog10 dmax1 dmin1 dmod dnint
    dot_product dprod dreal dsign dsin dsinh dsqrt dtan dtanh dtime eoshift epsilon erf erfc etime exp
    exponent extends_type_of fdate findloc float floor fraction gamma getpid huge hypot iabs iachar iand iargc
    ibclr ibits ibset ichar idim idint idnint ieee_is_finite ieee_is_nan ieor ifix index int int2 int8 ior
    irand is_contiguous ishft ishftc isign isnan kind lbound leadz len len_trim lge lgt lle llt loc log
    log10 log_gamma logical lshift maskl maskr matmul max max0 max1 maxexponent maxloc maxval mclock mclock8 merge min min0
    min1 minexponent minloc minval mod modulo nearest new_line nint norm2 not null or pack popcnt poppar precision present product
    radix rand range rank real repeat reshape rrspacing rshift same_type_as scale scan secnds second
    selected_char_kind selected_int_kind selected_real_kind set_exponent shape shiftl shiftr sign sin sinh
    size sizeof sngl spacing spread sqrt storage_size sum tan tanh time time8 tiny trailz transfer transpose trim
    ubound unpack verify xor zabs zexp zsqrt
";

/// Intrinsic subroutines.
const SUBROUTINES: &str = "
    c_f_pointer cpu_time ctime date_and_time dtime etime execute_command_line fdate flush get_command
    get_command_argument get_environment_variable getarg getenv gmtime hostnm idate itime ltime move_alloc mvbits
    random_init random_number random_seed second sleep srand system system_clock
";

/// Subroutines that end the run.
pub const STOPPING: [&str; 3] = ["exit", "abort", "_gfortran_stop"];

/// Whether a name is one of OpenMP's library, which only computes.
fn is_openmp(name: &str) -> bool {
    name.starts_with("omp_")
}

/// Whether a name is an intrinsic function's.
pub fn is_intrinsic_function(name: &str) -> bool {
    FUNCTIONS.split_ascii_whitespace().any(|known| known == name) || is_openmp(name)
}

/// Whether a name is an intrinsic subroutine's.
pub fn is_intrinsic_subroutine(name: &str) -> bool {
    SUBROUTINES.split_ascii_whitespace().any(|known| known == name) || is_openmp(name)
}

/// The dummies of intrinsic procedures whose arguments are told apart, in order; none of others.
pub fn dummies_of(intrinsic: &str) -> &'static [&'static str] {
    match intrinsic {
        "random_init" => &["repeatable", "image_distinct"],
        "random_seed" => &["size", "put", "get"],
        "lbound" | "size" | "ubound" => &["array", "dim", "kind"],
        _ => &[],
    }
}

/// Values of MPI's constants that declarations use; handles have none, since their values are
/// the library's own business. Facts of the MPICH ABI: probes, which run under other libraries too, name the constants.
pub fn mpi_constant(name: &str) -> Option<i64> {
    const VALUES: [(&str, i64); 13] = [
        ("mpi_status_size", 5),
        ("mpi_source", 3),
        ("mpi_tag", 4),
        ("mpi_error", 5),
        ("mpi_success", 0),
        ("mpi_any_source", -2),
        ("mpi_any_tag", -1),
        ("mpi_proc_null", -1),
        ("mpi_undefined", -32766),
        ("mpi_max_processor_name", 127),
        ("mpi_address_kind", 8),
        ("mpi_offset_kind", 8),
        ("mpi_count_kind", 8),
    ];
    VALUES.iter().find(|(known, _)| *known == name).map(|&(_, value)| value)
}

/// Types of the module `mpi_f08`.
pub const MPI_TYPES: [&str; 12] = [
    "mpi_status",
    "mpi_comm",
    "mpi_datatype",
    "mpi_errhandler",
    "mpi_file",
    "mpi_group",
    "mpi_info",
    "mpi_message",
    "mpi_op",
    "mpi_request",
    "mpi_session",
    "mpi_win",
];

/// Whether a module is MPI's.
pub fn is_mpi_module(name: &str) -> bool {
    ["mpi", "mpi_f08"].contains(&name)
}

/// Integer constants of the intrinsic modules (gfortran's values on 64-bit machines); `None` for
/// other modules.
pub fn intrinsic_module(name: &str) -> Option<&'static [(&'static str, i64)]> {
    match name {
        "iso_fortran_env" => Some(&[
            ("int8", 1),
            ("int16", 2),
            ("int32", 4),
            ("int64", 8),
            ("real32", 4),
            ("real64", 8),
            ("real128", 16),
            ("input_unit", 5),
            ("output_unit", 6),
            ("error_unit", 0),
            ("iostat_end", -1),
            ("iostat_eor", -2),
        ]),
        "iso_c_binding" => Some(&[
            ("c_int", 4),
            ("c_short", 2),
            ("c_long", 8),
            ("c_long_long", 8),
            ("c_size_t", 8),
            ("c_int8_t", 1),
            ("c_int16_t", 2),
            ("c_int32_t", 4),
            ("c_int64_t", 8),
            ("c_float", 4),
            ("c_double", 8),
            ("c_bool", 1),
            ("c_char", 1),
        ]),
        "omp_lib" => Some(&[
            ("omp_lock_kind", 4),
            ("omp_nest_lock_kind", 8),
            ("omp_sched_kind", 4),
            ("omp_proc_bind_kind", 4),
            ("omp_integer_kind", 4),
            ("omp_logical_kind", 4),
        ]),
        "ieee_arithmetic" | "ieee_exceptions" | "ieee_features" => Some(&[]),
        _ => None,
    }
}
