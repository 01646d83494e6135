//! The actions of time-independent traces: one line of one rank to entries of its stream.
//!
//! Counts are numbers of elements; amounts of computation are operations of a processor that does 10^9
//! of them in a second, so nanoseconds. Every collective is one of the world.

use super::trace_builder::{TraceBuilder, transfer};
use super::{ImportError, MAKE_AGAIN, ti_datatypes};
use crate::trace_sites::TraceLine;
use base_data::RequestId;
use base_data::mpi::{BasicDatatype, ReduceOp};
use base_data::program_data::{
    Call, CollectiveKind, Completion, Counts, Op, Operand, Peer, SendMode, Tag, Transfer,
};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Words of all actions.
pub(super) const ACTIONS: [&str; 31] = [
    "init",
    "finalize",
    "compute",
    "sleep",
    "location",
    "send",
    "isend",
    "recv",
    "irecv",
    "wait",
    "test",
    "waitall",
    "sendRecv",
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "alltoall",
    "alltoallv",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "reducescatter",
    "scan",
    "exscan",
    "comm_size",
    "comm_split",
    "comm_dup",
];

/// A line of a trace file.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    pub(super) file: u32,
    pub(super) line: usize,
}

impl Line<'_> {
    fn wrong(&self, found: String, expected: &str) -> ImportError {
        ImportError::Line {
            file: self.name.into(),
            line: self.line,
            found,
            expected: expected.into(),
            remedy: MAKE_AGAIN,
        }
    }
}

/// A transfer that was started: sender, receiver, tag, number.
type Started = (i64, i64, i64, RequestId);

/// An action of the trace, stored until the end of the file, where the number of ranks is known. Most actions of many traces are
/// computation, which takes little memory here.
enum ParsedAction {
    /// Picoseconds.
    Work(i64),
    Call(Box<Op>),
    CountsPerRank(Box<CountsPerRank>),
}

/// A collective with counts per rank: how many words of its line are counts depends on the number of ranks.
struct CountsPerRank {
    place: TraceLine,
    file: String,
    words: Vec<String>,
    datatype: BasicDatatype,
}

/// Reads the lines of one rank.
pub(super) struct RankReader {
    rank: u32,
    entries: Vec<ParsedAction>,
    /// What counts are in where a line does not say.
    datatype: BasicDatatype,
    open: Vec<Started>,
    unused: BinaryHeap<Reverse<u32>>,
    numbers: u32,
    location: Option<TraceLine>,
}

/// Seconds that fit into sums of picoseconds.
const LONGEST: f64 = 1e6;

impl RankReader {
    pub(super) fn new(rank: u32) -> Self {
        Self {
            rank,
            entries: Vec::new(),
            datatype: BasicDatatype::Byte,
            open: Vec::new(),
            unused: BinaryHeap::new(),
            numbers: 0,
            location: None,
        }
    }

    /// Adds what a line says.
    ///
    /// # Errors
    /// A line that is wrong.
    pub(super) fn action(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        line: &Line<'_>,
        words: &[&str],
    ) -> Result<(), ImportError> {
        let place = self.location.unwrap_or(TraceLine {
            file: line.file,
            line: line.line as u32,
            rank: Some(self.rank),
        });
        match words {
            ["init", rest @ ..] => {
                // As SMPI reads it: with an argument of `init`, counts without a datatype are doubles,
                // otherwise bytes.
                self.datatype = if rest.is_empty() {
                    BasicDatatype::Byte
                } else {
                    BasicDatatype::Real(8)
                };
                self.call(builder, place, "MPI_Init", Call::Init);
            }
            ["finalize"] => self.call(builder, place, "MPI_Finalize", Call::Finalize),
            ["compute", amount] => self.work(seconds(line, amount, 1e-9)?),
            ["sleep", time] => self.work(seconds(line, time, 1.0)?),
            ["location", file, number] => {
                let number = number.parse().ok().filter(|&number| number > 0);
                let number =
                    number.ok_or_else(|| line.wrong(found(words), "'location FILE LINE'"))?;
                self.location = Some(TraceLine {
                    file: builder.file(file),
                    line: number,
                    rank: None,
                });
            }
            // They neither take time nor move data in a trace, whose messages are all of the world.
            ["comm_size" | "comm_split" | "comm_dup", ..] => {}
            [
                action @ ("send" | "isend" | "recv" | "irecv"),
                peer,
                tag,
                count,
                datatype @ ..,
            ] => {
                let transfer =
                    self.transfer(builder, line, [peer, tag, count], datatype.first())?;
                self.message(builder, place, action, transfer);
            }
            ["sendRecv", sent, to, received, from, datatypes @ ..] => {
                let (first, second) = (datatypes.first(), datatypes.get(1).or(datatypes.first()));
                let send = self.transfer(builder, line, [to, "0", sent], first)?;
                let receive = self.transfer(builder, line, [from, "0", received], second)?;
                let call = Call::SendReceive {
                    send,
                    receive,
                    observed: None,
                };
                self.call(builder, place, "MPI_Sendrecv", call);
            }
            ["wait", source, destination, tag] => {
                let number = |word: &str| integer(line, word, "'wait SENDER RECEIVER TAG'");
                // A trace has no request numbers: a wait names the ends and the tag of its transfer.
                let key = (number(source)?, number(destination)?, number(tag)?);
                self.wait(builder, place, key);
            }
            // Whether the transfer was over is not in the trace: its end is waited for where the trace
            // waits for it.
            ["test", _, _, _] => {}
            ["waitall", ..] => self.wait_for_all(builder, place),
            [action, ..] if ACTIONS.contains(action) => {
                return self.collective(builder, line, place, words);
            }
            _ => return Err(line.wrong(found(words), "an action like compute, send or allreduce")),
        }
        Ok(())
    }

    fn call(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        place: TraceLine,
        function: &'static str,
        call: Call,
    ) {
        let op = builder.call(place, function, call);
        self.entries.push(ParsedAction::Call(Box::new(op)));
    }

    fn work(&mut self, seconds: f64) {
        let picoseconds = picoseconds(seconds);
        if picoseconds > 0 {
            self.entries.push(ParsedAction::Work(picoseconds));
        }
    }

    fn transfer(
        &self,
        builder: &mut TraceBuilder<'_>,
        line: &Line<'_>,
        [peer, tag, count]: [&str; 3],
        datatype: Option<&&str>,
    ) -> Result<Transfer, ImportError> {
        let expected = "PEER TAG COUNT [DATATYPE]";
        let peer = match integer(line, peer, expected)? {
            -1 => Peer::Any,
            peer => Peer::Rank(Operand::Constant(peer)),
        };
        let tag = match integer(line, tag, expected)? {
            -1 => Tag::Any,
            tag => Tag::Value(Operand::Constant(tag)),
        };
        let count = match integer(line, count, expected)? {
            // Any length: that of the message.
            -1 => i64::from(i32::MAX),
            count => count,
        };
        let datatype = builder.datatype(datatype_of(line, datatype, self.datatype)?);
        Ok(transfer(peer, tag, count, datatype))
    }

    fn message(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        place: TraceLine,
        action: &str,
        transfer: Transfer,
    ) {
        let own = i64::from(self.rank);
        let value = |operand: Operand| {
            if let Operand::Constant(value) = operand {
                value
            } else {
                -1
            }
        };
        let peer = if let Peer::Rank(peer) = transfer.peer {
            value(peer)
        } else {
            -1
        };
        let tag = if let Tag::Value(tag) = transfer.tag {
            value(tag)
        } else {
            -1
        };
        let sends = action.ends_with("send");
        let envelope = if sends {
            (own, peer, tag)
        } else {
            (peer, own, tag)
        };
        // isend and irecv are completed by a later wait, which names both ranks and the tag.
        let request = if action.starts_with('i') {
            Some(self.start(envelope))
        } else {
            None
        };
        let call = if sends {
            Call::Send {
                mode: SendMode::Standard,
                transfer,
                request,
            }
        } else {
            Call::Receive {
                transfer,
                request,
                observed: None,
            }
        };
        let function = match action {
            "send" => "MPI_Send",
            "isend" => "MPI_Isend",
            "recv" => "MPI_Recv",
            _ => "MPI_Irecv",
        };
        self.call(builder, place, function, call);
    }

    fn start(&mut self, (source, destination, tag): (i64, i64, i64)) -> RequestId {
        let number = self
            // The lowest free number, as recordings have it.
            .unused
            .pop()
            .map(|Reverse(number)| number)
            .unwrap_or_else(|| {
                self.numbers += 1;
                self.numbers - 1
            });
        self.open
            .push((source, destination, tag, RequestId(number)));
        RequestId(number)
    }

    /// Waits for the first such transfer; one that is not open has been tested for.
    fn wait(&mut self, builder: &mut TraceBuilder<'_>, place: TraceLine, key: (i64, i64, i64)) {
        if let Some(at) = self
            .open
            .iter()
            // The oldest of several equal ones, as MPI matches them.
            .position(|&(from, to, tag, _)| (from, to, tag) == key)
        {
            let (_, _, _, request) = self.open.remove(at);
            self.complete(builder, place, "MPI_Wait", vec![request]);
        }
    }

    fn wait_for_all(&mut self, builder: &mut TraceBuilder<'_>, place: TraceLine) {
        let requests = std::mem::take(&mut self.open)
            .into_iter()
            .map(|(_, _, _, request)| request)
            .collect();
        self.complete(builder, place, "MPI_Waitall", requests);
    }

    fn complete(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        place: TraceLine,
        function: &'static str,
        requests: Vec<RequestId>,
    ) {
        self.unused
            .extend(requests.iter().map(|request| Reverse(request.0)));
        let completion = Completion::All;
        let call = Call::Wait {
            completion,
            requests,
            completed: Vec::new(),
            observed: Vec::new(),
        };
        self.call(builder, place, function, call);
    }

    fn collective(
        &mut self,
        builder: &mut TraceBuilder<'_>,
        line: &Line<'_>,
        place: TraceLine,
        words: &[&str],
    ) -> Result<(), ImportError> {
        let numbers = |from: usize, count: usize| -> Result<Vec<i64>, ImportError> {
            (from..from + count)
                .map(|at| argument(line, words, at))
                .collect()
        };
        let datatype = |at: usize| datatype_of(line, words.get(at), self.datatype);
        // What is called, its count, its root, its datatype, and the amount of computation in it.
        let (kind, counts, receive, root, element, amount) = match words[0] {
            "barrier" => (
                CollectiveKind::Barrier,
                0,
                None,
                None,
                BasicDatatype::Byte,
                None,
            ),
            "bcast" => {
                let root = words.get(2).map_or(Ok(0), |_| argument(line, words, 2))?;
                (
                    CollectiveKind::Broadcast,
                    numbers(1, 1)?[0],
                    None,
                    Some(root),
                    datatype(3)?,
                    None,
                )
            }
            "reduce" => {
                let root = words.get(3).map_or(Ok(0), |_| argument(line, words, 3))?;
                (
                    CollectiveKind::Reduce,
                    numbers(1, 1)?[0],
                    None,
                    Some(root),
                    datatype(4)?,
                    words.get(2),
                )
            }
            "allreduce" => (
                CollectiveKind::Allreduce,
                numbers(1, 1)?[0],
                None,
                None,
                datatype(3)?,
                words.get(2),
            ),
            "scan" => (
                CollectiveKind::Scan,
                numbers(1, 1)?[0],
                None,
                None,
                datatype(3)?,
                words.get(2),
            ),
            "exscan" => (
                CollectiveKind::ExclusiveScan,
                numbers(1, 1)?[0],
                None,
                None,
                datatype(3)?,
                words.get(2),
            ),
            "alltoall" => {
                let counts = numbers(1, 2)?;
                (
                    CollectiveKind::Alltoall,
                    counts[0],
                    Some(counts[1]),
                    None,
                    datatype(3)?,
                    None,
                )
            }
            "allgather" => {
                let counts = numbers(1, 2)?;
                (
                    CollectiveKind::Allgather,
                    counts[0],
                    None,
                    None,
                    datatype(3)?,
                    None,
                )
            }
            action @ ("gather" | "scatter") => {
                let (counts, root) = (
                    numbers(1, 2)?,
                    words.get(3).map_or(Ok(0), |_| argument(line, words, 3))?,
                );
                let is_root = root == i64::from(self.rank);
                let (kind, count) = match action {
                    "gather" => (CollectiveKind::Gather, counts[0]),
                    _ => (
                        CollectiveKind::Scatter,
                        if is_root { counts[0] } else { counts[1] },
                    ),
                };
                (kind, count, None, Some(root), datatype(4)?, None)
            }
            "gatherv" | "scatterv" | "allgatherv" | "alltoallv" | "reducescatter" => {
                let words = words.iter().map(|word| String::from(*word)).collect();
                let file = line.name.into();
                // How many words belong to it depends on the number of ranks, which is known when the last
                // line was read.
                let unread = CountsPerRank {
                    place,
                    file,
                    words,
                    datatype: self.datatype,
                };
                self.entries
                    .push(ParsedAction::CountsPerRank(Box::new(unread)));
                return Ok(());
            }
            _ => return Err(line.wrong(found(words), "an action that this version knows")),
        };
        let same = |count: i64| Counts::Same(Operand::Constant(count));
        let call = Call::Collective {
            kind,
            communicator: Operand::Constant(0),
            root: root.map(Operand::Constant),
            counts: same(counts),
            receive_counts: receive.map(same),
            datatype: builder.datatype(element),
            reduce_op: reduce_op(kind),
            request: None,
        };
        let amount = amount
            .map(|amount| seconds(line, amount, 1e-9))
            .transpose()?;
        self.call(builder, place, function(kind), call);
        // The computation inside a reduction follows it, as a block of its own.
        self.work(amount.unwrap_or(0.0));
        Ok(())
    }

    /// Adds the stream, now that the number of ranks is known.
    ///
    /// # Errors
    /// A collective whose counts are not one per rank; where steps are made, calls that cannot be replayed.
    pub(super) fn finish(
        self,
        builder: &mut TraceBuilder<'_>,
        ranks: u32,
    ) -> Result<(), ImportError> {
        for entry in self.entries {
            match entry {
                ParsedAction::Work(picoseconds) => {
                    let work = builder.work(picoseconds);
                    builder.add(work)?;
                }
                ParsedAction::Call(op) => builder.add(*op)?,
                ParsedAction::CountsPerRank(unread) => {
                    let line = Line {
                        name: &unread.file,
                        file: unread.place.file,
                        line: unread.place.line as usize,
                    };
                    let words: Vec<&str> = unread.words.iter().map(String::as_str).collect();
                    let what = PerRank {
                        words: &words,
                        rank: self.rank,
                        ranks,
                        datatype: unread.datatype,
                    };
                    per_rank(builder, &line, unread.place, &what)?;
                }
            }
        }
        builder.end_rank()
    }
}

/// A collective with counts per rank.
struct PerRank<'a> {
    words: &'a [&'a str],
    rank: u32,
    ranks: u32,
    datatype: BasicDatatype,
}

fn per_rank(
    builder: &mut TraceBuilder<'_>,
    line: &Line<'_>,
    place: TraceLine,
    what: &PerRank<'_>,
) -> Result<(), ImportError> {
    let (words, ranks) = (what.words, what.ranks as usize);
    let count =
        |at: usize| argument(line, words, at).map(|count| Counts::Same(Operand::Constant(count)));
    let table = |builder: &mut TraceBuilder<'_>, from: usize| -> Result<Counts, ImportError> {
        let counts: Result<Vec<u64>, _> = (from..from + ranks)
            .map(|at| argument(line, words, at).map(i64::unsigned_abs))
            .collect();
        Ok(Counts::PerRank(builder.counts(counts?)))
    };
    let root = |at: usize| words.get(at).map_or(Ok(0), |_| argument(line, words, at));
    let is_root = |root: i64| root == i64::from(what.rank);
    let (kind, counts, receive, root, datatype, amount) = match words[0] {
        "gatherv" => {
            let root = root(2 + ranks)?;
            // Only the root has the table; the words are in the line of every rank.
            let received = if is_root(root) {
                Some(table(builder, 2)?)
            } else {
                None
            };
            (
                CollectiveKind::Gather,
                count(1)?,
                received,
                Some(root),
                3 + ranks,
                None,
            )
        }
        "scatterv" => {
            let root = root(2 + ranks)?;
            let own = count(1 + ranks)?;
            let (sent, received) = if is_root(root) {
                (table(builder, 1)?, Some(own))
            } else {
                (own, None)
            };
            (
                CollectiveKind::Scatter,
                sent,
                received,
                Some(root),
                3 + ranks,
                None,
            )
        }
        "allgatherv" => {
            let received = Some(table(builder, 2)?);
            (
                CollectiveKind::Allgather,
                count(1)?,
                received,
                None,
                2 + ranks,
                None,
            )
        }
        "alltoallv" => {
            let (sent, received) = (table(builder, 2)?, Some(table(builder, 3 + ranks)?));
            (
                CollectiveKind::Alltoall,
                sent,
                received,
                None,
                3 + 2 * ranks,
                None,
            )
        }
        _ => (
            CollectiveKind::ReduceScatter,
            table(builder, 1)?,
            None,
            None,
            2 + ranks,
            words.get(1 + ranks),
        ),
    };
    let element = datatype_of(line, words.get(datatype), what.datatype)?;
    let call = Call::Collective {
        kind,
        communicator: Operand::Constant(0),
        root: root.map(Operand::Constant),
        counts,
        receive_counts: receive,
        datatype: builder.datatype(element),
        reduce_op: reduce_op(kind),
        request: None,
    };
    let op = builder.call(place, function_with_counts(kind), call);
    builder.add(op)?;
    let picoseconds = match amount {
        Some(amount) => picoseconds(seconds(line, amount, 1e-9)?),
        None => 0,
    };
    if picoseconds > 0 {
        let work = builder.work(picoseconds);
        builder.add(work)?;
    }
    Ok(())
}

fn picoseconds(seconds: f64) -> i64 {
    (seconds * 1e12).round() as i64
}

/// The operation of a reduction: traces do not contain which it is, so it is a sum.
fn reduce_op(kind: CollectiveKind) -> Option<ReduceOp> {
    if kind.reduces() {
        Some(ReduceOp::Sum)
    } else {
        None
    }
}

fn function(kind: CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::Barrier => "MPI_Barrier",
        CollectiveKind::Broadcast => "MPI_Bcast",
        CollectiveKind::Reduce => "MPI_Reduce",
        CollectiveKind::Allreduce => "MPI_Allreduce",
        CollectiveKind::Gather => "MPI_Gather",
        CollectiveKind::Scatter => "MPI_Scatter",
        CollectiveKind::Allgather => "MPI_Allgather",
        CollectiveKind::Alltoall => "MPI_Alltoall",
        CollectiveKind::ReduceScatter => "MPI_Reduce_scatter",
        CollectiveKind::Scan => "MPI_Scan",
        CollectiveKind::ExclusiveScan => "MPI_Exscan",
    }
}

/// The function with a count for each rank: libraries have other algorithms for some of them.
fn function_with_counts(kind: CollectiveKind) -> &'static str {
    match kind {
        CollectiveKind::Gather => "MPI_Gatherv",
        CollectiveKind::Scatter => "MPI_Scatterv",
        CollectiveKind::Allgather => "MPI_Allgatherv",
        CollectiveKind::Alltoall => "MPI_Alltoallv",
        _ => function(kind),
    }
}

fn datatype_of(
    line: &Line<'_>,
    word: Option<&&str>,
    otherwise: BasicDatatype,
) -> Result<BasicDatatype, ImportError> {
    let Some(word) = word else {
        return Ok(otherwise);
    };
    let known = word.parse().ok().and_then(ti_datatypes::datatype);
    known.ok_or_else(|| {
        line.wrong(
            format!("datatype '{word}'"),
            "a number of SMPI's datatypes like 0 or 6",
        )
    })
}

/// A count, which traces may write as a real number.
fn argument(line: &Line<'_>, words: &[&str], at: usize) -> Result<i64, ImportError> {
    let Some(word) = words.get(at) else {
        return Err(line.wrong(
            found(words),
            &format!("at least {at} numbers after '{}'", words[0]),
        ));
    };
    let value = word
        .parse::<f64>()
        .ok()
        .filter(|value| (0.0..=9e15).contains(value));
    value
        .map(|value| value as i64)
        .ok_or_else(|| line.wrong(format!("'{word}'"), "a number of at least 0"))
}

fn integer(line: &Line<'_>, word: &str, expected: &str) -> Result<i64, ImportError> {
    let value = word
        .parse::<f64>()
        .ok()
        .filter(|value| (-1.0..=9e15).contains(value));
    value
        .map(|value| value as i64)
        .ok_or_else(|| line.wrong(format!("'{word}'"), expected))
}

fn seconds(line: &Line<'_>, word: &str, unit: f64) -> Result<f64, ImportError> {
    let value = word.parse::<f64>().ok().map(|value| value * unit);
    let value = value.filter(|value| (0.0..=LONGEST).contains(value));
    value.ok_or_else(|| {
        line.wrong(
            format!("'{word}'"),
            "an amount of at least 0 that takes at most 10^6 s",
        )
    })
}

fn found(words: &[&str]) -> String {
    let line: String = words.join(" ").chars().take(60).collect();
    format!("'{line}'")
}
