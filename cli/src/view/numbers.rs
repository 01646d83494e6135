//! Formats of numbers in reports: counts, bytes, shares. [`base_data::Time`] formats times.

use base_data::Time;
use base_data::compute_data::Unit;
use std::borrow::Borrow;

/// `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Exact below 10 kB, then three digits in decimal units: `1,400 B`, `14.0 kB`, `1.25 MB`.
pub fn bytes(number: u64) -> String {
    if number < 10_000 {
        return format!("{} B", count(number));
    }
    let mut value = number as f64 / 1e3;
    let mut unit = "kB";
    for larger in ["MB", "GB", "TB", "PB", "EB"] {
        // 999.5 would print as 1000.
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1e3, larger);
    }
    let decimals = if value < 9.995 {
        2
    } else {
        usize::from(value < 99.95)
    };
    format!("{value:.decimals$} {unit}")
}

/// Sizes of memory in binary units, whole where they are: `32 KiB`, `1.5 MiB`.
pub fn memory(bytes: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|&(_, size)| bytes >= size) {
        None => format!("{bytes} B"),
        Some((unit, size)) if bytes.is_multiple_of(size) => format!("{} {unit}", bytes / size),
        Some((unit, size)) => format!("{:.1} {unit}", bytes as f64 / size as f64),
    }
}

/// `89.1 %`; a share that would print as zero but is not is `<0.1 %`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        "?".into()
    } else if share == 0.0 {
        "0 %".into()
    // "0.0 %" would look like no share at all.
    } else if share.abs() < 0.0005 {
        "<0.1 %".into()
    } else {
        format!("{:.1} %", share * 100.0)
    }
}

/// `+12.3 %`, `-0.4 %`; `0 %` for what rounds to that.
pub fn change(share: f64) -> String {
    let text = format!("{:+.1} %", share * 100.0);
    if text.trim_start_matches(['+', '-']) == "0.0 %" {
        "0 %".into()
    } else {
        text
    }
}

/// A time or, where statements are counted, their number.
pub fn amount(unit: Unit, time: Time) -> String {
    match unit {
        Unit::Time => time.to_string(),
        Unit::Statements if time < Time::ZERO => format!("-{}", amount(unit, -time)),
        Unit::Statements => count(time.picoseconds().unsigned_abs()),
    }
}

/// `part / whole`, 0 where there is no whole.
pub fn share(part: Time, whole: Time) -> f64 {
    if whole == Time::ZERO {
        0.0
    } else {
        part.picoseconds() as f64 / whole.picoseconds() as f64
    }
}

/// A measured or fitted number with up to five significant digits: `0.012`, `11.3`, `125000`.
pub fn plain(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    // Outside this range the digits before the first or after the last significant one hide the
    // value.
    if !(-4..15).contains(&magnitude) {
        return format!("{value:.4e}");
    }
    let decimals = usize::try_from(4 - magnitude).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').into()
    } else {
        text
    }
}

/// `1 rank`, `16 ranks`.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", count(number), if number == 1 { one } else { many })
}

/// `1 rank`, `16 ranks`.
pub fn ranks(number: u32) -> String {
    counted(u64::from(number), "rank", "ranks")
}

/// The first names of a list, and how many it has beyond: `a, b and 3 more`.
pub fn named(names: &[impl Borrow<str>], most: usize) -> String {
    let text = names[..names.len().min(most)].join(", ");
    match names.len().saturating_sub(most) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_counts_and_bytes() {
        let cases = [
            (7, "7", "7 B"),
            (1_234, "1,234", "1,234 B"),
            (14_000, "14,000", "14.0 kB"),
            (999_960, "999,960", "1.00 MB"),
            (1_250_000, "1,250,000", "1.25 MB"),
            (u64::MAX, "18,446,744,073,709,551,615", "18.4 EB"),
        ];
        for (number, as_count, as_bytes) in cases {
            assert_eq!(
                (count(number).as_str(), bytes(number).as_str()),
                (as_count, as_bytes)
            );
        }
    }

    #[test]
    fn spells_changes() {
        assert_eq!(
            [0.1234, -0.004, 0.0001, 0.0].map(change),
            ["+12.3 %", "-0.4 %", "0 %", "0 %"]
        );
    }

    #[test]
    fn spells_amounts() {
        let amounts = [-1_234_000, 0]
            .map(Time::from_picoseconds)
            .map(|time| [Unit::Time, Unit::Statements].map(|unit| amount(unit, time)));
        assert_eq!(amounts, [["-1.234 us", "-1,234,000"], ["0 s", "0"]]);
    }

    #[test]
    fn spells_memory() {
        for (bytes, text) in [
            (100, "100 B"),
            (32_768, "32 KiB"),
            (1_572_864, "1.5 MiB"),
            (1 << 31, "2 GiB"),
        ] {
            assert_eq!(memory(bytes), text);
        }
    }

    #[test]
    fn spells_shares_and_values() {
        let shares = [
            (0.0, "0 %"),
            (0.0001, "<0.1 %"),
            (0.8912, "89.1 %"),
            (f64::NAN, "?"),
        ];
        for (value, text) in shares {
            assert_eq!(percent(value), text);
        }
        let values = [
            (0.0, "0"),
            (0.012, "0.012"),
            (11.3, "11.3"),
            (125_000.0, "125000"),
            (1e-9, "1.0000e-9"),
        ];
        for (value, text) in values {
            assert_eq!(plain(value), text);
        }
    }
}
