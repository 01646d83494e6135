//! Ctrl-C while a large program is analysed: the command ends at once, and nothing is printed of an unfinished analysis.

use crate::command::answer;
use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Procedures of the program; each has 21 lines. Its analysis takes a processor longer than [`ANALYSED_TICKS`] in any build.
const PROCEDURES: usize = 5_000;
/// Processor time in ticks of the system (1/100 s) after which the signal is sent: in the middle of the analysis.
const ANALYSED_TICKS: u64 = 30;
/// A user perceives a longer time as a delay.
const MAX_DELAY: Duration = Duration::from_millis(200);
/// Other load on the computer may delay one end, but hardly each of some.
const ATTEMPTS: usize = 5;
const SIGINT: i32 = 2;

#[test]
fn interrupt_ends_the_analysis_of_a_large_program_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("large.f90"), large_program()).unwrap();
    let mut delays = Vec::new();
    for _ in 0..ATTEMPTS {
        // A shell starts background commands with SIGINT ignored, and children inherit that: `env` restores the default
        // and becomes the command.
        let mut analysis = Command::new("env")
            .args(["--default-signal=INT", env!("CARGO_BIN_EXE_mpiete")])
            .args(["analyze", "large.f90"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while processor_ticks(&analysis) < ANALYSED_TICKS {
            assert!(analysis.try_wait().unwrap().is_none(), "it has ended");
            std::thread::yield_now();
        }
        let start = Instant::now();
        let sent = answer(Command::new("kill").args(["-s", "INT", &analysis.id().to_string()]));
        assert_eq!(sent.code, 0, "{}", sent.err);
        let ended = analysis.wait_with_output().unwrap();
        let delay = start.elapsed();
        // Shells report this end as exit code 130.
        assert_eq!(ended.status.signal(), Some(SIGINT), "{:?}", ended.status);
        assert!(ended.stdout.is_empty(), "{:?}", ended.stdout);
        if delay <= MAX_DELAY {
            return;
        }
        delays.push(delay);
    }
    panic!("each took more than {MAX_DELAY:?} to end: {delays:?}");
}

/// Procedures that call each other as a binary tree, with a broadcast in each.
fn large_program() -> String {
    let mut text = String::from(
        "program large\n  use mpi\n  integer :: error\n  call mpi_init(error)\n  call s1(1)\n  call mpi_finalize(error)\n\
         end program\n",
    );
    for number in 1..=PROCEDURES {
        _ = write!(
            text,
            "subroutine s{number}(n)
  use mpi
  implicit none
  integer, intent(in) :: n
  integer :: i, j, error
  real(8) :: a(100, 100), sum
  sum = n
  do j = 1, 100
    do i = 1, 100
      a(i, j) = i + j * sum
      if (a(i, j) > 50.0d0) then
        sum = sum + a(i, j)
      end if
    end do
  end do
  call mpi_bcast(sum, 1, mpi_double_precision, 0, mpi_comm_world, error)
"
        );
        for called in [2 * number, 2 * number + 1] {
            if called <= PROCEDURES {
                _ = writeln!(text, "  call s{called}(n + 1)");
            }
        }
        text.push_str("  if (sum > 1.0d9) return\nend subroutine\n");
    }
    text
}

/// The processor time that a process has used in its own code, in ticks.
fn processor_ticks(process: &Child) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap_or_default();
    // The second field is a name in parentheses, which may contain blanks; the time is the 14th field.
    let behind_name = stat.rsplit(')').next().unwrap_or_default();
    let time = behind_name.split_whitespace().nth(11);
    time.and_then(|time| time.parse().ok()).unwrap_or_default()
}
