//! How long a thread has waited for a processor that others had, from Linux's `schedstat`: unlike sleeping or waiting for a file, this
//! depends on what else runs on the computer.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// The file of one thread, which stays open: opening it costs more than reading it.
#[derive(Debug)]
pub struct RunQueueWait(Option<File>);

impl RunQueueWait {
    /// Of the thread that calls.
    pub fn of_this_thread() -> Self {
        Self(File::open("/proc/thread-self/schedstat").ok())
    }

    /// Up to now; costs a system call. `None` where the kernel keeps no such account.
    pub fn total(&self) -> Option<Duration> {
        let mut bytes = [0; 96];
        let length = self.0.as_ref()?.read_at(&mut bytes, 0).ok()?;
        waited(&bytes[..length])
    }
}

/// The second of three numbers: nanoseconds on a processor, nanoseconds of waiting for one, number of turns.
fn waited(text: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(text).ok()?;
    let nanoseconds = text.split_ascii_whitespace().nth(1)?;
    nanoseconds.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_number_is_the_wait() {
        let wait = |text: &str| waited(text.as_bytes()).map(|time| time.as_nanos());
        assert_eq!(wait("8123456 117360 91\n"), Some(117_360));
        assert_eq!(wait("8123456"), None);
        assert_eq!(wait(""), None);
    }
}
