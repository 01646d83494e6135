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
    assert_eq!(nodes("placement = { list = [1, 0, 0, 1] }\nlinks = []"), [1, 0, 0, 1]);
    let cyclic = platform("placement = \"cyclic\"\nlinks = []").unwrap();
    assert_eq!((0..4).map(|rank| cyclic.pu_of(Rank(rank)).0).collect::<Vec<_>>(), [0, 2, 1, 3]);
    assert_eq!(cyclic.link(Rank(0), Rank(0)), LinkClass::ToSelf);
    assert_eq!(cyclic.link(Rank(0), Rank(2)), LinkClass::InsideNode);
    assert_eq!(cyclic.link(Rank(0), Rank(1)), LinkClass::BetweenNodes);
}

#[test]
fn refuses_what_it_cannot_honour() {
    let cases = [
        ("progress = \"in-call\"\nlinks = []", "progress = \"in-call\" is not modelled"),
        ("eager_credit = { bytes = 65536 }\nlinks = []", "eager_credit of 65536 bytes is not modelled"),
        ("links = [{ class = { switches = 2 }, file = \"x\" }]", "switches-2 is not modelled"),
        ("links = [{ class = \"between-nodes\", file = \"x\" }]", "no file 'x'"),
        ("placement = { list = [0, 0, 0] }\nlinks = []", "more than ranks_per_node = 2"),
        ("placement = { list = [0, 2] }\nlinks = []", "rank 1 on node 2; nodes are 0 to 1"),
        ("pu = [{ first_node = 0, nodes = 1 }]\nlinks = []", "node 1 must be in exactly one"),
        (
            "pu = [{ first_node = 0, nodes = 2, compute = \"c\" }]\nlinks = []",
            "compute data of its own ('c')",
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
    assert!(error.contains("room for 4 ranks (2 nodes × 2") && error.contains("not for 5"), "{error}");
    let listed = platform("placement = { list = [0, 1] }\nlinks = []").unwrap();
    let error = listed.check_capacity(3).unwrap_err().to_string();
    assert!(error.contains("lists the nodes of 2 ranks, not of 3"), "{error}");
}

#[test]
fn slower_nodes_are_guesses() {
    let text = "pu = [{ first_node = 0, nodes = 1 }, { first_node = 1, nodes = 1, speed = 0.5 }]\nlinks = []";
    let unequal = platform(text).unwrap();
    assert_eq!((unequal.speed_of(Rank(0)), unequal.speed_of(Rank(3))), (1.0, 0.5));
    assert!(unequal.guesses_speed());
}

#[test]
fn names_what_links_lack() {
    let error = platform("links = []").unwrap().fits("mpiete", 4).unwrap_err().to_string();
    assert!(error.contains("no communication data for link class between-nodes"), "{error}");
}
