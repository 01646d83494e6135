//! Names without source: intrinsic procedures, MPI's constants, and the constants of
//! the intrinsic modules.

/// Intrinsic functions: the standard's, those of the intrinsic modules, and GNU's with all specific names (DEC's too). Left
/// out are functions that do more than compute or ask the machine, such as `access`, `stat`, `malloc` and `ftell`: they are
/// taken for procedures without source.
const FUNCTIONS: &str = "
    abs achar acos acosd acosh adjustl adjustr aimag aint algama all allocated alog alog10 amax0 amax1
    amin0 amin1 amod and anint any asin asind asinh associated atan atan2 atan2d atand atanh babs bbclr
    bbits bbset bbtest besj0 besj1 besjn bessel_j0 bessel_j1 bessel_jn bessel_y0 bessel_y1 bessel_yn
    besy0 besy1 besyn bge bgt biand bieor bior bit_size bitest bjtest bktest ble blt bmod bnot bshft
    bshftc btest c_associated c_f_pointer c_loc c_null_char c_sizeof cabs ccos cdabs cdcos cdexp cdlog
    cdsin cdsqrt ceiling cexp char clog cmplx command_argument_count compiler_options compiler_version
    complex conjg cos cosd cosh cotan cotand count cshift csin csqrt ctime dabs dacos dacosd dacosh
    dasin dasind dasinh datan datan2 datan2d datand datanh dbesj0 dbesj1 dbesjn dbesy0 dbesy1 dbesyn
    dble dcmplx dconjg dcos dcosd dcosh dcotan dcotand ddim derf derfc dexp dfloat dgamma digits dim
    dimag dint dlgama dlog dlog10 dmax1 dmin1 dmod dnint dot_product dprod dreal dshiftl dshiftr dsign
    dsin dsind dsinh dsqrt dtan dtand dtanh dtime eoshift epsilon erf erfc erfc_scaled etime exp
    exponent extends_type_of fdate findloc float floati floatj floatk floor fraction gamma getgid getpid
    getuid huge hypot iabs iachar iall iand iany iargc ibclr ibits ibset ichar idim idint idnint
    ieee_is_finite ieee_is_nan ieor ifix iiabs iiand iibclr iibits iibset iieor iior iishft iishftc imag
    imagpart imod index inot int int2 int8 ior iparity irand is_contiguous is_iostat_end is_iostat_eor
    ishft ishftc isign isnan jiabs jiand jibclr jibits jibset jieor jior jishft jishftc jmod jnot kiabs
    kiand kibclr kibits kibset kieor kind kior kishft kishftc kmod knot lbound leadz len len_trim lgamma
    lge lgt lle llt lnblnk loc log log10 log_gamma logical long lshift maskl maskr matmul max max0 max1
    maxexponent maxloc maxval mclock mclock8 merge merge_bits min min0 min1 minexponent minloc minval
    mod modulo nearest new_line nint norm2 not null or pack parity popcnt poppar precision present
    product radix ran rand range rank real realpart repeat reshape rrspacing rshift same_type_as scale
    scan secnds second selected_char_kind selected_int_kind selected_real_kind set_exponent shape shifta
    shiftl shiftr short sign sin sind sinh size sizeof sngl spacing spread sqrt storage_size sum tan
    tand tanh time time8 tiny trailz transfer transpose trim ubound unpack verify xor zabs zcos zexp
    zlog zsin zsqrt
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
    FUNCTIONS
        .split_ascii_whitespace()
        .any(|known| known == name)
        || is_openmp(name)
}

/// Whether a name is an intrinsic subroutine's.
pub fn is_intrinsic_subroutine(name: &str) -> bool {
    SUBROUTINES
        .split_ascii_whitespace()
        .any(|known| known == name)
        || is_openmp(name)
}

/// The dummies of intrinsic procedures whose arguments are distinguished, in order; none of others.
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
    VALUES
        .iter()
        .find(|(known, _)| *known == name)
        .map(|&(_, value)| value)
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

/// Functions of the intrinsic modules that may be given other names there.
pub fn functions_of_module(module: &str) -> &'static [&'static str] {
    match module {
        "iso_fortran_env" => &["compiler_options", "compiler_version"],
        "ieee_arithmetic" => &["ieee_is_finite", "ieee_is_nan"],
        _ => &[],
    }
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
