//! Text to program data: MPI calls.

use super::lines::{Line, Read, listed};
use super::read_entries::{datatype, site};
use super::spelling::{self, OPERAND_FORM, Spelled, parse_operand};
use crate::ids::{CommId, RequestId};
use crate::program_data::{
    Call, CollectiveKind, Completion, Counts, ObservedMatch, Op, Operand, Peer, ProgramData,
    SendMode, Tag, Transfer,
};

const ENTRY_WORDS: &str = "loop, end, block, section, clock, init, finalize, abort, send, receive, \
                           send-receive, wait, test, probe, persistent, start, make-communicator, a \
                           collective like allreduce, or class";
const WORLD: Operand = Operand::Constant(CommId::WORLD.0 as i64);

/// The call a line describes, with its site.
pub(super) fn call(line: &mut Line, data: &mut ProgramData) -> Read<Op> {
    let word = line.text(ENTRY_WORDS)?;
    let collective = CollectiveKind::from_word(&word);
    let function = function(&word, line.has("request"));
    let function = function.ok_or_else(|| line.error(format!("'{word}'"), ENTRY_WORDS))?;
    let site = site(line, data, &function)?;
    let call = match collective {
        Some(kind) => self::collective(kind, line, data)?,
        None => other_call(&word, line, data)?,
    };
    Ok(Op::Call { site, call })
}

/// The standard's name for the word of a call, of the form that starts a request or that does not.
fn function(word: &str, starts: bool) -> Option<String> {
    let name = match word {
        "send" => "send",
        "receive" => "recv",
        "broadcast" => "bcast",
        "exclusive-scan" => "exscan",
        collective if CollectiveKind::from_word(collective).is_some() => collective,
        other => return complete_function(other).map(str::to_string),
    };
    let name = if starts {
        format!("i{name}")
    } else {
        name.to_string()
    };
    let (first, rest) = name.split_at(1);
    Some(format!(
        "MPI_{}{}",
        first.to_uppercase(),
        rest.replace('-', "_")
    ))
}

fn complete_function(word: &str) -> Option<&'static str> {
    Some(match word {
        "init" => "MPI_Init",
        "finalize" => "MPI_Finalize",
        "abort" => "MPI_Abort",
        "send-receive" => "MPI_Sendrecv",
        "wait" => "MPI_Wait",
        "test" => "MPI_Test",
        "probe" => "MPI_Probe",
        "persistent" => "MPI_Send_init",
        "start" => "MPI_Start",
        "make-communicator" => "MPI_Comm_split",
        _ => return None,
    })
}

fn other_call(word: &str, line: &mut Line, data: &mut ProgramData) -> Read<Call> {
    Ok(match word {
        "init" => Call::Init,
        "finalize" => Call::Finalize,
        "abort" => Call::Abort,
        "send" => {
            let mode = mode(line)?;
            Call::Send {
                mode,
                transfer: transfer(line, data)?,
                request: request(line)?,
            }
        }
        "receive" => {
            let transfer = transfer(line, data)?;
            Call::Receive {
                transfer,
                request: request(line)?,
                observed: one_observed(line)?,
            }
        }
        "send-receive" => send_receive(line, data)?,
        "wait" => {
            // Attributes first: requests are all numbers that remain.
            let (completed, observed) = (completed(line)?, observed(line)?);
            Call::Wait {
                completion: completion(line)?,
                requests: requests(line),
                completed,
                observed,
            }
        }
        "test" => {
            let completed = completed(line)?;
            Call::Test {
                completion: completion(line)?,
                requests: requests(line),
                completed,
            }
        }
        "probe" => {
            let blocking = !line.takes("nonblocking");
            Call::Probe {
                transfer: transfer(line, data)?,
                blocking,
                observed: one_observed(line)?,
            }
        }
        "persistent" => persistent(line, data)?,
        "start" => Call::StartPersistent {
            requests: requests(line),
        },
        _ => Call::MakeCommunicator {
            parent: line.required("parent", OPERAND_FORM, parse_operand)?,
            made: line.required("made", OPERAND_FORM, parse_operand)?,
        },
    })
}

fn send_receive(line: &mut Line, data: &mut ProgramData) -> Read<Call> {
    let missing = line.error(
        "no 'receive'",
        "'send-receive' with the send's operands, 'receive', its operands",
    );
    // Both sides have the same attributes, so the line is divided before they are read.
    let mut before = line.split_at("receive").ok_or(missing)?;
    let send = transfer(&mut before, data)?;
    before.finish()?;
    let receive = transfer(line, data)?;
    Ok(Call::SendReceive {
        send,
        receive,
        observed: one_observed(line)?,
    })
}

fn persistent(line: &mut Line, data: &mut ProgramData) -> Read<Call> {
    let mode = mode(line)?;
    let send = if line.takes("receive") {
        None
    } else {
        line.needs("send")?;
        Some(mode)
    };
    let transfer = transfer(line, data)?;
    let request =
        request(line)?.ok_or_else(|| line.error("no 'request='", "the number of the request"))?;
    Ok(Call::MakePersistent {
        send,
        transfer,
        request,
    })
}

fn transfer(line: &mut Line, data: &mut ProgramData) -> Read<Transfer> {
    let peer: Peer = line.required("peer", "an operand, null or any", spelling::parse_peer)?;
    let tag = line.optional("tag", "an operand or any", spelling::parse_tag)?;
    let count = line.required("count", OPERAND_FORM, parse_operand)?;
    Ok(Transfer {
        peer,
        tag: tag.unwrap_or(Tag::Value(Operand::Constant(0))),
        count,
        datatype: datatype(line, data)?,
        communicator: line
            .optional("comm", OPERAND_FORM, parse_operand)?
            .unwrap_or(WORLD),
    })
}

fn collective(kind: CollectiveKind, line: &mut Line, data: &mut ProgramData) -> Read<Call> {
    let communicator = line
        .optional("comm", OPERAND_FORM, parse_operand)?
        .unwrap_or(WORLD);
    let root = line.optional("root", OPERAND_FORM, parse_operand)?;
    // A barrier moves nothing: it needs neither a count nor a datatype.
    let nothing = kind == CollectiveKind::Barrier;
    let counts = match counts(line, "")? {
        Some(counts) => counts,
        None if nothing => Counts::Same(Operand::Constant(0)),
        None => return Err(line.error("no 'count='", "count= with elements per rank")),
    };
    let receive_counts = self::counts(line, "receive-")?;
    let datatype = match nothing {
        true => line
            .optional("type", "the number of a datatype", |word| word.parse().ok())?
            .unwrap_or(0),
        false => datatype(line, data)?,
    };
    let reduce_op = line.optional(
        "op",
        "a reduction like sum or maximum",
        spelling::parse_reduce_op,
    )?;
    let request = request(line)?;
    Ok(Call::Collective {
        kind,
        communicator,
        root,
        counts,
        receive_counts,
        datatype,
        reduce_op,
        request,
    })
}

fn counts(line: &mut Line, prefix: &str) -> Read<Option<Counts>> {
    let same = line.optional(&format!("{prefix}count"), OPERAND_FORM, parse_operand)?;
    let table = line.optional(&format!("{prefix}counts"), "a count table", |word| {
        word.parse().ok()
    })?;
    match (same, table) {
        (Some(_), Some(_)) => Err(line.error("both count= and counts=", "one of them")),
        (same, table) => Ok(same.map(Counts::Same).or(table.map(Counts::PerRank))),
    }
}

fn mode(line: &mut Line) -> Read<SendMode> {
    let mode = line.optional("mode", SendMode::WORDS, SendMode::from_word)?;
    Ok(mode.unwrap_or(SendMode::Standard))
}

fn completion(line: &mut Line) -> Read<Completion> {
    line.parsed(Completion::WORDS, Completion::from_word)
}

fn requests(line: &mut Line) -> Vec<RequestId> {
    line.numbers().into_iter().map(RequestId).collect()
}

fn request(line: &mut Line) -> Read<Option<RequestId>> {
    let number = line.optional("request", "the number of a request", |word| {
        word.parse().ok()
    })?;
    Ok(number.map(RequestId))
}

fn completed(line: &mut Line) -> Read<Vec<RequestId>> {
    let ids: Option<Vec<u32>> =
        line.optional("completed", "numbers of requests like 0,2", listed)?;
    Ok(ids.unwrap_or_default().into_iter().map(RequestId).collect())
}

fn observed(line: &mut Line) -> Read<Vec<ObservedMatch>> {
    let list = |word: &str| word.split(',').map(spelling::parse_observed).collect();
    Ok(line
        .optional("observed", "source:tag, joined by commas", list)?
        .unwrap_or_default())
}

fn one_observed(line: &mut Line) -> Read<Option<ObservedMatch>> {
    line.optional("observed", "source:tag", spelling::parse_observed)
}
