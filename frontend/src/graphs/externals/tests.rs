//! Conclusions from symbols, on plain data. What a slice keeps for their sake is in `tests/it/linked_code.rs`.

use super::ProgramNames;
use super::components::{Conclusion, Link, Sought};
use super::symbols::{ErrorReads, SystemSymbol, compiler_procedure, system_symbol};
use crate::options::{LinkFunction, LinkUnit, LinkedCode};
use std::collections::{BTreeMap, BTreeSet};

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

/// Names that the system's libraries define here.
const OF_SYSTEM: &str = "
    memcpy malloc qsort wordexp sqrt lgamma strtol clock_gettime fopen fwrite printf sprintf puts ftell setvbuf _ZSt4cout stdout exit rand getenv setenv __errno_location
    feraiseexcept fetestexcept signgam localtime alarm pause signal write mmap pthread_setspecific __tls_get_addr perror
    _gfortran_exit_i4 omp_set_num_threads GOMP_parallel dlopen dladdr dl_iterate_phdr socket usleep
    _ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKc
";

/// Of units, each with the names that it defines and those that it refers to. It has data that it can write if it defines `state`.
fn link(lines: &[(&str, &str, &str)]) -> LinkedCode {
    let mut linked = LinkedCode::default();
    for (name, defined, undefined) in lines {
        let mut unit = LinkUnit {
            name: name.to_string(),
            library: name.split('(').next().unwrap_or(name).to_string(),
            defined: words(defined),
            undefined: words(undefined),
            ..LinkUnit::default()
        };
        unit.is_member = unit.name.contains('(');
        unit.has_state = unit.defined.iter().any(|name| name == "state");
        linked.units.push(unit);
    }
    linked.units.push(LinkUnit {
        name: "libc.so.6".to_string(),
        library: "libc.so.6".to_string(),
        is_system: true,
        defined: words(OF_SYSTEM),
        ..LinkUnit::default()
    });
    linked
}

fn program() -> ProgramNames {
    let set = |text: &str| words(text).into_iter().collect();
    ProgramNames {
        global: set("step grid blnk"),
        labels: set("Progress"),
        modules: set("field"),
        mpi_calls: set("mpi_init mpi_send"),
    }
}

/// What is concluded of an external procedure: `nothing`, what it may do, or the chain that prevents a conclusion.
fn concluded(linked: &LinkedCode, trusted: &[&str], name: &str) -> String {
    concluded_of(linked, trusted, name, Sought::Name)
}

/// Symbols to which the objects of a program may refer that calls a procedure.
fn referred_of(name: &str, sought: Sought) -> BTreeSet<String> {
    match sought {
        Sought::Label(label) => BTreeSet::from([label.to_string()]),
        _ => ["_", "__"].map(|ending| format!("{name}{ending}")).into(),
    }
}

fn concluded_of(linked: &LinkedCode, trusted: &[&str], name: &str, sought: Sought) -> String {
    let trusted: Vec<String> = trusted.iter().map(|name| name.to_string()).collect();
    let names = program();
    let mut linked = linked.clone();
    if linked.referred.is_none() && sought != Sought::OfModule {
        linked.referred = Some(referred_of(name, sought));
    }
    let found = Link::new(&linked, &names, &trusted).conclude(&BTreeMap::from([(name, sought)]));
    let Conclusion {
        may,
        unknown,
        with_state,
        ..
    } = found.procedures[name].clone();
    if let Some(unknown) = unknown {
        return unknown.chain;
    }
    let mut list = Vec::new();
    for (is_so, what) in [
        (!with_state.is_empty(), "state"),
        (may.clock, "clock"),
        (may.asks_threads, "asks-threads"),
        (may.calls_addresses, "calls-addresses"),
        (may.process, "process"),
    ] {
        if is_so {
            list.push(what);
        }
    }
    if list.is_empty() {
        list.push("nothing");
    }
    list.join(" ")
}

#[test]
fn code_that_reaches_no_mpi_is_known_by_its_symbols() {
    let linked = link(&[
        ("libm.a(product.o)", "product_", "lsame_ memcpy sqrt"),
        ("libm.a(lsame.o)", "lsame_", ""),
        ("libt.a(t.o)", "wtime_ state", "clock_gettime"),
        ("libp.a(p.o)", "threads_", "GOMP_parallel"),
        ("libs.a(s.o)", "sort_", "qsort"),
    ]);
    assert_eq!(concluded(&linked, &[], "product"), "nothing");
    assert_eq!(concluded(&linked, &[], "wtime"), "state clock");
    assert_eq!(concluded(&linked, &[], "threads"), "asks-threads");
    assert_eq!(concluded(&linked, &[], "sort"), "calls-addresses");
}

/// States without a symbol: whatever is in no list makes its code unknown.
#[test]
fn unlisted_functions_make_code_unknown() {
    for name in [
        "fopen",
        "sprintf",
        "write",
        "exit",
        "rand",
        "getenv",
        "setenv",
        "localtime",
        "alarm",
        "signal",
        "mmap",
        "pthread_setspecific",
        "__tls_get_addr",
        "strtol",
        "__errno_location",
        "signgam",
        "fetestexcept",
        "feraiseexcept",
        "omp_set_num_threads",
        "dladdr",
        "dl_iterate_phdr",
        "socket",
        "wordexp",
        "_gfortran_exit_i4",
        "nowhere",
        "__bss_start",
        "_DYNAMIC",
        "_ZNSt13basic_filebufIcSt11char_traitsIcEE4openEPKc",
    ] {
        let linked = link(&[("liba.a(a.o)", "a_", name)]);
        assert_eq!(
            concluded(&linked, &[], "a"),
            format!("liba.a(a.o) → {name}")
        );
    }
}

/// Whether code is confined that refers to a name, or stands beside such code.
#[test]
fn code_is_confined_that_reaches_mpi_and_states_of_the_process() {
    let reaches = |lines: &[(&str, &str, &str)], name: &str| {
        let mut linked = link(lines);
        linked.referred = Some(words("a_ b_").into_iter().collect());
        let names = program();
        let called = BTreeMap::from([("a", Sought::Name), (name, Sought::Name)]);
        let found = Link::new(&linked, &names, &[]).conclude(&called);
        let unknown = found.procedures["a"].unknown.clone();
        unknown.map(|unknown| unknown.reaches_program)
    };
    for name in [
        "mpi_send_",
        "MPI_Abort",
        "fopen",
        "sprintf",
        "exit",
        "perror",
        "localtime",
        "_gfortran_exit_i4",
        "_ZSt4cout",
    ] {
        let alone = [("liba.a(a.o)", "a_", name)];
        assert_eq!(reaches(&alone, "a"), Some(false), "{name}");
    }
    for name in [
        "step_",
        "Progress",
        "__field_MOD_values",
        "nowhere",
        "dlopen",
        "dl_iterate_phdr",
        "__bss_start",
        "__tls_get_addr",
        "mpi_send_ step_",
    ] {
        let alone = [("liba.a(a.o)", "a_", name)];
        assert_eq!(reaches(&alone, "a"), Some(true), "{name}");
        // It may have handed MPI a procedure of the program.
        let beside = [("liba.a(a.o)", "a_", "mpi_send_"), ("libb.so", "b_", name)];
        assert_eq!(reaches(&beside, "a"), Some(true), "{name}");
    }
    let clean = [("liba.a(a.o)", "a_", "mpi_send_"), ("libb.so", "b_", "")];
    assert_eq!(reaches(&clean, "b"), Some(false));
    assert_eq!(reaches(&clean, "absent"), Some(true));
    let computing = [("liba.a(a.o)", "a_", "sqrt")];
    assert_eq!(reaches(&computing, "a"), None);
}

/// Functions without other effects set error numbers, and arithmetic sets flags: both matter if other code may read them.
#[test]
fn error_numbers_and_flags_matter_to_their_readers() {
    let beside = |name: &str, reads: &str| {
        let linked = link(&[
            ("liba.a(a.o)", "allocate_", "malloc"),
            ("libf.a(f.o)", "fill_", "memcpy"),
            ("libb.o", "b_", reads),
        ]);
        concluded(&linked, &[], name)
    };
    for silent in ["fopen", "mpi_send_", "grid_", "exit", "alarm"] {
        assert_eq!(beside("allocate", silent), "nothing", "{silent}");
    }
    let numbers = "libb.o → sprintf may read error numbers that it sets";
    assert_eq!(beside("allocate", "sprintf"), numbers);
    assert_eq!(beside("fill", "sprintf"), "nothing");
    // What is printed to standard output is not read, but a file may be.
    assert_eq!(beside("allocate", "printf"), "nothing");
    let printed = "libb.o → printf may read error numbers that it sets";
    assert_eq!(beside("allocate", "printf fopen"), printed);
    for reads in ["fetestexcept", "wordexp", "dlopen", "nowhere"] {
        let flags = format!("libb.o → {reads} may read floating-point flags that it sets");
        assert_eq!(beside("fill", reads), flags);
    }
    // So may code of which nothing is known.
    let mut linked = link(&[("libf.a(f.o)", "fill_", "memcpy")]);
    linked.referred = Some(referred_of("fill", Sought::Name));
    let names = program();
    let both = BTreeMap::from([("fill", Sought::Name), ("other", Sought::Name)]);
    let found = Link::new(&linked, &names, &[]).conclude(&both);
    let unknown = found.procedures["fill"].unknown.clone().unwrap();
    assert_eq!(
        unknown.chain,
        "other may read floating-point flags that it sets"
    );
    let trusted = link(&[
        ("libf.a(f.o)", "fill_", "memcpy"),
        ("libh5.so", "h_", "perror"),
    ]);
    assert_eq!(concluded(&trusted, &["libh5"], "fill"), "nothing");
}

/// Standard output is not read, so printing has no effect where no code opens streams or asks for their states.
#[test]
fn printing_matters_to_code_that_uses_streams() {
    let beside = |other: &str| {
        let linked = link(&[
            ("liba.a(a.o)", "show_", "printf puts fwrite stdout"),
            ("libb.o", "b_", other),
        ]);
        concluded(&linked, &[], "show")
    };
    for harmless in ["memcpy", "malloc", "sprintf", "exit", "mpi_send_"] {
        let expected = match harmless {
            "sprintf" => "libb.o → sprintf may read error numbers that it sets",
            _ => "nothing",
        };
        assert_eq!(beside(harmless), expected, "{harmless}");
    }
    for name in ["fopen", "ftell", "setvbuf", "_ZSt4cout"] {
        let expected = format!("libb.o → {name} may use the streams to which it prints");
        assert_eq!(beside(name), expected);
    }
    let own = link(&[("liba.a(a.o)", "show_", "printf fopen")]);
    assert_eq!(concluded(&own, &[], "show"), "liba.a(a.o) → fopen");
    // The program may call such a function itself.
    let mut linked = link(&[("liba.a(a.o)", "show_", "printf")]);
    linked.referred = Some(words("show_ fopen").into_iter().collect());
    let names = program();
    let both = BTreeMap::from([("show", Sought::Name), ("open", Sought::Label("fopen"))]);
    let found = Link::new(&linked, &names, &[]).conclude(&both);
    let unknown = found.procedures["show"].unknown.clone().unwrap();
    assert_eq!(unknown.chain, "open may use the streams to which it prints");
}

/// A module without source may have variables that the program reads.
#[test]
fn code_with_variables_of_the_program_is_unknown() {
    let mut linked = link(&[("liba.a(a.o)", "a_ __m_MOD_steps", "")]);
    linked.units[0].data = words("__m_MOD_steps _end");
    linked.referred = Some(words("a_").into_iter().collect());
    assert_eq!(concluded(&linked, &[], "a"), "nothing");
    linked.referred = Some(words("a_ __m_MOD_steps").into_iter().collect());
    let chain = "liba.a(a.o) → __m_MOD_steps";
    assert_eq!(concluded(&linked, &[], "a"), chain);
}

/// Then a slice cannot refer to what the program refers to, and other members of archives might be linked with it.
#[test]
fn nothing_is_known_of_libraries_if_the_objects_of_the_program_are_not() {
    let linked = link(&[("liba.a(a.o)", "a_", ""), ("libh5.so", "h_", "")]);
    assert_eq!(linked.referred, None);
    let names = program();
    let of = |name, trusted: &[String]| {
        let found = Link::new(&linked, &names, trusted).conclude(&BTreeMap::from([name]));
        let Some(conclusion) = found.procedures.into_values().next() else {
            panic!("nothing is concluded");
        };
        conclusion
            .unknown
            .map_or(String::new(), |unknown| unknown.chain)
    };
    let reason = "the objects of the Fortran sources are not known; compile and link them in separate commands";
    assert_eq!(of(("a", Sought::Name), &[]), reason);
    assert_eq!(of(("h", Sought::Name), &[]), reason);
    assert_eq!(of(("h", Sought::Name), &["libh5".to_string()]), "");
    assert_eq!(of(("c", Sought::Label("memcpy")), &[]), "");
    assert_eq!(of(("ieee_is_nan", Sought::OfCompiler), &[]), "");
}

/// What a slice has to refer to, so that the same files are linked with it as with the program.
#[test]
fn references_are_the_names_of_the_program_that_libraries_define() {
    let mut linked = link(&[
        ("liba.a(a.o)", "a_ hook", "memcpy"),
        ("libb.so", "b_ memcpy", ""),
    ]);
    assert_eq!(linked.references(), [""; 0]);
    linked.referred = Some(words("b_ a_ memcpy strlen mpi_init_").into_iter().collect());
    assert_eq!(linked.references(), ["a_", "b_", "memcpy"]);
    linked.unknown_options.push("--wrap=write".into());
    assert_eq!(linked.references(), [""; 0]);
}

#[test]
fn instructions_and_variables_of_threads_make_code_unknown() {
    let mut linked = link(&[("liba.a(a.o)", "a_", ""), ("libb.a(b.o)", "b_", "")]);
    linked.units[0].instruction = Some("the instruction ldmxcsr".to_string());
    assert_eq!(
        concluded(&linked, &[], "a"),
        "liba.a(a.o) → the instruction ldmxcsr"
    );
    assert_eq!(concluded(&linked, &[], "b"), "nothing");
    linked.units[0].is_member = false;
    linked.units[0].reads_errors = true;
    assert_eq!(
        concluded(&linked, &[], "b"),
        "liba.a(a.o) → the instruction ldmxcsr may read floating-point flags that it sets"
    );
    linked.units[0].is_member = true;
    linked.units[0].instruction = None;
    linked.units[0].has_thread_variables = true;
    assert_eq!(
        concluded(&linked, &[], "a"),
        "liba.a(a.o) → variables of threads"
    );
    linked.units[0].has_thread_variables = false;
    linked.units[0].calls_addresses = true;
    assert_eq!(concluded(&linked, &[], "a"), "calls-addresses");
}

#[test]
fn procedures_of_compilers_are_in_lists() {
    let listed = |name| matches!(compiler_procedure(name), SystemSymbol::Listed(_));
    assert!(listed("ieee_is_nan") && listed("ieee_get_rounding_mode"));
    assert!(!listed("ieee_get_flag") && !listed("chdir"));
    let reads = |name| match compiler_procedure(name) {
        SystemSymbol::Unlisted(reads) => reads,
        _ => ErrorReads::NONE,
    };
    assert_eq!(reads("chdir"), ErrorReads::NONE);
    for name in [
        "ieee_get_flag",
        "ieee_get_status",
        "ierrno",
        "perror",
        "other",
    ] {
        assert_eq!(reads(name), ErrorReads::ALL, "{name}");
    }
}

#[test]
fn chains_to_mpi_are_followed_through_libraries() {
    let linked = link(&[
        ("liba.a(a.o)", "a_", "b"),
        ("libb.so", "b", "MPI_Allreduce"),
        ("libi.a(i.o)", "i_ mpi_send_", "pmpi_send_"),
        ("libu.a(u.o)", "u_", "mpi_send_"),
    ]);
    assert_eq!(
        concluded(&linked, &[], "a"),
        "liba.a(a.o) → libb.so → MPI_Allreduce"
    );
    assert_eq!(concluded(&linked, &[], "i"), "libi.a(i.o) → pmpi_send_");
    // The profiling interface stands between.
    assert_eq!(concluded(&linked, &[], "u"), "libu.a(u.o) → mpi_send_");
}

/// A library that reaches MPI may register a function of its own in one that does not: FFTW's planner, SUNDIALS' vectors.
#[test]
fn code_that_mpi_code_uses_may_call_it_back() {
    let linked = link(&[
        (
            "libfftw3_mpi.a(api.o)",
            "fftw_mpi_init_",
            "MPI_Alltoall fftw_solver_register",
        ),
        (
            "libfftw3.so",
            "dfftw_execute_ fftw_solver_register",
            "malloc",
        ),
    ]);
    // The member is linked only if something refers to it.
    assert_eq!(concluded(&linked, &[], "dfftw_execute"), "nothing");
    let mut linked = linked;
    linked.units[1].calls_addresses = true;
    linked.referred = Some(words("dfftw_execute_ fftw_mpi_init_").into_iter().collect());
    let both = BTreeMap::from([
        ("dfftw_execute", Sought::Name),
        ("fftw_mpi_init", Sought::Name),
    ]);
    let names = program();
    let found = Link::new(&linked, &names, &[]).conclude(&both);
    let unknown = found.procedures["dfftw_execute"].unknown.clone().unwrap();
    assert_eq!(
        unknown.chain,
        "libfftw3.so ← libfftw3_mpi.a(api.o) → MPI_Alltoall"
    );
    // Only if it calls addresses that it finds.
    linked.units[1].calls_addresses = false;
    let found = Link::new(&linked, &names, &[]).conclude(&both);
    assert_eq!(found.procedures["dfftw_execute"].unknown, None);
    assert_ne!(found.procedures["fftw_mpi_init"].unknown, None);
    assert_eq!(found.components, 1);
}

/// Functions of an object that the caller of another one does not reach do not count, but they share its memory.
#[test]
fn functions_of_an_object_are_distinguished() {
    let function = |defined: &str, referred: &str, functions: &[usize]| LinkFunction {
        defined: words(defined),
        referred: words(referred),
        functions: functions.to_vec(),
        ..LinkFunction::default()
    };
    let mut linked = link(&[(
        "libt.a(t.o)",
        "start_ stop_ report_ again_ state",
        "clock_gettime mpi_send_ exit",
    )]);
    linked.units[0].data = words("state");
    linked.units[0].functions = vec![
        function("start_", "clock_gettime state", &[]),
        function("stop_", "", &[3]),
        function("report_", "mpi_send_", &[]),
        // A static function.
        function("", "exit", &[]),
        function("again_", "start_", &[]),
    ];
    assert_eq!(concluded(&linked, &[], "start"), "state clock");
    assert_eq!(concluded(&linked, &[], "again"), "state clock");
    assert_eq!(concluded(&linked, &[], "stop"), "libt.a(t.o) → exit");
    let chain = "libt.a(t.o) → mpi_send_";
    assert_eq!(concluded(&linked, &[], "report"), chain);
    // A stored callback.
    linked.units[0].functions[0].calls_addresses = true;
    assert_ne!(concluded(&linked, &[], "start"), "state clock");
    assert_ne!(concluded(&linked, &[], "again"), "state clock");
    linked.units[0].functions[0].calls_addresses = false;
    linked.units[0].functions[0].instruction = Some("the instruction std".to_string());
    let chain = "libt.a(t.o) → the instruction std";
    assert_eq!(concluded(&linked, &[], "again"), chain);
    linked.units[0].functions[0].instruction = None;
    // A variable of the program whose address another function may have stored.
    linked.units[0].functions[2].referred = words("grid_");
    linked.units[0].undefined = words("clock_gettime grid_");
    let chain = "libt.a(t.o) → grid_";
    assert_eq!(concluded(&linked, &[], "start"), chain);
    // Without functions, all code counts.
    linked.units[0].undefined = words("clock_gettime mpi_send_");
    linked.units[0].functions.clear();
    let chain = "libt.a(t.o) → mpi_send_";
    assert_eq!(concluded(&linked, &[], "start"), chain);
}

#[test]
fn code_that_reaches_the_program_is_unknown() {
    let linked = link(&[
        ("liba.a(a.o)", "a_", "step_"),
        ("libb.a(b.o)", "b_ grid_", ""),
        ("libc1.a(c.o)", "c_", "__field_MOD_values"),
        ("libd.a(d.o)", "d_", "Progress"),
        ("libe.a(e.o)", "e_", "__BLNK__"),
        ("libg.a(g.o)", "g_", "field_of_others_"),
        ("libh.a(h.o)", "h_", "nowhere"),
    ]);
    assert_eq!(concluded(&linked, &[], "a"), "liba.a(a.o) → step_");
    assert_eq!(concluded(&linked, &[], "b"), "libb.a(b.o) → grid_");
    assert_eq!(
        concluded(&linked, &[], "c"),
        "libc1.a(c.o) → __field_MOD_values"
    );
    assert_eq!(concluded(&linked, &[], "d"), "libd.a(d.o) → Progress");
    assert_eq!(concluded(&linked, &[], "e"), "libe.a(e.o) → __BLNK__");
    assert_eq!(
        concluded(&linked, &[], "g"),
        "libg.a(g.o) → field_of_others_"
    );
    assert_eq!(concluded(&linked, &[], "h"), "libh.a(h.o) → nowhere");
}

#[test]
fn loaded_code_is_trusted_only_if_the_user_says_so() {
    let linked = link(&[
        ("libh5.so.103", "h5open_f_", "dlopen curl_get"),
        ("libcurl.so.4", "curl_get", "dlopen"),
    ]);
    assert_eq!(concluded(&linked, &[], "h5open_f"), "libh5.so.103 → dlopen");
    let trusted = concluded(&linked, &["libh5.so"], "h5open_f");
    assert_eq!(trusted, "clock asks-threads calls-addresses process");
}

#[test]
fn libraries_of_blas_and_lapack_only_compute() {
    let link_with = |library: &str| {
        link(&[
            (
                library,
                "dgemm_ xerbla_ state",
                "exit getenv pthread_create dlopen",
            ),
            ("libother.so", "other_", "exit"),
        ])
    };
    for library in ["libblas.so.3", "libopenblas.so.0", "libmkl_gf_lp64.so.2"] {
        assert_eq!(
            concluded(&link_with(library), &[], "dgemm"),
            "calls-addresses"
        );
    }
    assert_eq!(
        concluded(&link_with("libblas.so.3"), &[], "other"),
        "libother.so → exit"
    );
    for library in ["libblasted.so", "libmkl_scalapack_lp64.so.2"] {
        assert_eq!(
            concluded(&link_with(library), &[], "dgemm"),
            format!("{library} → exit")
        );
    }
    // The program's own `grid` is called in place of the library's.
    let replaced = link(&[("libblas.so.3", "dgemm_ grid_", "exit")]);
    assert_eq!(concluded(&replaced, &[], "dgemm"), "libblas.so.3 → grid_");
    // A function of the system that the program's `step_` has not replaced, although its library stands behind in the link.
    let mut linked = link(&[("libblas.so.3", "dgemm_", "step exit")]);
    linked.units.push(LinkUnit {
        name: "libm.so.6".to_string(),
        library: "libm.so.6".to_string(),
        is_system: true,
        defined: words("step"),
        ..LinkUnit::default()
    });
    assert_eq!(concluded(&linked, &[], "dgemm"), "calls-addresses");
}

/// A name of a module without source may be generic or rename something, so it may be any procedure to which the program's
/// objects refer.
#[test]
fn names_of_modules_may_be_any_procedure_that_the_program_refers_to() {
    let mut linked = link(&[
        ("liba.a(a.o)", "__m_MOD_write_real", "clock_gettime"),
        ("libb.a(b.o)", "b_", "sqrt"),
        ("libc1.a(c.o)", "__n_MOD_write", "mpi_send_"),
    ]);
    let write = |linked: &LinkedCode| concluded_of(linked, &[], "write", Sought::OfModule);
    assert_eq!(
        write(&linked),
        "write may be any name of a module without source"
    );
    let mut refer = |names: &str| {
        linked.referred = Some(words(names).into_iter().collect());
        write(&linked)
    };
    let of_program = "__m_MOD_write_real b_ mpi_init_ memcpy";
    assert_eq!(refer(of_program), "clock");
    assert_eq!(refer(&format!("{of_program} _gfortran_exit_i4")), "clock");
    assert_eq!(refer(&format!("{of_program} exit")), "exit");
    // The program calls MPI_Init itself; MPI_Barrier may be what the module calls `write`.
    let renamed = refer(&format!("{of_program} mpi_barrier_"));
    assert_eq!(
        renamed,
        "write may be mpi_barrier_, to which the program refers"
    );
    // Any of several.
    let several = refer(&format!("{of_program} __n_MOD_write"));
    assert_eq!(several, "libc1.a(c.o) → mpi_send_");
    linked.unreadable.push("libz.so".into());
    assert_eq!(write(&linked), "the symbols of libz.so cannot be read");
    linked.unreadable.clear();
    linked.unknown_options.push("--wrap=write".into());
    assert_eq!(
        write(&linked),
        "the effect of --wrap=write on the link is not known"
    );
}

/// All units that may define a name count, not only the first.
#[test]
fn all_definitions_of_a_name_are_judged() {
    let mut linked = link(&[
        ("liba.a(a.o)", "work_", "sqrt"),
        ("libb.a(b.o)", "work", "mpi_send_"),
        ("libc1.a(c.o)", "work__", "clock_gettime"),
    ]);
    linked.referred = Some(words("work_ work work__").into_iter().collect());
    assert_eq!(concluded(&linked, &[], "work"), "libb.a(b.o) → mpi_send_");
    linked.units.remove(1);
    assert_eq!(concluded(&linked, &[], "work"), "clock");
    // The program may refer to one of them only.
    linked.referred = Some(words("work_").into_iter().collect());
    assert_eq!(concluded(&linked, &[], "work"), "nothing");
}

#[test]
fn what_no_file_defines_is_unknown() {
    let linked = link(&[
        ("liba.a(a.o)", "a_", "wordexp"),
        ("libd.a(d.o)", "d_", "cos"),
    ]);
    assert_eq!(concluded(&linked, &[], "a"), "liba.a(a.o) → wordexp");
    // The mathematics library is not among the files here.
    assert_eq!(concluded(&linked, &[], "d"), "libd.a(d.o) → cos");
    assert_eq!(
        concluded(&linked, &[], "b"),
        "no file of the link defines b_"
    );
    // An external procedure is no function of the C library of that name.
    assert_eq!(
        concluded(&linked, &[], "wordexp"),
        "no file of the link defines wordexp_"
    );
    let label = |name| concluded_of(&linked, &[], "c", Sought::Label(name));
    assert_eq!(label("wordexp"), "wordexp");
    assert_eq!(label("memcpy"), "nothing");
    assert_eq!(label("MPI_Barrier"), "MPI_Barrier");
    assert_eq!(label("dlopen"), "dlopen");
    assert_eq!(label("Sleep"), "no file of the link defines Sleep");
    assert_eq!(
        concluded_of(&linked, &[], "c", Sought::Ambiguous),
        "c may be one of several procedures, or has a label that is not known"
    );
}

/// A library that defines `malloc` is called by whatever calls the C library, and by it.
#[test]
fn code_that_replaces_the_c_library_belongs_to_all_that_call_it() {
    let linked = link(&[
        ("liba.a(a.o)", "a_", "memcpy"),
        ("libm.a(m.o)", "malloc", "mpi_send_"),
        ("libb.a(b.o)", "b_", ""),
    ]);
    assert_eq!(
        concluded(&linked, &[], "a"),
        "liba.a(a.o) → libm.a(m.o) → mpi_send_"
    );
    assert_eq!(concluded(&linked, &[], "b"), "nothing");
    let mut names = program();
    names.labels.insert("malloc".to_string());
    let mut linked = link(&[("liba.a(a.o)", "a_", "memcpy")]);
    linked.referred = Some(referred_of("a", Sought::Name));
    let found = Link::new(&linked, &names, &[]).conclude(&BTreeMap::from([("a", Sought::Name)]));
    let unknown = found.procedures["a"].unknown.clone().unwrap();
    assert_eq!(
        unknown.chain,
        "the program defines malloc, which system libraries call"
    );
}

/// What a file does before the program begins, such as to register a function in another library, happens if it is linked.
#[test]
fn members_that_are_linked_anyway_are_judged() {
    let lines = [
        ("liba.a(a.o)", "a_ register", ""),
        ("libb.a(b.o)", "b_", "register mpi_send_"),
    ];
    let link = |lines: &[(&str, &str, &str)]| {
        let mut linked = link(lines);
        linked.units[0].calls_addresses = true;
        linked
    };
    let mut linked = link(&lines);
    assert_eq!(concluded(&linked, &[], "a"), "calls-addresses");
    // `--whole-archive`
    linked.units[1].is_member = false;
    assert_eq!(
        concluded(&linked, &[], "a"),
        "liba.a(a.o) ← libb.a(b.o) → mpi_send_"
    );
    // Another statement than a call refers to it: a variable with BIND(C), a COMMON block.
    let mut linked = link(&lines);
    linked.referred = Some(words("a_ b_").into_iter().collect());
    assert_eq!(
        concluded(&linked, &[], "a"),
        "liba.a(a.o) ← libb.a(b.o) → mpi_send_"
    );
    let linked = link(&[lines[0], ("libb.a(b.o)", "grid_", "register mpi_send_")]);
    assert!(concluded(&linked, &[], "a").starts_with("liba.a(a.o) ← libb.a(b.o) → "));
}

#[test]
fn system_symbols_are_classified() {
    for name in [
        "MPI_Send",
        "mpi_send_",
        "PMPI_Send",
        "ompi_mpi_comm_world",
        "_gfortran_caf_sync_all",
    ] {
        assert_eq!(system_symbol(name), SystemSymbol::Mpi, "{name}");
    }
    for name in [
        "memcpy",
        "sinf",
        "lgamma_r",
        "__exp_finite",
        "_ZGVbN2v_sin",
        "_gfortran_matmul_r8",
        "_gfortran_string_trim",
        "GOMP_barrier",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm",
    ] {
        assert!(
            matches!(system_symbol(name), SystemSymbol::Listed(may) if !may.clock && !may.process),
            "{name}"
        );
    }
    for name in ["gettimeofday", "_gfortran_system_clock_8"] {
        assert!(
            matches!(system_symbol(name), SystemSymbol::Listed(may) if may.clock),
            "{name}"
        );
    }
    let unlisted = SystemSymbol::Unlisted;
    assert_eq!(
        system_symbol("_gfortran_st_write"),
        unlisted(ErrorReads::NONE)
    );
    assert_eq!(system_symbol("pread"), unlisted(ErrorReads::NONE));
    for name in [
        "dlsym",
        "h5open",
        "_ZN7profile5beginEv",
        "strtoq",
        "_ZTVSt14basic_ofstreamIcE",
    ] {
        assert_eq!(system_symbol(name), unlisted(ErrorReads::ALL), "{name}");
    }
}
