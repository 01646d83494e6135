//! Provenance of base data: date, machine, tool version.

use base_data::compute_data::ProcessingUnit;
use base_data::provenance::Provenance;
use std::time::SystemTime;

/// A provenance with the fields that are equal for all files written now: version and date.
pub fn now() -> Provenance {
    Provenance {
        tool_version: env!("CARGO_PKG_VERSION").into(),
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        ..Provenance::default()
    }
}

/// The processing unit of this machine.
pub fn processing_unit() -> ProcessingUnit {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    // Other architectures than x86 have no such line.
    let model = cpuinfo
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    ProcessingUnit {
        model: model.map_or_else(
            || std::env::consts::ARCH.to_string(),
            |(_, name)| name.trim().to_string(),
        ),
        cores: cores(&cpuinfo),
        // Usually two of level 1, for data and instructions, then levels 2 and 3.
        caches: (0..4).filter_map(cache_bytes).collect(),
    }
}

/// Cores of the node. What the process may use can be fewer (affinity, control groups) and is not a property of the processing
/// unit: data that were measured under `taskset` belong to the same one.
fn cores(cpuinfo: &str) -> u32 {
    let is_core = |line: &&str| {
        line.split(':')
            .next()
            .is_some_and(|key| key.trim() == "processor")
    };
    match cpuinfo.lines().filter(is_core).count() {
        0 => std::thread::available_parallelism().map_or(1, |n| n.get() as u32),
        cores => cores as u32,
    }
}

fn cache_bytes(index: u32) -> Option<u64> {
    let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
    let text = std::fs::read_to_string(path).ok()?;
    let text = text.trim();
    let (digits, unit) = text.split_at(
        text.find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len()),
    );
    let factor = match unit {
        "K" => 1 << 10,
        "M" => 1 << 20,
        _ => 1,
    };
    Some(digits.parse::<u64>().ok()? * factor)
}
