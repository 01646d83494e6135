//! Content of reports, independent of their format: a title and sections of paragraphs, lists, facts and tables.
//! [`super::text`] and [`super::html`] render it.

use super::chart::Chart;
use super::numbers;
use base_data::Time;
use base_data::compute_data::Unit;
use std::borrow::Cow;

/// Everything shown of one file.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// One line.
    pub title: String,
    /// In order; those without parts are not drawn.
    pub sections: Vec<Section>,
}

/// A part of a document under a heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// One line; empty for an introduction.
    pub heading: String,
    /// In order.
    pub parts: Vec<SectionElement>,
}

/// An element of a section: text, list, table or chart.
#[derive(Clone, Debug)]
pub enum SectionElement {
    /// Running text.
    Paragraph(String),
    /// Sentences, one below the other.
    List(Vec<String>),
    /// Names with values.
    Facts(Vec<(String, String)>),
    /// Rows and columns.
    Table(Table),
    /// A drawing, which a terminal leaves out.
    Chart(Chart),
}

/// Rows under named columns.
#[derive(Clone, Debug)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// Each has one entry per column.
    pub rows: Vec<Vec<TableCell>>,
    /// How many rows a terminal shows; HTML shows all.
    pub rows_in_text: usize,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its heading.
    pub name: Cow<'static, str>,
    /// How its entries stand.
    pub style: ColumnStyle,
}

/// How the entries of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnStyle {
    /// Words: from the left; where space is short their ends are cut.
    Words,
    /// Names: from the left, never cut: the user copies them.
    Name,
    /// Sentences: from the left; where space is short they continue on further lines.
    Sentences,
    /// Paths with lines: from the left; where space is short their beginnings are cut.
    Place,
    /// Numbers: from the right, never cut.
    Number,
    /// Shares of a whole: like numbers; HTML draws a bar behind them.
    Share,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableCell {
    /// As shown.
    pub text: String,
    /// What to sort by instead of the text; for shares the value between 0 and 1.
    pub key: Option<f64>,
}

impl Section {
    /// A section of these parts without those that hold nothing.
    pub fn new(
        heading: impl Into<String>,
        parts: impl IntoIterator<Item = SectionElement>,
    ) -> Self {
        let parts = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Self {
            heading: heading.into(),
            parts,
        }
    }

    /// The section with at most this many rows of each table in a terminal.
    pub fn showing(mut self, rows_in_text: usize) -> Self {
        for part in &mut self.parts {
            if let SectionElement::Table(table) = part {
                table.rows_in_text = rows_in_text;
            }
        }
        self
    }
}

impl SectionElement {
    fn is_empty(&self) -> bool {
        match self {
            SectionElement::Paragraph(text) => text.is_empty(),
            SectionElement::List(sentences) => sentences.is_empty(),
            SectionElement::Facts(facts) => facts.is_empty(),
            SectionElement::Table(table) => table.rows.is_empty(),
            SectionElement::Chart(chart) => chart.lines.is_empty(),
        }
    }

    /// Facts without those that have no value.
    pub fn facts<const N: usize>(facts: [(&str, String); N]) -> Self {
        Self::list_of_facts(facts.into())
    }

    /// The same of a list whose length varies.
    pub fn list_of_facts(facts: Vec<(&str, String)>) -> Self {
        let with_value = facts.into_iter().filter(|(_, value)| !value.is_empty());
        SectionElement::Facts(
            with_value
                .map(|(name, value)| (name.to_string(), value))
                .collect(),
        )
    }
}

impl Table {
    /// A table of which a terminal shows all rows.
    pub fn new<const N: usize>(
        columns: [(&'static str, ColumnStyle); N],
        rows: impl IntoIterator<Item = [TableCell; N]>,
    ) -> Self {
        Self::of_rows(columns.into(), rows.into_iter().map(Vec::from).collect())
    }

    /// A table whose number of columns depends on the data; each row has one entry per column.
    pub fn of_rows(columns: Vec<(&'static str, ColumnStyle)>, rows: Vec<Vec<TableCell>>) -> Self {
        let column = |(name, style): (&'static str, ColumnStyle)| Column {
            name: name.into(),
            style,
        };
        Self {
            columns: columns.into_iter().map(column).collect(),
            rows,
            rows_in_text: usize::MAX,
        }
    }

    /// The same with fewer rows in a terminal.
    pub fn showing(self, rows_in_text: usize) -> Self {
        Self {
            rows_in_text,
            ..self
        }
    }
}

impl TableCell {
    /// A time.
    pub fn time(time: Time) -> Self {
        Self {
            text: time.to_string(),
            key: Some(time.picoseconds() as f64),
        }
    }

    /// A time or a number of statements.
    pub fn amount(unit: Unit, time: Time) -> Self {
        Self {
            text: numbers::amount(unit, time),
            key: Some(time.picoseconds() as f64),
        }
    }

    /// A number of things.
    pub fn count(number: u64) -> Self {
        Self {
            text: numbers::count(number),
            key: Some(number as f64),
        }
    }

    /// A rank, or another number that names something.
    pub fn ordinal(number: u32) -> Self {
        Self {
            text: number.to_string(),
            key: Some(f64::from(number)),
        }
    }

    /// A number of bytes.
    pub fn bytes(number: u64) -> Self {
        Self {
            text: numbers::bytes(number),
            key: Some(number as f64),
        }
    }

    /// A size of memory.
    pub fn memory(bytes: u64) -> Self {
        Self {
            text: numbers::memory(bytes),
            key: Some(bytes as f64),
        }
    }

    /// A share between 0 and 1.
    pub fn share(share: f64) -> Self {
        Self {
            text: numbers::percent(share),
            key: Some(share),
        }
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self { text, key: None }
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        Self {
            text: text.into(),
            key: None,
        }
    }
}
