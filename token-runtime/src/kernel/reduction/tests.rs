//! Reductions against a plain reference: each operation on each kind of element is what the language
//! would compute.

use super::*;
use proptest::prelude::*;

fn check(how: Arithmetic, op: ReduceOp, earlier: &[u8], later: &[u8], expect: &[u8]) {
    let mut combined = later.to_vec();
    combine(how, op, earlier, &mut combined).unwrap();
    assert_eq!(combined, expect, "{how:?} {op:?} {earlier:?} {later:?}");
}

fn f64s(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

fn i32s(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_ne_bytes()).collect()
}

#[test]
fn sum_of_equal_data_is_a_multiple() {
    for times in 1..20 {
        let mut data = i32s(&[3, -1]);
        multiply(Arithmetic::I32, &mut data, times).unwrap();
        assert_eq!(data, i32s(&[3 * times as i32, -(times as i32)]));
    }
    assert!(multiply(Arithmetic::None, &mut vec![1], 2).is_err());
}

macro_rules! integers_agree {
    ($($name:ident $t:ty, $how:ident;)+) => {$(
        proptest! {
            #[test]
            fn $name(pairs in prop::collection::vec((any::<$t>(), any::<$t>()), 0..9)) {
                let reference: [(ReduceOp, fn($t, $t) -> $t); 10] = [
                    (ReduceOp::Sum, <$t>::wrapping_add),
                    (ReduceOp::Product, <$t>::wrapping_mul),
                    (ReduceOp::Maximum, Ord::max),
                    (ReduceOp::Minimum, Ord::min),
                    (ReduceOp::LogicalAnd, |a, b| if a == 0 || b == 0 { 0 } else { 1 }),
                    (ReduceOp::LogicalOr, |a, b| if a == 0 && b == 0 { 0 } else { 1 }),
                    (ReduceOp::LogicalXor, |a, b| if (a == 0) == (b == 0) { 0 } else { 1 }),
                    (ReduceOp::BitAnd, |a, b| a & b),
                    (ReduceOp::BitOr, |a, b| a | b),
                    (ReduceOp::BitXor, |a, b| a ^ b),
                ];
                let bytes = |f: &dyn Fn(&($t, $t)) -> $t| -> Vec<u8> {
                    pairs.iter().flat_map(|pair| f(pair).to_ne_bytes()).collect()
                };
                for (op, function) in reference {
                    let expect = bytes(&|&(a, b)| function(a, b));
                    check(Arithmetic::$how, op, &bytes(&|p| p.0), &bytes(&|p| p.1), &expect);
                }
            }
        }
    )+};
}

integers_agree! {
    i8_equals_the_native_operation i8, I8;
    i16_equals_the_native_operation i16, I16;
    i32_equals_the_native_operation i32, I32;
    i64_equals_the_native_operation i64, I64;
    u8_equals_the_native_operation u8, U8;
    u16_equals_the_native_operation u16, U16;
    u32_equals_the_native_operation u32, U32;
    u64_equals_the_native_operation u64, U64;
}

/// A number in 16 bytes that an `f64` holds exactly; integers up to 2^26, whose products are exact.
fn wide<F: rustc_apfloat::Float>(value: f64) -> Vec<u8> {
    F::from_i128(value as i128)
        .value
        .to_bits()
        .to_ne_bytes()
        .to_vec()
}

fn wide_agree<F: rustc_apfloat::Float>(how: Arithmetic, a: f64, b: f64) {
    type Reference = fn(f64, f64) -> f64;
    let reference: [(ReduceOp, Reference); 7] = [
        (ReduceOp::Sum, |a, b| a + b),
        (ReduceOp::Product, |a, b| a * b),
        (ReduceOp::Maximum, f64::max),
        (ReduceOp::Minimum, f64::min),
        (ReduceOp::LogicalAnd, |a, b| {
            if a != 0.0 && b != 0.0 { 1.0 } else { 0.0 }
        }),
        (ReduceOp::LogicalOr, |a, b| {
            if a != 0.0 || b != 0.0 { 1.0 } else { 0.0 }
        }),
        (ReduceOp::LogicalXor, |a, b| {
            if (a != 0.0) != (b != 0.0) { 1.0 } else { 0.0 }
        }),
    ];
    for (op, function) in reference {
        check(
            how,
            op,
            &wide::<F>(a),
            &wide::<F>(b),
            &wide::<F>(function(a, b)),
        );
        let expect = f64s(&[function(a, b)]);
        check(Arithmetic::F64, op, &f64s(&[a]), &f64s(&[b]), &expect);
    }
}

proptest! {
    #[test]
    fn extended_precision_agrees_with_double(a in -1i32 << 26..1 << 26, b in -1i32 << 26..1 << 26) {
        use rustc_apfloat::ieee::{Quad, X87DoubleExtended};
        // Zero times a negative number is −0, which the reference's way through integers loses.
        for (a, b) in [(a, b | 1), (a.abs(), 0), (0, 0)] {
            let (a, b) = (f64::from(a | b & 1), f64::from(b));
            wide_agree::<X87DoubleExtended>(Arithmetic::F80, a, b);
            wide_agree::<Quad>(Arithmetic::F128, a, b);
        }
    }

    #[test]
    fn pairs_keep_the_smaller_index(a in (-2i16..3, 0i32..4), b in (-2i16..3, 0i32..4)) {
        let pack = |(value, index): (i16, i32)| [&value.to_ne_bytes()[..], &index.to_ne_bytes()].concat();
        let best = |op| {
            let key = |p: (i16, i32)| if op == ReduceOp::MaximumLocation { (-p.0, p.1) } else { p };
            if key(a) <= key(b) { a } else { b }
        };
        for op in [ReduceOp::MaximumLocation, ReduceOp::MinimumLocation] {
            check(Arithmetic::PairI16I32, op, &pack(a), &pack(b), &pack(best(op)));
            let long = |(v, i): (i16, i32)| [&i64::from(v).to_ne_bytes()[..], &i.to_ne_bytes()].concat();
            check(Arithmetic::PairI64I32, op, &long(a), &long(b), &long(best(op)));
            let double = |(v, i): (i16, i32)| [&f64::from(v).to_ne_bytes()[..], &i.to_ne_bytes()].concat();
            check(Arithmetic::PairF64I32, op, &double(a), &double(b), &double(best(op)));
            let extended = |(v, i): (i16, i32)| {
                [wide::<rustc_apfloat::ieee::X87DoubleExtended>(f64::from(v)), i.to_ne_bytes().to_vec()].concat()
            };
            check(Arithmetic::PairF80I32, op, &extended(a), &extended(b), &extended(best(op)));
            let equal = |(v, i): (i16, i32)| i32s(&[v.into(), i]);
            check(Arithmetic::PairI32, op, &equal(a), &equal(b), &equal(best(op)));
        }
    }
}

#[test]
fn remaining_element_kinds() {
    use Arithmetic::*;
    check(
        C64,
        ReduceOp::Product,
        &f64s(&[0.0, 1.0]),
        &f64s(&[0.0, 1.0]),
        &f64s(&[-1.0, 0.0]),
    );
    check(
        C64,
        ReduceOp::Sum,
        &f64s(&[1.0, 2.0]),
        &f64s(&[0.5, -2.0]),
        &f64s(&[1.5, 0.0]),
    );
    check(
        Logical,
        ReduceOp::LogicalAnd,
        &i32s(&[1, 1]),
        &i32s(&[0, 1]),
        &i32s(&[0, 1]),
    );
    check(LogicalByte, ReduceOp::LogicalXor, &[1, 1], &[0, 1], &[1, 0]);
    check(Bytes, ReduceOp::BitXor, &[5], &[1], &[4]);
    check(
        PairF64,
        ReduceOp::MinimumLocation,
        &f64s(&[1.0, 0.0]),
        &f64s(&[1.0, 1.0]),
        &f64s(&[1.0, 0.0]),
    );
    let i = [
        wide::<rustc_apfloat::ieee::Quad>(0.0),
        wide::<rustc_apfloat::ieee::Quad>(1.0),
    ]
    .concat();
    let minus_one = [
        wide::<rustc_apfloat::ieee::Quad>(-1.0),
        wide::<rustc_apfloat::ieee::Quad>(0.0),
    ]
    .concat();
    check(C128, ReduceOp::Product, &i, &i, &minus_one);
}

#[test]
fn unordered_operands_keep_the_earlier_value() {
    let nan = f64s(&[f64::NAN]);
    check(
        Arithmetic::F64,
        ReduceOp::Maximum,
        &nan,
        &f64s(&[1.0]),
        &nan,
    );
}

#[test]
fn undefined_operations_are_rejected() {
    let cases = [
        (Arithmetic::F64, ReduceOp::BitAnd),
        (Arithmetic::F80, ReduceOp::BitAnd),
        (Arithmetic::Logical, ReduceOp::Sum),
        (Arithmetic::LogicalByte, ReduceOp::Maximum),
        (Arithmetic::Bytes, ReduceOp::LogicalAnd),
        (Arithmetic::C64, ReduceOp::Maximum),
        (Arithmetic::C128, ReduceOp::Minimum),
        (Arithmetic::None, ReduceOp::Sum),
        (Arithmetic::F64, ReduceOp::MaximumLocation),
        (Arithmetic::PairF80I32, ReduceOp::Sum),
    ];
    for (how, op) in cases {
        assert!(combine(how, op, &[], &mut []).is_err(), "{how:?} {op:?}");
    }
}
