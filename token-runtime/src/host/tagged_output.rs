//! Output of ranks, line by line with their rank in front, so that no line is torn.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::Child;
use std::thread::JoinHandle;

/// A copying thread keeps one line.
const STACK_BYTES: usize = 64 << 10;

/// Copies what a process prints to the host's own output and errors until it ends; gives the threads
/// that do.
pub(super) fn copy(child: &mut Child, rank: u32) -> io::Result<Vec<JoinHandle<()>>> {
    let output = child
        .stdout
        .take()
        .map(|pipe| spawn(pipe, rank, io::stdout()));
    let errors = child
        .stderr
        .take()
        .map(|pipe| spawn(pipe, rank, io::stderr()));
    output.into_iter().chain(errors).collect()
}

fn spawn(
    pipe: impl Read + Send + 'static,
    rank: u32,
    to: impl Write + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
    builder.spawn(move || copy_lines(BufReader::new(pipe), rank, to))
}

/// A reader of the host's that is gone is no failure of the run.
fn copy_lines(mut from: impl BufRead, rank: u32, mut to: impl Write) {
    let mut line = Vec::new();
    while from
        .read_until(b'\n', &mut line)
        .is_ok_and(|length| length > 0)
    {
        if !line.ends_with(b"\n") {
            line.push(b'\n');
        }
        let tagged = [format!("[{rank}] ").as_bytes(), &line].concat();
        if to.write_all(&tagged).and_then(|()| to.flush()).is_err() {
            break;
        }
        line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_output_line_is_tagged_with_its_rank() {
        let mut to = Vec::new();
        copy_lines(&b"one\n\ntwo"[..], 3, &mut to);
        assert_eq!(to, b"[3] one\n[3] \n[3] two\n");
    }
}
