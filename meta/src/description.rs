//! Program data to a meta-program: loops stay loops, partners become expressions of the rank, and blocks costs with names.

use crate::block_costs::{CostVariables, VariantCosts};
use crate::communicators::Communicators;
use crate::layout::format_source;
use crate::operands::Operands;
use crate::rolling::rolled;
use crate::syntax::{
    Action, Expression, ExpressionKind, Range, Statement, StatementKind, SyntaxTree,
};
use crate::syntax_builders::{
    FEW_RANGES, act, block, conditions, named, number, statement, variable,
};
use base_data::program_data::{
    Call, CollectiveKind, Completion, Counts, Mark, Op, Operand, Peer, ProgramData, RankClass,
    SendMode, Tag, Transfer,
};
use base_data::{CallSiteId, RankSet, RequestId};
use std::collections::{BTreeMap, BTreeSet};

/// The text of a meta-program with the calls and the costs of a program. `comments` stand at its beginning.
///
/// # Errors
/// The second half of a sentence: a call that meta-programs do not have, and its place.
pub fn describe(
    program: &ProgramData,
    costs: &VariantCosts,
    comments: &[String],
) -> Result<String, String> {
    let mut describer = Describer {
        program,
        variables: CostVariables::of(program, costs),
        communicators: Communicators::of(program),
        persistent: BTreeMap::new(),
    };
    let mut definitions = Vec::new();
    let mut calls = Vec::new();
    let is_single = program.classes.len() == 1;
    for (number, class) in program.classes.iter().enumerate() {
        let body = describer.class(class)?;
        // One class needs no DEF: its statements are the body of the PARALLEL.
        if is_single {
            calls = body;
            break;
        }
        let name = format!("class_{number}");
        for condition in conditions(&class.ranks) {
            let call = statement(StatementKind::Call {
                name: named(&name),
                arguments: Vec::new(),
            });
            calls.push(statement(StatementKind::If {
                condition,
                then: block(vec![call]),
                otherwise: None,
            }));
        }
        let mut define = statement(StatementKind::Define {
            name: named(&name),
            parameters: Vec::new(),
            body: block(body),
        });
        let word = if class.ranks.len() == 1 {
            "Rank"
        } else {
            "Ranks"
        };
        let comment = format!("# {word} {}.", short(&class.ranks));
        define.leading = vec![String::new(), comment];
        definitions.push(define);
    }
    let mut used = BTreeSet::new();
    for statement in calls.iter().chain(&definitions) {
        used_variables(statement, &mut used);
    }
    let mut statements = describer.variables.assignments(&used);
    statements.extend(definitions);
    let mut parallel = statement(StatementKind::Parallel {
        degree: number(f64::from(program.ranks)),
        body: block(calls),
    });
    parallel.leading.push(String::new());
    statements.push(parallel);
    if let Some(first) = statements.first_mut() {
        let own = std::mem::take(&mut first.leading);
        first.leading = comments.iter().map(|text| format!("# {text}")).collect();
        first.leading.extend(own);
    }
    let body = block(statements);
    Ok(format_source(&SyntaxTree { body }))
}

/// Adds the global variables that statements use.
fn used_variables(statement: &Statement, used: &mut BTreeSet<String>) {
    match &statement.kind {
        StatementKind::Act { arguments, .. } | StatementKind::Call { arguments, .. } => {
            for argument in arguments {
                variables_of(argument, used);
            }
        }
        StatementKind::For { body, .. } | StatementKind::Define { body, .. } => {
            for statement in &body.statements {
                used_variables(statement, used);
            }
        }
        StatementKind::If { .. }
        | StatementKind::Assign { .. }
        | StatementKind::Parallel { .. }
        | StatementKind::Break => {}
    }
}

fn variables_of(expression: &Expression, used: &mut BTreeSet<String>) {
    match &expression.kind {
        ExpressionKind::Name(name) if name.starts_with('$') => {
            used.insert(name.clone());
        }
        ExpressionKind::Unary(_, operand) => variables_of(operand, used),
        ExpressionKind::Binary(_, left, right) => {
            variables_of(left, used);
            variables_of(right, used);
        }
        ExpressionKind::Function(_, arguments) => {
            for argument in arguments {
                variables_of(argument, used);
            }
        }
        _ => {}
    }
}

struct Describer<'a> {
    program: &'a ProgramData,
    variables: CostVariables<'a>,
    communicators: Communicators<'a>,
    /// Persistent requests of the class: whether they send, and what.
    persistent: BTreeMap<RequestId, (Option<SendMode>, Transfer)>,
}

/// `RANKS` of a set with few ranges, or the first of many.
fn short(ranks: &RankSet) -> String {
    match ranks.ranges() {
        [first, .., last] if ranks.ranges().len() > FEW_RANGES => {
            format!("{}, …, {}", first.first, last.first)
        }
        _ => ranks.to_string(),
    }
}

impl<'a> Describer<'a> {
    fn place(&self, site: CallSiteId) -> String {
        self.program.table.site_place(site)
    }

    fn class(&mut self, class: &'a RankClass) -> Result<Vec<Statement>, String> {
        self.persistent.clear();
        let stream = section(&class.stream);
        self.variables.begin_class(class, stream);
        let mut operands = Operands::of(self.program, class);
        let mut requests = Vec::new();
        let body = self.entries(stream, &mut operands, &mut requests)?;
        // Values that no expression gives are assigned before they are used.
        let mut statements = operands.assignments();
        statements.extend(body);
        Ok(statements)
    }

    fn entries(
        &mut self,
        stream: &[Op],
        operands: &mut Operands<'_>,
        requests: &mut Vec<RequestId>,
    ) -> Result<Vec<Statement>, String> {
        let mut statements = Vec::new();
        let mut at = 0;
        while let Some(op) = stream.get(at) {
            at += 1;
            match op {
                Op::Loop { count, body } => {
                    let end = at + *body as usize;
                    let inner = stream.get(at..end).unwrap_or_default();
                    let before = requests.clone();
                    let body = self.entries(inner, operands, requests)?;
                    // msgwait counts from the oldest message, so iterations are alike if as many messages are open before each.
                    if before.len() != requests.len() {
                        return Err(format!(
                            "a loop ends with more or fewer open messages than it begins with, \
                                 which meta-programs cannot describe; {REMEDY}"
                        ));
                    }
                    statements.push(statement(StatementKind::For {
                        index: None,
                        range: Range::Count(number(count.get() as f64)),
                        body: block(body),
                    }));
                    at = end;
                }
                Op::Block { block, variant } => {
                    if let Some(name) = self.variables.name(*block, *variant) {
                        statements.push(act(Action::Compute, vec![variable(&name)]));
                    }
                }
                Op::Mark(_) => {}
                Op::Call { site, call } => {
                    statements.extend(self.call(*site, call, operands, requests)?);
                }
            }
        }
        Ok(rolled(statements, &mut self.variables))
    }

    fn call(
        &mut self,
        site: CallSiteId,
        call: &Call,
        operands: &mut Operands<'_>,
        requests: &mut Vec<RequestId>,
    ) -> Result<Vec<Statement>, String> {
        let place = self.place(site);
        let unsupported =
            |what: &str| Err(format!("{place}: meta-programs have no {what}; {REMEDY}"));
        let made = match call {
            Call::Init | Call::Finalize => return Ok(Vec::new()),
            Call::Abort => return unsupported("MPI_Abort"),
            Call::Send {
                mode,
                transfer,
                request,
            } => {
                let action = match request {
                    Some(_) => Action::StartSend,
                    None => Action::Send,
                };
                requests.extend(*request);
                self.send(site, *mode, action, transfer, operands)?
            }
            Call::Receive {
                transfer, request, ..
            } => {
                requests.extend(*request);
                let action = match request {
                    Some(_) => Action::StartReceive,
                    None => Action::Receive,
                };
                self.message(site, action, transfer, operands)?
            }
            Call::SendReceive { send, receive, .. } => {
                // Lengths and tags of both sides may differ: the receive starts, the send follows.
                let first = self.message(site, Action::StartReceive, receive, operands)?;
                // msgsendrecv has one cost and no tags, and both of its partners are given.
                let has_tags = [send, receive]
                    .iter()
                    .any(|one| !is_zero(one.tag) || self.communicators.has_families());
                if send.count == receive.count
                    && self.bytes_per_element(send) == self.bytes_per_element(receive)
                    && !has_tags
                    && receive.peer != Peer::Any
                {
                    let cost = self.cost_of_message(send, operands)?;
                    let to = self.peer(send, operands)?;
                    let from = self.peer(receive, operands)?;
                    return Ok(vec![act(Action::Exchange, vec![cost, to, from])]);
                }
                // The msgwait() below waits for all open messages, where MPI_Sendrecv waits for its own.
                if !requests.is_empty() {
                    return unsupported("MPI_Sendrecv of unequal messages among started ones");
                }
                let second = self.message(site, Action::Send, send, operands)?;
                let third = act(Action::Wait, Vec::new());
                return Ok(vec![first, second, third]);
            }
            Call::Wait {
                completion,
                requests: waited,
                ..
            } => {
                if *completion != Completion::All {
                    return unsupported("waits for any or some of several messages");
                }
                if waited.is_empty() {
                    return Ok(Vec::new());
                }
                // msgwait(n) waits for the n oldest messages; their order among each other does not matter.
                let oldest = requests.get(..waited.len()).unwrap_or_default();
                let is_oldest = oldest.iter().collect::<BTreeSet<_>>()
                    == waited.iter().collect::<BTreeSet<_>>();
                if !is_oldest {
                    return unsupported("waits for other messages than the oldest");
                }
                requests.drain(..waited.len());
                let arguments = if requests.is_empty() {
                    Vec::new()
                } else {
                    vec![number(waited.len() as f64)]
                };
                act(Action::Wait, arguments)
            }
            Call::Test { .. } => return unsupported("tests of messages"),
            Call::Probe {
                transfer,
                blocking,
                observed,
            } => {
                // A probe that found nothing takes no time; one that found a message took until it had arrived.
                if !blocking && observed.is_none() {
                    return Ok(Vec::new());
                }
                self.message(site, Action::Probe, transfer, operands)?
            }
            Call::MakePersistent {
                send,
                transfer,
                request,
            } => {
                self.persistent.insert(*request, (*send, *transfer));
                return Ok(Vec::new());
            }
            Call::StartPersistent { requests: started } => {
                let mut made = Vec::new();
                for request in started {
                    let Some((send, transfer)) = self.persistent.get(request).copied() else {
                        return Err(format!(
                            "{place}: a persistent request is started that was not made"
                        ));
                    };
                    requests.push(*request);
                    made.push(match send {
                        Some(mode) => {
                            self.send(site, mode, Action::StartSend, &transfer, operands)?
                        }
                        None => self.message(site, Action::StartReceive, &transfer, operands)?,
                    });
                }
                return Ok(made);
            }
            Call::MakeCommunicator { parent, .. } => {
                let Some(group) = self.group(site, *parent, operands)? else {
                    return Ok(Vec::new());
                };
                // What the estimate assumes of it: all ranks of the parent agree on a number.
                let mut arguments = vec![number(f64::from(AGREEMENT_BYTES))];
                arguments.extend(group.argument);
                let mut made = act(Action::Allreduce, arguments);
                made.comment = Some("# makes a communicator".into());
                made
            }
            Call::Collective {
                kind,
                communicator,
                root,
                counts,
                receive_counts,
                datatype,
                request,
                ..
            } => {
                if request.is_some() {
                    return unsupported("nonblocking collectives");
                }
                let is_per_rank = |counts: &Counts| matches!(counts, Counts::PerRank(_));
                let has_pairs = is_per_rank(counts) || receive_counts.iter().any(is_per_rank);
                if *kind == CollectiveKind::Alltoall && has_pairs {
                    return unsupported("exchanges of all ranks with a count for each pair");
                }
                let Some(group) = self.group(site, *communicator, operands)? else {
                    return Ok(Vec::new());
                };
                let mut arguments = Vec::new();
                if *kind != CollectiveKind::Barrier {
                    // The root of a scatter sends all parts; its own is what it receives.
                    let own = match (kind, receive_counts) {
                        (CollectiveKind::Scatter, Some(received)) => received,
                        _ => counts,
                    };
                    arguments.push(self.part(*own, *communicator, *datatype, operands)?);
                }
                if let Some(root) = root {
                    arguments.push(self.world_rank(*communicator, *root, operands)?);
                }
                arguments.extend(group.argument);
                act(collective(*kind), arguments)
            }
        };
        Ok(vec![made])
    }

    fn bytes(&self, datatype: u32) -> i64 {
        let datatype = self.program.datatypes.get(datatype as usize);
        datatype.map_or(1, |datatype| i64::try_from(datatype.bytes()).unwrap_or(1))
    }

    fn bytes_per_element(&self, transfer: &Transfer) -> i64 {
        self.bytes(transfer.datatype)
    }

    fn cost_of_message(
        &self,
        transfer: &Transfer,
        operands: &mut Operands<'_>,
    ) -> Result<Expression, String> {
        operands.scaled(transfer.count, self.bytes_per_element(transfer))
    }

    /// What this rank contributes to a collective.
    fn part(
        &self,
        counts: Counts,
        communicator: Operand,
        datatype: u32,
        operands: &mut Operands<'_>,
    ) -> Result<Expression, String> {
        let bytes = self.bytes(datatype);
        let table = match counts {
            Counts::Same(count) => return operands.scaled(count, bytes),
            Counts::PerRank(table) => table,
        };
        let tables = &self.program.count_tables;
        operands.each(&|rank, position| {
            let counts = tables.get(table as usize).and_then(|all| all.get(position));
            let own = self.communicators.position(communicator, rank, position)?;
            let count = counts.and_then(|counts| counts.get(own));
            let count = count.ok_or("a collective has no count for a rank")?;
            i64::try_from(*count)
                .ok()
                .and_then(|count| count.checked_mul(bytes))
                .ok_or_else(|| "a count is too large".into())
        })
    }

    /// A rank of a communicator as a rank of the world.
    fn world_rank(
        &self,
        communicator: Operand,
        rank: Operand,
        operands: &mut Operands<'_>,
    ) -> Result<Expression, String> {
        if self.communicators.is_world(communicator) {
            return operands.scaled(rank, 1);
        }
        let program = self.program;
        operands.each(&|own, position| {
            let value = program.value(rank, own, position);
            let value = value.ok_or("a partner has no value")?;
            self.communicators
                .world_rank(communicator, value, own, position)
        })
    }

    /// The group of a collective; `None` if it consists of this rank alone, which meets no other.
    fn group(
        &self,
        site: CallSiteId,
        communicator: Operand,
        operands: &mut Operands<'_>,
    ) -> Result<Option<GroupArgument>, String> {
        if self.communicators.is_world(communicator) {
            return Ok(Some(GroupArgument { argument: None }));
        }
        let mut has_others = false;
        for (position, rank) in operands.ranks() {
            let size = self
                .communicators
                .checked_size(communicator, rank, position);
            let size = size.map_err(|reason| format!("{}: {reason}", self.place(site)))?;
            has_others |= size > 1;
        }
        if !has_others {
            return Ok(None);
        }
        let argument = operands.each(&|rank, position| {
            self.communicators
                .group_number(communicator, rank, position)
        })?;
        Ok(Some(GroupArgument {
            argument: Some(argument),
        }))
    }

    fn peer(&self, transfer: &Transfer, operands: &mut Operands<'_>) -> Result<Expression, String> {
        match transfer.peer {
            Peer::Rank(rank) => self.world_rank(transfer.communicator, rank, operands),
            Peer::Null => Ok(variable("NONE")),
            Peer::Any => Ok(variable("ANY")),
        }
    }

    fn send(
        &self,
        site: CallSiteId,
        mode: SendMode,
        action: Action,
        transfer: &Transfer,
        operands: &mut Operands<'_>,
    ) -> Result<Statement, String> {
        if mode != SendMode::Standard {
            return Err(format!(
                "{}: meta-programs have no synchronous, ready or buffered sends; {REMEDY}",
                self.place(site)
            ));
        }
        self.message(site, action, transfer, operands)
    }

    fn message(
        &self,
        site: CallSiteId,
        action: Action,
        transfer: &Transfer,
        operands: &mut Operands<'_>,
    ) -> Result<Statement, String> {
        let mut arguments = Vec::new();
        if action != Action::Probe {
            arguments.push(self.cost_of_message(transfer, operands)?);
        }
        let tag = self.tag(site, transfer, operands)?;
        // Partner and tag may be left out from the end: no partner is any, no tag is 0.
        if transfer.peer != Peer::Any || tag.is_some() {
            arguments.push(self.peer(transfer, operands)?);
        }
        arguments.extend(tag);
        Ok(act(action, arguments))
    }

    /// The tag of a message; `None` if it is 0. Messages of different communicators never meet, so that each family of communicators
    /// has tags of its own.
    fn tag(
        &self,
        site: CallSiteId,
        transfer: &Transfer,
        operands: &mut Operands<'_>,
    ) -> Result<Option<Expression>, String> {
        let Tag::Value(tag) = transfer.tag else {
            if self.communicators.has_families() {
                return Err(format!(
                    "{}: meta-programs have no MPI_ANY_TAG where messages have several communicators; {REMEDY}",
                    self.place(site)
                ));
            }
            return Ok(Some(variable("ANY")));
        };
        if !self.communicators.has_families() {
            return match tag {
                Operand::Constant(0) => Ok(None),
                _ => operands.scaled(tag, 1).map(Some),
            };
        }
        let program = self.program;
        let sum = operands.each(&|rank, position| {
            let value = program
                .value(tag, rank, position)
                .ok_or("a tag has no value")?;
            let first = self
                .communicators
                .first_tag(transfer.communicator, rank, position)?;
            Ok(value + first)
        })?;
        Ok(Some(sum))
    }
}

/// What to do about a call that meta-programs do not have.
const REMEDY: &str =
    "change the call in the program, or estimate the base data with `mpiete estimate`";

/// The last argument of a collective; `None` for all ranks.
struct GroupArgument {
    argument: Option<Expression>,
}

/// Bytes on which the ranks of a communicator agree to make another, as the replay has it.
const AGREEMENT_BYTES: u32 = 8;

fn is_zero(tag: Tag) -> bool {
    tag == Tag::Value(Operand::Constant(0))
}

fn collective(kind: CollectiveKind) -> Action {
    match kind {
        CollectiveKind::Barrier => Action::Barrier,
        CollectiveKind::Broadcast => Action::Broadcast,
        CollectiveKind::Reduce => Action::Reduce,
        CollectiveKind::Allreduce => Action::Allreduce,
        CollectiveKind::Gather => Action::Gather,
        CollectiveKind::Scatter => Action::Scatter,
        CollectiveKind::Allgather => Action::Allgather,
        CollectiveKind::Alltoall => Action::Alltoall,
        CollectiveKind::ReduceScatter => Action::ReduceScatter,
        CollectiveKind::Scan => Action::Scan,
        CollectiveKind::ExclusiveScan => Action::ExclusiveScan,
    }
}

/// The entries between the marks of the section, or all without marks outside of loops.
fn section(stream: &[Op]) -> &[Op] {
    let (mut begin, mut end) = (0, stream.len());
    let mut at = 0;
    while let Some(op) = stream.get(at) {
        at += 1;
        match op {
            Op::Loop { body, .. } => at += *body as usize,
            Op::Mark(Mark::SectionBegin) => begin = at,
            Op::Mark(Mark::SectionEnd) => end = at - 1,
            Op::Mark(Mark::Clock { .. }) | Op::Block { .. } | Op::Call { .. } => {}
        }
    }
    stream.get(begin..end).unwrap_or(stream)
}
