//! Shares of the data by the position of a rank: equal, rising along the ranks or along a side of their grid, or as much
//! as lies on the diagonal of a matrix that the grid divides. The shares of all ranks add up to 1, so one amount
//! of data serves every number of ranks. Callers with measured amounts determine which shares hold.

/// A way to divide data among ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Division {
    /// The same for all.
    Even,
    /// In proportion to the place along a line.
    Rising(Line),
    /// In proportion to the place along a line, counted from its end.
    Falling(Line),
    /// What a rank's part of a matrix has of the matrix's diagonal.
    Diagonal,
}

/// What ranks stand along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// All ranks, in order.
    Ranks,
    /// The rows of their grid.
    Rows,
    /// Its columns.
    Columns,
}

/// Those that are not [`Division::Even`]; of two that explain as much the first is taken.
pub(super) const UNEVEN: [Division; 7] = [
    Division::Rising(Line::Ranks),
    Division::Falling(Line::Ranks),
    Division::Diagonal,
    Division::Rising(Line::Rows),
    Division::Falling(Line::Rows),
    Division::Rising(Line::Columns),
    Division::Falling(Line::Columns),
];

/// The interval of a rank in a division of [0, 1].
#[derive(Clone, Copy, Debug)]
struct RankInterval {
    begin: f64,
    end: f64,
}

impl RankInterval {
    fn of(place: u32, parts: u32) -> Self {
        let (place, parts) = (f64::from(place), f64::from(parts));
        Self {
            begin: place / parts,
            end: (place + 1.0) / parts,
        }
    }

    fn width(self) -> f64 {
        self.end - self.begin
    }

    /// Integral of 2x over the interval: its share of a density that rises linearly from 0.
    fn of_rising(self) -> f64 {
        self.end * self.end - self.begin * self.begin
    }

    fn overlap(self, other: Self) -> f64 {
        (self.end.min(other.end) - self.begin.max(other.begin)).max(0.0)
    }
}

/// How the parts of ranks lie beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// In a line, in the order of ranks.
    Line,
    /// In the squarest grid, row by row, with no more rows than columns.
    Grid,
}

/// All layouts.
pub(super) const LAYOUTS: [Layout; 2] = [Layout::Grid, Layout::Line];

impl Layout {
    /// Which share of what rank `of` of `coarse` ranks has lies in the part of rank `rank` of `fine` ranks.
    pub(super) fn common(self, (rank, fine): (u32, u32), (of, coarse): (u32, u32)) -> f64 {
        let sides = self
            .parts(rank, fine)
            .into_iter()
            .zip(self.parts(of, coarse));
        sides
            .map(|(own, other)| own.overlap(other) / other.width())
            .product()
    }

    /// The part of a rank along both sides.
    fn parts(self, rank: u32, ranks: u32) -> [RankInterval; 2] {
        let rows = match self {
            Layout::Line => 1,
            Layout::Grid => rows(ranks),
        };
        let columns = ranks / rows;
        [
            RankInterval::of(rank / columns, rows),
            RankInterval::of(rank % columns, columns),
        ]
    }
}

impl Division {
    /// The share of a rank of `ranks`.
    pub(super) fn share(self, rank: u32, ranks: u32) -> f64 {
        let [row, column] = Layout::Grid.parts(rank, ranks);
        let along = |line| match line {
            Line::Ranks => (RankInterval::of(rank, ranks), 1.0),
            Line::Rows => (row, column.width()),
            Line::Columns => (column, row.width()),
        };
        match self {
            Division::Even => 1.0 / f64::from(ranks),
            Division::Rising(line) => {
                let (part, across) = along(line);
                part.of_rising() * across
            }
            Division::Falling(line) => {
                let (part, across) = along(line);
                // 2x integrated gives the rising share; falling is 2(1 − x).
                (2.0 * part.width() - part.of_rising()) * across
            }
            Division::Diagonal => row.overlap(column),
        }
    }
}

/// Rows of the squarest grid of so many ranks.
fn rows(ranks: u32) -> u32 {
    let divides = |rows: &u32| ranks.is_multiple_of(*rows);
    (1..=ranks.isqrt()).rev().find(divides).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranks_stand_in_the_squarest_grid() {
        assert_eq!(
            [1, 2, 6, 7, 8, 12, 16, 32].map(rows),
            [1, 1, 2, 1, 2, 3, 4, 4]
        );
    }

    #[test]
    fn the_diagonal_crosses_some_ranks() {
        let shares: Vec<f64> = (0..8)
            .map(|rank| Division::Diagonal.share(rank, 8))
            .collect();
        assert_eq!(shares, [0.25, 0.25, 0.0, 0.0, 0.0, 0.0, 0.25, 0.25]);
    }

    proptest! {
        #[test]
        fn all_ranks_have_all(ranks in 1u32..300) {
            for division in UNEVEN.into_iter().chain([Division::Even]) {
                let shares: Vec<f64> = (0..ranks).map(|rank| division.share(rank, ranks)).collect();
                prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{division:?}");
                prop_assert!(shares.iter().all(|&share| share >= -1e-12), "{division:?}");
            }
        }

        /// Whatever a rank has lies in the parts of some ranks.
        #[test]
        fn parts_cover_all(ranks in 1u32..100, others in 1u32..100, of in 0u32..100) {
            for layout in LAYOUTS {
                let of = (of % others, others);
                let all: f64 = (0..ranks).map(|rank| layout.common((rank, ranks), of)).sum();
                prop_assert!((all - 1.0).abs() < 1e-9, "{layout:?}");
            }
        }

        /// A rank's part is that of the ranks that come from cutting it.
        #[test]
        fn parts_of_a_part_have_what_it_has(ranks in 1u32..60, cut in 1u32..5, rank in 0u32..60) {
            let rank = rank % ranks;
            let finer: f64 = (0..cut).map(|k| Division::Rising(Line::Ranks).share(rank * cut + k, ranks * cut)).sum();
            prop_assert!((finer - Division::Rising(Line::Ranks).share(rank, ranks)).abs() < 1e-12);
        }
    }
}
