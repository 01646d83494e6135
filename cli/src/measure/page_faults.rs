//! Warning about time spent in page faults of freshly mapped memory. Whether the heap returns memory to the system depends on
//! its other contents, for example on the memory of a real MPI library, so a real run may not have these page faults.

use base_data::rank_recording::RankRecording;
use std::sync::Once;

/// The warning appears from this share of the measured time on.
const REPORTED_SHARE: f64 = 0.05;

/// A command warns once, even if it measures several times.
static REPORTED: Once = Once::new();

/// Warns if page faults are a large part of the measured time.
pub fn warn(recordings: &[RankRecording]) {
    let share = share(recordings);
    if share >= REPORTED_SHARE {
        REPORTED.call_once(|| report!("mpiete: {}", message(share)));
    }
}

fn message(share: f64) -> String {
    format!(
        "{:.0} % of the measured time is page faults of freed memory, which a real run may not \
        have: whether the heap returns memory depends on its content, also that of an MPI library; \
        to avoid them, measure and run with \
        GLIBC_TUNABLES=glibc.malloc.trim_threshold=1073741824:glibc.malloc.mmap_threshold=1073741824",
        share * 100.0
    )
}

/// Share of the time of all executions after the first. Preempted executions have no time of their own; they count with the
/// mean of the others, or with the first.
fn share(recordings: &[RankRecording]) -> f64 {
    let (mut missing, mut all) = (0.0, 0.0);
    for one in recordings.iter().flat_map(|recording| &recording.measured) {
        let executions = (one.warm.count + one.disturbed) as f64;
        let time = if one.warm.count > 0 {
            one.warm.mean
        } else {
            one.first as f64
        };
        all += executions * time;
        missing += executions * one.missing_pages.min(time);
    }
    if all > 0.0 { missing / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::distribution::Distribution;
    use base_data::ids::BlockId;
    use base_data::rank_recording::MeasuredVariant;

    #[test]
    fn share_is_of_all_later_executions() {
        let one = |missing_pages, warm: &[i64], disturbed| MeasuredVariant {
            block: BlockId(0),
            terms: Vec::new(),
            first: 1000,
            warm: Distribution::of(warm.to_vec()),
            disturbed,
            course: Vec::new(),
            missing_pages,
        };
        let rank = |measured| RankRecording {
            measured,
            ..RankRecording::default()
        };
        assert_eq!(
            share(&[
                rank(vec![one(30.0, &[100, 100], 0), one(0.0, &[40], 0)]),
                rank(vec![])
            ]),
            0.25
        );
        assert_eq!(share(&[rank(vec![one(500.0, &[100], 3)])]), 1.0);
        assert_eq!(share(&[rank(vec![one(250.0, &[], 2)])]), 0.25);
        assert_eq!(share(&[rank(vec![one(0.0, &[], 0)])]), 0.0);
        assert!(
            message(0.25).starts_with("25 % of the measured time is page faults of freed memory")
        );
    }
}
