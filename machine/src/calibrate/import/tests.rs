//! Outputs of other tools, in the formats of several of their versions; the numbers are made up.

use super::*;
use crate::calibrate::calibrate;
use base_data::comm_data::CommData;

const OSU_LATENCY: &str = "\
srun: job 17 queued
# OSU MPI Latency Test v5.6.3
# Size          Latency (us)
0                       1.00
1                       1.01
1024                    1.50
65536                   8.00
1048576               101.00
";

const OSU_BANDWIDTH: &str = "
# OSU MPI Bandwidth Test v7.1
# Size      Bandwidth (MB/s)
# Datatype: MPI_CHAR.
1                       2.00
1024                 2000.00
65536               10000.00
1048576             10000.00
";

const OSU_BOTH: &str = "
# OSU MPI Bi-Directional Bandwidth Test v7.5
# Datatype: MPI_CHAR.
# Size      Bandwidth (MB/s)        Validation
1                       3.00              Pass
65536               16000.00              Pass
1048576             16000.00              Pass
";

const IMB: &str = "
#----------------------------------------------------------------
#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part
#----------------------------------------------------------------
# Benchmarking PingPong
# #processes = 2
# ( 6 additional processes waiting in MPI_Barrier)
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         1.60         0.00
           64         1000         1.70        37.65
      1048576           40       100.00     10485.76

#-----------------------------------------------------------------------------
# Benchmarking Sendrecv
# #processes = 2
#-----------------------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec
            0         1000         1.70         1.90         1.80         0.00
      1048576           40       118.00       122.00       120.00     17476.27

#----------------------------------------------------------------
# Benchmarking Alltoall
# #processes = 8
#----------------------------------------------------------------
       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
            8         1000        10.00        12.00        11.00
   4294967296            1   out-of-mem.

#---------------------------------------------------
# Benchmarking Barrier
# #processes = 8
#---------------------------------------------------
 #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
         1000         5.00         5.50         5.20

# All processes entering MPI_Finalize
";

fn imported(text: &str, run: &Run) -> Imported {
    let mut imported = Imported::default();
    read("f", text, run, &mut imported).unwrap();
    imported
}

/// Kind, length and nanoseconds.
fn times(imported: &Imported, kind: SampleKind) -> Vec<(u64, i64)> {
    let of_kind = imported.samples.iter().filter(|sample| sample.kind == kind);
    of_kind
        .map(|sample| (sample.bytes, sample.median.picoseconds() / 1000))
        .collect()
}

#[test]
fn osu_point_to_point() {
    let all = [OSU_LATENCY, OSU_BANDWIDTH, OSU_BOTH].concat();
    let found = imported(&all, &Run::default());
    assert_eq!(
        times(&found, SampleKind::PingPong),
        [
            (0, 1000),
            (1, 1010),
            (1024, 1500),
            (65536, 8000),
            (1_048_576, 101_000)
        ]
    );
    // Bytes over 10⁶ bytes per second are microseconds.
    assert_eq!(
        times(&found, SampleKind::Flood)[..2],
        [(1, 500), (1024, 512)]
    );
    // Both directions together: two messages in the time of one sample.
    assert_eq!(
        times(&found, SampleKind::ExchangeFlood)[1..],
        [(65536, 8192), (1_048_576, 131_072)]
    );
    assert_eq!(found.remarks, [""; 0]);
}

#[test]
fn osu_of_the_first_versions() {
    let found = imported(
        "# OSU MPI Latency Test (Version 2.0)\n# Size\t\tLatency (us)\n0\t\t1.06\n4194304\t\t2178.66\n",
        &Run::default(),
    );
    assert_eq!(
        times(&found, SampleKind::PingPong),
        [(0, 1060), (4_194_304, 2_178_660)]
    );
}

#[test]
fn osu_message_rates_of_several_pairs_are_left_out() {
    let rates = |pairs| {
        format!(
            "# OSU MPI Multiple Bandwidth / Message Rate Test v5.7.1\n# [ pairs: {pairs} ] [ window size: 64 ]\n\
             # Size                  MB/s        Messages/s\n1   2.00   2000000.00\n1024   2000.00   1953125.00\n"
        )
    };
    let one = imported(&rates(1), &Run::default());
    assert_eq!(times(&one, SampleKind::Flood), [(1, 500), (1024, 512)]);
    let many = imported(&rates(48), &Run::default());
    assert!(many.samples.is_empty());
    assert_eq!(many.remarks.len(), 1, "{:?}", many.remarks);
}

#[test]
fn osu_collectives_need_the_number_of_ranks() {
    let text = "
# OSU MPI All-to-All Personalized Exchange Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations
1                       4.30              4.10              4.60        1000
1024                   12.00             11.00             13.00        1000

# OSU MPI Barrier Latency Test v5.6.2
# Avg Latency(us)
             9.25
# OSU MPI Non-blocking Allreduce Latency Test v7.5
# Size           Overall(us)       Compute(us)    Pure Comm.(us)        Overlap(%)
4   1.0 1.0 1.0 1.0
";
    let error = calibrate(&[("a.out", text)], &Run::default()).unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("a.out:2: ") && error.contains("--ranks"),
        "{error}"
    );
    let run = Run {
        ranks: Some(8),
        ranks_per_node: Some(4),
        ..Run::default()
    };
    let found = imported(text, &run);
    let curve = |kind| {
        let curve = found.collectives.iter().find(|curve| curve.kind == kind);
        let curve = curve.unwrap();
        assert_eq!((curve.ranks, curve.ranks_per_node), (8, 4));
        let point = |point: &CurvePoint| (point.bytes, point.time.picoseconds() / 1000);
        curve.points.iter().map(point).collect::<Vec<_>>()
    };
    assert_eq!(curve(CollectiveKind::Alltoall), [(1, 4600), (1024, 13_000)]);
    assert_eq!(curve(CollectiveKind::Barrier), [(0, 9250)]);
    assert!(
        found.remarks[0].contains("'Non-blocking Allreduce Latency'"),
        "{:?}",
        found.remarks
    );
}

#[test]
fn intel_mpi_benchmarks() {
    let found = imported(IMB, &Run::default());
    assert_eq!(
        times(&found, SampleKind::PingPong),
        [(0, 1600), (64, 1700), (1_048_576, 100_000)]
    );
    assert_eq!(
        times(&found, SampleKind::Exchange),
        [(0, 1800), (1_048_576, 120_000)]
    );
    let kinds: Vec<CollectiveKind> = found.collectives.iter().map(|curve| curve.kind).collect();
    assert_eq!(kinds, [CollectiveKind::Alltoall, CollectiveKind::Barrier]);
    let alltoall = &found.collectives[0];
    assert_eq!(alltoall.ranks, 8);
    let time = Time::from_nanoseconds(12_000);
    assert_eq!(alltoall.points, [CurvePoint { bytes: 8, time }]);
}

#[test]
fn ring_of_many_processes_is_left_out() {
    let ring = IMB.replace("Sendrecv\n# #processes = 2", "Sendrecv\n# #processes = 16");
    let found = imported(&ring, &Run::default());
    assert!(times(&found, SampleKind::Exchange).is_empty());
    assert_eq!(found.remarks.len(), 1);
    assert!(found.remarks[0].contains("Sendrecv of 16 processes"));
}

#[test]
fn netgauge_logs() {
    let loggp = "# size n PRTT(1,0,s) PRTT(n,0,s) PRTT(n,PRTT(1,0,s),s) L o_s o_r g G lsqu(g,G)\n\
        # to get o: plot \"./loggp.out\" using 1:(($5-$3)/($2-1)-$3)\n\
        1 16 4.000000 19.000000 90.000000 2.000000 0.400000 -0.010000 1.000000 0.000100 0.01\n\
        1024 16 6.000000 36.000000 99.000000 2.000000 0.500000 0.300000 1.000000 0.001000 0.02\n";
    let found = imported(loggp, &Run::default());
    assert_eq!(
        times(&found, SampleKind::PingPong),
        [(1, 2000), (1024, 3000)]
    );
    assert_eq!(times(&found, SampleKind::Flood), [(1, 1000), (1024, 2000)]);
    assert_eq!(
        times(&found, SampleKind::BlockingSend),
        [(1, 400), (1024, 500)]
    );
    assert_eq!(times(&found, SampleKind::LateReceive), [(1024, 300)]);
    let one_one = "# Sysname : Linux\n## Netgauge v2.4.6 - mode one_one - 2 processes\n##\n\
        ## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q\n\
        8 - 0.50 0.70 0.60 3.00 (0.10 4) - 1.80 2.10 2.00 9.00 (0.30 5) - 7.11 30.48 32.00 35.56\n";
    let found = imported(one_one, &Run::default());
    assert_eq!(times(&found, SampleKind::BlockingSend), [(8, 600)]);
    assert_eq!(times(&found, SampleKind::PingPong), [(8, 2000)]);
    assert_eq!(found.samples[1].minimum, Time::from_nanoseconds(1800));
}

/// Logs contain several tools' outputs, and lines that begin as rows do.
#[test]
fn rows_belong_to_the_last_title_of_any_tool() {
    let rest = "\n# OSU OpenSHMEM Put Test v7.1\n# Size Latency (us)\n8 77.0\n";
    let all = [OSU_LATENCY, rest, IMB, OSU_BANDWIDTH].concat();
    let found = imported(&all, &Run::default());
    let (osu, imb) = (
        imported(&[OSU_LATENCY, OSU_BANDWIDTH].concat(), &Run::default()),
        imported(IMB, &Run::default()),
    );
    assert_eq!(found.samples.len(), osu.samples.len() + imb.samples.len());
    assert_eq!(found.collectives, imb.collectives);
    let netgauge = "# size n PRTT(1,0,s)\n1 16 4.0 19.0 90.0 2.0 0.4 0.1 1.0 0.0001 0.01\n";
    let both = imported(&[OSU_LATENCY, netgauge].concat(), &Run::default());
    assert_eq!(times(&both, SampleKind::PingPong).len(), 6);
}

#[test]
fn lines_of_a_log_are_no_rows() {
    let log = "2026-11-27 20:17:31 job 17 runs\n12:00:01 done\n----------------\n- 4 nodes\n12 nodes of 4\n";
    for text in [OSU_LATENCY, OSU_BANDWIDTH, IMB] {
        let (plain, logged) = (
            imported(text, &Run::default()),
            imported(&format!("{log}{text}{log}"), &Run::default()),
        );
        assert_eq!(plain.samples, logged.samples);
        assert_eq!(plain.collectives, logged.collectives);
    }
    // Rows of what is not used may look as they like.
    let unused = "# OSU MPI Put Latency Test v7.1\n1 -2.0\n5\n# Benchmarking Window\n# #processes = 2\n\
        #bytes #repetitions t[usec]\n8 1000\n";
    assert!(imported(unused, &Run::default()).samples.is_empty());
}

#[test]
fn intel_mpi_benchmarks_that_ran_out_of_time() {
    for words in [
        "time-out.",
        "int-overflow.",
        "out-of-mem.",
        "0.0  time-out.",
    ] {
        let text = IMB.replace("40       100.00     10485.76", &format!("1 {words}"));
        let found = imported(&text, &Run::default());
        assert_eq!(times(&found, SampleKind::PingPong), [(0, 1600), (64, 1700)]);
    }
}

#[test]
fn last_row_without_its_end_is_rejected() {
    for text in [
        OSU_LATENCY,
        OSU_BANDWIDTH,
        "# Benchmarking PingPong\n# #processes = 2\n#bytes #repetitions t[usec]\n8 1000 1.0\n",
    ] {
        let cut = &text[..text.len() - 1];
        let error = calibrate(&[("f", cut)], &Run::default()).unwrap_err();
        assert!(matches!(error, CalibrateError::CutRow { .. }), "{error}");
    }
    // A log may end as it likes.
    assert!(calibrate(&[("f", &format!("{OSU_LATENCY}done"))], &Run::default()).is_ok());
}

#[test]
fn osu_multi_latency_is_of_one_pair_only_with_two_ranks() {
    let text = "# OSU MPI Multi Latency Test v7.1\n# Size Latency (us)\n1 1.5\n8 1.6\n";
    let several = imported(text, &Run::default());
    assert!(several.samples.is_empty());
    assert!(
        several.remarks[0].contains("--ranks 2"),
        "{:?}",
        several.remarks
    );
    let run = Run {
        ranks: Some(2),
        ..Run::default()
    };
    let pair = imported(text, &run);
    assert_eq!(times(&pair, SampleKind::PingPong), [(1, 1500), (8, 1600)]);
}

#[test]
fn osu_both_directions_by_their_old_title() {
    let text = OSU_BOTH.replace("Bi-Directional", "Bidirectional");
    let found = imported(&text, &Run::default());
    assert_eq!(times(&found, SampleKind::ExchangeFlood).len(), 3);
}

/// Point-to-point outputs beside those of collectives are used.
#[test]
fn collectives_without_a_number_of_ranks_are_a_remark() {
    let osu = "# OSU MPI Allreduce Latency Test v7.1\n4 10.0\n8 10.1\n";
    let imb = IMB.replace("Barrier\n# #processes = 8", "Barrier");
    for (text, collectives) in [([OSU_LATENCY, osu].concat(), 0), (imb, 1)] {
        let found = imported(&text, &Run::default());
        assert_eq!(found.collectives.len(), collectives);
        assert!(!found.samples.is_empty());
        assert_eq!(found.remarks.len(), 1, "{:?}", found.remarks);
        assert!(found.remarks[0].contains("--ranks"), "{:?}", found.remarks);
    }
}

#[test]
fn ranks_per_node_are_at_most_the_ranks() {
    let run = Run {
        ranks: Some(8),
        ranks_per_node: Some(9),
        ..Run::default()
    };
    let error = calibrate(&[("f", OSU_LATENCY)], &run).unwrap_err();
    let sentence = error.to_string();
    assert!(
        sentence.starts_with("9 ranks per node are more than the 8 ranks"),
        "{sentence}"
    );
    // A file of another number of ranks, fewer than a node has.
    let run = Run {
        ranks_per_node: Some(32),
        ..Run::default()
    };
    assert_eq!(imported(IMB, &run).collectives[0].ranks_per_node, 8);
    let run = Run {
        link: LinkClass::InsideNode,
        ..Run::default()
    };
    assert_eq!(imported(IMB, &run).collectives[0].ranks_per_node, 8);
}

#[test]
fn probe_samples_among_other_outputs_are_rejected() {
    let sample = "mpiete-sample ping-pong between-nodes 2 0 0 50000 49000 400 100\n";
    let text = [OSU_LATENCY, sample].concat();
    let error = calibrate(&[("f", &text)], &Run::default()).unwrap_err();
    assert!(error.to_string().contains("a file of their own"), "{error}");
}

#[test]
fn wrong_rows_are_named() {
    for (text, found) in [
        ("# OSU MPI Latency Test v7.1\n8 -1.0\n", "'-1.0'"),
        ("# OSU MPI Latency Test v7.1\n8\n", "'8'"),
        ("# OSU MPI Latency Test v7.1\n-8 1.0\n", "'-8'"),
        (
            "# Benchmarking PingPong\n# #processes = 2\n #bytes #repetitions t[usec] Mbytes/sec\n 8 1000 1.0\n",
            "'8 1000 1.0'",
        ),
        ("# size n PRTT(1,0,s)\n1 16 4.0\n", "'1 16 4.0'"),
        (
            "# size n PRTT(1,0,s)\n1 16 4.0 19.0 90.0 2.0 0.4 0.1\n",
            "'1 16 4.0 19.0 90.0 2.0 0.4 0.1'",
        ),
        (
            "## Netgauge v2.4.6 - mode one_one - 2 processes\n\
             8 - 0.50 0.70 0.60 3.00 (0.10 4) - 1.80 2.10 2.00 9.00 (0.30 5) - 7.11\n",
            "7.11'",
        ),
        ("# OSU MPI Latency Test v7.1\n8 1.0x\n", "'1.0x'"),
    ] {
        let error = calibrate(&[("f", text)], &Run::default()).unwrap_err();
        let error = error.to_string();
        assert!(error.starts_with("f:") && error.contains(found), "{error}");
    }
}

fn fitted(text: &str) -> (CommData, Vec<String>) {
    let made = calibrate(&[("f", text)], &Run::default()).unwrap();
    (made.data, made.warnings)
}

/// A message alone takes as long as measured, whatever is assumed of the overheads, and the interval contains what is not known.
#[test]
fn what_outputs_do_not_determine_is_said() {
    let (data, warnings) = fitted(&[OSU_LATENCY, OSU_BANDWIDTH, OSU_BOTH].concat());
    let fit = data.fit("flow", LinkClass::BetweenNodes).unwrap();
    // Up to 500 ns of each message's time, of which half is assumed.
    assert_eq!(fit.parameter("o_send"), Some(250.0));
    assert_eq!(fit.parameter("o_recv"), Some(250.0));
    // 16000 MB/s of both directions beside 10000 MB/s of one.
    assert!((fit.parameter("duplex").unwrap() - 0.8).abs() < 0.01);
    assert!(fit.residual.unwrap() > 500.0 / 12f64.sqrt() / 1010.0);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    for part in ["o_send and o_recv", "the interval is wider"] {
        assert!(warnings[0].contains(part), "{warnings:?}");
    }
}

#[test]
fn latencies_alone_make_a_curve() {
    let (data, warnings) = fitted(OSU_LATENCY);
    let models: Vec<&str> = data.fits.iter().map(|fit| fit.model.as_str()).collect();
    assert_eq!(models, ["mpiete"]);
    assert!(warnings[0].contains("osu_bw"), "{warnings:?}");
}
