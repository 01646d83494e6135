//! Models of synthetic programs: the model must agree with every rank, for every
//! structure that programs have; without structure, all ranks are run.

use super::model::Behaviour;
use super::search::{Ranks, ValidatedModel, ValidationLevel, find};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::convert::Infallible;

/// What a rank of so many does: a shape, and values.
type Rule<'a> = &'a dyn Fn(i64) -> (i64, Vec<i64>);

struct Made<'a> {
    rule: Rule<'a>,
    shapes: Vec<(i64, usize)>,
    run: BTreeSet<u32>,
}

impl Ranks for Made<'_> {
    type Error = Infallible;

    fn run(&mut self, ranks: &[u32]) -> Result<Vec<Behaviour>, Infallible> {
        Ok(ranks.iter().map(|&rank| self.does(rank)).collect())
    }

    fn is_known(&self, _: u32, _: &Behaviour) -> bool {
        true
    }
}

impl Made<'_> {
    fn does(&mut self, rank: u32) -> Behaviour {
        assert!(self.run.insert(rank), "rank {rank} is run twice");
        let (shape, values) = (self.rule)(i64::from(rank));
        let key = (shape, values.len());
        let known = self.shapes.iter().position(|&known| known == key);
        let shape = known.unwrap_or_else(|| {
            self.shapes.push(key);
            self.shapes.len() - 1
        });
        Behaviour {
            shape: shape as u32,
            values,
        }
    }
}

/// The model, and how many ranks it is wrong about.
fn found(ranks: u32, rule: Rule) -> Option<(ValidatedModel, usize)> {
    let mut made = Made {
        rule,
        shapes: Vec::new(),
        run: BTreeSet::new(),
    };
    let validation = ValidationLevel {
        random_checks: 200,
        per_boundary: 4,
    };
    let Ok(found) = find(ranks, &mut made, validation);
    let found = found?;
    assert_eq!(found.run, made.run.len());
    made.run.clear();
    let wrong = (0..ranks)
        .filter(|&rank| !found.model.agrees(rank, &made.does(rank)))
        .count();
    Some((found, wrong))
}

/// All ranks are right, from a part of them.
fn check(what: &str, ranks: u32, most_run: usize, rule: Rule) {
    let Some((found, wrong)) = found(ranks, rule) else {
        panic!("{what}: all {ranks} ranks were run")
    };
    assert_eq!(wrong, 0, "{what}: wrong ranks");
    assert!(
        found.run <= most_run,
        "{what}: {} of {ranks} ranks were run",
        found.run
    );
}

/// Neighbours in a grid; in those that are not periodic the shape says which there are.
fn grid(sides: &[i64], periodic: bool, rank: i64) -> (i64, Vec<i64>) {
    let (mut shape, mut values, mut stride) = (0, Vec::new(), 1);
    for &side in sides {
        let place = rank / stride % side;
        for step in [-1, 1] {
            let is_inside = (0..side).contains(&(place + step));
            if is_inside || periodic {
                values.push(rank + ((place + step).rem_euclid(side) - place) * stride);
            }
            shape = 2 * shape + i64::from(is_inside || periodic);
        }
        stride *= side;
    }
    (shape, values)
}

#[test]
fn identical_ranks() {
    check("a ring", 3000, 700, &|rank| {
        (0, vec![(rank + 1) % 3000, (rank + 2999) % 3000, 5])
    });
}

#[test]
fn grids() {
    check("a line", 4096, 900, &|rank| grid(&[4096], false, rank));
    check("a plane", 64 * 64, 1000, &|rank| {
        grid(&[64, 64], false, rank)
    });
    check("a wide plane", 128 * 32, 1000, &|rank| {
        grid(&[128, 32], false, rank)
    });
    check("a torus", 48 * 60, 900, &|rank| grid(&[48, 60], true, rank));
    check("a cube", 16 * 16 * 16, 1800, &|rank| {
        grid(&[16, 16, 16], false, rank)
    });
    check("a three-dimensional torus", 15 * 16 * 17, 900, &|rank| {
        grid(&[15, 16, 17], true, rank)
    });
}

#[test]
fn uneven_blocks() {
    let block =
        |points: i64, parts: i64, part: i64| points / parts + i64::from(part < points % parts);
    let first =
        |points: i64, parts: i64, part: i64| points / parts * part + part.min(points % parts);
    check("on a line", 2048, 900, &|rank| {
        (
            0,
            vec![block(100_003, 2048, rank), first(100_003, 2048, rank)],
        )
    });
    check("on a plane", 64 * 64, 1300, &|rank| {
        let (x, y) = (rank % 64, rank / 64);
        let (width, height) = (block(1000, 64, x), block(777, 64, y));
        let (shape, mut values) = grid(&[64, 64], false, rank);
        values.extend([width, height, width * height, first(1000, 64, x)]);
        (shape, values)
    });
}

#[test]
fn hypercubes_and_transposes() {
    check("a hypercube", 2048, 700, &|rank| {
        (0, (0..11).map(|bit| rank ^ (1 << bit)).collect())
    });
    check("a square, transposed", 45 * 45, 900, &|rank| {
        (0, vec![rank % 45 * 45 + rank / 45])
    });
    check("rows and columns", 2048, 900, &|rank| {
        let (row, column) = (rank / 64, rank % 64);
        (
            0,
            vec![
                row,
                column,
                row * 64,
                2 * (rank / 2 % 32 * 32 + rank / 64) + rank % 2,
            ],
        )
    });
    check("a binomial tree", 2048, 1000, &|rank| {
        let bit = if rank == 0 {
            11
        } else {
            i64::from(rank.trailing_zeros())
        };
        let parent = rank - if rank == 0 { 0 } else { 1 << bit };
        (
            bit,
            std::iter::once(parent)
                .chain((0..bit).map(|bit| rank + (1 << bit)))
                .collect(),
        )
    });
}

#[test]
fn masters_colours_and_remainders() {
    check("a master", 3000, 800, &|rank| {
        (i64::from(rank > 0), vec![0])
    });
    check("a master for each 32", 4096, 900, &|rank| {
        (i64::from(rank % 32 > 0), vec![rank / 32 * 32])
    });
    check("red and black", 60 * 60, 900, &|rank| {
        ((rank % 60 + rank / 60) % 2, vec![rank])
    });
    check("left over", 2500, 900, &|rank| {
        if rank < 2048 {
            (1, vec![rank ^ 1])
        } else {
            (0, Vec::new())
        }
    });
}

#[test]
fn irregular_program_runs_all_ranks() {
    let mix64 = |rank: i64| base_data::split_mix::mixed(rank as u64);
    assert!(found(800, &|rank| (0, vec![(mix64(rank) % 1000) as i64])).is_none());
    assert!(found(800, &|rank| ((mix64(rank) % 2) as i64, Vec::new())).is_none());
    assert!(
        found(799, &|_| (0, Vec::new())).is_none(),
        "few ranks are run rather than checked"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    /// Whatever the grid, and whatever some of its ranks do as well: never more than a few wrong ones, and
    /// none in a grid without exceptions.
    #[test]
    fn grids_with_exceptions(
        sides in prop::sample::select(vec![vec![40i64, 40], vec![12, 10, 14], vec![1600], vec![8, 5, 50]]),
        periodic in any::<bool>(),
        every in prop::option::of(20i64..200),
    ) {
        let ranks = sides.iter().product::<i64>() as u32;
        let rule = |rank: i64| {
            let (shape, mut values) = grid(&sides, periodic, rank);
            let is_exception = every.is_some_and(|every| rank % (7 * every) == 6);
            values.extend(is_exception.then_some(1));
            (2 * shape + i64::from(is_exception), values)
        };
        if let Some((_, wrong)) = found(ranks, &rule) {
            let most = if every.is_some() { ranks as usize / 25 } else { 0 };
            prop_assert!(wrong <= most, "{wrong} of {ranks}");
        }
    }
}
