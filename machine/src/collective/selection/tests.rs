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
            .contains("selection not published, default of MPICH 4 used")
    );
    let forced = settings(&[("I_MPI_ADJUST_ALLREDUCE", "8")]);
    let choice = intel()
        .with_overrides(&forced)
        .unwrap()
        .choose(&case(Allreduce, 16, 8));
    assert_eq!(choice.algorithm.name, "ring");

    let refused = [
        (
            intel(),
            ("I_MPI_ADJUST_ALLREDUCE", "4"),
            "no schedule of that number",
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

/// Each name that a rule or an override can give has a schedule.
#[test]
fn every_choice_is_in_the_list() {
    for (library, version) in [
        ("MPICH", "3.2"),
        ("MPICH", "4.0.2"),
        ("Open MPI", "4.1.4"),
        ("Open MPI", "5.0.8"),
    ] {
        let library = Library::of(library, version);
        for row in super::super::COLLECTIVES {
            for ranks in [2, 3, 5, 8, 13, 40, 100, 300, 3000] {
                for exponent in 0..23 {
                    for has_counts in [false, true] {
                        let mut case = case(row.kind, ranks, 1 << exponent);
                        case.form.has_counts = has_counts;
                        let rule = match library.family {
                            Family::Mpich => mpich::rule(&library, &case),
                            Family::OpenMpi => open_mpi::rule(&library, &case),
                        };
                        assert!(algorithm(row.kind, rule.algorithm).is_some(), "{rule:?}");
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
