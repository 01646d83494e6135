//! Tables of measured task times: comma-separated values. The header names the parameters, and `seconds` last; each further
//! line is a task. Blank lines and lines that begin with `#` are skipped.
//!
//! ```text
//! row,column,seconds
//! 1,1,0.00012
//! 1,33,0.00175
//! ```

use super::TaskError;

/// Name of the last column.
const TIME_COLUMN: &str = "seconds";

/// Measured tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskTable {
    names: Vec<String>,
    /// One value per parameter, task by task.
    values: Vec<i64>,
    seconds: Vec<f64>,
    /// Line of each task.
    lines: Vec<usize>,
}

/// A measured task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeasuredTask<'a> {
    pub(super) line: usize,
    pub(super) point: &'a [i64],
    pub(super) seconds: f64,
}

impl TaskTable {
    /// Reads the text of a table.
    ///
    /// # Errors
    /// The line, and what is wrong there.
    pub fn parse(text: &str) -> Result<Self, TaskError> {
        let mut lines = (1..).zip(text.lines()).filter(|(_, line)| {
            let line = line.trim();
            !line.is_empty() && !line.starts_with('#')
        });
        let Some((line, header)) = lines.next() else {
            return Err(TaskError::table(format!(
                "the table is empty; expected a line with the names of the parameters and '{TIME_COLUMN}', as \
                 i,j,{TIME_COLUMN}, and a line for each measured task"
            )));
        };
        let mut table = Self {
            names: parameter_names(line, header)?,
            values: Vec::new(),
            seconds: Vec::new(),
            lines: Vec::new(),
        };
        for (line, text) in lines {
            table.push(line, text)?;
        }
        if table.lines.is_empty() {
            return Err(TaskError::table(
                "the table has no tasks; add a line for each measured task",
            ));
        }
        Ok(table)
    }

    fn push(&mut self, line: usize, text: &str) -> Result<(), TaskError> {
        let expected = self.names.len() + 1;
        let found = text.split(',').count();
        if found != expected {
            return Err(TaskError::at(
                line,
                format!(
                    "found {found} values, expected {expected}: {}",
                    self.header()
                ),
            ));
        }
        for (field, name) in text.split(',').zip(&self.names) {
            let field = field.trim();
            let value = field.parse().map_err(|_| {
                TaskError::at(
                    line,
                    format!(
                        "{name} = '{field}' is no whole number; number the values of the parameter"
                    ),
                )
            })?;
            self.values.push(value);
        }
        let field = text.rsplit(',').next().unwrap_or("").trim();
        let seconds = field.parse().ok();
        let Some(seconds) = seconds.filter(|time: &f64| time.is_finite() && *time >= 0.0) else {
            return Err(TaskError::at(
                line,
                format!(
                    "'{field}' is no time; write seconds as a number that is not negative, as 0.0012"
                ),
            ));
        };
        self.seconds.push(seconds);
        self.lines.push(line);
        Ok(())
    }

    fn header(&self) -> String {
        format!("{},{TIME_COLUMN}", self.names.join(","))
    }

    /// Names of the parameters, that of the outermost first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Number of measured tasks.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none, which [`TaskTable::parse`] rejects.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Smallest and largest value of a parameter.
    pub fn extremes(&self, parameter: usize) -> Option<(i64, i64)> {
        let values = || self.values.iter().skip(parameter).step_by(self.names.len());
        Some((*values().min()?, *values().max()?))
    }

    /// The measured tasks in the order of the table.
    pub(super) fn tasks(&self) -> impl ExactSizeIterator<Item = MeasuredTask<'_>> {
        let points = self.values.chunks_exact(self.names.len());
        let measured = self.lines.iter().zip(&self.seconds);
        points
            .zip(measured)
            .map(|(point, (&line, &seconds))| MeasuredTask {
                line,
                point,
                seconds,
            })
    }
}

fn parameter_names(line: usize, header: &str) -> Result<Vec<String>, TaskError> {
    let mut names: Vec<String> = Vec::new();
    for name in header.split(',') {
        let name = name.trim();
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let begins_with_letter = name.chars().next().is_some_and(char::is_alphabetic);
        if !is_name || !begins_with_letter {
            return Err(TaskError::at(
                line,
                format!(
                    "'{name}' is no name; the first line names the columns, as i,j,{TIME_COLUMN}"
                ),
            ));
        }
        if names.iter().any(|known| known == name) {
            return Err(TaskError::at(
                line,
                format!("two columns have the name {name}; rename one"),
            ));
        }
        names.push(name.into());
    }
    if names.pop().as_deref() != Some(TIME_COLUMN) {
        return Err(TaskError::at(
            line,
            format!("the last column is not '{TIME_COLUMN}'; put the times of the tasks there"),
        ));
    }
    if names.is_empty() {
        return Err(TaskError::at(
            line,
            format!(
                "there is no parameter; name one before '{TIME_COLUMN}', as task,{TIME_COLUMN}"
            ),
        ));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read() {
        let table =
            TaskTable::parse("# measured\n i , j,seconds\n\n1,-2,0.5\n3, 4 , 1e-3 \n").unwrap();
        assert_eq!(table.names(), ["i", "j"]);
        let tasks: Vec<_> = table.tasks().collect();
        assert_eq!((tasks[0].line, tasks[0].point), (4, &[1, -2][..]));
        assert_eq!((tasks[1].point, tasks[1].seconds), (&[3, 4][..], 0.001));
        assert_eq!(table.extremes(1), Some((-2, 4)));
    }

    #[test]
    fn wrong_tables_are_reported() {
        for (text, line, expected) in [
            ("", None, "the table is empty"),
            ("i,seconds\n", None, "the table has no tasks"),
            ("1,2\n", Some(1), "'1' is no name"),
            ("i,i,seconds\n", Some(1), "two columns have the name i"),
            ("i,time\n1,2\n", Some(1), "the last column is not 'seconds'"),
            ("seconds\n1\n", Some(1), "there is no parameter"),
            (
                "i,seconds\n1,2,3\n",
                Some(2),
                "found 3 values, expected 2: i,seconds",
            ),
            (
                "i,seconds\n1.5,2\n",
                Some(2),
                "i = '1.5' is no whole number",
            ),
            ("i,seconds\n1,-2\n", Some(2), "'-2' is no time"),
            ("i,seconds\n#\n1,inf\n", Some(3), "'inf' is no time"),
        ] {
            let error = TaskTable::parse(text).unwrap_err();
            let TaskError::Table { line: found, what } = error else {
                panic!("{text}");
            };
            assert_eq!(found, line, "{text}");
            assert!(what.contains(expected), "{what}");
        }
    }
}
