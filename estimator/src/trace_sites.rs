//! Call sites of a trace, in little memory: messages between random partners are as many call sites as there are
//! distances between ranks. The table of base data, with strings for each, is made where it is needed.

use crate::numbered::Numbered;
use base_data::block_table::{BlockTable, CallSite, CallSiteKey, SourceSpan};
use base_data::program_data::{Call, Completion, Counts, Operand, Peer, Tag, Transfer};
use base_data::{CallSiteId, CommId, Digest};
use std::cell::OnceCell;

/// A line of a trace file, or of a source file that the trace names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceLine {
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// The rank whose line of the trace it is; `None` for a line of the program's sources.
    pub(crate) rank: Option<u32>,
}

impl TraceLine {
    pub(crate) fn span(self) -> SourceSpan {
        SourceSpan {
            file: self.file,
            first_line: self.line,
            last_line: self.line,
            ..SourceSpan::default()
        }
    }
}

/// The call sites found so far.
#[derive(Default)]
pub(crate) struct TraceSites {
    keys: Numbered<SiteKey>,
    /// By number: where the call is, the first one where several are one site.
    sites: Vec<Site>,
    /// Names of the functions that are called.
    functions: Vec<&'static str>,
}

#[derive(Clone, Copy)]
struct Site {
    file: u32,
    line: u32,
    function: u8,
}

/// What makes two calls one call site.
#[derive(PartialEq, Eq, Hash)]
enum SiteKey {
    /// The same line of the program's sources.
    Source { file: u32, line: u32, function: u8 },
    /// The same words, seen from the rank: traces have a line per execution. So for a message,
    Message { function: u8, message: Message },
    /// a wait for all of any requests,
    Wait { function: u8 },
    /// and any other call.
    Other { function: u8, call: Box<Call> },
}

/// A message of the world, with its partner relative to the rank.
#[derive(PartialEq, Eq, Hash)]
struct Message {
    partner: Partner,
    /// `None` for any.
    tag: Option<i64>,
    count: i64,
    datatype: u32,
}

#[derive(PartialEq, Eq, Hash)]
enum Partner {
    Distance(i64),
    Null,
    Any,
}

impl TraceSites {
    /// The number of the site of a call.
    pub(crate) fn number(
        &mut self,
        place: TraceLine,
        function: &'static str,
        call: &Call,
    ) -> CallSiteId {
        let function = self.function_number(function);
        let number = self.keys.number(key(place, function, call));
        if number as usize == self.sites.len() {
            self.sites.push(Site {
                file: place.file,
                line: place.line,
                function,
            });
        }
        CallSiteId(number)
    }

    /// There are fewer than 40 functions in any trace.
    fn function_number(&mut self, name: &'static str) -> u8 {
        match self.functions.iter().position(|known| *known == name) {
            Some(number) => number as u8,
            None => {
                self.functions.push(name);
                self.functions.len() as u8 - 1
            }
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.sites.len()
    }

    /// The function that is called at a site.
    pub(crate) fn function(&self, site: CallSiteId) -> Option<&'static str> {
        let site = self.sites.get(site.index())?;
        self.functions.get(usize::from(site.function)).copied()
    }

    /// No further call comes.
    pub(crate) fn forget_keys(&mut self) {
        self.keys = Numbered::default();
        self.sites.shrink_to_fit();
    }

    /// The sites as base data contain them.
    pub(crate) fn table(&self) -> Vec<CallSite> {
        (0..)
            .zip(&self.sites)
            .map(|(number, site)| self.call_site(number, site))
            .collect()
    }

    fn call_site(&self, number: u32, site: &Site) -> CallSite {
        let place = TraceLine {
            file: site.file,
            line: site.line,
            rank: None,
        };
        CallSite {
            key: CallSiteKey::Source {
                digest: Digest::default(),
                procedure: "trace".into(),
                ordinal: number,
            },
            function: self.functions[usize::from(site.function)].into(),
            procedure: "trace".into(),
            span: Some(place.span()),
            loop_path: Vec::new(),
        }
    }
}

fn key(place: TraceLine, function: u8, call: &Call) -> SiteKey {
    let Some(rank) = place.rank else {
        return SiteKey::Source {
            file: place.file,
            line: place.line,
            function,
        };
    };
    match call {
        // How a send completes, and whether a request completes it, is in the name of the function.
        Call::Send { transfer, .. } | Call::Receive { transfer, .. } => {
            if let Some(message) = message(rank, transfer) {
                return SiteKey::Message { function, message };
            }
        }
        Call::Wait {
            completion: Completion::All,
            completed,
            observed,
            ..
        } if completed.is_empty() && observed.is_empty() => return SiteKey::Wait { function },
        _ => {}
    }
    SiteKey::Other {
        function,
        call: Box::new(seen_from(rank, call)),
    }
}

/// The message of a transfer; `None` where any value is no constant, which no trace contains.
fn message(rank: u32, transfer: &Transfer) -> Option<Message> {
    let partner = match transfer.peer {
        Peer::Rank(Operand::Constant(peer)) => Partner::Distance(peer - i64::from(rank)),
        Peer::Rank(_) => return None,
        Peer::Null => Partner::Null,
        Peer::Any => Partner::Any,
    };
    let tag = match transfer.tag {
        Tag::Value(Operand::Constant(tag)) => Some(tag),
        Tag::Value(_) => return None,
        Tag::Any => None,
    };
    let Operand::Constant(count) = transfer.count else {
        return None;
    };
    let world = Operand::Constant(i64::from(CommId::WORLD.0));
    if transfer.communicator != world {
        return None;
    }
    Some(Message {
        partner,
        tag,
        count,
        datatype: transfer.datatype,
    })
}

/// The call with its partners relative to the rank, without the numbers of requests and lists: these differ among ranks
/// that execute the same call, which would be as many call sites.
fn seen_from(rank: u32, call: &Call) -> Call {
    let mut call = call.clone();
    let from_rank = |transfer: &mut Transfer| {
        if let Peer::Rank(Operand::Constant(peer)) = &mut transfer.peer {
            *peer -= i64::from(rank);
        }
    };
    match &mut call {
        Call::Send {
            transfer, request, ..
        }
        | Call::Receive {
            transfer, request, ..
        } => {
            from_rank(transfer);
            *request = None;
        }
        Call::SendReceive { send, receive, .. } => [send, receive].into_iter().for_each(from_rank),
        Call::Wait { requests, .. } => requests.clear(),
        Call::Collective {
            counts,
            receive_counts,
            ..
        } => {
            for counts in [Some(counts), receive_counts.as_mut()]
                .into_iter()
                .flatten()
            {
                if let Counts::PerRank(table) = counts {
                    *table = 0;
                }
            }
        }
        Call::Init
        | Call::Finalize
        | Call::Abort
        | Call::Test { .. }
        | Call::Probe { .. }
        | Call::MakePersistent { .. }
        | Call::StartPersistent { .. }
        | Call::MakeCommunicator { .. } => {}
    }
    call
}

/// The block table of a program whose call sites are written out when one is named.
pub(crate) struct LazyTable<'a> {
    table: &'a BlockTable,
    sites: Option<&'a TraceSites>,
    whole: OnceCell<BlockTable>,
}

impl<'a> LazyTable<'a> {
    /// A table with its call sites, or without where `sites` are given.
    pub(crate) fn new(table: &'a BlockTable, sites: Option<&'a TraceSites>) -> Self {
        Self {
            table,
            sites,
            whole: OnceCell::new(),
        }
    }

    /// The table with its call sites.
    pub(crate) fn get(&self) -> &BlockTable {
        let Some(sites) = self.sites else {
            return self.table;
        };
        self.whole.get_or_init(|| BlockTable {
            call_sites: sites.table(),
            ..self.table.clone()
        })
    }
}
