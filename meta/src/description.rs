//! Program data to a meta-program: loops stay loops, partners become expressions of the rank, and blocks costs with names.

use crate::layout::format_source;
use crate::operands::{ByRank, Operands};
use crate::syntax::{
    Action, BinaryOperator, Block, Expression, ExpressionKind, Name, Range, Statement,
    StatementKind, SyntaxTree,
};
use base_data::block_table::BlockTable;
use base_data::program_data::{
    Call, CollectiveKind, Completion, Counts, Mark, Op, Operand, Peer, ProgramData, RankClass,
    SendMode, Tag, Transfer,
};
use base_data::{BlockId, CallSiteId, CommId, Rank, RankSet, RequestId};
use std::collections::{BTreeMap, BTreeSet};

/// Mean time of an execution of a block on a rank, in the unit of costs.
pub type BlockCosts = BTreeMap<(u32, BlockId), f64>;

/// The text of a meta-program with the calls and the costs of a program. `comments` stand at its beginning.
///
/// # Errors
/// The second half of a sentence: a call that meta-programs do not have, and its place.
pub fn describe(
    program: &ProgramData,
    costs: &BlockCosts,
    comments: &[String],
) -> Result<String, String> {
    let mut describer = Describer {
        program,
        costs,
        names: block_names(&program.table),
        used: BTreeSet::new(),
        class: None,
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
    let mut statements = describer.block_costs();
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

struct Describer<'a> {
    program: &'a ProgramData,
    costs: &'a BlockCosts,
    names: Vec<String>,
    /// Blocks that are executed.
    used: BTreeSet<BlockId>,
    class: Option<&'a RankClass>,
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

/// Ranges of ranks in one condition or comment: a line stays readable.
const FEW_RANGES: usize = 6;

/// A name for each block: its procedure and first line.
fn block_names(table: &BlockTable) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut names = Vec::new();
    for block in &table.blocks {
        let procedure: String = block
            .key
            .procedure
            .chars()
            .map(|c| if c.is_alphanumeric() { c } else { '_' })
            .collect();
        // Global, so that the definitions of all classes see it.
        let name = format!("${procedure}_{}", block.span.first_line);
        let number = seen.entry(name.clone()).or_default();
        *number += 1;
        names.push(if *number == 1 {
            name
        } else {
            format!("{name}_{number}")
        });
    }
    names
}

impl<'a> Describer<'a> {
    fn place(&self, site: CallSiteId) -> String {
        self.program.table.site_place(site)
    }

    fn class(&mut self, class: &'a RankClass) -> Result<Vec<Statement>, String> {
        self.class = Some(class);
        let stream = section(&class.stream);
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
                        return Err(
                            "a loop ends with more or fewer open messages than it begins with, \
                             which meta-programs cannot describe"
                                .into(),
                        );
                    }
                    statements.push(statement(StatementKind::For {
                        index: None,
                        range: Range::Count(number(count.get() as f64)),
                        body: block(body),
                    }));
                    at = end;
                }
                Op::Block { block, .. } => {
                    if let Some(cost) = self.cost(*block) {
                        statements.push(act(Action::Compute, vec![cost]));
                    }
                }
                Op::Mark(_) => {}
                Op::Call { site, call } => {
                    statements.extend(self.call(*site, call, operands, requests)?);
                }
            }
        }
        Ok(statements)
    }

    /// The variable of a block; `None` if it takes no time on any rank of the class.
    fn cost(&mut self, block: BlockId) -> Option<Expression> {
        let class = self.class?;
        let takes_time = class.ranks.iter().any(|rank| {
            self.costs
                .get(&(rank.0, block))
                .is_some_and(|&cost| cost > 0.0)
        });
        if !takes_time {
            return None;
        }
        self.used.insert(block);
        Some(variable(self.names.get(block.index())?))
    }

    /// Assignments of the costs of blocks: the cost that most ranks have, then those of the others.
    fn block_costs(&self) -> Vec<Statement> {
        let mut statements = Vec::new();
        for &block in &self.used {
            let by_rank: ByRank = self
                .costs
                .iter()
                .filter(|((_, of), _)| *of == block)
                .map(|(&(rank, _), &cost)| (rank, cost))
                .collect();
            let name = &self.names[block.index()];
            let place = self
                .program
                .table
                .blocks
                .get(block.index())
                .map(|block| self.program.table.place(&block.span));
            statements.extend(by_rank.assignments(name, place));
        }
        statements
    }

    fn call(
        &self,
        site: CallSiteId,
        call: &Call,
        operands: &mut Operands<'_>,
        requests: &mut Vec<RequestId>,
    ) -> Result<Vec<Statement>, String> {
        let unsupported = |what: &str| {
            let place = self.place(site);
            Err(format!("{place}: meta-programs have no {what}"))
        };
        let made = match call {
            Call::Init | Call::Finalize => return Ok(Vec::new()),
            Call::Abort => return unsupported("MPI_Abort"),
            Call::Send {
                mode,
                transfer,
                request,
            } => {
                if *mode != SendMode::Standard {
                    return unsupported("synchronous, ready or buffered sends");
                }
                requests.extend(*request);
                let action = match request {
                    Some(_) => Action::StartSend,
                    None => Action::Send,
                };
                self.message(site, action, transfer, operands)?
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
                if send.count == receive.count
                    && self.bytes_per_element(send) == self.bytes_per_element(receive)
                    && is_zero(send.tag)
                    && is_zero(receive.tag)
                    && receive.peer != Peer::Any
                {
                    let cost = self.cost_of_message(send, operands)?;
                    let to = self.peer(send.peer, operands)?;
                    let from = self.peer(receive.peer, operands)?;
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
            Call::Probe { .. } => return unsupported("probes"),
            Call::MakePersistent { .. } | Call::StartPersistent { .. } => {
                return unsupported("persistent messages");
            }
            // Its members meet, but nothing is sent that a meta-program knows.
            Call::MakeCommunicator { .. } => return unsupported("communicators"),
            Call::Collective {
                kind,
                communicator,
                root,
                counts,
                datatype,
                request,
                ..
            } => {
                if request.is_some() {
                    return unsupported("nonblocking collectives");
                }
                if !is_world(*communicator) {
                    return unsupported("communicators");
                }
                let Counts::Same(count) = counts else {
                    return unsupported("collectives with a count for each rank");
                };
                let mut arguments = Vec::new();
                if *kind != CollectiveKind::Barrier {
                    let bytes = self.bytes(*datatype);
                    arguments.push(operands.scaled(*count, bytes)?);
                }
                if let Some(root) = root {
                    arguments.push(operands.scaled(*root, 1)?);
                }
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

    fn peer(&self, peer: Peer, operands: &mut Operands<'_>) -> Result<Expression, String> {
        match peer {
            Peer::Rank(rank) => operands.scaled(rank, 1),
            Peer::Null => Ok(variable("NONE")),
            Peer::Any => Err("a receive from any rank has no partner".into()),
        }
    }

    fn message(
        &self,
        site: CallSiteId,
        action: Action,
        transfer: &Transfer,
        operands: &mut Operands<'_>,
    ) -> Result<Statement, String> {
        let place = || self.place(site);
        if !is_world(transfer.communicator) {
            return Err(format!("{}: meta-programs have no communicators", place()));
        }
        let mut arguments = vec![self.cost_of_message(transfer, operands)?];
        let tag = match transfer.tag {
            Tag::Any => return Err(format!("{}: meta-programs have no MPI_ANY_TAG", place())),
            Tag::Value(tag) => tag,
        };
        if transfer.peer == Peer::Any {
            // The tag follows the partner, so there is none without it.
            if tag != Operand::Constant(0) {
                let place = place();
                return Err(format!(
                    "{place}: meta-programs have no tags of receives from any rank"
                ));
            }
            return Ok(act(action, arguments));
        }
        arguments.push(self.peer(transfer.peer, operands)?);
        if tag != Operand::Constant(0) {
            arguments.push(operands.scaled(tag, 1)?);
        }
        Ok(act(action, arguments))
    }
}

fn is_zero(tag: Tag) -> bool {
    tag == Tag::Value(Operand::Constant(0))
}

fn is_world(communicator: Operand) -> bool {
    communicator == Operand::Constant(i64::from(CommId::WORLD.0))
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

/// Conditions that each hold on some of the ranks, together on all.
pub(crate) fn conditions(ranks: &RankSet) -> Vec<Expression> {
    let mut conditions = Vec::new();
    for ranges in ranks.ranges().chunks(FEW_RANGES) {
        let mut whole: Option<Expression> = None;
        for range in ranges {
            let set = RankSet::from_ranges(vec![*range]);
            let Some((Rank(first), Rank(last))) = set.bounds() else {
                continue;
            };
            let id = || variable("ID");
            let mut condition = if first == last {
                binary(BinaryOperator::Equal, id(), number(f64::from(first)))
            } else {
                binary(
                    BinaryOperator::And,
                    binary(BinaryOperator::GreaterEqual, id(), number(f64::from(first))),
                    binary(BinaryOperator::LessEqual, id(), number(f64::from(last))),
                )
            };
            let stride = range.stride.unsigned_abs();
            if first != last && stride > 1 {
                let distance = binary(BinaryOperator::Subtract, id(), number(f64::from(first)));
                let rest = binary(BinaryOperator::Modulo, distance, number(f64::from(stride)));
                let is_member = binary(BinaryOperator::Equal, rest, number(0.0));
                condition = binary(BinaryOperator::And, condition, is_member);
            }
            whole = Some(match whole {
                Some(before) => binary(BinaryOperator::Or, before, condition),
                None => condition,
            });
        }
        conditions.extend(whole);
    }
    conditions
}

pub(crate) fn expression(kind: ExpressionKind) -> Expression {
    Expression {
        kind,
        span: Default::default(),
    }
}

/// A number; negative ones are written with a sign.
pub(crate) fn number(value: f64) -> Expression {
    let magnitude = value.abs();
    let number = expression(ExpressionKind::Number(magnitude, magnitude.to_string()));
    if value < 0.0 {
        expression(ExpressionKind::Unary(
            crate::syntax::UnaryOperator::Minus,
            Box::new(number),
        ))
    } else {
        number
    }
}

pub(crate) fn variable(name: &str) -> Expression {
    expression(ExpressionKind::Name(name.into()))
}

pub(crate) fn binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression {
    expression(ExpressionKind::Binary(
        operator,
        Box::new(left),
        Box::new(right),
    ))
}

fn named(name: &str) -> Name {
    Name {
        text: name.into(),
        span: Default::default(),
    }
}

pub(crate) fn statement(kind: StatementKind) -> Statement {
    Statement {
        leading: Vec::new(),
        kind,
        comment: None,
        span: Default::default(),
    }
}

pub(crate) fn assignment(name: &str, value: Expression) -> Statement {
    statement(StatementKind::Assign {
        target: named(name),
        value,
    })
}

pub(crate) fn block(statements: Vec<Statement>) -> Block {
    Block {
        statements,
        ..Block::default()
    }
}

fn act(action: Action, arguments: Vec<Expression>) -> Statement {
    statement(StatementKind::Act { action, arguments })
}
