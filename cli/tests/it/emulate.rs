//! Programs emulated in virtual time: their results are those of a real run, equal compute times give equal estimates, and
//! what can never go on is reported. Times are those of the model: no test depends on how fast this computer is.

use crate::command::{answer, done, mpiete};
use base_data::compute_data::ComputeData;
use base_data::estimate_file::{Category, Estimate};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program of `npb-fixtures/programs/masters`, or of a text, compiled with our headers and library.
fn compile(here: &Path, source: &Path, program: &str) {
    let headers = token_runtime::headers::ALL;
    for (name, text) in headers {
        std::fs::write(here.join(name), text).unwrap();
    }
    let library = Path::new(env!("CARGO_BIN_EXE_mpiete")).with_file_name("libmpiete_mpi.so");
    token_runtime::host::library_folder(&here.join("lib"), &library).unwrap();
    let is_c = source.extension().is_some_and(|ending| ending == "c");
    let mut compiler = Command::new(if is_c { "gcc" } else { "gfortran" });
    if !is_c {
        compiler.args(["-fallow-argument-mismatch", "-w"]);
        compiler.arg(here.join("mpi.f90"));
    }
    let compiled = answer(
        compiler
            .arg(source)
            .args(["-O1", "-I.", "-Llib", "-lmpi", "-o", program])
            .current_dir(here),
    );
    assert_eq!(compiled.code, 0, "{}", compiled.err);
}

fn fixture(name: &str) -> PathBuf {
    npb_fixtures::programs().join("masters").join(name)
}

fn of_text(here: &Path, text: &str) {
    let source = here.join("program.c");
    std::fs::write(&source, text).unwrap();
    compile(here, &source, "program");
}

fn estimate(here: &Path, name: &str) -> Estimate {
    let mut estimate: Estimate =
        base_data::format::decode(&std::fs::read(here.join(name)).unwrap()).unwrap();
    // Only the date differs from command to command.
    estimate.provenance = Default::default();
    estimate.program.provenance = Default::default();
    estimate
}

/// When the emulated run ended, as its report says.
fn end(report: &str) -> &str {
    let (_, after) = report.split_once("ended after ").expect("a report");
    after.split_once(" of virtual").expect("a report").0
}

fn ends_of(estimate: &Estimate) -> String {
    let ends = estimate.per_rank.iter().map(|rank| rank.end);
    ends.max().unwrap().to_string()
}

/// Emulates `program`, which prints `done`, on each platform: the replay of its recording ends when the run did.
fn replays_end_with_the_run(here: &Path, ranks: &str) {
    for platform in PLATFORMS {
        let options = ["--platform", platform, "-o", "estimate"];
        let emulated = mpiete(here, &emulation(ranks, &options, &["./program"]));
        assert_eq!(
            emulated.code, 0,
            "{platform}: {}{}",
            emulated.out, emulated.err
        );
        assert!(emulated.out.starts_with("done\n"), "{}", emulated.out);
        let replayed = ends_of(&estimate(here, "estimate"));
        assert_eq!(end(&emulated.err), replayed, "{platform}");
    }
}

/// Platforms with different protocols; messages share the links of the last two, whose latencies differ most.
const PLATFORMS: [&str; 4] = ["fast-ethernet", "cenju-4", "hdr-infiniband", "100gbe-tcp"];

/// Words of `mpiete emulate` for a program in the current folder, with mean times.
fn emulation<'a>(ranks: &'a str, options: &[&'a str], program: &[&'a str]) -> Vec<&'a str> {
    let first = ["emulate", "-n", ranks, "--in-place", "--draws", "0"];
    [&first, options, &["--"], program].concat()
}

#[test]
fn emulated_results_are_those_of_a_real_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    compile(here, &fixture("mandelbrot.c"), "mandelbrot");
    done(
        here,
        &[
            "run",
            "-n",
            "6",
            "./mandelbrot",
            "single",
            "48",
            "500",
            "real",
        ],
    );
    let real = std::fs::read(here.join("real")).unwrap();
    for how in ["single", "multiple", "dynamic", "poll", "any"] {
        let words = emulation(
            "6",
            &["-o", "estimate"],
            &["./mandelbrot", how, "48", "500", how],
        );
        let emulated = mpiete(here, &words);
        assert_eq!(emulated.code, 0, "{how}: {}", emulated.err);
        assert_eq!(std::fs::read(here.join(how)).unwrap(), real, "{how}");
        assert_eq!(
            end(&emulated.err),
            ends_of(&estimate(here, "estimate")),
            "{how}"
        );
    }
}

#[test]
fn fortran_masters_and_branch_and_bound_are_emulated() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    compile(here, &fixture("mandelbrot.f90"), "mandelbrot");
    let emulated = |ranks: &str, words: &[&str]| done(here, &emulation(ranks, &[], words));
    let expected = "1005 points in the set";
    // Two masters, and masters that split: with few points, workers wait for most of the time.
    let printed = emulated("5", &["./mandelbrot", "2", "64", "2000"]);
    assert!(printed.contains(expected), "{printed}");
    let printed = emulated("12", &["./mandelbrot", "0", "64", "2000", "8"]);
    assert!(printed.contains(expected), "{printed}");
    assert!(printed.contains("of master 0: tasks "), "{printed}");
    let problem = ["26", "3"];
    let mut results = Vec::new();
    for source in ["knapsack.c", "knapsack.f90"] {
        compile(here, &fixture(source), "knapsack");
        let program = [&["./knapsack"], &problem[..]].concat();
        let real = done(here, &[&["run", "-n", "5"], &program[..]].concat());
        let printed = emulated("5", &program);
        assert!(printed.starts_with(&real), "{printed}, not {real}");
        results.push(real);
    }
    assert_eq!(results[0], results[1]);
}

#[test]
fn thousand_ranks_are_emulated() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    compile(here, &fixture("mandelbrot.f90"), "mandelbrot");
    let bundled = include_str!("../../../machine/src/platforms/fast-ethernet.toml");
    let large = bundled.replace("nodes = 64", "nodes = 1024");
    std::fs::write(here.join("large.toml"), large).unwrap();
    // As many tasks as ranks.
    let program = ["./mandelbrot", "1", "64", "2000", "4"];
    let options = ["-o", "estimate", "--platform", "large.toml"];
    let emulated = mpiete(here, &emulation("1024", &options, &program));
    assert_eq!(emulated.code, 0, "{}", emulated.err);
    assert!(
        emulated.out.contains("1005 points in the set"),
        "{}",
        emulated.out
    );
    assert_eq!(estimate(here, "estimate").per_rank.len(), 1024);
}

#[test]
fn equal_compute_times_give_equal_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    compile(here, &fixture("mandelbrot.c"), "mandelbrot");
    for how in ["dynamic", "poll"] {
        let emulated = |more: &[&str]| {
            let first = ["emulate", "-n", "5", "--draws", "0"];
            let program = ["--", "./mandelbrot", how, "40", "500"];
            done(here, &[&first, more, &program].concat());
        };
        emulated(&["--save-times", "times", "-o", "first"]);
        emulated(&["--replay-times", "times", "-o", "second"]);
        emulated(&["--replay-times", "times", "--spawn", "-o", "third"]);
        assert_eq!(estimate(here, "first"), estimate(here, "second"), "{how}");
        assert_eq!(estimate(here, "first"), estimate(here, "third"), "{how}");
    }
}

/// Where virtual time hardly passes, the library still measures real time.
#[test]
fn runs_of_no_virtual_time_end() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Finalize(); }\n",
    );
    for _ in 0..3 {
        done(here, &emulation("2", &[], &["./program"]));
    }
}

/// Every clock that a program can read shows what the model says, not what this computer needs: another rank sleeps for
/// an hour.
#[test]
fn all_clocks_are_virtual() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>
static double of(int clock) { struct timespec t; clock_gettime(clock, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static void read_all(double *to) {
    struct timeval t; struct rusage u; struct timespec s[2]; struct tms ticks;
    timespec_get(&s[0], TIME_UTC);
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &s[1]);
    times(&ticks);
    to[8] = s[0].tv_sec, to[9] = s[1].tv_sec, to[10] = ticks.tms_utime / 100.0;
    gettimeofday(&t, 0);
    getrusage(RUSAGE_SELF, &u);
    to[0] = MPI_Wtime(), to[1] = of(CLOCK_REALTIME), to[2] = of(CLOCK_MONOTONIC), to[3] = of(CLOCK_PROCESS_CPUTIME_ID);
    to[4] = t.tv_sec + t.tv_usec * 1e-6, to[5] = time(0), to[6] = u.ru_utime.tv_sec, to[7] = clock() / 1e6;
}
int main(int argc, char **argv) {
    double before[11], after[11];
    int rank, some = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    read_all(before);
    if (rank == 0) {
        MPI_Recv(&some, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        read_all(after);
        for (int k = 0; k < 11; k++)
            printf("%.0f ", after[k] - before[k]);
        printf("\n");
    } else {
        for (int k = 0; k < 3; k++)
            sleep(1200);
        MPI_Send(&some, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
"#,
    );
    let printed = done(here, &emulation("2", &[], &["./program"]));
    let expected = "3600 ".repeat(11);
    assert!(printed.starts_with(&expected), "{printed}");
}

/// The cycle counter is the one clock that cannot be virtual.
#[test]
#[cfg(target_arch = "x86_64")]
fn cycle_counter_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = "\
#include <mpi.h>
#include <x86intrin.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    COUNTER;
    return MPI_Finalize();
}
";
    for (counter, is_warned_of) in [
        ("argc = __rdtsc() & 1", true),
        ("volatile int bytes = 0x310f; (void)bytes", false),
    ] {
        of_text(here, &text.replace("COUNTER", counter));
        let printed = done(here, &emulation("2", &[], &["./program"]));
        assert_eq!(printed.contains("cycle counter"), is_warned_of, "{printed}");
    }
}

#[test]
fn fortran_clocks_are_virtual() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let source = here.join("clocks.f90");
    std::fs::write(
        &source,
        "\
program clocks
  use mpi
  integer :: error, rank, some, count(2), rate, values(8, 2)
  real(8) :: cpu(2)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call system_clock(count(1), rate)
  call cpu_time(cpu(1))
  call date_and_time(values=values(:, 1))
  some = 0
  if (rank == 0) then
    call mpi_recv(some, 1, mpi_integer, mpi_any_source, 0, mpi_comm_world, mpi_status_ignore, error)
    call system_clock(count(2))
    call cpu_time(cpu(2))
    call date_and_time(values=values(:, 2))
    print '(i0,1x,i0,1x,i0)', nint(real(count(2) - count(1))/rate), nint(cpu(2) - cpu(1)), &
      modulo(values(6, 2) - values(6, 1), 60)
  else
    call sleep(600)
    call mpi_send(some, 1, mpi_integer, 0, 0, mpi_comm_world, error)
  end if
  call mpi_finalize(error)
end program
",
    )
    .unwrap();
    compile(here, &source, "clocks");
    let printed = done(here, &emulation("2", &[], &["./clocks"]));
    assert!(printed.starts_with("600 600 10\n"), "{printed}");
}

/// A message takes what the model says: from the end of the overhead of its send to the end of that of its receive, and
/// the master waits for what it gets first in virtual time, whatever this computer does first.
#[test]
fn wildcards_take_what_arrives_first_in_virtual_time() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank, ranks, some, index, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < 4; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank > 0) {
            usleep((ranks - rank) * 100000);
            MPI_Send(&rank, 1, MPI_INT, 0, round, MPI_COMM_WORLD);
            continue;
        }
        MPI_Request requests[8];
        MPI_Status status;
        for (int k = 1; k < ranks; k++)
            if (round == 1)
                MPI_Irecv(&some, 1, MPI_INT, k, round, MPI_COMM_WORLD, &requests[k - 1]);
        for (int k = 1; k < ranks; k++) {
            if (round == 0) {
                MPI_Recv(&some, 1, MPI_INT, MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &status);
                printf("%d ", status.MPI_SOURCE);
            } else if (round == 1) {
                MPI_Waitany(ranks - 1, requests, &index, &status);
                printf("%d ", index + 1);
            } else if (round == 2) {
                MPI_Message message;
                MPI_Mprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &message, &status);
                MPI_Mrecv(&some, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
                printf("%d ", some);
            } else {
                do
                    MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &flag, &status);
                while (!flag);
                MPI_Recv(&some, 1, MPI_INT, status.MPI_SOURCE, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                printf("%d ", some);
            }
        }
    }
    if (rank == 0)
        printf("\n");
    MPI_Finalize();
}
"#,
    );
    let printed = done(here, &emulation("5", &["-o", "estimate"], &["./program"]));
    let once = "4 3 2 1 ";
    assert!(
        printed.starts_with(&format!("{}\n", once.repeat(4))),
        "{printed}"
    );
    // Nearly all of rank 0's time is waiting for messages, also in the round in which it polls.
    let master = &estimate(here, "estimate").per_rank[0];
    let waits = master.split[Category::ReceiveWait.index()].seconds();
    assert!((waits - 1.6).abs() < 0.05, "{waits}");
}

/// Ranks of a deterministic program have the times of the replay of its recording.
#[test]
fn collectives_and_nonblocking_calls_take_the_time_of_their_replay() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, ranks;
    double some[4096] = {0}, sum[4096];
    MPI_Request request[4];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    int right = (rank + 1) % ranks, left = (rank + ranks - 1) % ranks;
    for (int round = 0; round < 3; round++) {
        some[0] = rank;
        MPI_Allreduce(some, sum, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (sum[0] != ranks * (ranks - 1) / 2)
            MPI_Abort(MPI_COMM_WORLD, 3);
        MPI_Bcast(some, 4096, MPI_DOUBLE, round, MPI_COMM_WORLD);
        MPI_Reduce(some, sum, 10, MPI_DOUBLE, MPI_MAX, 0, half);
        MPI_Alltoall(some, 8, MPI_DOUBLE, sum, 8, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Sendrecv(some, 4096, MPI_DOUBLE, right, 1, sum, 4096, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Irecv(sum, 2048, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(sum + 2048, 2048, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &request[1]);
        MPI_Isend(some, 2048, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &request[2]);
        MPI_Issend(some, 4, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &request[3]);
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        MPI_Iallreduce(some, sum, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request[0]);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
        MPI_Barrier(half);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request[0]);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("done\n");
    MPI_Comm_free(&half);
    MPI_Finalize();
}
"#,
    );
    replays_end_with_the_run(here, "4");
}

/// Loops of polls end, and the replay of the run ends when the run does. It waits where the program polled, and so only
/// collectives that go on at polls may be over earlier there.
#[test]
fn polls_end_and_their_replay_ends_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    compile(here, &fixture("polls.c"), "polls");
    for platform in PLATFORMS {
        for how in ["0", "1", "2", "3", "4", "5", "6"] {
            let emulated = mpiete(
                here,
                &emulation(
                    "4",
                    &["--platform", platform, "-o", "estimate"],
                    &["./polls", "5", how],
                ),
            );
            let name = format!("{platform}, {how}");
            assert_eq!(emulated.code, 0, "{name}: {}", emulated.err);
            let replayed = ends_of(&estimate(here, "estimate"));
            if how != "4" && how != "6" {
                assert_eq!(end(&emulated.err), replayed, "{name}");
            }
        }
    }
}

/// A collective that all ranks start proceeds in each call of rank 0 that waits for a message, which rank 1 sends behind the
/// collective; in the replay, too.
#[test]
fn started_collectives_proceed_in_each_call_that_waits() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int rank, ranks;
static double from[64], to[64];
static void start(int which, MPI_Request *request) {
    if (which == 0)
        MPI_Ibarrier(MPI_COMM_WORLD, request);
    else if (which == 1)
        MPI_Ibcast(from, 64, MPI_DOUBLE, 1, MPI_COMM_WORLD, request);
    else
        MPI_Iallreduce(from, to, 64, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
}
static void receive(int how, MPI_Request *started) {
    int some, flag = 0, place;
    MPI_Message message;
    MPI_Request both[2] = {MPI_REQUEST_NULL, *started};
    if (how == 0) {
        MPI_Recv(&some, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (how == 1) {
        MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&some, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (how < 5) {
        MPI_Irecv(&some, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, both);
        if (how == 2)
            MPI_Wait(both, MPI_STATUS_IGNORE);
        else if (how == 3)
            MPI_Waitany(1, both, &place, MPI_STATUS_IGNORE);
        else
            MPI_Waitsome(1, both, &flag, &place, MPI_STATUSES_IGNORE);
    } else if (how == 5) {
        while (!flag)
            MPI_Iprobe(1, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&some, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (how == 6) {
        while (!flag)
            MPI_Improbe(1, 3, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(&some, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Irecv(&some, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, both);
        while (!flag)
            MPI_Testall(2, both, &flag, MPI_STATUSES_IGNORE);
        *started = MPI_REQUEST_NULL;
    }
}
int main(int argc, char **argv) {
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int which = 0; which < 3; which++) {
        for (int how = 0; how < 8; how++) {
            if (how >= 5 && argc > 1)
                continue;
            start(which, &request);
            if (rank == 0)
                receive(how, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(&how, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
            if (which == 2 && to[0] != 0)
                MPI_Abort(MPI_COMM_WORLD, 3);
        }
    }
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
}
"#,
    );
    // Computation takes no time: on a busy processor it would differ from execution to execution, and the replay takes its mean.
    let times = ["--scale", "1e9", "-o", "estimate", "--platform"];
    for (ranks, of_polls) in ["2", "3", "5", "8"].into_iter().zip(PLATFORMS) {
        let options = [&times[..], &[of_polls]].concat();
        let polls = mpiete(here, &emulation(ranks, &options, &["./program"]));
        assert_eq!(polls.code, 0, "{ranks} ranks: {}", polls.err);
        for platform in PLATFORMS {
            let options = [&times[..], &[platform]].concat();
            let waits = mpiete(here, &emulation(ranks, &options, &["./program", "waits"]));
            assert_eq!(waits.code, 0, "{ranks} ranks, {platform}: {}", waits.err);
            // Without polls the replay takes the same time.
            let replayed = ends_of(&estimate(here, "estimate"));
            assert_eq!(end(&waits.err), replayed, "{ranks} ranks, {platform}");
        }
    }
}

/// While the master looks for messages of workers that compute, it waits, however long a look takes here.
#[test]
fn polling_for_messages_is_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int rank, some = 0, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 0) {
        sleep(100);
        MPI_Send(&some, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        while (!flag) {
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        MPI_Recv(&some, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
}
"#,
    );
    let words = [
        "emulate",
        "-n",
        "2",
        "--draws",
        "0",
        "-o",
        "estimate",
        "--",
        "./program",
    ];
    let emulated = mpiete(here, &words);
    assert_eq!(emulated.code, 0, "{}", emulated.err);
    let estimate = estimate(here, "estimate");
    assert_eq!(end(&emulated.err), ends_of(&estimate));
    let waits = estimate.per_rank[0].split[Category::ReceiveWait.index()].seconds();
    assert!((99.0..101.0).contains(&waits), "{waits}");
}

#[test]
fn ranks_see_the_nodes_of_the_platform() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
    int rank, length, local;
    char name[MPI_MAX_PROCESSOR_NAME], all[4][MPI_MAX_PROCESSOR_NAME];
    MPI_Comm node;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(name, &length);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &local);
    MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %s %s %s, %d\n", all[0], all[1], all[2], all[3], local);
    MPI_Comm_free(&node);
    MPI_Finalize();
}
"#,
    );
    let words = emulation("4", &[], &["./program"]);
    let printed = done(here, &words);
    assert!(
        printed.starts_with("node-0 node-1 node-2 node-3, 1\n"),
        "{printed}"
    );
}

/// Ranks go on without answers as far as they can: past sends that wait for their receives, receives whose messages are here,
/// and waits in another order than the receives were posted in. What they get is by MPI's order, wherever the engine is.
#[test]
fn ranks_that_go_on_without_answers_get_the_same_messages() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <stdio.h>
enum { MANY = 5000, LENGTH = 20000 };
static int large[4][LENGTH], small[4];
static void expect(int value, int expected, int line) {
    if (value != expected) {
        printf("line %d: %d, not %d\n", line, value, expected);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}
#define EXPECT(value, expected) expect(value, expected, __LINE__)
int main(int argc, char **argv) {
    int rank, some;
    MPI_Request requests[4];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double before = MPI_Wtime();
    if (rank == 0) {
        /* More calls than go without an answer at most, then long messages. */
        for (int k = 0; k < MANY; k++)
            MPI_Send(&k, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        for (int k = 0; k < 4; k++) {
            large[0][0] = k;
            MPI_Send(large[0], LENGTH, MPI_INT, 1, 2, MPI_COMM_WORLD);
        }
        for (int k = 0; k < 4; k++)
            MPI_Send(&k, 1, MPI_INT, 1, 3 + k % 2, MPI_COMM_WORLD);
        MPI_Recv(&some, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(some, 77);
    } else if (rank == 1) {
        for (int k = 0; k < MANY; k++) {
            MPI_Recv(&some, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT(some, k);
        }
        for (int k = 0; k < 4; k++)
            MPI_Irecv(large[k], LENGTH, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[k]);
        for (int k = 3; k >= 0; k--) {
            MPI_Wait(&requests[k], MPI_STATUS_IGNORE);
            EXPECT(large[k][0], k);
        }
        /* The second takes what the wildcard before it leaves. */
        MPI_Irecv(&small[0], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&small[1], 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Irecv(&small[2], 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &requests[2]);
        MPI_Wait(&requests[1], &status);
        EXPECT(small[1], 2);
        MPI_Wait(&requests[2], &status);
        EXPECT(small[2], 1);
        MPI_Wait(&requests[0], &status);
        EXPECT(small[0], 0);
        MPI_Recv(&some, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &status);
        EXPECT(some, 3);
        some = 77;
        MPI_Send(&some, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
    }
    EXPECT(MPI_Wtime() >= before, 1);
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
}
"#,
    );
    replays_end_with_the_run(here, "3");
}

/// A send that waits for its receive is named where the ranks have gone on behind it.
#[test]
fn sends_that_wait_for_each_other_are_reported_at_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
int main(int argc, char **argv) {
    static int from[100000], to[100000];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Ssend(from, 100000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Recv(to, 100000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
"#,
    );
    fails(here, "2", &["deadlock", "MPI_Ssend"]);
}

/// Each rank computes all tasks of its number modulo the ranks; results are in an array of their own.
const TASKS: &str = "\
program tasks
  use mpi
  implicit none
  integer :: error, rank, ranks, task, some
  double precision :: results(64)
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  results = 0
  do task = 1 + rank, 64, ranks
    call work(task, results(task))
  end do
  some = rank
  call mpi_bcast(some, 1, mpi_integer, 0, mpi_comm_world, error)
  if (rank == 0) print *, sum(results)
  call mpi_finalize(error)
contains
  subroutine work(task, result)
    integer, intent(in) :: task
    double precision, intent(out) :: result
    integer :: k
    result = 0
    if (task < 0) return
    do k = 1, 1000*task
      result = result + sin(dble(k))
    end do
  end subroutine
end program
";

#[test]
fn sampled_tasks_stand_for_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("tasks.f90"), TASKS).unwrap();
    let words = [
        "emulate",
        "tasks.f90",
        "-n",
        "4",
        "--draws",
        "0",
        "-o",
        "estimate",
    ];
    let emulated = mpiete(here, &[&words[..], &["--sample", "work=3"]].concat());
    assert_eq!(emulated.code, 0, "{}", emulated.err);
    let expected = "7 of 64 tasks of work were executed (3 on a grid, 4 at random)";
    assert!(emulated.err.contains(expected), "{}", emulated.err);
    assert!(emulated.err.contains("task = 1..64"), "{}", emulated.err);
    assert!(
        emulated
            .err
            .contains("% of the run's computation was skipped (all tasks are "),
        "{}",
        emulated.err
    );
    // Times grow linearly, so the interpolated ones are the times: each rank computes a quarter of what all compute.
    let estimate = estimate(here, "estimate");
    for rank in &estimate.per_rank {
        let computed = rank.split[Category::Compute.index()].seconds();
        let longest = estimate.per_rank[3].split[Category::Compute.index()].seconds();
        assert!(computed > 0.5 * longest, "{computed} {longest}");
    }
    assert!(
        estimate.warnings[0].contains("all tasks take"),
        "{:?}",
        estimate.warnings
    );
    // The error of the interpolation is in the interval, also without draws.
    let source = &estimate.sources[0];
    assert_eq!(source.name, "sampled tasks");
    assert_eq!(source.width, estimate.p90 - estimate.p10);
    assert!(estimate.p10 <= estimate.headline && estimate.headline <= estimate.p90);
    assert!(emulated.out.contains("(80 % between "), "{}", emulated.out);
    assert!(emulated.out.contains(", no draws)"), "{}", emulated.out);
    // The sample depends on the seed alone: all tasks are executed where it would be no smaller.
    let whole = mpiete(here, &[&words[..], &["--sample", "work=32"]].concat());
    assert_eq!(whole.code, 0, "{}", whole.err);
    let expected = "64 of 64 tasks of work were executed (32 on a grid, 32 at random)";
    assert!(whole.err.contains(expected), "{}", whole.err);
}

#[test]
fn samples_of_tasks_that_determine_calls_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::copy(fixture("mandelbrot.f90"), here.join("mandelbrot.f90")).unwrap();
    let emulated = |sample: &str, more: &[&str]| {
        let words = [
            "emulate",
            "mandelbrot.f90",
            "-n",
            "4",
            "--draws",
            "0",
            "--sample",
            sample,
        ];
        mpiete(
            here,
            &[&words[..], more, &["--", "1", "32", "500"]].concat(),
        )
    };
    // Tasks and results are in one array.
    let refused = emulated("compute_task=4", &[]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    let expected = "MPI calls may depend on what it computes: mandelbrot.f90:131 defines `to`, for mandelbrot.f90:104";
    assert!(refused.err.contains(expected), "{}", refused.err);
    for (sample, expected) in [
        ("compute=4", "compute calls MPI_Wtime at mandelbrot.f90:"),
        ("argument=4", "argument is a function"),
        ("mandelbrot=4", "the main program"),
        ("other=4", "the program has no procedure other"),
        ("compute_task", "write --sample PROCEDURE=K"),
    ] {
        let refused = emulated(sample, &["--results-unused"]);
        assert_eq!(refused.code, 2, "{sample}: {}", refused.err);
        assert!(refused.err.contains(expected), "{sample}: {}", refused.err);
    }
    let asserted = emulated("compute_task=5", &["--results-unused"]);
    assert_eq!(asserted.code, 0, "{}", asserted.err);
    let expected = "9 of 32 tasks of compute_task were executed (5 on a grid, 4 at random)";
    assert!(asserted.err.contains(expected), "{}", asserted.err);
    assert!(
        asserted
            .out
            .contains("--results-unused excludes: mandelbrot.f90:131 defines `to`"),
        "{}",
        asserted.out
    );
}

/// A Mandelbrot explorer whose results are in messages of their own and of another type than tasks, so that the slice
/// computes no row. Arguments: points in each direction, and iterations at most.
const ROWS: &str = "\
program rows
  use mpi
  implicit none
  integer :: rank, ranks, points, limit, error
  real, allocatable :: image(:, :)
  character(len=32) :: text
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  call get_command_argument(1, text)
  read (text, *) points
  call get_command_argument(2, text)
  read (text, *) limit
  if (rank == 0) then
    call serve
  else
    call compute
  end if
  call mpi_finalize(error)
contains
  subroutine serve
    integer :: status(mpi_status_size), next, left, row, source, answer
    allocate (image(points, points))
    next = 1
    left = ranks - 1
    do while (left > 0)
      call mpi_recv(row, 1, mpi_integer, mpi_any_source, 1, mpi_comm_world, status, error)
      source = status(mpi_source)
      if (row > 0) call mpi_recv(image(1, row), points, mpi_real, source, 3, mpi_comm_world, status, error)
      if (next <= points) then
        answer = next
        next = next + 1
      else
        answer = 0
        left = left - 1
      end if
      call mpi_send(answer, 1, mpi_integer, source, 2, mpi_comm_world, error)
    end do
    print '(i0,a)', count(image == limit), ' points in the set'
  end subroutine

  subroutine compute
    integer :: row, order
    real :: results(points)
    row = 0
    do
      call mpi_send(row, 1, mpi_integer, 0, 1, mpi_comm_world, error)
      if (row > 0) call mpi_send(results, points, mpi_real, 0, 3, mpi_comm_world, error)
      call mpi_recv(order, 1, mpi_integer, 0, 2, mpi_comm_world, mpi_status_ignore, error)
      if (order == 0) exit
      call explore(order, results)
      row = order
    end do
  end subroutine

  subroutine explore(row, to)
    integer, intent(in) :: row
    real, intent(out) :: to(:)
    double precision :: cr, ci, r, i, next
    integer :: column, n
    do column = 1, points
      cr = -2 + 2.5d0*(column - 1)/points
      ci = -1.25d0 + 2.5d0*(row - 1)/points
      r = 0
      i = 0
      n = 0
      do while (n < limit .and. r*r + i*i < 4)
        next = r*r - i*i + cr
        i = 2*r*i + ci
        r = next
        n = n + 1
      end do
      to(column) = n
    end do
  end subroutine
end program
";

/// Blocks take the times of compute data, and there are as many messages as in a recording and in an emulation of the whole
/// program.
#[test]
fn slices_are_emulated_with_the_times_of_compute_data() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("rows.f90"), ROWS).unwrap();
    let input = ["--", "32", "20000"];
    done(here, &["prepare", "rows.f90", "-o", "study"]);
    let options = ["--platform", "hdr-infiniband", "--draws", "0", "-o"];
    let emulated = |ranks: &str, output: &str| {
        let words = ["emulate", "study", "-n", ranks];
        mpiete(here, &[&words[..], &options, &[output], &input].concat())
    };
    let unmeasured = emulated("2", "sliced");
    assert_eq!(unmeasured.code, 2, "{}", unmeasured.err);
    let expected = "contains no compute data; create them with `mpiete measure";
    assert!(unmeasured.err.contains(expected), "{}", unmeasured.err);

    let measure = [
        "measure", "study", "-n", "2", "--co-run", "1", "--budget", "5",
    ];
    done(here, &[&measure[..], &input].concat());
    let sliced = emulated("2", "sliced");
    assert_eq!(sliced.code, 0, "{}", sliced.err);
    for expected in [
        "the slice keeps ",
        "of the slice took the times of compute data, after 2 emulations",
    ] {
        assert!(sliced.err.contains(expected), "{}", sliced.err);
    }
    let sliced = estimate(here, "sliced");
    // All but the 32 rows take microseconds; how long these take is measured in several parts.
    let compute = std::fs::read(here.join("study/compute-n2.mpiete")).unwrap();
    let compute: ComputeData = base_data::format::decode(&compute).unwrap();
    let longest = compute
        .entries
        .iter()
        .max_by(|a, b| a.warm.mean.total_cmp(&b.warm.mean))
        .unwrap();
    let parts = compute
        .entries
        .iter()
        .filter(|entry| entry.block == longest.block);
    let shortest = parts.map(|entry| entry.warm.mean).fold(f64::MAX, f64::min);
    let [least, most] = [shortest, longest.warm.mean].map(|mean| 32.0 * mean / 1e12);
    let computed = sliced.per_rank[1].split[Category::Compute.index()].seconds();
    assert!(
        0.99 * least < computed && computed < 1.1 * most,
        "{computed}, not {least} to {most}"
    );
    assert!(sliced.headline.seconds() >= computed);
    done(
        here,
        &[&["record", "study", "-n", "2"][..], &input].concat(),
    );
    let words = ["estimate", "study", "-n", "2"];
    done(here, &[&words[..], &options, &["recorded"]].concat());
    let recorded = estimate(here, "recorded");
    assert_eq!(sliced.replayed_messages, recorded.replayed_messages);

    compile(here, &here.join("rows.f90"), "rows");
    let words = ["emulate", "-n", "4", "--draws", "0", "-o", "whole"];
    done(here, &[&words[..], &["--", "./rows"], &input[1..]].concat());
    assert_eq!(emulated("4", "sliced").code, 0);
    let [whole, sliced] = ["whole", "sliced"].map(|name| estimate(here, name));
    assert_eq!(whole.replayed_messages, sliced.replayed_messages);
}

/// The slice needs the data of no message. Its ranks take the time of the estimate from a recording, and send as many messages.
#[test]
fn slices_take_the_time_of_their_estimates() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let program = npb_fixtures::programs().join("cg");
    let class = program.join("class-S").display().to_string();
    let program = program.display().to_string();
    let prepare = ["prepare", program.as_str(), "-I", class.as_str()];
    done(here, &[&prepare[..], &["--whole", "-o", "study"]].concat());
    done(here, &["record", "study", "-n", "4"]);
    let measure = ["measure", "study", "-n", "4", "--co-run", "1"];
    done(here, &[&measure[..], &["--budget", "5"]].concat());
    for command in ["estimate", "emulate"] {
        let words = [command, "study", "-n", "4", "--draws", "0", "-o", command];
        done(here, &words);
    }
    let [replayed, emulated] = ["estimate", "emulate"].map(|name| estimate(here, name));
    assert_eq!(replayed.replayed_messages, emulated.replayed_messages);
    let (found, expected) = (emulated.headline.seconds(), replayed.headline.seconds());
    // Only the first executions of blocks take other times.
    assert!((found / expected - 1.0).abs() < 0.05, "{found} {expected}");
}

/// Tasks and results are in one array, so the slice computes all and the report says so; blocks still take their times.
#[test]
fn slices_that_compute_everything_are_emulated_with_the_cause() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::copy(fixture("mandelbrot.f90"), here.join("mandelbrot.f90")).unwrap();
    let input = ["--", "1", "24", "500"];
    done(here, &["prepare", "mandelbrot.f90", "-o", "study"]);
    let measure = [
        "measure", "study", "-n", "3", "--co-run", "1", "--budget", "5",
    ];
    done(here, &[&measure[..], &input].concat());
    let words = [
        "emulate", "study", "-n", "3", "--draws", "0", "-o", "sliced",
    ];
    let sliced = mpiete(here, &[&words[..], &input].concat());
    assert_eq!(sliced.code, 0, "{}", sliced.err);
    for expected in [
        "the slice keeps 127 of 129 statements",
        "no single change removes",
    ] {
        assert!(sliced.err.contains(expected), "{}", sliced.err);
    }
    compile(here, &fixture("mandelbrot.f90"), "mandelbrot");
    let words = ["emulate", "-n", "3", "--draws", "0", "-o", "whole"];
    done(
        here,
        &[&words[..], &["--", "./mandelbrot"], &input[1..]].concat(),
    );
    let [whole, sliced] = ["whole", "sliced"].map(|name| estimate(here, name));
    assert_eq!(whole.replayed_messages, sliced.replayed_messages);
}

/// Two ranks share a node, whose messages take a hundredth of the time: the master gets those of its neighbour first, and the
/// ranks of a node find each other. Only ranks beside each other in the order of placement share one.
#[test]
fn several_ranks_share_a_node() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let bundled = include_str!("../../../machine/src/platforms/fast-ethernet.toml");
    let nodes = bundled.replace("ranks_per_node = 1", "ranks_per_node = 2");
    let inside = r#"
[[links]]
class = "inside-node"

[links.data]
network = "shared memory"
mpi_library = "MPICH"

[[links.data.fits]]
model = "loggps-p"
source = "a test"
parameters = [
    { name = "L", value = 500.0, unit = "ns" },
    { name = "o'", value = 100.0, unit = "ns" },
    { name = "o_per_rank", value = 0.0, unit = "ns/rank" },
    { name = "Oss", value = 0.1, unit = "ns/byte" },
    { name = "Ors", value = 0.1, unit = "ns/byte" },
    { name = "Gs", value = 0.1, unit = "ns/byte" },
]
"#;
    std::fs::write(here.join("nodes.toml"), nodes + inside).unwrap();
    of_text(
        here,
        r#"
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    int rank, length, local, leader, some;
    char name[MPI_MAX_PROCESSOR_NAME], all[4][MPI_MAX_PROCESSOR_NAME];
    MPI_Comm node;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    memset(name, 0, sizeof name);
    MPI_Get_processor_name(name, &length);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &local);
    leader = rank;
    MPI_Bcast(&leader, 1, MPI_INT, 0, node);
    MPI_Gather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (leader != rank - rank % 2)
        MPI_Abort(MPI_COMM_WORLD, 3);
    /* All workers send at one time. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&some, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        printf("%s %s %s %s, %d, first %d\n", all[0], all[1], all[2], all[3], local, status.MPI_SOURCE);
        for (int k = 0; k < 2; k++)
            MPI_Recv(&some, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    }
    MPI_Comm_free(&node);
    MPI_Finalize();
}
"#,
    );
    let options = ["--platform", "nodes.toml", "-o", "estimate"];
    let emulated = mpiete(here, &emulation("4", &options, &["./program"]));
    assert_eq!(emulated.code, 0, "{}", emulated.err);
    let expected = "node-0 node-0 node-1 node-1, 2, first 1\n";
    assert!(
        emulated.out.starts_with(expected),
        "{}{}",
        emulated.out,
        emulated.err
    );
    assert_eq!(end(&emulated.err), ends_of(&estimate(here, "estimate")));
}

#[test]
fn predict_emulates_what_depends_on_timing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::copy(fixture("mandelbrot.f90"), here.join("mandelbrot.f90")).unwrap();
    let predicted = mpiete(
        here,
        &[
            "predict",
            "mandelbrot.f90",
            "-n",
            "4",
            "-o",
            "study",
            "--draws",
            "0",
        ],
    );
    assert_eq!(predicted.code, 0, "{}", predicted.err);
    let expected = "is emulated as a whole, since its control flow depends on timing:\n";
    assert!(predicted.err.contains(expected), "{}", predicted.err);
    assert!(
        predicted.out.contains("predicted time"),
        "{}",
        predicted.out
    );
    assert!(predicted.out.contains("timeline"), "{}", predicted.out);
    // One line for all branches of one clock.
    assert_eq!(
        predicted.err.matches("a clock decides here").count(),
        1,
        "{}",
        predicted.err
    );
    let rest = predicted.out.replace("mandelbrot.f90:152", "");
    assert_ne!(rest, predicted.out, "places are those of the sources");
    for unexpected in [
        "unknown",
        "+0x",
        ".build",
        "draws",
        "the interval does not include network",
    ] {
        assert!(!rest.contains(unexpected), "{unexpected}: {rest}");
    }
}

fn fails(here: &Path, ranks: &str, expected: &[&str]) {
    let emulated = mpiete(here, &["emulate", "-n", ranks, "--", "./program"]);
    assert_eq!(emulated.code, 1, "{}{}", emulated.out, emulated.err);
    for words in expected {
        assert!(emulated.err.contains(words), "{}", emulated.err);
    }
}

#[test]
fn ranks_that_wait_for_each_other_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, some;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&some, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
"#,
    );
    fails(here, "2", &["deadlock", "MPI_Recv"]);
}

#[test]
fn polls_for_what_never_comes_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    of_text(
        here,
        r#"
#include <mpi.h>
int main(int argc, char **argv) {
    int flag = 0;
    MPI_Init(&argc, &argv);
    while (!flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
"#,
    );
    fails(here, "2", &["MPI_Iprobe"]);
}

/// Rank 1 makes no MPI call any more and executes this instead, while rank 0 does not run. The test ends the run by a limit of
/// the program's own.
fn silence_is_reported(instead: &str, expected: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let text = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
static void enough(int signal) { (void)signal; _exit(9); }
static volatile int one = 1;
int main(int argc, char **argv) {
    int rank, word = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int file = open("file", O_RDWR | O_CREAT, 0600);
    if (ftruncate(file, 4096)) return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        struct itimerval limit = {{0, 0}, {3, 0}};
        signal(SIGALRM, enough);
        setitimer(ITIMER_REAL, &limit, 0);
        INSTEAD
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (write(file, &word, sizeof word) < 0) return 1;
    MPI_Finalize();
}
"#;
    of_text(here, &text.replace("INSTEAD", instead));
    fails(here, "2", expected);
}

#[test]
fn spinning_on_shared_memory_is_reported_with_its_place() {
    let text = "MPI_Barrier(MPI_COMM_WORLD);";
    let all = "volatile int *shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);";
    // Both ranks map the file.
    let instead = format!("}} {all} {text} if (rank == 1) {{ while (!*shared) ;");
    silence_is_reported(
        &instead,
        &[
            "rank 1 has made no MPI call for a second after MPI_Barrier",
            "shares memory with rank 0",
        ],
    );
}

#[test]
fn waiting_for_the_time_stamp_of_a_file_is_reported_with_its_place() {
    silence_is_reported(
        "struct stat s; fstat(file, &s); long old = s.st_mtime; do fstat(file, &s); while (s.st_mtime == old);",
        &[
            "rank 1 has made no MPI call for a second after MPI_Barrier",
            "as by a program that waits for a file or its time stamp",
        ],
    );
}

#[test]
fn ranks_that_never_call_mpi_again_are_reported_with_their_place() {
    silence_is_reported(
        "while (one) ;",
        &[
            "goes on when rank 1 calls MPI, and does not end if it never does",
            "it has computed for 1 s after MPI_Barrier",
        ],
    );
}

#[test]
fn what_cannot_be_emulated_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let refused = |words: &[&str], expected: &str| {
        let emulated = mpiete(here, &[&["emulate", "-n", "2"], words].concat());
        assert_eq!(emulated.code, 2, "{}", emulated.err);
        assert!(emulated.err.contains(expected), "{}", emulated.err);
    };
    refused(&[], "nothing to emulate");
    refused(&["."], ". is no study, whose slice could be emulated");
    refused(&["--", "./missing"], "does not exist");
    std::fs::write(here.join("times"), "mpiete compute-times 1\n1 2\n").unwrap();
    refused(
        &["--replay-times", "times", "--", "./missing"],
        "times of 1 ranks",
    );
    std::fs::write(here.join("times"), "1 2\n").unwrap();
    refused(
        &["--replay-times", "times", "--", "./missing"],
        "no compute times",
    );
}
