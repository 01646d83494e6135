//! Datatypes against type maps, written down plainly as the standard does.

use super::constructors::Block;
use super::*;
use proptest::prelude::*;

/// A type map: element and displacement, in order; lower and upper bound.
#[derive(Clone, Debug, PartialEq)]
struct Map {
    elements: Vec<(BasicDatatype, i64)>,
    bounds: Option<(i64, i64)>,
}

impl Map {
    fn extent(&self) -> i64 {
        self.bounds.map_or(0, |(lower, upper)| upper - lower)
    }

    /// Copies at displacements.
    fn placed(copies: impl Iterator<Item = (i64, Self)>) -> Self {
        let (mut elements, mut bounds) = (Vec::new(), None);
        for (at, copy) in copies {
            elements.extend(
                copy.elements
                    .iter()
                    .map(|&(element, place)| (element, place + at)),
            );
            if let Some((lower, upper)) = copy.bounds {
                let (low, high): (i64, i64) = bounds.unwrap_or((lower + at, upper + at));
                bounds = Some((low.min(lower + at), high.max(upper + at)));
            }
        }
        Self { elements, bounds }
    }

    fn row(&self, length: u64) -> Self {
        Self::placed((0..length as i64).map(|i| (i * self.extent(), self.clone())))
    }
}

/// A datatype as it is made, with its type map.
fn nested() -> impl Strategy<Value = (Datatype, Map)> {
    let basic = prop_oneof![
        Just(BasicDatatype::Integer(4)),
        Just(BasicDatatype::Real(8)),
        Just(BasicDatatype::Character),
        Just(BasicDatatype::Byte),
    ];
    let leaf = basic.prop_map(|element| {
        let bytes = element.bytes();
        let map = Map {
            elements: vec![(element, 0)],
            bounds: Some((0, bytes as i64)),
        };
        (Datatype::basic(element, bytes), map)
    });
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), 0u64..4).prop_map(|((made, map), n)| (made.contiguous(n), map.row(n))),
            (inner.clone(), 0u64..4, 0u64..3, -40i64..40).prop_map(
                |((made, map), n, length, stride)| {
                    let rows = (0..n as i64).map(|i| (i * stride, map.row(length)));
                    (made.strided(n, length, stride), Map::placed(rows))
                }
            ),
            prop::collection::vec((inner, -60i64..60, 0u64..3), 0..4).prop_map(|parts| {
                let blocks: Vec<Block<'_>> = parts
                    .iter()
                    .map(|((datatype, _), at, length)| Block {
                        at: *at,
                        length: *length,
                        datatype,
                    })
                    .collect();
                let rows = parts
                    .iter()
                    .map(|((_, map), at, length)| (*at, map.row(*length)));
                (Datatype::placed(&blocks), Map::placed(rows))
            }),
        ]
    })
}

/// Displacements of all bytes of `count` elements, in order.
fn bytes_of(map: &Map, count: u64) -> Vec<i64> {
    let row = map.row(count);
    row.elements
        .iter()
        .flat_map(|&(element, at)| at..at + element.bytes() as i64)
        .collect()
}

proptest! {
    #[test]
    fn type_map_follows_the_standard((made, map) in nested(), count in 0u64..4, limit in 0u64..200) {
        prop_assert_eq!(made.size(), map.elements.iter().map(|(element, _)| element.bytes()).sum::<u64>());
        prop_assert_eq!(made.layout.elements, map.elements.len() as u64);
        prop_assert_eq!((made.lower(), made.extent()), (map.bounds.map_or(0, |b| b.0), map.extent()));
        let bytes = bytes_of(&map, 1);
        let ends = bytes.iter().min().zip(bytes.iter().max());
        let (low, high) = ends.map_or((0, 0), |(low, high)| (*low, high + 1));
        prop_assert_eq!((made.true_lower(), made.true_extent()), (low, high - low));

        let all = bytes_of(&map, count);
        let mut copied = Vec::new();
        made.rows(count, limit, |at, length| copied.extend(at..at + length as i64));
        prop_assert_eq!(&copied[..], &all[..all.len().min(limit as usize)]);
        let span = all.iter().min().zip(all.iter().max()).map_or((0, 0), |(low, high)| (*low, high + 1));
        prop_assert_eq!(made.span(count), span);
    }

    #[test]
    fn partial_data_lengths((made, map) in nested(), bytes in 0u64..100) {
        let (mut elements, mut begun, mut signature) = (0, bytes, Signature::EMPTY);
        for &(element, _) in &map.elements {
            if begun < element.bytes() {
                break;
            }
            begun -= element.bytes();
            elements += 1;
            signature = signature.followed_by(Signature::element(element));
        }
        if bytes <= made.size() {
            prop_assert_eq!(made.layout.elements_in(bytes), (elements, begun));
            prop_assert_eq!(made.bytes_of_elements(elements), Some(bytes - begun));
            prop_assert_eq!(made.layout.signature_of(bytes), (begun == 0).then_some(signature));
        }
    }

    #[test]
    fn recorded_runs_cover_the_data((made, map) in nested()) {
        let canonical = made.canonical();
        let elements = canonical.runs.iter().flat_map(|&(element, count, at)| {
            (0..count as i64).map(move |i| (element, at + i * element.bytes() as i64))
        });
        prop_assert_eq!(elements.collect::<Vec<_>>(), map.elements);
    }
}

/// Where the data lie is left out, not what they are nor their order.
#[test]
fn addresses_are_not_recorded() {
    let [int, real] = [BasicDatatype::Integer(4), BasicDatatype::Real(8)];
    let made = |at: [i64; 3]| {
        let [one, other] = [int, real].map(|element| Datatype::basic(element, element.bytes()));
        let block = |at, length, datatype| Block {
            at,
            length,
            datatype,
        };
        Datatype::structure(&[
            block(at[0], 2, &one),
            block(at[1], 1, &one),
            block(at[2], 3, &other),
        ])
    };
    let canonical =
        made([0x7f00_0000_1000, 0x5500_0000_0010, 0x5500_0000_0100]).canonical_anywhere();
    assert_eq!(
        (canonical.runs, canonical.extent),
        (vec![(int, 3, 0), (real, 3, 12)], 36)
    );
    let beside = made([0x7f00_0000_1000, 0x7f00_0000_1008, 0x7e00_0000_0100]).canonical_anywhere();
    assert_eq!(
        (beside.runs, beside.extent),
        (vec![(int, 3, 0), (real, 3, 12)], 36)
    );
}

#[test]
fn explicit_bounds_override_natural_bounds() {
    let int = Datatype::basic(BasicDatatype::Integer(4), 4);
    let wide = int.resized(-4, 16);
    let block = |at, datatype| Block {
        at,
        length: 1,
        datatype,
    };
    let mix64 = Datatype::structure(&[block(0, &wide), block(40, &int)]);
    assert_eq!(
        (mix64.lower(), mix64.extent(), mix64.true_extent()),
        (-4, 48, 44)
    );
    let marked = Datatype::structure(&[
        block(-8, &Datatype::lower_marker()),
        block(0, &int),
        block(9, &Datatype::upper_marker()),
    ]);
    assert_eq!(
        (marked.lower(), marked.extent(), marked.size()),
        (-8, 17, 4)
    );
}

#[test]
fn structures_are_padded_as_in_c() {
    let (double, char) = (
        Datatype::basic(BasicDatatype::Real(8), 8),
        Datatype::basic(BasicDatatype::Character, 1),
    );
    let block = |at, datatype| Block {
        at,
        length: 1,
        datatype,
    };
    assert_eq!(
        Datatype::structure(&[block(0, &double), block(8, &char)]).extent(),
        16
    );
    assert_eq!(
        Datatype::structure(&[block(0, &char), block(1, &char)]).extent(),
        2
    );
    assert_eq!(
        Datatype::placed(&[block(0, &double), block(8, &char)]).extent(),
        9
    );
}

#[test]
fn large_matrix_layout_has_few_nodes() {
    let double = Datatype::basic(BasicDatatype::Real(8), 8);
    let column = double.strided(1_000_000, 1, 8_000_000).resized(0, 8);
    let matrix = column.contiguous(1_000_000);
    assert_eq!(matrix.size(), 8_000_000_000_000);
    assert!(double.contiguous(1 << 40).is_contiguous());
    assert_eq!(
        column.canonical().runs.len(),
        1,
        "more runs than are recorded"
    );
}

#[test]
fn short_value_pair_is_padded() {
    let pair = Datatype::basic(BasicDatatype::Pair(2, 4), 8);
    let mut rows = Vec::new();
    pair.contiguous(2)
        .rows(1, 12, |at, length| rows.push((at, length)));
    assert_eq!(
        (rows, pair.size(), pair.true_extent()),
        (vec![(0, 2), (4, 4), (8, 2), (12, 4)], 6, 8)
    );
}
