//! Statistics, and numbers as the pages show them.

use std::cmp::Ordering;

/// The median; that of an even number of values is the mean of the middle two. `None` without values.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some((sorted[middle - 1] + upper) / 2.0)
}

/// The mean; `None` without values.
pub(crate) fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() {
        return None;
    }
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// The range of several measurements relative to their median; zero where the median is zero.
pub(crate) fn relative_spread(values: &[f64]) -> f64 {
    let middle = median(values.iter().copied()).unwrap_or(0.0);
    if middle == 0.0 {
        return 0.0;
    }
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    (largest - smallest) / middle
}

/// The value whose amount is largest, the first of equals; `None` without values.
pub(crate) fn largest_amount(values: &[f64]) -> Option<f64> {
    let mut largest: Option<f64> = None;
    for &value in values {
        // In the total order NaN is above all numbers: a broken figure is shown and not passed over.
        let is_larger =
            largest.is_none_or(|known| value.abs().total_cmp(&known.abs()) == Ordering::Greater);
        if is_larger {
            largest = Some(value);
        }
    }
    largest
}

/// A number with so many significant digits and no trailing zeros, as C's `%g` prints it. Files of figures have been
/// written in this form from the first day, so that a new figure changes no other line.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    let digits = digits.max(1);
    // Rounded first: 999999.6 becomes 1e+06, and its exponent determines the form.
    let scientific = format!("{value:.*e}", digits - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific; // infinite, or not a number
    };
    let Ok(exponent) = exponent.parse::<i32>() else {
        return scientific;
    };
    let decimals = digits as i32 - 1 - exponent;
    // The limits of `%g`.
    if exponent < -4 || decimals < 0 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!(
            "{}e{sign}{:02}",
            without_trailing_zeros(mantissa),
            exponent.abs()
        );
    }
    without_trailing_zeros(&format!("{value:.*}", decimals as usize)).to_string()
}

fn without_trailing_zeros(number: &str) -> &str {
    if !number.contains('.') {
        return number;
    }
    number.trim_end_matches('0').trim_end_matches('.')
}

/// A share in percent, with one decimal; a dash where there is none.
pub(crate) fn percent(share: Option<f64>) -> String {
    match share {
        Some(share) => format!("{:.1} %", 100.0 * share),
        None => MISSING.to_string(),
    }
}

/// A relative difference in percent, with its sign; a dash where there is none.
pub(crate) fn signed_percent(share: Option<f64>, decimals: usize) -> String {
    match share {
        Some(share) => format!("{:+.decimals$} %", 100.0 * share),
        None => MISSING.to_string(),
    }
}

/// A time with three significant digits; a dash where there is none.
pub(crate) fn seconds(value: Option<f64>) -> String {
    match value {
        Some(value) => format!("{} s", significant(value, 3)),
        None => MISSING.to_string(),
    }
}

/// What a table shows where a figure does not exist.
pub(crate) const MISSING: &str = "–";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_are_those_of_c() {
        let cases = [
            (0.0, 6, "0"),
            (0.533783, 6, "0.533783"),
            (6.877534e-05, 6, "6.87753e-05"),
            (0.0001, 6, "0.0001"),
            (123456.0, 6, "123456"),
            (1234567.0, 6, "1.23457e+06"),
            (999999.6, 6, "1e+06"),
            (2.0, 6, "2"),
            (-0.25, 3, "-0.25"),
            (4.265, 3, "4.26"),
            (1e100, 3, "1e+100"),
        ];
        for (value, digits, shown) in cases {
            assert_eq!(significant(value, digits), shown, "{value}");
        }
    }

    #[test]
    fn median_of_even_numbers_is_the_mean_of_the_middle() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn spread_is_relative_to_the_median() {
        assert_eq!(relative_spread(&[1.0, 2.0, 4.0]), 1.5);
        assert_eq!(relative_spread(&[0.0, 0.0]), 0.0);
        assert_eq!(relative_spread(&[]), 0.0);
    }

    #[test]
    fn largest_amount_keeps_its_sign() {
        assert_eq!(largest_amount(&[0.1, -0.3, 0.2]), Some(-0.3));
        assert_eq!(largest_amount(&[0.3, -0.3]), Some(0.3));
        assert_eq!(largest_amount(&[]), None);
    }

    #[test]
    fn missing_numbers_are_dashes() {
        assert_eq!(percent(None), "–");
        assert_eq!(percent(Some(0.0361)), "3.6 %");
        assert_eq!(signed_percent(Some(-0.0691), 1), "-6.9 %");
        assert_eq!(signed_percent(Some(0.0), 3), "+0.000 %");
        assert_eq!(seconds(Some(6.88e-05)), "6.88e-05 s");
        assert_eq!(seconds(None), "–");
    }
}
