//! Echo: the data that a rank itself last sent, in sends and collectives, as the data of a receive without a sender.
//! Such data have the right size and type, and are as finite as the rank's own.

use base_data::mpi::BasicDatatype;
use std::collections::BTreeMap;

/// What all elements of some data are; `None` where they are not the same.
type Sort = Option<BasicDatatype>;

/// What was last given, by communicator, sort of data and length.
#[derive(Clone, Debug, Default)]
pub struct Echo {
    exact: BTreeMap<(u64, Sort, usize), Vec<u8>>,
    /// The length that was last given of each sort, and where.
    latest: BTreeMap<(u64, Sort), usize>,
    anywhere: BTreeMap<Sort, (u64, usize)>,
    partners: BTreeMap<u64, i32>,
}

impl Echo {
    /// The rank gives packed data on the communicator with this context.
    pub fn insert(&mut self, context: u64, sort: Sort, data: Vec<u8>) {
        if data.is_empty() {
            return;
        }
        self.latest.insert((context, sort), data.len());
        self.anywhere.insert(sort, (context, data.len()));
        self.exact.insert((context, sort, data.len()), data);
    }

    /// It sends to a partner.
    pub fn set_partner(&mut self, context: u64, partner: i32) {
        self.partners.insert(context, partner);
    }

    /// Whom it last sent to on a communicator.
    pub fn partner(&self, context: u64) -> Option<i32> {
        self.partners.get(&context).copied()
    }

    /// So many bytes of that sort: those of the last data of that length on the communicator; else of its
    /// last data of the sort, else of those of another communicator, as often as it takes. `None` if the
    /// rank gave nothing of the sort yet.
    pub fn data(&self, context: u64, sort: Sort, bytes: usize) -> Option<Vec<u8>> {
        if let Some(data) = self.exact.get(&(context, sort, bytes)) {
            return Some(data.clone());
        }
        // Elements that differ from each other mean nothing at other places.
        let element = sort?.bytes() as usize;
        let of_length = |length: usize| self.exact.get(&(context, sort, length));
        let here = self
            .latest
            .get(&(context, sort))
            .and_then(|&length| of_length(length));
        let elsewhere = || {
            let &(other, length) = self.anywhere.get(&sort)?;
            self.exact.get(&(other, sort, length))
        };
        let data = here
            .or_else(elsewhere)
            .filter(|data| data.len() % element == 0)?;
        Some(repeated_to_length(data, bytes))
    }
}

/// So many bytes of data, from the beginning again when they are used up.
pub fn repeated_to_length(data: &[u8], bytes: usize) -> Vec<u8> {
    data.iter().copied().cycle().take(bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const REAL: Sort = Some(BasicDatatype::Real(8));
    const INTEGER: Sort = Some(BasicDatatype::Integer(4));

    fn reals(values: &[f64]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_ne_bytes())
            .collect()
    }

    #[test]
    fn echo_prefers_equal_length_then_equal_type() {
        let mut echo = Echo::default();
        assert_eq!(echo.data(1, REAL, 8), None);
        for (context, values) in [
            (1, &[1.0, 2.0][..]),
            (1, &[3.0]),
            (1, &[4.0]),
            (2, &[5.0, 6.0]),
        ] {
            echo.insert(context, REAL, reals(values));
        }
        for (context, length, expected) in [
            (1, 2, &[1.0, 2.0][..]),
            (1, 1, &[4.0]),
            (1, 3, &[4.0, 4.0, 4.0]),
            (2, 3, &[5.0, 6.0, 5.0]),
            (9, 1, &[5.0]),
        ] {
            assert_eq!(
                echo.data(context, REAL, 8 * length),
                Some(reals(expected)),
                "{context} {length}"
            );
        }
        assert_eq!(echo.data(1, INTEGER, 4), None);
    }

    #[test]
    fn mixed_data_are_echoed_only_at_equal_length() {
        let mut echo = Echo::default();
        echo.insert(1, None, vec![1, 2, 3]);
        assert_eq!(
            (echo.data(1, None, 3), echo.data(1, None, 2)),
            (Some(vec![1, 2, 3]), None)
        );
    }

    proptest! {
        /// Finite numbers come back as finite numbers, as many as were asked for.
        #[test]
        fn finite_values_stay_finite(
            given in prop::collection::vec((0u64..3, prop::collection::vec(-1e300f64..1e300, 1..6)), 1..8),
            (context, count) in (0u64..4, 0usize..20),
        ) {
            let mut echo = Echo::default();
            given.iter().for_each(|(context, values)| echo.insert(*context, REAL, reals(values)));
            let taken = echo.data(context, REAL, 8 * count).unwrap();
            let (numbers, rest) = taken.as_chunks::<8>();
            prop_assert_eq!((numbers.len(), rest.len()), (count, 0));
            let all: Vec<f64> = given.into_iter().flat_map(|(_, values)| values).collect();
            prop_assert!(numbers.iter().all(|&number| all.contains(&f64::from_ne_bytes(number))));
        }
    }
}
