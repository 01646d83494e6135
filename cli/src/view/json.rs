//! Any of our data as JSON, in an envelope that says what they are.

use super::estimate::{has_interval, is_communication_only};
use crate::platform;
use base_data::estimate_file::Estimate;
use base_data::format::{FORMAT_VERSION, FileKind};
use serde::Serialize;

#[derive(Serialize)]
struct Envelope<'a, T> {
    kind: String,
    format: u32,
    content: &'a T,
}

/// `{"kind": "estimate", "format": 1, "content": {…}}` with line breaks, ending with a newline.
/// `kind` is the word of a [`base_data::format::FileKind`], or `platform`. Numbers that are not
/// finite become `null`.
pub fn of<T: Serialize>(kind: impl std::fmt::Display, content: &T) -> String {
    let envelope = Envelope {
        kind: kind.to_string(),
        format: FORMAT_VERSION,
        content,
    };
    let mut text = serde_json::to_string_pretty(&envelope)
        .expect("our types serialise without error: their maps have text as keys");
    text.push('\n');
    text
}

/// An estimate with what its file does not state in fields of their own.
#[derive(Serialize)]
struct DescribedEstimate<'a> {
    /// Whether the times lack computation, for which there are no data.
    communication_only: bool,
    /// Whether the platform is the default because none was named.
    default_platform: bool,
    #[serde(flatten)]
    estimate: &'a Estimate,
}

/// An estimate; without an interval its percentiles are `null`.
pub fn estimate(estimate: &Estimate) -> String {
    let described = DescribedEstimate {
        communication_only: is_communication_only(estimate),
        default_platform: platform::is_default(&estimate.warnings),
        estimate,
    };
    let mut text = of(FileKind::Estimate, &described);
    if !has_interval(estimate) {
        for (name, time) in [("p10", estimate.p10), ("p90", estimate.p90)] {
            // Fields of the content alone are indented by four spaces.
            let field = |value: String| format!("\n    \"{name}\": {value},\n");
            text = text.replacen(
                &field(time.picoseconds().to_string()),
                &field("null".into()),
                1,
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use base_data::estimate_file::Estimate;
    use base_data::format::FORMAT_VERSION;

    #[test]
    fn round_trips() {
        let estimate = samples::small_estimate();
        let text = super::estimate(&estimate);
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            (value["kind"].as_str(), value["format"].as_u64()),
            (Some("estimate"), Some(u64::from(FORMAT_VERSION)))
        );
        let read: Estimate = serde_json::from_value(value["content"].take()).unwrap();
        assert_eq!(read, estimate);
    }
}
