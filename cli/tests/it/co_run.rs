//! `measure --co-run K`: copies that run at once are ranks of a node that is so full.

use crate::command::{done, mpiete};
use base_data::compute_data::{ComputeData, ComputeEntry};
use npb_fixtures::skipped::skip;
use std::collections::BTreeSet;
use std::path::Path;

const PROGRAM: &str = "\
program at_once
  use mpi
  implicit none
  integer :: rank, error, i, step
  real :: x
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  x = 0
  do step = 1, 12
    do i = 1, 50 + rank
      x = x + i
    end do
    call mpi_barrier(mpi_comm_world, error)
  end do
  call mpi_finalize(error)
  if (x < 0) print *, x
end program
";

fn read(path: &Path) -> ComputeData {
    base_data::format::decode(&std::fs::read(path).unwrap()).unwrap()
}

/// Without noise copies measure what one does, only more often.
#[test]
fn concurrent_copies_are_ranks_of_a_fuller_node() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("at_once.f90"), PROGRAM).unwrap();
    let kinds = ["--kind", "program,compute", "--clock", "statements"];
    done(
        here,
        &[
            &["prepare", "at_once.f90", "--whole", "-o", "study"][..],
            &kinds,
        ]
        .concat(),
    );
    done(here, &["record", "study", "-n", "2"]);
    done(here, &["measure", "study", "-n", "2"]);
    if std::thread::available_parallelism().unwrap().get() < 2 {
        skip("two copies need two processors");
        return;
    }
    done(here, &["measure", "study", "-n", "2", "--co-run", "2"]);
    let [one, two] = ["compute-n2", "compute-n2-k2"]
        .map(|name| read(&here.join(format!("study/{name}.mpiete"))));
    let known = |e: &ComputeEntry| {
        (
            e.block,
            e.terms.clone(),
            e.first.mean,
            e.warm.mean,
            e.coordinates.clone(),
        )
    };
    assert!(
        one.entries
            .iter()
            .map(known)
            .eq(two.entries.iter().map(known))
    );
    let times = |e: &ComputeEntry| (e.ranks_per_node, e.threads, e.first.count);
    for (one, two) in one
        .entries
        .iter()
        .map(times)
        .zip(two.entries.iter().map(times))
    {
        assert_eq!(two, (2, 1, 2 * one.2));
    }
    assert!(
        two.provenance.method.starts_with("2 copies at once"),
        "{}",
        two.provenance.method
    );
    let files = ["study/compute-n2.mpiete", "study/compute-n2-k2.mpiete"];
    done(
        here,
        &[&["merge"][..], &files, &["-o", "both.mpiete"]].concat(),
    );
    assert_eq!(
        read(&here.join("both.mpiete")).entries.len(),
        one.entries.len() + two.entries.len()
    );
}

/// The occupancies of a study's nodes with which a command measured.
fn occupancies(path: &Path) -> BTreeSet<u32> {
    let data = read(path);
    data.entries
        .iter()
        .map(|entry| entry.ranks_per_node)
        .collect()
}

/// A link class of a platform file.
fn link(class: &str) -> String {
    format!(
        r#"
[[links]]
class = "{class}"
[links.data]
network = "any"
mpi_library = "any"
[[links.data.fits]]
model = "loggps"
source = "this test"
parameters = [
    {{ name = "L", value = 50000.0, unit = "ns" }},
    {{ name = "o'", value = 13000.0, unit = "ns" }},
    {{ name = "Oss", value = 70.6, unit = "ns/byte" }},
    {{ name = "Ors", value = 72.3, unit = "ns/byte" }},
    {{ name = "Gs", value = 26.8, unit = "ns/byte" }},
]
"#
    )
}

#[test]
fn a_full_node_is_measured_by_default() {
    if std::thread::available_parallelism().unwrap().get() < 2 {
        skip("two copies need two processors");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("at_once.f90"), PROGRAM).unwrap();
    for ranks_per_node in [1, 2] {
        let mut platform =
            format!("format = 1\nname = \"p\"\nnodes = 2\nranks_per_node = {ranks_per_node}\n");
        for class in ["between-nodes", "inside-node"] {
            platform += &link(class);
        }
        std::fs::write(here.join("p.toml"), platform).unwrap();
        let study = format!("study{ranks_per_node}");
        done(
            here,
            &[
                "predict",
                "at_once.f90",
                "-n",
                "2",
                "--platform",
                "p.toml",
                "--budget",
                "0.2",
                "-o",
                &study,
            ],
        );
        let file = here.join(study).join("compute-n2.mpiete");
        assert_eq!(occupancies(&file), (1..=ranks_per_node).collect());
    }
    // Without a platform the node may be as full as there are ranks.
    let measured = done(here, &["measure", "study1", "-n", "2", "--budget", "0.2"]);
    assert!(measured.contains("with 1 and 2 on the node"), "{measured}");
    assert_eq!(
        occupancies(&here.join("study1/compute-n2.mpiete")),
        BTreeSet::from([1, 2])
    );
}

#[test]
fn more_copies_than_processing_units_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("at_once.f90"), PROGRAM).unwrap();
    done(
        here,
        &[
            "prepare",
            "at_once.f90",
            "--whole",
            "-o",
            "study",
            "--kind",
            "compute",
        ],
    );
    let answer = mpiete(here, &["measure", "study", "-n", "2", "--co-run", "4000"]);
    assert!(
        answer.code == 2 && answer.err.contains("4000 copies at once need"),
        "{}",
        answer.err
    );
    assert!(!here.join("study/compute-n2-k4000.mpiete").exists());
}
