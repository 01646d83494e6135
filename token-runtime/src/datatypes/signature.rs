//! The sequence of basic elements of a datatype as one number, so that a receive can detect that a
//! message was sent as something else.
//!
//! Elements are compared as generously as programs use them: integers, logicals and characters of
//! equal length are alike, a complex number is two reals, and data with bytes among them match
//! anything.

use base_data::mpi::BasicDatatype;

/// A sequence of basic elements. Equal sequences have equal signatures, however they were made;
/// different ones differ but for a chance of 2⁻⁶⁰.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What all elements are; 0 without elements or if they differ.
    uniform: u8,
    /// Whether there are bytes among them.
    has_bytes: bool,
    /// Number of elements as compared.
    length: u64,
    /// Polynomial of the elements' codes modulo [`PRIME`].
    hash: u64,
}

/// 2⁶¹ − 1.
const PRIME: u64 = (1 << 61) - 1;
/// Where the polynomial is evaluated: any number of about that size does.
const POINT: u64 = 0x0f3a_9c51_b7e2_6d4f % PRIME;

impl Signature {
    /// No element.
    pub const EMPTY: Self = Self {
        uniform: 0,
        has_bytes: false,
        length: 0,
        hash: 0,
    };

    /// One element.
    pub fn element(element: BasicDatatype) -> Self {
        let (code, length) = code(element);
        let one = Self {
            uniform: code,
            has_bytes: code == BYTES,
            length: 1,
            hash: u64::from(code),
        };
        if length == 2 {
            one.followed_by(one)
        } else {
            one
        }
    }

    /// This sequence, then another.
    pub fn followed_by(self, next: Self) -> Self {
        Self {
            uniform: match (self.length, next.length) {
                (0, _) => next.uniform,
                (_, 0) => self.uniform,
                _ if self.uniform == next.uniform => self.uniform,
                _ => 0,
            },
            has_bytes: self.has_bytes || next.has_bytes,
            length: self.length.saturating_add(next.length),
            // The hash is a polynomial over the codes, so appending shifts the first sequence by the length of the second:
            // the result does not depend on how a sequence was built.
            hash: (times(self.hash, power(next.length)) + next.hash) % PRIME,
        }
    }

    /// This sequence `count` times.
    pub fn repeated(self, count: u64) -> Self {
        let (mut result, mut double, mut left) = (Self::EMPTY, self, count);
        while left > 0 {
            if left & 1 == 1 {
                result = result.followed_by(double);
            }
            double = double.followed_by(double);
            left >>= 1;
        }
        result
    }

    /// As one word for a message's envelope; 0 matches anything.
    pub fn word(self) -> u64 {
        match (self.has_bytes || self.length == 0, self.uniform) {
            (true, _) => 0,
            // The mark separates hashes from codes and keeps the word from being 0. Hashes have 61 bits.
            (false, 0) => self.hash | 1 << 63,
            (false, uniform) => u64::from(uniform),
        }
    }
}

/// Whether data sent with one word may be received with the other.
pub fn agree(sent: u64, received: u64) -> bool {
    sent == 0 || received == 0 || sent == received
}

/// What a word stands for, for people.
pub fn describe(word: u64) -> String {
    let length = word & 0x3f;
    match (word >> 63, word >> 6) {
        (0, 0) => "bytes".into(),
        (0, 1) => format!("{length}-byte integers, logicals or characters"),
        (0, 2) => format!("{length}-byte reals"),
        _ => "elements of several types".into(),
    }
}

/// Code of bytes: they match anything.
const BYTES: u8 = 1;

/// Code of an element, and how many elements of that code it is.
fn code(element: BasicDatatype) -> (u8, u8) {
    match element {
        BasicDatatype::Byte => (BYTES, 1),
        BasicDatatype::Character => (0x40 | 1, 1),
        BasicDatatype::Integer(n) | BasicDatatype::Unsigned(n) | BasicDatatype::Logical(n) => {
            (0x40 | n, 1)
        }
        BasicDatatype::Real(n) => (0x80 | n, 1),
        BasicDatatype::Complex(n) => (0x80 | (n / 2), 2),
        BasicDatatype::Pair(value, index) => (0xc0 | ((value ^ (index << 1)) & 0x3f), 1),
    }
}

fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(PRIME)) as u64
}

fn power(mut exponent: u64) -> u64 {
    let (mut result, mut base) = (1, POINT);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = times(result, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn elements() -> impl Strategy<Value = Vec<BasicDatatype>> {
        let one = prop_oneof![
            Just(BasicDatatype::Integer(4)),
            Just(BasicDatatype::Real(8)),
            Just(BasicDatatype::Complex(16)),
        ];
        prop::collection::vec(one, 0..6)
    }

    fn of(elements: &[BasicDatatype]) -> Signature {
        elements.iter().fold(Signature::EMPTY, |before, &element| {
            before.followed_by(Signature::element(element))
        })
    }

    proptest! {
        #[test]
        fn signature_is_independent_of_construction(a in elements(), b in elements(), times in 0u64..20) {
            let whole: Vec<_> = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(of(&a).followed_by(of(&b)), of(&whole));
            prop_assert_eq!(of(&a).repeated(times), of(&a.repeat(times as usize)));
        }
    }

    #[test]
    fn different_data_have_different_signatures() {
        use BasicDatatype::*;
        let word = |elements: &[BasicDatatype]| of(elements).word();
        assert!(!agree(word(&[Integer(4)]), word(&[Real(4)])));
        assert!(!agree(
            word(&[Integer(4), Real(8)]),
            word(&[Real(8), Integer(4)])
        ));
        assert!(agree(word(&[Integer(4)]), word(&[Unsigned(4), Logical(4)])));
        assert!(agree(word(&[Complex(16)]), word(&[Real(8), Real(8)])));
        assert!(agree(word(&[Integer(4), Byte]), word(&[Real(4)])));
    }
}
