//! Blocks with very many variants: those that are measured together tell of each as well as if they had been measured apart.

use crate::command::done;
use base_data::compute_data::ComputeData;
use base_data::estimate_file::{Activity, Category, Estimate};
use base_data::format::{FileContent, decode};
use std::path::Path;

const STEPS: i64 = 900;

/// In step k the block has k iterations.
const PROGRAM: &str = "\
program triangle
  use mpi
  implicit none
  integer :: error, rank, i, k
  real(8) :: x
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  x = rank
  do k = 1, 900
    do i = 1, k
      x = x + i
    end do
    call mpi_barrier(mpi_comm_world, error)
  end do
  if (x < 0) print *, x
  call mpi_finalize(error)
end program
";

fn read<T: FileContent>(here: &Path, name: &str) -> T {
    decode(&std::fs::read(here.join(name)).unwrap()).unwrap()
}

#[test]
fn estimate_is_exact_beyond_512_variants() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("triangle.f90"), PROGRAM).unwrap();
    done(
        here,
        &[
            "prepare",
            "triangle.f90",
            "--whole",
            "-o",
            "study",
            "--clock",
            "statements",
        ],
    );
    done(here, &["record", "study", "-n", "2"]);
    done(here, &["measure", "study", "-n", "2", "--co-run", "1"]);
    done(here, &["estimate", "study", "-n", "2"]);
    let measured: ComputeData = read(here, "study/compute-n2.mpiete");
    let mut of_block = measured.entries.clone();
    of_block.retain(|entry| entry.terms.len() == 1);
    assert!(of_block.len() < 530, "{} variants are kept", of_block.len());
    let block = of_block[0].block;
    assert!(of_block.iter().all(|entry| entry.block == block));
    let count = |term: i64| {
        of_block
            .iter()
            .find(|entry| entry.terms == [term])
            .unwrap()
            .first
            .mean
    };
    let (ten, twenty) = (count(10), count(20));
    let expected: f64 = (1..=STEPS)
        .map(|k| ten + (twenty - ten) / 10.0 * (k - 10) as f64)
        .sum();
    let estimate: Estimate = read(here, "study/estimate-n2.mpiete");
    let of_rank = estimate
        .cells
        .iter()
        .find(|cell| (cell.rank, cell.activity) == (1, Activity::Block(block)));
    let found = of_rank.unwrap().split[Category::Compute.index()].picoseconds() as f64;
    assert!(
        (found / expected - 1.0).abs() < 1e-3,
        "{found} for {expected}"
    );
}
