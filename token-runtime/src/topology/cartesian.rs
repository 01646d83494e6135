//! Grids: row-major, the last coordinate runs fastest.

use super::NO_NEIGHBOUR;

/// A grid of ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cartesian {
    /// Ranks along each dimension.
    pub dims: Vec<u32>,
    /// Whether each dimension is closed to a ring.
    pub periods: Vec<bool>,
}

impl Cartesian {
    /// Number of ranks.
    pub fn size(&self) -> u64 {
        self.dims.iter().map(|&dim| u64::from(dim)).product()
    }

    /// Place of a rank.
    pub fn coordinates(&self, rank: u32) -> Vec<i32> {
        let mut rest = rank;
        let mut coordinates = vec![0; self.dims.len()];
        for (coordinate, &dim) in coordinates.iter_mut().zip(&self.dims).rev() {
            *coordinate = (rest % dim) as i32;
            rest /= dim;
        }
        coordinates
    }

    /// The rank at a place; periodic coordinates may lie outside. `None` if another one does.
    pub fn rank(&self, coordinates: &[i32]) -> Option<u32> {
        let mut rank = 0;
        for ((&coordinate, &dim), &period) in coordinates.iter().zip(&self.dims).zip(&self.periods)
        {
            let inside = if period {
                coordinate.rem_euclid(dim as i32)
            } else {
                coordinate
            };
            let inside = u32::try_from(inside).ok().filter(|&inside| inside < dim)?;
            rank = rank * dim + inside;
        }
        Some(rank)
    }

    /// The ranks from which and to which a shift of `rank` by `steps` along a dimension goes.
    pub fn shift(&self, rank: u32, dimension: usize, steps: i32) -> (i32, i32) {
        (
            self.at_distance(rank, dimension, -i64::from(steps)),
            self.at_distance(rank, dimension, i64::from(steps)),
        )
    }

    fn at_distance(&self, rank: u32, dimension: usize, steps: i64) -> i32 {
        let mut coordinates = self.coordinates(rank);
        let dim = i64::from(self.dims[dimension]);
        // i64: a program may shift by any int, and -i32::MIN overflows.
        let moved = i64::from(coordinates[dimension]) + steps;
        let moved = if self.periods[dimension] {
            moved.rem_euclid(dim)
        } else {
            moved
        };
        if !(0..dim).contains(&moved) {
            return NO_NEIGHBOUR;
        }
        coordinates[dimension] = moved as i32;
        self.rank(&coordinates)
            .map_or(NO_NEIGHBOUR, |rank| rank as i32)
    }

    /// The two neighbours along each dimension.
    pub fn neighbours(&self, rank: u32) -> Vec<i32> {
        (0..self.dims.len())
            .flat_map(|dimension| <[i32; 2]>::from(self.shift(rank, dimension, 1)))
            .collect()
    }

    /// The part of the grid in which `rank` lies and that has only the dimensions of `kept`: its grid, and
    /// its ranks in order.
    pub fn part(&self, rank: u32, kept: &[bool]) -> (Cartesian, Vec<u32>) {
        let keep = |dimension: &usize| kept[*dimension];
        let dimensions: Vec<usize> = (0..self.dims.len()).filter(keep).collect();
        let part = Cartesian {
            dims: dimensions
                .iter()
                .map(|&dimension| self.dims[dimension])
                .collect(),
            periods: dimensions
                .iter()
                .map(|&dimension| self.periods[dimension])
                .collect(),
        };
        let own = self.coordinates(rank);
        let place = |member: u32| {
            let mut coordinates = own.clone();
            for (&dimension, inside) in dimensions.iter().zip(part.coordinates(member)) {
                coordinates[dimension] = inside;
            }
            self.rank(&coordinates)
        };
        let members = (0..part.size() as u32).filter_map(place).collect();
        (part, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn grid(dims: &[u32], periods: &[bool]) -> Cartesian {
        Cartesian {
            dims: dims.to_vec(),
            periods: periods.to_vec(),
        }
    }

    #[test]
    fn shifts_end_at_edges_and_go_round_rings() {
        let grid = grid(&[2, 3], &[false, true]);
        assert_eq!(grid.shift(0, 0, 1), (NO_NEIGHBOUR, 3));
        assert_eq!(grid.shift(0, 1, 1), (2, 1));
        assert_eq!(grid.shift(4, 1, -4), (5, 3));
        assert_eq!(grid.neighbours(5), [2, NO_NEIGHBOUR, 4, 3]);
        assert_eq!((grid.rank(&[1, -1]), grid.rank(&[2, 0])), (Some(5), None));
    }

    #[test]
    fn zero_dimensional_grid_has_one_rank() {
        let (part, members) = grid(&[2, 3], &[true, true]).part(4, &[false, false]);
        assert_eq!((part.size(), members), (1, vec![4]));
    }

    proptest! {
        #[test]
        fn coordinates_and_subgrids_agree(
            dims in proptest::collection::vec((1u32..5, any::<bool>(), any::<bool>()), 1..4),
            pick in any::<u32>(),
        ) {
            let grid = Cartesian {
                dims: dims.iter().map(|dim| dim.0).collect(),
                periods: dims.iter().map(|dim| dim.1).collect(),
            };
            let kept: Vec<bool> = dims.iter().map(|dim| dim.2).collect();
            let rank = pick % grid.size() as u32;
            prop_assert_eq!(grid.rank(&grid.coordinates(rank)), Some(rank));
            let (part, members) = grid.part(rank, &kept);
            prop_assert!(members.contains(&rank));
            for (place, &member) in (0..).zip(&members) {
                let all = grid.coordinates(member);
                let inside: Vec<i32> = (0..all.len()).filter(|&i| kept[i]).map(|i| all[i]).collect();
                prop_assert_eq!(part.coordinates(place), inside);
                prop_assert_eq!(&grid.part(member, &kept).1, &members);
            }
        }
    }
}
