//! Tests of the libraries' choices of algorithms.

use super::*;
use base_data::program_data::CollectiveKind::*;

fn case(kind: CollectiveKind, ranks: u32, bytes: u64) -> Case<'static> {
    let has_blocks = matches!(
        kind,
        Allgather | ReduceScatter | Alltoall | Gather | Scatter
    );
    Case {
        kind,
        form: Form::default(),
        ranks,
        bytes,
        total: if has_blocks {
            bytes * u64::from(ranks)
        } else {
            bytes
        },
        elements: bytes / 4,
        built_in: true,
        commutes: true,
        nodes: &[],
        level: Level::All,
    }
}

fn name(library: &Library, case: &Case<'_>) -> &'static str {
    library.choose(case).algorithm.name
}

/// The table of MPICH 4.0 around each switch: maint/tuning/coll/mpir/generic.json.
#[test]
fn mpich_4_chooses_by_its_table() {
    let library = Library::of("MPICH", "4.0.2");
    let expected = [
        (Barrier, 16, 0, "dissemination"),
        (Broadcast, 7, 1 << 20, "binomial"),
        (Broadcast, 16, 12_288, "binomial"),
        (Broadcast, 16, 12_289, "scatter-recursive-doubling"),
        (Broadcast, 16, 524_288, "scatter-recursive-doubling"),
        (Broadcast, 16, 524_289, "scatter-ring"),
        (Broadcast, 12, 12_289, "scatter-ring"),
        (Reduce, 16, 2048, "binomial"),
        (Reduce, 16, 2052, "rabenseifner"),
        (Allreduce, 16, 8, "recursive-doubling"),
        (Allreduce, 16, 60, "recursive-doubling"),
        (Allreduce, 16, 64, "rabenseifner"),
        (Gather, 16, 1 << 20, "binomial"),
        (Allgather, 16, 32_767, "recursive-doubling"),
        (Allgather, 16, 32_768, "ring"),
        (Allgather, 5, 16_383, "bruck"),
        (Allgather, 5, 16_384, "ring"),
        (Alltoall, 7, 256, "scattered"),
        (Alltoall, 8, 256, "scattered"),
        (Alltoall, 9, 256, "bruck"),
        (Alltoall, 8, 257, "scattered"),
        (Alltoall, 8, 32_769, "pairwise-xor"),
        (ReduceScatter, 16, 32_767, "recursive-halving"),
        (ReduceScatter, 16, 32_768, "pairwise"),
        (Scan, 16, 64, "recursive-doubling"),
    ];
    for (kind, ranks, bytes, algorithm) in expected {
        let chosen = name(&library, &case(kind, ranks, bytes));
        assert_eq!(
            chosen, algorithm,
            "{kind:?} of {bytes} bytes on {ranks} ranks"
        );
    }
}

#[test]
fn mpich_before_3_4_has_another_threshold_of_allreduce() {
    let library = Library::of("MPICH", "3.3");
    assert_eq!(
        name(&library, &case(Allreduce, 16, 2048)),
        "recursive-doubling"
    );
    assert_eq!(name(&library, &case(Allreduce, 16, 2052)), "rabenseifner");
}

#[test]
fn overrides_force_algorithms_by_the_names_of_the_library() {
    let settings = |pairs: &[(&str, &str)]| -> BTreeMap<String, String> {
        let owned = pairs
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_string()));
        owned.collect()
    };
    let mpich = || Library::of("MPICH", "4.0.2");
    let forced = settings(&[("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "recursive_doubling")]);
    let library = mpich().with_overrides(&forced).unwrap();
    let choice = library.choose(&case(Allreduce, 16, 1 << 20));
    assert_eq!(choice.algorithm.name, "recursive-doubling");
    assert_eq!(
        choice.reason,
        "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM = recursive_doubling"
    );

    let open = || Library::of("Open MPI", "4.1.4");
    let tuned = settings(&[
        ("coll_tuned_use_dynamic_rules", "1"),
        ("coll_tuned_bcast_algorithm", "pipeline"),
        ("coll_tuned_bcast_algorithm_segmentsize", "8192"),
    ]);
    let choice = open()
        .with_overrides(&tuned)
        .unwrap()
        .choose(&case(Broadcast, 16, 1 << 20));
    assert_eq!(
        (choice.algorithm.name, choice.parameters.segment),
        ("pipeline", 8192)
    );

    let intel = || Library::of("Intel MPI", "2021.9");
    assert!(
        intel()
            .description()
            .contains("documented thresholds, those of MPICH 3")
    );
    let forced = settings(&[("I_MPI_ADJUST_ALLREDUCE", "8")]);
    let choice = intel()
        .with_overrides(&forced)
        .unwrap()
        .choose(&case(Allreduce, 16, 8));
    assert_eq!(choice.algorithm.name, "ring");

    let ranged = settings(&[("I_MPI_ADJUST_ALLREDUCE", "8:4096-8192@9-16,64@5;1")]);
    let library = intel().with_overrides(&ranged).unwrap();
    for (ranks, bytes, algorithm) in [
        (16, 8192, "ring"),
        (8, 8192, "recursive-doubling"),
        (16, 8193, "recursive-doubling"),
        (5, 64, "ring"),
    ] {
        let chosen = name(&library, &case(Allreduce, ranks, bytes));
        assert_eq!(chosen, algorithm, "{ranks} ranks, {bytes} bytes");
    }

    let refused = [
        (
            intel(),
            ("I_MPI_ADJUST_ALLREDUCE", "8:4096to8192"),
            "expected NUMBER",
        ),
        (
            Library::of("Cray MPICH", "8.1.17"),
            ("MPICH_BCAST_INTRANODE_RADIX", "1"),
            "a radix of at least 2",
        ),
        (
            mpich(),
            ("MPICH_BCAST_ONLY_TREE", "0"),
            "a setting of Cray MPICH",
        ),
        (
            open(),
            ("coll_han_bcast_segsize", "1"),
            "from Open MPI 5.0 on",
        ),
        (
            Library::of("Open MPI", "5.0.8"),
            ("coll_han_use_alltoall_algorithm", "simple"),
            "is not modelled",
        ),
        (
            open(),
            ("coll_libnbc_ibcast_algorithm", "quick"),
            "no algorithm of that name",
        ),
        (open(), ("coll", "tuned"), "the only list of components"),
        (
            intel(),
            ("I_MPI_ADJUST_ALLREDUCE", "4"),
            "no schedule of number 4",
        ),
        (intel(), ("I_MPI_ADJUST_SUM", "1"), "is not modelled"),
        (
            mpich(),
            ("I_MPI_ADJUST_ALLREDUCE", "1"),
            "a setting of Intel MPI",
        ),
        (
            mpich(),
            ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", "fast"),
            "no schedule of that name",
        ),
        (
            mpich(),
            ("MPIR_CVAR_SUM_INTRA_ALGORITHM", "auto"),
            "no collective of that name",
        ),
        (
            mpich(),
            ("MPIR_CVAR_REDUCE_SHORT_MSG_SIZE", "1"),
            "has no effect from MPICH 3.4",
        ),
        (
            mpich(),
            ("coll_tuned_bcast_algorithm", "1"),
            "a setting of Open MPI",
        ),
        (
            open(),
            ("coll_tuned_bcast_algorithm", "1"),
            "has no effect in Open MPI without",
        ),
        (
            open(),
            ("MPIR_CVAR_ALLTOALL_THROTTLE", "1"),
            "a setting of MPICH",
        ),
    ];
    for (library, pair, reason) in refused {
        let error = library.with_overrides(&settings(&[pair])).unwrap_err();
        assert!(error.contains(reason), "{error}");
    }
}

/// libnbc around each switch, and what is forced: ompi/mca/coll/libnbc/nbc_*.c of 5.0.8.
#[test]
fn libnbc_chooses_by_bytes_and_ranks() {
    let nonblocking = |kind, ranks, bytes| Case {
        form: Form {
            is_nonblocking: true,
            ..Form::default()
        },
        ..case(kind, ranks, bytes)
    };
    let library = Library::of("Open MPI", "5.0.8");
    let expected = [
        (Broadcast, 4, 1 << 20, "linear", 0),
        (Broadcast, 5, 1 << 20, "binomial-swapped", 0),
        (Reduce, 2, 65_532, "binomial-swapped", 0),
        (Reduce, 2, 65_536, "chain-swapped", 8192),
        (Reduce, 3, 8, "rabenseifner-windows", 0),
        (Reduce, 4, 12, "binomial-swapped", 0),
        (Allreduce, 3, 65_536, "reduce-broadcast", 0),
        (Allreduce, 4, 65_532, "reduce-broadcast", 0),
        (Allreduce, 4, 65_536, "rabenseifner-windows", 0),
        (Alltoall, 8, 64, "ascending", 0),
        (Allgather, 8, 64, "direct", 0),
    ];
    for (kind, ranks, bytes, algorithm, segment) in expected {
        let choice = library.choose(&nonblocking(kind, ranks, bytes));
        let found = (choice.algorithm.name, choice.parameters.segment);
        assert_eq!(
            found,
            (algorithm, segment),
            "{kind:?} of {bytes} bytes on {ranks} ranks"
        );
    }
    let by_length = BTreeMap::from([("coll_libnbc_ibcast_skip_dt_decision".into(), "0".into())]);
    let by_length = Library::of("Open MPI", "5.0.8")
        .with_overrides(&by_length)
        .unwrap();
    for (bytes, algorithm, segment) in [
        (65_532, "binomial-swapped", 0),
        (65_536, "chain-swapped", 8192),
        (524_288, "chain-swapped", 32_768),
    ] {
        let choice = by_length.choose(&nonblocking(Broadcast, 5, bytes));
        let found = (choice.algorithm.name, choice.parameters.segment);
        assert_eq!(found, (algorithm, segment), "{bytes} bytes");
    }
    let setting = |name: &str, value: &str| BTreeMap::from([(name.into(), value.into())]);
    let forced = [
        (
            "coll_libnbc_ibcast_algorithm",
            "chain",
            Broadcast,
            "chain-swapped",
        ),
        (
            "OMPI_MCA_coll_libnbc_ireduce_algorithm",
            "1",
            Reduce,
            "chain-swapped",
        ),
        (
            "coll_libnbc_iallreduce_algorithm",
            "recursive_doubling",
            Allreduce,
            "recursive-doubling",
        ),
    ];
    for (parameter, value, kind, algorithm) in forced {
        let library = Library::of("Open MPI", "4.1.4");
        let library = library.with_overrides(&setting(parameter, value)).unwrap();
        assert_eq!(name(&library, &nonblocking(kind, 8, 64)), algorithm);
        // Blocking ones are tuned's.
        assert_ne!(
            library.choose(&case(kind, 8, 64)).reason,
            format!("{parameter} = {value}")
        );
    }
}

/// Each name that a rule or an override can give has a schedule.
#[test]
fn every_choice_is_in_the_list() {
    for (library, version) in [
        ("MPICH", "3.2"),
        ("MPICH", "4.0.2"),
        ("Open MPI", "4.1.4"),
        ("Open MPI", "5.0.8"),
        ("Cray MPICH", "8.1.17"),
        ("Intel MPI", "2021.8"),
    ] {
        let library = Library::of(library, version);
        for row in super::super::COLLECTIVES {
            for ranks in [2, 3, 5, 8, 13, 40, 100, 300, 3000] {
                for exponent in 0..23 {
                    for has_counts in [false, true] {
                        let mut case = case(row.kind, ranks, 1 << exponent);
                        case.form.has_counts = has_counts;
                        for is_nonblocking in [false, true] {
                            case.form.is_nonblocking = is_nonblocking;
                            let rule = match library.family {
                                Family::Mpich if library.is_cray => {
                                    cray_mpich::rule(&library, &case)
                                }
                                Family::Mpich => mpich::rule(&library, &case),
                                Family::OpenMpi => open_mpi::rule(&library, &case),
                            };
                            assert!(algorithm(row.kind, rule.algorithm).is_some(), "{rule:?}");
                        }
                    }
                }
            }
        }
    }
    for row in intel_mpi::VARIABLES {
        for (_, name) in row.algorithms {
            assert!(algorithm(row.kind, name).is_some(), "{name}");
        }
    }
    for (_, named) in mpich::NAMED {
        for (_, name) in named.algorithms {
            assert!(algorithm(named.kind, name).is_some(), "{name}");
        }
    }
}
