//! How much memory a rank takes: the peaks that were measured with the compute data, carried to another number of
//! ranks as what every rank has and what the ranks share.

use crate::block_times::{ComputeSets, Normal};
use base_data::compute_data::PeakMemory;
use std::collections::BTreeMap;

/// A sentence about the peak memory of a rank among so many; `None` if none was measured.
pub(crate) fn remark(ranks: u32, compute: &ComputeSets<'_>) -> Option<String> {
    let peaks = peaks(compute.used().flat_map(|data| &data.peak_memory));
    if let Some(peak) = peaks.get(&ranks) {
        return Some(format!(
            "memory: a rank takes {} at most, as measured with {ranks} ranks",
            shown(*peak)
        ));
    }
    let measured: Vec<String> =
        peaks.iter().map(|(ranks, peak)| format!("{} with {ranks}", shown(*peak))).collect();
    let measured = measured.join(", ");
    match peaks.len() {
        0 => None,
        1 => Some(format!(
            "memory: a rank took {measured} ranks at most; with {ranks} its share of the data is another"
        )),
        _ => {
            let (own, shared) = parts(&peaks);
            let expected = shown(own + shared / f64::from(ranks));
            Some(format!("memory: a rank takes about {expected} at most, computed from {measured} ranks"))
        }
    }
}

/// The largest peak of a rank in bytes, by number of ranks.
fn peaks<'a>(measured: impl Iterator<Item = &'a PeakMemory>) -> BTreeMap<u32, f64> {
    let mut peaks = BTreeMap::new();
    for found in measured.filter(|found| found.bytes > 0 && found.ranks > 0) {
        let peak: &mut f64 = peaks.entry(found.ranks).or_default();
        *peak = peak.max(found.bytes as f64);
    }
    peaks
}

/// What every rank has by itself, and what all share, in bytes: least squares of relative errors.
fn parts(peaks: &BTreeMap<u32, f64>) -> (f64, f64) {
    let mut sums = Normal::new(2);
    for (&ranks, &peak) in peaks {
        sums.add(&[1.0, 1.0 / f64::from(ranks)], peak, 1.0 / (peak * peak));
    }
    let found = sums.solve();
    (found[0], found[1])
}

fn shown(bytes: f64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let step = UNITS
        .len()
        .min(1 + (0..UNITS.len() - 1).filter(|&step| bytes >= 1024f64.powi(step as i32 + 1)).count());
    format!("{:.1} {}", bytes / 1024f64.powi(step as i32 - 1), UNITS[step - 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base_data::compute_data::ComputeData;

    const MIB: u64 = 1 << 20;

    fn remarked(ranks: u32, measured: &[(u32, u64)]) -> Option<String> {
        let peak = |&(ranks, bytes): &(u32, u64)| PeakMemory { rank: 0, ranks, bytes };
        let data = ComputeData { peak_memory: measured.iter().map(peak).collect(), ..Default::default() };
        remark(ranks, &ComputeSets::given(std::slice::from_ref(&data)))
    }

    #[test]
    fn memory_is_carried_to_other_numbers_of_ranks() {
        let measured = [(4, 30 * MIB), (4, 20 * MIB), (16, 15 * MIB)];
        assert_eq!(
            remarked(16, &measured).unwrap(),
            "memory: a rank takes 15.0 MiB at most, as measured with 16 ranks"
        );
        assert_eq!(
            remarked(8, &measured).unwrap(),
            "memory: a rank takes about 20.0 MiB at most, computed from 30.0 MiB with 4, 15.0 MiB with 16 ranks"
        );
        assert!(remarked(8, &measured[..2]).unwrap().contains("a rank took 30.0 MiB with 4 ranks at most"));
        assert_eq!(remarked(8, &[]), None);
    }

    #[test]
    fn bytes_are_shown_in_their_unit() {
        assert_eq!([512.0, 2048.0, 3.5e6].map(shown), ["512.0 bytes", "2.0 KiB", "3.3 MiB"]);
    }
}
