//! Placement, capacity, and what is refused.

use super::*;

fn platform(text: &str) -> Result<Platform, String> {
    let whole = format!("format = 1\nname = \"test\"\nnodes = 2\nranks_per_node = 2\n{text}");
    let file = PlatformFile::parse(&whole).map_err(|error| error.to_string())?;
    Platform::new(file, &|name| Err(format!("no file '{name}'"))).map_err(|error| error.to_string())
}

fn nodes(text: &str) -> Vec<u32> {
    let platform = platform(text).unwrap();
    (0..4).map(|rank| platform.node_of(Rank(rank))).collect()
}

#[test]
fn places_ranks() {
    assert_eq!(nodes("links = []"), [0, 0, 1, 1]);
    assert_eq!(nodes("placement = \"cyclic\"\nlinks = []"), [0, 1, 0, 1]);
    assert_eq!(
        nodes("placement = { list = [1, 0, 0, 1] }\nlinks = []"),
        [1, 0, 0, 1]
    );
    let cyclic = platform("placement = \"cyclic\"\nlinks = []").unwrap();
    assert_eq!(
        (0..4)
            .map(|rank| cyclic.pu_of(Rank(rank)).0)
            .collect::<Vec<_>>(),
        [0, 2, 1, 3]
    );
    assert_eq!(cyclic.link(Rank(0), Rank(0)), LinkClass::ToSelf);
    assert_eq!(cyclic.link(Rank(0), Rank(2)), LinkClass::InsideNode);
    assert_eq!(
        cyclic.link(Rank(0), Rank(1)),
        base_data::comm_data::LinkClass::BetweenNodes
    );
}

#[test]
fn refuses_what_it_cannot_honour() {
    let cases = [
        (
            "links = [{ class = { switches = 2 }, file = \"x\" }]",
            "switches-2 is not modelled",
        ),
        (
            "links = [{ class = \"between-nodes\", file = \"x\" }]",
            "no file 'x'",
        ),
        (
            "placement = { list = [0, 0, 0] }\nlinks = []",
            "more than ranks_per_node = 2",
        ),
        (
            "placement = { list = [0, 2] }\nlinks = []",
            "rank 1 on node 2; nodes are 0 to 1",
        ),
        (
            "pu = [{ first_node = 0, nodes = 1 }]\nlinks = []",
            "node 1 must be in exactly one",
        ),
        (
            "pu = [{ first_node = 0, nodes = 2, compute = \"c\" }]\nlinks = []",
            "compute data 'c' cannot be read",
        ),
        (
            "placement = { file = \"hosts\" }\nlinks = []",
            "placement file 'hosts' cannot be read",
        ),
        (
            "mpi = { overrides = { x = \"1\" } }\nlinks = []",
            "the override x is not modelled by this version; the",
        ),
    ];
    for (text, expected) in cases {
        let error = platform(text).unwrap_err();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn counts_places() {
    let full = platform("links = []").unwrap();
    assert!(full.check_capacity(4).is_ok());
    let error = full.check_capacity(5).unwrap_err().to_string();
    assert!(
        error.contains("room for 4 ranks (2 nodes × 2") && error.contains("not for 5"),
        "{error}"
    );
    let listed = platform("placement = { list = [0, 1] }\nlinks = []").unwrap();
    let error = listed.check_capacity(3).unwrap_err().to_string();
    assert!(
        error.contains("lists the nodes of 2 ranks, not of 3"),
        "{error}"
    );
}

#[test]
fn slower_nodes_are_guesses() {
    let text = "pu = [{ first_node = 0, nodes = 1 }, { first_node = 1, nodes = 1, speed = 0.5 }]\nlinks = []";
    let unequal = platform(text).unwrap();
    assert_eq!(
        (unequal.speed_of(Rank(0)), unequal.speed_of(Rank(3))),
        (1.0, 0.5)
    );
    assert_eq!(
        unequal.guessed_speed().as_deref(),
        Some("speeds of unequal PUs")
    );
    let faster = unequal
        .changed("", None, &Change::Speed(2.0))
        .unwrap()
        .guessed_speed();
    assert_eq!(
        faster.as_deref(),
        Some("speeds of unequal PUs, and PUs 2 times as fast as measured")
    );
}

#[test]
fn names_what_links_lack() {
    let error = platform("links = []")
        .unwrap()
        .fits("mpiete", 4)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no communication data for link class between-nodes"),
        "{error}"
    );
}

#[test]
fn topology_under_a_model_without_one_causes_a_warning() {
    let text = crate::platforms::bundled("hdr-infiniband").unwrap();
    let of = |text: &str| {
        let file = PlatformFile::parse(text).unwrap();
        Platform::new(file, &|_| Err("no file".into())).unwrap()
    };
    let tree = of(&format!(
        "{text}\n[topology]\nkind = \"fat-tree\"\nnodes_per_switch = 4\noversubscription = 2.0\n"
    ));
    let warnings = |platform: &Platform, model: &str, ranks: u32| {
        let warnings = platform.fits(model, ranks).unwrap().warnings;
        warnings
            .iter()
            .filter(|one| one.contains("[topology]"))
            .count()
    };
    let star = of(text);
    assert_eq!(warnings(&tree, "mpiete", 8), 1);
    assert_eq!(warnings(&tree, "flow", 8), 0);
    assert_eq!(warnings(&star, "mpiete", 8), 0);
    // No message leaves the node.
    assert_eq!(warnings(&tree, "mpiete", 1), 0);
}

/// Files by name.
struct Files;

impl PlatformFiles for Files {
    fn comm(&self, name: &str) -> Result<CommData, String> {
        Err(format!("no file '{name}'"))
    }

    fn compute(&self, name: &str) -> Result<ComputeData, String> {
        let mut data = ComputeData::default();
        data.provenance.program = name.into();
        Ok(data)
    }

    fn placement(&self, name: &str) -> Result<String, String> {
        Ok(if name == "swapped" {
            "# swapped\n1 0 # first two\n0 1\n"
        } else {
            "0 one"
        }
        .into())
    }
}

fn with_files(text: &str) -> Result<Platform, String> {
    let whole =
        format!("format = 1\nname = \"test\"\nnodes = 2\nranks_per_node = 2\n{text}\nlinks = []");
    let file = PlatformFile::parse(&whole).map_err(|error| error.to_string())?;
    Platform::with_files(file, &Files).map_err(|error| error.to_string())
}

#[test]
fn a_file_places_ranks() {
    let placed = with_files("placement = { file = \"swapped\" }").unwrap();
    assert_eq!(
        (0..4)
            .map(|rank| placed.node_of(Rank(rank)))
            .collect::<Vec<_>>(),
        [1, 0, 0, 1]
    );
    assert_eq!(placed.capacity(), 4);
    let error = with_files("placement = { file = \"other\" }").unwrap_err();
    assert!(
        error.contains("placement file other: line 1: 'one' is no node number"),
        "{error}"
    );
}

#[test]
fn pu_types_bring_compute_data() {
    let text = "pu = [{ first_node = 0, nodes = 1 }, { first_node = 1, nodes = 1, compute = \"new\", speed = 2.0 }]";
    let unequal = with_files(text).unwrap();
    assert_eq!(
        [0, 1, 2, 3].map(|rank| unequal.compute_of(Rank(rank))),
        [None, None, Some(0), Some(0)]
    );
    assert_eq!(
        unequal
            .compute()
            .map(|data| data.provenance.program.as_str())
            .collect::<Vec<_>>(),
        ["new"]
    );
    assert!(!unequal.has_all_compute() && unequal.speed_of(Rank(2)) == 2.0);
    let equal = with_files("pu = [{ first_node = 0, nodes = 2, compute = \"new\" }]").unwrap();
    assert!(equal.has_all_compute() && equal.guessed_speed().is_none());
}

fn parameter(platform: &Platform, name: &str) -> Option<f64> {
    platform
        .fit("loggps", base_data::comm_data::LinkClass::BetweenNodes)
        .unwrap()
        .parameter(name)
}

/// The text of a bundled platform with settings of its MPI library.
fn with_overrides(name: &str, overrides: &str) -> Result<Platform, String> {
    let text = crate::platforms::bundled(name).unwrap();
    let text = text.replace(
        "\n[[links]]",
        &format!("\noverrides = {{ {overrides} }}\n[[links]]"),
    );
    let file = PlatformFile::parse(&text).map_err(|error| error.to_string())?;
    Platform::new(file, &|_| Err(String::new())).map_err(|error| error.to_string())
}

#[test]
fn settings_of_the_library_change_thresholds() {
    let longest = |overrides| parameter(&with_overrides("myrinet-2001", overrides).unwrap(), "S");
    assert_eq!(longest("eager_threshold = \"65536\""), Some(65536.0));
    assert_eq!(
        longest("I_MPI_INTRANODE_EAGER_THRESHOLD = \"65536\""),
        Some(16383.0)
    );
    let error = with_overrides("myrinet-2001", "eager_threshold = \"64k\"").unwrap_err();
    assert!(
        error.contains("override eager_threshold = \"64k\" is no number of bytes"),
        "{error}"
    );
    let error = with_overrides("fast-ethernet", "eager_threshold = \"65536\"").unwrap_err();
    assert!(error.contains("have no model with a handshake"), "{error}");
    for (name, expected) in [("myrinet-2001", true), ("fast-ethernet", false)] {
        let platform = crate::platforms::load(name).unwrap();
        assert_eq!(
            platform.takes_eager_threshold(base_data::comm_data::LinkClass::BetweenNodes),
            expected,
            "{name}"
        );
    }
}

#[test]
fn one_thing_is_changed() {
    let myrinet = crate::platforms::load("myrinet-2001").unwrap();
    let changed = |change| myrinet.changed("loggps", None, &change).unwrap();
    let near = |found: Option<f64>, expected: f64| {
        assert!((found.unwrap() - expected).abs() < 1e-9, "{found:?}")
    };
    near(
        parameter(&changed(Change::Latency(Amount::Times(2.0))), "L"),
        1700.0,
    );
    near(
        parameter(&changed(Change::Latency(Amount::To(5.0))), "L"),
        5.0,
    );
    near(
        parameter(&changed(Change::Overhead(Amount::Times(0.5))), "o'"),
        3365.0,
    );
    near(
        parameter(&changed(Change::OverheadPerByte(Amount::To(0.0))), "Osl"),
        0.0,
    );
    near(
        parameter(&changed(Change::Bandwidth(Amount::Times(2.0))), "Gs"),
        15.17 / 2.0,
    );
    near(
        parameter(&changed(Change::Bandwidth(Amount::To(1e9))), "Gl"),
        1.0,
    );
    near(
        parameter(&changed(Change::EagerThreshold(65536)), "S"),
        65536.0,
    );
    let loggp_1 = myrinet
        .changed("loggp-1", None, &Change::Latency(Amount::To(5.0)))
        .unwrap();
    near(parameter(&loggp_1, "L"), 5.0);
    assert_eq!(changed(Change::Speed(2.0)).speed_of(Rank(0)), 2.0);
    assert_eq!(changed(Change::RanksPerNode(4)).capacity(), 64);
    assert_eq!(changed(Change::Pieces(100)).pieces(), Some(100));
    let refused = myrinet
        .changed("mpiete", None, &Change::EagerThreshold(1))
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("model 'mpiete' has no parameter for eager-threshold on any link"),
        "{refused}"
    );
}

#[test]
fn curves_are_changed_as_parameters_are() {
    let cluster = crate::platforms::load("mpiete-2004").unwrap();
    let curve = |change| -> Vec<i64> {
        let changed = cluster
            .changed(
                "mpiete",
                Some(base_data::comm_data::LinkClass::BetweenNodes),
                &change,
            )
            .unwrap();
        let fit = changed
            .fit("mpiete", base_data::comm_data::LinkClass::BetweenNodes)
            .unwrap();
        fit.curve
            .iter()
            .map(|point| point.time.picoseconds() / 1_000_000)
            .collect()
    };
    assert_eq!(curve(Change::Latency(Amount::Times(0.5))), [38, 169_738]);
    assert_eq!(curve(Change::Latency(Amount::To(0.0))), [0, 169_700]);
    assert_eq!(curve(Change::Bandwidth(Amount::Times(2.0))), [76, 84_926]);
    assert_eq!(curve(Change::Bandwidth(Amount::To(1e8))), [76, 10_076]);
}

#[test]
fn eager_limit_is_that_of_the_library_or_the_override() {
    let of = |mpi: &str| {
        let fit = "[[links.data.fits]]\nmodel = \"loggps\"\nparameters = [{ name = \"Osl\", value = 1.0, unit = \"ns/byte\" }]";
        let classes = ["inside-node", "between-nodes"];
        let links = classes
            .map(|class| format!("[[links]]\nclass = \"{class}\"\n{fit}\n"))
            .concat();
        let platform = platform(&format!("[mpi]\n{mpi}\n{links}")).unwrap();
        [
            LinkClass::InsideNode,
            base_data::comm_data::LinkClass::BetweenNodes,
        ]
        .map(|link| platform.eager_limit(link))
    };
    assert_eq!(of("library = \"MPICH\""), [65_280, 131_008]);
    assert_eq!(
        of("library = \"MPICH\"\nversion = \"4.0.2\""),
        [8192; 2],
        "ch4 leaves the limit to its provider"
    );
    assert_eq!(of("library = \"Open MPI\""), [4032, 65_472]);
    assert_eq!(
        of("library = \"Cray MPICH\""),
        [8192; 2],
        "not that of the MPICH in its name"
    );
    assert_eq!(of("library = \"MVAPICH2\""), [8192, 12_288]);
    assert_eq!(of("library = \"\""), [65_536; 2]);
    let overridden =
        of("library = \"MPICH\"\noverrides = { MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ = \"2000\" }");
    assert_eq!(overridden, [2000, 131_008]);
}
