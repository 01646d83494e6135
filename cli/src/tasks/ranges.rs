//! Ranges of the parameters of tasks, from the command line or the measured values.

use anyhow::{Result, anyhow, bail};
use estimator::tasks::{ParameterRange, TaskTable};

/// A range for each parameter of the table: the given one, or all values between the smallest and the largest measured one.
pub(super) fn of_arguments(given: &[String], table: &TaskTable) -> Result<Vec<ParameterRange>> {
    let mut parsed: Vec<ParameterRange> = Vec::new();
    for text in given {
        let range = parse(text).ok_or_else(|| {
            anyhow!(
                "--range {text}: write NAME=FIRST..LAST or NAME=FIRST..LAST+STEP with whole numbers"
            )
        })?;
        if !table.names().contains(&range.name) {
            bail!(
                "--range {text}: the table has no parameter {}; it has {}",
                range.name,
                table.names().join(", ")
            );
        }
        if parsed.iter().any(|known| known.name == range.name) {
            bail!("--range {text}: the range of {} is given twice", range.name);
        }
        parsed.push(range);
    }
    let mut ranges = Vec::new();
    for (parameter, name) in table.names().iter().enumerate() {
        let found = parsed.iter().find(|range| range.name == *name);
        if let Some(range) = found {
            ranges.push(range.clone());
            continue;
        }
        let Some((first, last)) = table.extremes(parameter) else {
            bail!("the table has no tasks; add a line for each measured task");
        };
        ranges.push(ParameterRange {
            name: name.clone(),
            first,
            last,
            step: 1,
        });
    }
    Ok(ranges)
}

/// `NAME=FIRST..LAST` or `NAME=FIRST..LAST+STEP`.
fn parse(text: &str) -> Option<ParameterRange> {
    let (name, values) = text.split_once('=')?;
    let (first, rest) = values.split_once("..")?;
    let (last, step) = rest.split_once('+').unwrap_or((rest, "1"));
    Some(ParameterRange {
        name: name.trim().into(),
        first: first.trim().parse().ok()?,
        last: last.trim().parse().ok()?,
        step: step.trim().parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_given_or_measured() {
        let table = TaskTable::parse("i,j,seconds\n1,-4,1\n5,8,1\n").unwrap();
        let given = ["j=-8..8+2".to_string()];
        let ranges = of_arguments(&given, &table).unwrap();
        let texts: Vec<String> = ranges.iter().map(ParameterRange::text).collect();
        assert_eq!(texts, ["i = 1..5", "j = -8..8+2"]);
        for (text, expected) in [
            ("j", "write NAME=FIRST..LAST"),
            ("j=1-2", "write NAME=FIRST..LAST"),
            ("k=1..2", "the table has no parameter k; it has i, j"),
        ] {
            let error = of_arguments(&[text.into()], &table)
                .unwrap_err()
                .to_string();
            assert!(error.contains(expected), "{error}");
        }
        let twice = ["i=1..5".into(), "i=1..6".into()];
        let error = of_arguments(&twice, &table).unwrap_err().to_string();
        assert!(error.contains("given twice"), "{error}");
    }
}
