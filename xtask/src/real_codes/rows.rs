//! Rows of docs/results/real-codes.csv, one per code.

use crate::csv_fields::{fields, quoted};
use crate::numbers::significant;
use anyhow::{Context, Result, bail};

/// Numbers of ranks on which codes run: each has figures of its own in a row.
pub const RANKS: [u32; 2] = [1, 2];

/// The columns of the file. Shares are percent of the statements, a spread is the range of several runs over their median.
const COLUMNS: &str = "name,kept_percent,build_command,lines,kept_strict_percent,assumptions,streams_equal,counts_equal,\
walls_1,predicted_1_s,predicted_1_spread,observed_1_s,observed_1_spread,\
walls_2,predicted_2_s,predicted_2_spread,observed_2_s,observed_2_spread,chosen_after,failed_stage,failure";

/// What is known of a code. A figure is `None` if its stage failed or was not reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The code.
    pub name: String,
    /// Its build command.
    pub build_command: String,
    /// Lines of its Fortran sources.
    pub lines: Option<u64>,
    /// Kept statements in percent, with the assumptions that mpiete proposes and those of the user.
    pub kept: Option<f64>,
    /// The same without proposed assumptions.
    pub kept_strict: Option<f64>,
    /// How many assumptions there are.
    pub assumptions: Option<u64>,
    /// Whether the predicted event streams are those of real runs, on all numbers of ranks.
    pub streams_equal: Option<bool>,
    /// Whether the predicted numbers of calls are those of an independent count, on all numbers of ranks.
    pub counts_equal: Option<bool>,
    /// Figures on [`RANKS`].
    pub on_ranks: [Figures; 2],
    /// Whether the code was chosen when the work was done.
    pub chosen_after: bool,
    /// The stage that failed first, and the first line of its message; empty if none did.
    pub failed_stage: String,
    /// The message.
    pub failure: String,
}

/// Figures of a number of ranks: medians of several runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Elapsed time of `mpiete measure` over that of a run of the program.
    pub walls: Option<f64>,
    /// Predicted computation, mean over ranks, in seconds.
    pub predicted: Option<f64>,
    /// Its spread.
    pub predicted_spread: Option<f64>,
    /// Observed computation, mean over ranks, in seconds.
    pub observed: Option<f64>,
    /// Its spread.
    pub observed_spread: Option<f64>,
}

impl Figures {
    /// Predicted over observed computation.
    pub fn ratio(&self) -> Option<f64> {
        let observed = self.observed.filter(|observed| *observed > 0.0)?;
        Some(self.predicted? / observed)
    }
}

/// The rows of a file, in which those of codes that were tried again are replaced; new ones follow.
pub fn merged(rows: Vec<Row>, tried: Vec<Row>) -> Vec<Row> {
    let mut merged = rows;
    for row in tried {
        match merged.iter_mut().find(|known| known.name == row.name) {
            Some(known) => *known = row,
            None => merged.push(row),
        }
    }
    merged
}

/// The text of the file.
pub fn written(rows: &[Row]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for row in rows {
        let mut cells = vec![
            row.name.clone(),
            number(row.kept),
            row.build_command.clone(),
            whole(row.lines),
            number(row.kept_strict),
            whole(row.assumptions),
            answer(row.streams_equal),
            answer(row.counts_equal),
        ];
        for figures in &row.on_ranks {
            cells.push(number(figures.walls));
            cells.push(number(figures.predicted));
            cells.push(number(figures.predicted_spread));
            cells.push(number(figures.observed));
            cells.push(number(figures.observed_spread));
        }
        cells.push(answer(Some(row.chosen_after)));
        cells.push(row.failed_stage.clone());
        cells.push(row.failure.clone());
        // A line of the file is a row.
        let cells: Vec<String> = cells
            .iter()
            .map(|cell| quoted(&cell.replace('\n', " ")))
            .collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| significant(value, 4))
}

fn whole(value: Option<u64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn answer(value: Option<bool>) -> String {
    match value {
        Some(true) => "yes".to_string(),
        Some(false) => "no".to_string(),
        None => String::new(),
    }
}

/// The rows that the text of a file contains.
pub fn read(text: &str) -> Result<Vec<Row>> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    // Fields have no names: with other columns a value would be read as another quantity.
    if header != COLUMNS {
        bail!("the columns are '{header}' instead of '{COLUMNS}'");
    }
    let mut rows = Vec::new();
    // Line 1 is the header.
    for (number, line) in (2..).zip(lines) {
        rows.push(row_of(&fields(line)).with_context(|| format!("line {number}"))?);
    }
    Ok(rows)
}

fn row_of(cells: &[String]) -> Result<Row> {
    let columns = COLUMNS.split(',').count();
    if cells.len() != columns {
        bail!("{} fields instead of {columns}", cells.len());
    }
    Ok(Row {
        name: cells[0].clone(),
        kept: parsed(&cells[1])?,
        build_command: cells[2].clone(),
        lines: parsed(&cells[3])?,
        kept_strict: parsed(&cells[4])?,
        assumptions: parsed(&cells[5])?,
        streams_equal: answer_of(&cells[6])?,
        counts_equal: answer_of(&cells[7])?,
        on_ranks: [figures_of(&cells[8..13])?, figures_of(&cells[13..18])?],
        chosen_after: answer_of(&cells[18])?.unwrap_or(false),
        failed_stage: cells[19].clone(),
        failure: cells[20].clone(),
    })
}

fn figures_of(cells: &[String]) -> Result<Figures> {
    Ok(Figures {
        walls: parsed(&cells[0])?,
        predicted: parsed(&cells[1])?,
        predicted_spread: parsed(&cells[2])?,
        observed: parsed(&cells[3])?,
        observed_spread: parsed(&cells[4])?,
    })
}

fn parsed<T: std::str::FromStr>(cell: &str) -> Result<Option<T>> {
    if cell.is_empty() {
        return Ok(None);
    }
    match cell.parse() {
        Ok(value) => Ok(Some(value)),
        Err(_) => bail!("a number was expected: '{cell}'"),
    }
}

fn answer_of(cell: &str) -> Result<Option<bool>> {
    match cell {
        "" => Ok(None),
        "yes" => Ok(Some(true)),
        "no" => Ok(Some(false)),
        _ => bail!("yes or no was expected: '{cell}'"),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn measured() -> Row {
        Row {
            name: "A".to_string(),
            build_command: "make CC=gcc, \"x\"".to_string(),
            lines: Some(1200),
            kept: Some(24.6),
            kept_strict: Some(96.8),
            assumptions: Some(3),
            streams_equal: Some(true),
            counts_equal: Some(false),
            on_ranks: [
                Figures {
                    walls: Some(0.5),
                    predicted: Some(1.25),
                    predicted_spread: Some(0.02),
                    observed: Some(1.0),
                    observed_spread: Some(0.03),
                },
                Figures::default(),
            ],
            chosen_after: true,
            failed_stage: "record".to_string(),
            failure: "a, b".to_string(),
        }
    }

    #[test]
    fn written_rows_are_read_as_they_were() {
        let failed = Row {
            name: "B".to_string(),
            failed_stage: "build".to_string(),
            ..Row::default()
        };
        let rows = vec![measured(), failed];
        assert_eq!(read(&written(&rows)).expect("rows"), rows);
    }

    #[test]
    fn row_of_a_code_that_was_tried_again_replaces_the_old_one() {
        let old = Row {
            name: "A".to_string(),
            ..Row::default()
        };
        let other = Row {
            name: "B".to_string(),
            ..Row::default()
        };
        let merged = merged(vec![old, other.clone()], vec![measured()]);
        assert_eq!(merged, [measured(), other]);
    }

    #[test]
    fn ratio_needs_an_observation() {
        let figures = Figures {
            predicted: Some(1.0),
            observed: Some(0.0),
            ..Figures::default()
        };
        assert_eq!(figures.ratio(), None);
        assert_eq!(measured().on_ranks[0].ratio(), Some(1.25));
    }
}
