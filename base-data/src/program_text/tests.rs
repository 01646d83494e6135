//! The text form on examples; that arbitrary data come back is in `tests/program_text.rs`.

use super::*;
use crate::ids::{CallSiteId, VariantId};
use crate::program_data::{Call, Op, Operand, RecordMethod};

const RING: &str = "\
mpiete program text 1
ranks 4
file 0 ring.f
block 0 compute ring.f:10-14 in ring term \"n\" ring.f:11
site 0 MPI_Isend ring.f:15 in ring
class 0-3

  loop 25   # twenty-five times
    block 0 terms 400
    send site=0 peer=rank^1 tag=7 count=100 type=real8 request=0
    receive peer=rank^1 tag=7 count=100 type=real8
    wait all 0
  end
  allreduce count=1 type=real8 op=sum
";

#[test]
fn text_program_gets_defaults() {
    let data = read(RING).unwrap();
    assert_eq!((data.ranks, data.method), (4, RecordMethod::Given));
    assert_eq!(
        (
            data.communicators.len(),
            data.datatypes.len(),
            data.variants.len()
        ),
        (2, 1, 1)
    );
    let stream = &data.classes[0].stream;
    assert!(matches!(stream[0], Op::Loop { body: 4, .. }));
    assert!(matches!(
        stream[1],
        Op::Block {
            variant: Operand::Constant(0),
            ..
        }
    ));
    assert!(matches!(
        stream[3],
        Op::Call {
            site: CallSiteId(1),
            call: Call::Receive { .. }
        }
    ));
    assert_eq!(data.table.site_place(CallSiteId(1)), "line 11");
    assert_eq!(data.variants[VariantId(0).index()].terms, [400]);
    let functions: Vec<&str> = data
        .table
        .call_sites
        .iter()
        .map(|site| site.function.as_str())
        .collect();
    assert_eq!(
        functions,
        ["MPI_Isend", "MPI_Recv", "MPI_Wait", "MPI_Allreduce"]
    );
}

#[test]
fn parsed_program_is_written_completely() {
    let expected = "\
mpiete program text 1
ranks 4
method given
file 0 ring.f
block 0 compute ring.f:10-14 in ring term \"n\" ring.f:11
site 0 MPI_Isend ring.f:15 in ring
site 1 MPI_Recv object \"line 11\" offset 0
site 2 MPI_Wait object \"line 12\" offset 0
site 3 MPI_Allreduce object \"line 14\" offset 0
variant 0 = block 0 terms 400
type 0 = real8
class 0-3
  loop 25
    block 0 variant 0
    send site=0 peer=rank^1 tag=7 count=100 type=0 comm=0 request=0
    receive site=1 peer=rank^1 tag=7 count=100 type=0 comm=0
    wait site=2 all 0
  end
  allreduce site=3 comm=0 count=1 type=0 op=sum
";
    assert_eq!(write(&read(RING).unwrap()), expected);
}

#[test]
fn a_wrong_line_is_named() {
    let cases = [
        (
            "",
            "line 1: found no line, expected 'mpiete program text 1'",
        ),
        (
            "hello",
            "line 1: found another first line, expected 'mpiete program text 1'",
        ),
        (
            "mpiete program text 2",
            "line 1: found version 2, expected version 1",
        ),
        (
            "mpiete program text 1\nmethod sliced",
            "line 2: found 'method', expected 'ranks'",
        ),
        (
            "mpiete program text 1\nranks 1\nmethod dreamt",
            "line 3: found 'dreamt', expected sliced, unsliced, virtual, given",
        ),
        (
            "mpiete program text 1\nranks 1\nfile 1 a.f",
            "line 3: found 1, expected 0: the entries of a table are numbered in order from 0",
        ),
        (
            "mpiete program text 1\nranks 1\nclass 0\nloop 3\nbarrier",
            "line 6: found the end of the stream within 1 open loops, expected 'end'",
        ),
        (
            "mpiete program text 1\nranks 1\nclass 0\nloop 3\nend",
            "line 5: found 'end' of a loop without entries, expected an entry",
        ),
        (
            "mpiete program text 1\nranks 1\nclass 0\nsend count=1",
            "line 4: found no 'peer=', expected peer=an operand, null or any",
        ),
        (
            "mpiete program text 1\nranks 1\nclass 0\nsend peer=0 count=1 colour=red",
            "line 4: found 'colour=red', expected the end of the line",
        ),
        (
            "mpiete program text 1\nranks 2\nclass 0",
            "the lines do not fit together: its classes hold 1 of 2 ranks",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(read(text).unwrap_err().to_string(), expected, "{text}");
    }
}
