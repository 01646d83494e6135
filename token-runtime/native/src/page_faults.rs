//! Page faults of freshly mapped memory: their number and the cost of one. `private_heap` keeps the library's own memory
//! out of the program's heap.

use crate::resource_usage;
use crate::system_clock::RealInstant;
use std::time::Duration;

/// Pages that are touched to time them, and how often that is done.
const TOUCHED: usize = 256;
const TURNS: usize = 8;
/// Bytes between two touches: the smallest pages there are.
const PAGE: usize = 4096;

/// Pages that this process has found missing so far and that came without reading a file.
pub fn page_faults() -> u64 {
    resource_usage::of_process().ru_minflt as u64
}

/// Time of one page fault, in picoseconds: the minimum of several turns, because interruptions only lengthen a turn.
pub fn picoseconds() -> f64 {
    let turns = (0..TURNS).filter_map(|_| touch_new_ones());
    turns
        .min()
        .map_or(0.0, |time| time.as_nanos() as f64 * 1e3 / TOUCHED as f64)
}

fn touch_new_ones() -> Option<Duration> {
    let bytes = TOUCHED * PAGE;
    // SAFETY: the kernel chooses the address of a new private mapping, so no object lies there and no other reference
    // exists; all writes are within its length, and no pointer to it is used after `munmap`.
    unsafe {
        let (writable, own) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
        );
        let place = libc::mmap(std::ptr::null_mut(), bytes, writable, own, -1, 0);
        if place == libc::MAP_FAILED {
            return None;
        }
        let started = RealInstant::now();
        for page in 0..TOUCHED {
            place.cast::<u8>().add(page * PAGE).write_volatile(1);
        }
        let elapsed = started.elapsed();
        libc::munmap(place, bytes);
        Some(elapsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_pages_fault() {
        let before = page_faults();
        assert!(touch_new_ones().is_some());
        assert!(page_faults() > before);
    }
}
