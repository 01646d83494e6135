//! What `mpiete compare --format json` prints, as far as it is used. Amounts are picoseconds, or statements under the statement
//! clock.

use super::rows::{Interval, Pair};
use crate::numbers::mean;
use anyhow::{Context, Result};
use serde::Deserialize;

/// Seconds in a picosecond.
pub(crate) const PICOSECOND: f64 = 1e-12;

#[derive(Deserialize)]
struct File {
    content: Content,
}

#[derive(Deserialize)]
struct Content {
    /// Where the streams differ first.
    streams: Option<serde_json::Value>,
    times: Option<Times>,
}

/// The times of both sides.
#[derive(Deserialize)]
pub(crate) struct Times {
    pub(crate) totals: Totals,
    pub(crate) ranks: Vec<RankTimes>,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Deserialize)]
pub(crate) struct Totals {
    pub(crate) time: Sides,
    predicted: PredictedSides,
}

/// A prediction is compared as a whole, or, as the MPI calls of the section of a program without marks, in part; then it has
/// no percentiles.
#[derive(Deserialize)]
struct PredictedSides {
    a: Option<Predicted>,
}

#[derive(Deserialize)]
struct Predicted {
    p10: Option<f64>,
    p90: Option<f64>,
}

#[derive(Deserialize)]
pub(crate) struct RankTimes {
    pub(crate) rank: u32,
    pub(crate) computing: Sides,
    pub(crate) calls: Sides,
}

/// A compute block, or the time outside all blocks.
#[derive(Deserialize)]
pub(crate) struct Block {
    what: ReportedComponent,
    pub(crate) mean: Sides,
}

#[derive(Deserialize)]
struct ReportedComponent {
    at: Option<ReportedPosition>,
}

#[derive(Deserialize)]
struct ReportedPosition {
    place: String,
}

/// The estimate's amount and the observation's.
#[derive(Clone, Copy, Deserialize)]
pub(crate) struct Sides {
    pub(crate) a: f64,
    pub(crate) b: f64,
}

impl Sides {
    /// Both amounts, each `unit` of the figure.
    pub(crate) fn in_units(self, unit: f64) -> Pair {
        Pair {
            predicted: self.a * unit,
            measured: self.b * unit,
        }
    }
}

impl Totals {
    /// The estimate's interval; `None` where it has none.
    pub(crate) fn interval(&self) -> Option<Interval> {
        let predicted = self.predicted.a.as_ref()?;
        Some(Interval {
            low: predicted.p10? * PICOSECOND,
            high: predicted.p90? * PICOSECOND,
        })
    }
}

impl Times {
    /// A part of the ranks' times, mean over ranks, in seconds.
    pub(crate) fn mean_of(&self, part: impl Fn(&RankTimes) -> Sides) -> Result<Pair> {
        let predicted: Vec<f64> = self.ranks.iter().map(|rank| part(rank).a).collect();
        let measured: Vec<f64> = self.ranks.iter().map(|rank| part(rank).b).collect();
        let sides = Sides {
            a: mean(&predicted).context("the comparison contains no rank")?,
            b: mean(&measured).context("the comparison contains no rank")?,
        };
        Ok(sides.in_units(PICOSECOND))
    }
}

impl Block {
    /// `cg.f:120`; `None` of what lies beside all blocks.
    pub(crate) fn place(&self) -> Option<&str> {
        self.what.at.as_ref().map(|at| at.place.as_str())
    }
}

/// Where the streams of both files differ first, as JSON; `None` if they are equal.
pub(crate) fn difference_of_streams(printed: &str) -> Result<Option<String>> {
    let file: File = serde_json::from_str(printed).context("what mpiete compare prints")?;
    Ok(file
        .content
        .streams
        .map(|difference| format!("the streams differ: {difference}")))
}

/// What `mpiete compare` prints of two files with equal streams; an error says how the streams differ.
pub(crate) fn read(printed: &str) -> Result<Times> {
    let file: File = serde_json::from_str(printed).context("what mpiete compare prints")?;
    // With other calls these would be times of another program.
    if let Some(difference) = file.content.streams {
        anyhow::bail!("the streams differ: {difference}");
    }
    file.content.times.context("no times can be compared")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(streams: &str, predicted: &str) -> String {
        format!(
            r#"{{"content": {{"streams": {streams}, "times": {{
                "totals": {{"time": {{"a": 2000000000000, "b": 1}}, "predicted": {{"a": {predicted}, "b": null}}}},
                "ranks": [
                    {{"rank": 0, "computing": {{"a": 1000000000000, "b": 2000000000000}}, "calls": {{"a": 0, "b": 0}}}},
                    {{"rank": 1, "computing": {{"a": 3000000000000, "b": 2000000000000}}, "calls": {{"a": 0, "b": 0}}}}],
                "blocks": [
                    {{"what": {{"kind": "block", "at": {{"place": "a.f:1"}}}}, "mean": {{"a": 1, "b": 2}}}},
                    {{"what": {{"kind": "beside-blocks"}}, "mean": {{"a": 0, "b": 3}}}}]}}}}}}"#
        )
    }

    #[test]
    fn times_are_means_over_ranks_in_seconds() {
        let times = read(&comparison("null", "null")).expect("times");
        let pair = times.mean_of(|rank| rank.computing).expect("ranks");
        assert_eq!((pair.predicted, pair.measured), (2.0, 2.0));
        let places: Vec<Option<&str>> = times.blocks.iter().map(Block::place).collect();
        assert_eq!(places, [Some("a.f:1"), None]);
    }

    /// Where only a part is compared, the estimate has no interval there: this ended a run of hours once.
    #[test]
    fn missing_percentiles_are_no_interval() {
        for predicted in [
            "null",
            r#"{"time": 1, "p10": null, "p90": null}"#,
            r#"{"p10": 1}"#,
        ] {
            let times = read(&comparison("null", predicted)).expect("times");
            assert_eq!(times.totals.interval(), None, "{predicted}");
        }
        let times = read(&comparison(
            "null",
            r#"{"p10": 1000000000000, "p90": 3000000000000}"#,
        ));
        let interval = times.expect("times").totals.interval();
        let expected = Interval {
            low: 1.0,
            high: 3.0,
        };
        assert_eq!(interval, Some(expected));
    }

    #[test]
    fn streams_that_differ_are_an_error() {
        let printed = comparison(r#"{"rank": 3, "entry": 7}"#, "null");
        let error = read(&printed).err().expect("an error");
        assert!(error.to_string().contains(r#""rank":3"#), "{error}");
    }

    #[test]
    fn comparison_without_times_is_an_error() {
        let printed = r#"{"content": {"streams": null, "times": null}}"#;
        assert!(read(printed).is_err());
    }
}
