//! The numbers of datatypes in time-independent traces, both ways.

use base_data::mpi::BasicDatatype::{
    self, Byte, Character, Complex, Integer, Logical, Pair, Real, Unsigned,
};

/// What SMPI's numbers mean, as sizes on 64-bit machines. Of several numbers for one meaning the first
/// is written.
const DATATYPES: [(u32, BasicDatatype); 50] = [
    (0, Real(8)),
    (1, Integer(4)),
    (2, Character),
    (3, Integer(2)),
    (4, Integer(8)),
    (5, Real(4)),
    (6, Byte),
    (7, Integer(8)),
    (8, Integer(1)),
    (9, Unsigned(1)),
    (10, Unsigned(2)),
    (11, Unsigned(4)),
    (12, Unsigned(8)),
    (13, Unsigned(8)),
    (14, Real(16)),
    (15, Integer(4)),
    (16, Logical(1)),
    (17, Integer(1)),
    (18, Integer(2)),
    (19, Integer(4)),
    (20, Integer(8)),
    (21, Unsigned(1)),
    (22, Unsigned(2)),
    (23, Unsigned(4)),
    (24, Unsigned(8)),
    (25, Complex(8)),
    (26, Complex(16)),
    (27, Complex(32)),
    (28, Integer(8)),
    (29, Integer(8)),
    (30, Pair(4, 4)),
    (31, Pair(8, 4)),
    (32, Pair(8, 4)),
    (33, Pair(2, 4)),
    (34, Pair(4, 4)),
    (35, Pair(4, 4)),
    (36, Pair(8, 8)),
    (37, Pair(8, 8)),
    (38, Real(4)),
    (39, Real(4)),
    (40, Real(8)),
    (41, Real(16)),
    (42, Complex(8)),
    (43, Complex(16)),
    (44, Complex(32)),
    (45, Integer(1)),
    (46, Integer(2)),
    (47, Integer(4)),
    (48, Integer(8)),
    (53, Byte),
];

/// What a number means.
pub(crate) fn datatype(number: u32) -> Option<BasicDatatype> {
    DATATYPES
        .iter()
        .find(|(known, _)| *known == number)
        .map(|(_, datatype)| *datatype)
}

/// The number of a datatype; `None` for one that SMPI does not know.
pub(crate) fn number(datatype: BasicDatatype) -> Option<u32> {
    DATATYPES
        .iter()
        .find(|(_, known)| *known == datatype)
        .map(|(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_mean_one_thing_each() {
        for (i, (known, element)) in DATATYPES.iter().enumerate() {
            assert!(DATATYPES[..i].iter().all(|(earlier, _)| earlier != known));
            assert_eq!(datatype(*known), Some(*element));
            assert_eq!(number(*element).and_then(datatype), Some(*element));
        }
        assert_eq!((datatype(99), number(Logical(4))), (None, None));
    }
}
