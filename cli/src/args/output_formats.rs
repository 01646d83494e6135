//! Forms of what `sweep` and `analyze` print; what others print is in [`super`].

use clap::ValueEnum;

/// Forms of output of `sweep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SweepFormat {
    /// A table for a terminal
    Text,
    /// One row per combination, for spreadsheets
    Csv,
    /// For other programs
    Json,
    /// One self-contained page: table and plots
    Html,
    /// The plot of time alone
    Svg,
}

/// Forms of output of `analyze`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AnalysisFormat {
    /// For a terminal
    Text,
    /// For other programs
    Json,
    /// One row of a Markdown table with parse statistics
    Table,
}
