//! Fields of comma-separated values: numbers, their unit, text that stays one field.

use base_data::Time;
use base_data::compute_data::Unit;

/// Seconds to the picosecond, or statements.
pub fn number(unit: Unit, value: Time) -> String {
    let picoseconds = value.picoseconds();
    match unit {
        Unit::Statements => picoseconds.to_string(),
        Unit::Time => {
            let (sign, size) = (
                if picoseconds < 0 { "-" } else { "" },
                picoseconds.unsigned_abs(),
            );
            let per_second = 1_000_000_000_000;
            format!("{sign}{}.{:012}", size / per_second, size % per_second)
        }
    }
}

/// What numbers of a unit are called.
pub fn word(unit: Unit) -> &'static str {
    match unit {
        Unit::Time => "s",
        Unit::Statements => "statements",
    }
}

/// A field that other programs read as one.
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stay_one_field() {
        let cases = [
            ("cg.f:12", "cg.f:12"),
            ("a,b.f:1", "\"a,b.f:1\""),
            ("a\"b", "\"a\"\"b\""),
        ];
        for (field, expected) in cases {
            assert_eq!(quoted(field), expected);
        }
    }

    #[test]
    fn numbers_are_exact() {
        let cases = [
            (1, "0.000000000001"),
            (-1_500_000_000_000, "-1.500000000000"),
        ];
        for (picoseconds, expected) in cases {
            assert_eq!(
                number(Unit::Time, Time::from_picoseconds(picoseconds)),
                expected
            );
        }
        assert_eq!(number(Unit::Statements, Time::from_picoseconds(-7)), "-7");
    }
}
