//! Values of memory that the program has not defined yet: without a source, a receive leaves its buffer
//! unchanged. Implausible numbers in it become 1.

use base_data::mpi::BasicDatatype;

/// Makes numbers of packed elements finite and normal. Other data stay as they are.
pub fn sanitize(sort: Option<BasicDatatype>, data: &mut [u8]) {
    match sort {
        Some(BasicDatatype::Real(4) | BasicDatatype::Complex(8)) => {
            for number in data.as_chunks_mut::<4>().0 {
                if !is_usual(f32::from_ne_bytes(*number).classify()) {
                    *number = 1f32.to_ne_bytes();
                }
            }
        }
        Some(BasicDatatype::Real(8) | BasicDatatype::Complex(16)) => {
            for number in data.as_chunks_mut::<8>().0 {
                if !is_usual(f64::from_ne_bytes(*number).classify()) {
                    *number = 1f64.to_ne_bytes();
                }
            }
        }
        Some(
            BasicDatatype::Real(_)
            | BasicDatatype::Complex(_)
            | BasicDatatype::Byte
            | BasicDatatype::Character
            | BasicDatatype::Integer(_)
            | BasicDatatype::Unsigned(_)
            | BasicDatatype::Logical(_)
            | BasicDatatype::Pair(..),
        )
        | None => {}
    }
}

fn is_usual(category: std::num::FpCategory) -> bool {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    match category {
        Normal | Zero => true,
        Nan | Infinite | Subnormal => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_and_subnormal_values_become_one() {
        let values = [0.0, -2.5, f64::NAN, f64::NEG_INFINITY, 1e-310];
        let mut data: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_ne_bytes())
            .collect();
        sanitize(Some(BasicDatatype::Complex(16)), &mut data);
        let sane = data
            .as_chunks::<8>()
            .0
            .iter()
            .map(|&number| f64::from_ne_bytes(number));
        assert_eq!(sane.collect::<Vec<_>>(), [0.0, -2.5, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn other_data_are_unchanged() {
        let before = vec![0xff; 8];
        for sort in [
            None,
            Some(BasicDatatype::Byte),
            Some(BasicDatatype::Integer(8)),
        ] {
            let mut data = before.clone();
            sanitize(sort, &mut data);
            assert_eq!(data, before);
        }
    }
}
