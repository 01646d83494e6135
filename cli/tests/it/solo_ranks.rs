//! Ranks that measure alone: the few of them find what all ranks find, whatever they are fed.

use crate::command::{done, mpiete};
use crate::workflow::{command, project};
use base_data::compute_data::{ComputeData, ComputeEntry, Feed};
use npb_fixtures::{LU, ProblemClass};
use std::collections::BTreeMap;
use std::path::Path;

/// What decides the calls comes from others: a broadcast count, the colours and the sum of a split, and a
/// neighbour's tag. What is computed with comes from others, too, in all ways that there are; a rank that
/// receives a number that is none ends the run.
const VARIED: &str = "\
program varied
  use mpi
  implicit none
  integer :: rank, ranks, error, n, row, place, width, step, request, status(mpi_status_size), own_tag, tag
  real(8) :: x(12), y(12), all(12, 64), bulk(12), s
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  n = 0
  if (rank == 0) n = 12
  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, error)
  call mpi_comm_split(mpi_comm_world, mod(rank, 2), rank, row, error)
  call mpi_comm_rank(row, place, error)
  call mpi_comm_size(row, width, error)
  own_tag = 7 + rank
  call mpi_sendrecv(own_tag, 1, mpi_integer, modulo(rank + 1, ranks), 1, tag, 1, mpi_integer, &
                    modulo(rank - 1, ranks), 1, mpi_comm_world, status, error)
  if (rank == 0) bulk = 1.5d0
  call mpi_bcast(bulk, 12, mpi_double_precision, 0, mpi_comm_world, error)
  x(1:n) = bulk(1:n) + rank
  do step = 1, 40
    call mpi_irecv(y, n, mpi_double_precision, modulo(place - 1, width), mpi_any_tag, row, request, error)
    call mpi_send(x, n, mpi_double_precision, modulo(place + 1, width), tag, row, error)
    call mpi_wait(request, status, error)
    x(1:n) = (x(1:n) + y(1:n)) / 2
    call mpi_allgather(x, n, mpi_double_precision, all, n, mpi_double_precision, row, error)
    s = sum(all(1:n, 1:width))
    call mpi_allreduce(mpi_in_place, s, 1, mpi_double_precision, mpi_sum, mpi_comm_world, error)
    x(1) = x(1) + s * 1d-9
    if (s /= s .or. abs(s) > 1d99) then
      call mpi_abort(mpi_comm_world, 3, error)
    end if
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

type Key = (u32, Vec<i64>);

/// Mean of first and of warm executions of each variant.
fn measured(file: &Path) -> (BTreeMap<Key, (f64, f64)>, ComputeData) {
    let data: ComputeData = base_data::format::decode(&std::fs::read(file).unwrap()).unwrap();
    let entry = |e: &base_data::compute_data::ComputeEntry| {
        (
            (e.block.0, e.terms.clone()),
            (
                e.first.mean,
                if e.warm.count > 0 { e.warm.mean } else { 0.0 },
            ),
        )
    };
    (data.entries.iter().map(entry).collect(), data)
}

/// Representatives, fed in this way, measure what all ranks measure; how many they are.
fn check(here: &Path, ranks: &str, feed: &str, off: f64) -> usize {
    done(
        here,
        &[
            "measure",
            "study",
            "-n",
            ranks,
            "--co-run",
            "1",
            "--all-ranks",
            "-o",
            "all.mpiete",
        ],
    );
    let few = mpiete(
        here,
        &[
            "measure",
            "study",
            "-n",
            ranks,
            "--co-run",
            "1",
            "--solo-input",
            feed,
            "-o",
            "few.mpiete",
        ],
    );
    assert!(
        few.code == 0 && !few.err.contains("all ranks run"),
        "{}",
        few.err
    );
    let ((all, _), (few, data)) = (
        measured(&here.join("all.mpiete")),
        measured(&here.join("few.mpiete")),
    );
    let is_fed = |entry: &ComputeEntry| entry.feed != Feed::All;
    assert!(
        data.entries
            .iter()
            .all(|entry| is_fed(entry) || data.table.blocks[entry.block.index()].data_dependent)
    );
    assert!(
        all.keys()
            .all(|(block, _)| few.keys().any(|(found, _)| found == block)),
        "a block is missing"
    );
    for (key, (first, warm)) in all {
        let Some(found) = few.get(&key) else { continue };
        let near = |a: f64, b: f64| b == 0.0 || a == 0.0 || (a - b).abs() <= (off * b).max(ASKED);
        assert!(
            near(found.0, first) && near(found.1, warm),
            "{key:?}: {found:?} for {:?}",
            (first, warm)
        );
    }
    data.peak_memory.len()
}

/// Tolerance of the mean of a block whose work depends on the rank: other ranks are measured.
const ASKS_RANK: f64 = 0.2;

/// Statements that a block may execute on some ranks only.
const ASKED: f64 = 2.0;

const PREPARE: [&str; 5] = ["--whole", "-o", "study", "--clock", "statements"];

#[test]
fn solo_ranks_measure_as_all_ranks_with_each_input() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("varied.f90"), VARIED).unwrap();
    done(here, &command("prepare", &["varied.f90".into()], &PREPARE));
    for feed in ["auto", "echo", "log", "both"] {
        // Work depends on data, and half a second is free: any of them may run.
        check(here, "6", feed, ASKS_RANK);
    }
}

#[test]
fn representatives_of_lu_measure_as_all_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    done(
        here,
        &command("prepare", &project(&LU, ProblemClass::S), &PREPARE),
    );
    let ran = check(here, "8", "echo", ASKS_RANK);
    assert!(ran < 8, "{ran} ranks ran");
}

/// Whom a rank hears from first is asked of the messages themselves.
const LOOKING: &str = "\
program looking
  use mpi
  implicit none
  integer :: rank, ranks, error, i, n, status(mpi_status_size)
  real(8) :: x(100)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  x = rank
  if (rank > 0) then
    call mpi_send(x, rank, mpi_double_precision, 0, 0, mpi_comm_world, error)
  else
    do i = 1, ranks - 1
      call mpi_probe(i, 0, mpi_comm_world, status, error)
      call mpi_get_count(status, mpi_double_precision, n, error)
      call mpi_recv(x, n, mpi_double_precision, i, 0, mpi_comm_world, status, error)
    end do
  end if
  call mpi_finalize(error)
  if (x(1) < 0) print *, x
end program
";

#[test]
fn all_ranks_run_with_a_note_if_solo_runs_fail() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("looking.f90"), LOOKING).unwrap();
    done(here, &command("prepare", &["looking.f90".into()], &PREPARE));
    let measured = mpiete(here, &["measure", "study", "-n", "6", "--co-run", "1"]);
    assert_eq!(measured.code, 0, "{}", measured.err);
    let expected = "all ranks run in turn, since representatives cannot run alone: MPI_Probe";
    assert!(
        measured.err.contains("all ranks run in turn"),
        "{} instead of {expected}",
        measured.err
    );
}

/// Whose number comes first depends on the others, and how much is computed for it on whose it is.
const CHOOSING: &str = "\
program choosing
  use mpi
  implicit none
  integer :: rank, ranks, error, i, k, which, most, requests(2), numbers(2), status(mpi_status_size)
  real(8) :: s
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  s = 0
  if (rank == 0) then
    do i = 1, 2
      call mpi_irecv(numbers(i), 1, mpi_integer, i, 0, mpi_comm_world, requests(i), error)
    end do
    do k = 1, 2
      call mpi_waitany(2, requests, which, status, error)
      do i = 1, numbers(which)
        s = s + sqrt(s + i)
      end do
    end do
  else if (rank < 3) then
    most = 100 * rank
    if (rank == 1) call mpi_recv(most, 1, mpi_integer, 2, 1, mpi_comm_world, status, error)
    call mpi_send(most, 1, mpi_integer, 0, 0, mpi_comm_world, error)
    if (rank == 2) call mpi_send(most, 1, mpi_integer, 1, 1, mpi_comm_world, error)
  end if
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

#[test]
fn any_source_receiver_has_no_log() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("choosing.f90"), CHOOSING).unwrap();
    done(
        here,
        &command("prepare", &["choosing.f90".into()], &PREPARE),
    );
    let usual = mpiete(
        here,
        &[
            "measure",
            "study",
            "-n",
            "3",
            "--co-run",
            "1",
            "--solo-input",
            "log",
            "-o",
            "log.mpiete",
        ],
    );
    assert!(
        usual.code == 0 && usual.err.contains("ranks in MPI_Waitany"),
        "{}",
        usual.err
    );
    done(
        here,
        &[
            "measure",
            "study",
            "-n",
            "3",
            "--co-run",
            "1",
            "--all-ranks",
            "-o",
            "all.mpiete",
        ],
    );
    let [log, all] = ["log.mpiete", "all.mpiete"].map(|file| measured(&here.join(file)).0);
    assert_eq!(log, all);
}

/// How much a rank computes comes from its neighbour: each has another number for it. A rank that hears only its
/// own number never leaves the second loop.
const DRIVEN: &str = "\
program driven
  use mpi
  implicit none
  integer :: rank, ranks, error, step, own, other, i, status(mpi_status_size)
  real(8) :: s
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  own = 100 * (rank + 1)
  s = 0
  do step = 1, 6
    call mpi_sendrecv(own, 1, mpi_integer, modulo(rank + 1, ranks), 1, other, 1, mpi_integer, &
                      modulo(rank - 1, ranks), 1, mpi_comm_world, status, error)
    do i = 1, other
      s = s + sqrt(s + i)
    end do
    do while (own == other)
      s = s + 1
    end do
  end do
  call mpi_finalize(error)
  if (s < 0) print *, s
end program
";

#[test]
fn default_input_does_not_echo_sizes() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("driven.f90"), DRIVEN).unwrap();
    done(here, &command("prepare", &["driven.f90".into()], &PREPARE));
    let usual = mpiete(
        here,
        &[
            "measure",
            "study",
            "-n",
            "6",
            "--co-run",
            "1",
            "-o",
            "usual.mpiete",
        ],
    );
    let why = "all ranks run in turn, since representatives cannot run alone: rank 0 needs messages \
        of other ranks in MPI_Sendrecv";
    assert!(usual.code == 0 && usual.err.contains(why), "{}", usual.err);
    done(
        here,
        &[
            "measure",
            "study",
            "-n",
            "6",
            "--co-run",
            "1",
            "--all-ranks",
            "-o",
            "all.mpiete",
        ],
    );
    let [usual, all] = ["usual.mpiete", "all.mpiete"].map(|file| measured(&here.join(file)).0);
    assert_eq!(usual, all);
}

#[test]
fn serialised_run_is_corrected_by_solo_runs() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("driven.f90"), DRIVEN).unwrap();
    done(
        here,
        &command(
            "prepare",
            &["driven.f90".into()],
            &["--whole", "-o", "study"],
        ),
    );
    for (file, option) in [
        ("usual.mpiete", "--solo-input=auto"),
        ("all.mpiete", "--all-ranks"),
    ] {
        done(
            here,
            &[
                "measure", "study", "-n", "6", "--co-run", "1", option, "-o", file,
            ],
        );
    }
    let [(usual, data), (all, _)] =
        ["usual.mpiete", "all.mpiete"].map(|file| measured(&here.join(file)));
    let how = &data.provenance.method;
    assert!(
        how.contains("in turn, and ranks 0")
            && how.contains(
                "solo, with messages logged in \
        that run"
            ),
        "{how}"
    );
    assert!(usual.keys().eq(all.keys()) && data.peak_memory.len() == 6);
}

/// How long the next message is comes from a neighbour, in a loop that is left early each time, since its block takes as
/// long in every iteration of a stage.
const STAGED: &str = "\
program staged
  use mpi
  implicit none
  integer :: rank, ranks, error, stage, step, own, other, i, request, status(mpi_status_size)
  real(8) :: a(1000), b(1000)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  a = rank
  do stage = 1, 3
    do step = 1, 400
      own = 10 * rank + stage
      call mpi_sendrecv(own, 1, mpi_integer, modulo(rank + 1, ranks), 1, other, 1, mpi_integer, &
                        modulo(rank - 1, ranks), 1, mpi_comm_world, status, error)
      call mpi_irecv(b, other, mpi_double_precision, modulo(rank - 1, ranks), 2, mpi_comm_world, request, error)
      call mpi_send(a, own, mpi_double_precision, modulo(rank + 1, ranks), 2, mpi_comm_world, error)
      call mpi_wait(request, status, error)
      do i = 1, other
        a(i) = (a(i) + b(i)) / 2
      end do
    end do
  end do
  call mpi_finalize(error)
  if (a(1) < 0) print *, a
end program
";

#[test]
fn solo_rank_with_log_cuts_loops_as_logged() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("staged.f90"), STAGED).unwrap();
    done(here, &command("prepare", &["staged.f90".into()], &PREPARE));
    let own = mpiete(
        here,
        &[
            "measure",
            "study",
            "-n",
            "4",
            "--co-run",
            "1",
            "-o",
            "usual.mpiete",
        ],
    );
    assert!(
        own.code == 0 && own.err.contains("all ranks run in turn"),
        "{}",
        own.err
    );
    let kept = mpiete(
        here,
        &[
            "measure",
            "study",
            "-n",
            "4",
            "--co-run",
            "1",
            "--solo-input",
            "log",
            "-o",
            "kept.mpiete",
        ],
    );
    assert!(
        kept.code == 0 && !kept.err.contains("all ranks run in turn"),
        "{}",
        kept.err
    );
    let [usual, kept] = ["usual.mpiete", "kept.mpiete"].map(|file| measured(&here.join(file)).0);
    assert!(
        kept.iter()
            .all(|(key, times)| usual.get(key) == Some(times)),
        "{kept:?} in {usual:?}"
    );
    // Both stages that were measured, of the rank that receives most.
    let of_most = kept
        .keys()
        .filter(|(_, terms)| terms.first() > Some(&30))
        .map(|(_, terms)| &terms[..]);
    assert!(of_most.eq([[31], [32]]), "{kept:?}");
}

/// A loop made of a jump, which the last rank ends: one that hears only itself never does.
const ENDED_BY_ANOTHER: &str = "\
program ended
  use mpi
  implicit none
  integer :: rank, ranks, error, i, step
  real(8) :: a(50), x, least
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  a = 1
  step = 0
10 continue
  step = step + 1
  do i = 1, 50
    a(i) = a(i) * 0.9d0 + 1d-3 * i
  end do
  x = a(1)
  if (rank == ranks - 1) x = x - step * 0.1d0
  call mpi_allreduce(x, least, 1, mpi_double_precision, mpi_min, mpi_comm_world, error)
  if (least > 0) goto 10
  call mpi_finalize(error)
end program
";

#[test]
fn endless_solo_rank_is_ended_and_all_ranks_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("ended.f90"), ENDED_BY_ANOTHER).unwrap();
    done(here, &command("prepare", &["ended.f90".into()], &PREPARE));
    let usual = mpiete(
        here,
        &[
            "measure",
            "study",
            "-n",
            "6",
            "--co-run",
            "1",
            "-o",
            "usual.mpiete",
        ],
    );
    let why = "all ranks run in turn, since representatives cannot run alone";
    assert!(usual.code == 0 && usual.err.contains(why), "{}", usual.err);
    assert!(
        usual.err.contains("runs much longer than the recorded run"),
        "{}",
        usual.err
    );
    done(
        here,
        &[
            "measure",
            "study",
            "-n",
            "6",
            "--co-run",
            "1",
            "--all-ranks",
            "-o",
            "all.mpiete",
        ],
    );
    let [usual, all] = ["usual.mpiete", "all.mpiete"].map(|file| measured(&here.join(file)).0);
    assert_eq!(usual, all);
}
