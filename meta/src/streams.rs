//! The stream of ranks that are executed together: compute blocks, MPI calls and loops of them.

use crate::analysis::{Analysis, PROFILED};
use crate::decisions::Decisions;
use crate::fault::{Fault, Span};
use crate::flow::Flow;
use crate::groups::{Groups, WORLD};
use crate::interpreter::{
    ConditionOutcome, Interpreter, Repetitions, Together, Variable, checked_cost, whole_number,
};
use crate::iterations::Iterations;
use crate::rank_vectors::{Conversion, VectorId};
use crate::syntax::{Action, Block, Expression, Name, Statement, StatementKind};
use crate::tables::{Run, Tables, WORK_TERMS, runs};
use crate::value::{MOST_EXACT, Value, short};
use crate::work::Work;
use base_data::hashing::NumberMap;
use base_data::mpi::{BasicDatatype, Datatype, ReduceOp};
use base_data::program_data::{
    Call, CollectiveKind, Completion, Counts, Op, Operand, Peer, SendMode, Tag, Transfer, Variant,
};
use base_data::{BlockId, RequestId, TableId};

/// Most entries of a rank's stream: a hundred bytes each.
const MOST_ENTRIES: usize = 1 << 22;

/// Loops of program data nest up to 64 deep.
const DEEPEST_LOOPS: usize = 60;

/// Loops nested this deep at most get a further loop of their periods, so that all together are as deep as program data allow.
const DEEPEST_ROLLED: usize = 4;

/// Datatypes of meta-programs: bytes, and reals for reductions.
pub(crate) fn datatypes() -> Vec<Datatype> {
    vec![
        Datatype::basic(BasicDatatype::Byte),
        Datatype::basic(BasicDatatype::Real(8)),
    ]
}

const BYTES: u32 = 0;
const REALS: u32 = 1;

/// Work terms are whole numbers, so costs are stored in millionths.
const TERM_UNITS: f64 = 1e6;

/// How statements ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Whole,
    Break,
}

/// The first byte of a block, the values of the names that it reads, and the set of ranks if it reads the rank.
type MemoKey<'p> = (u32, Vec<Option<Variable<'p>>>, u32);

/// The result of a block.
struct Memo<'p> {
    work: Work,
    assigned: Vec<(&'p str, Option<Variable<'p>>)>,
}

/// Makes streams.
pub(crate) struct Streams<'p> {
    pub(crate) interpreter: Interpreter<'p>,
    analysis: &'p Analysis<'p>,
    tables: &'p Tables<'p>,
    pub(crate) decisions: Decisions,
    seed: u64,
    bytes_per_cost: f64,
    pub(crate) variants: Vec<Variant>,
    /// The work of each variant.
    pub(crate) works: Vec<Work>,
    variant_numbers: NumberMap<Variant, u32>,
    memos: NumberMap<u64, Vec<(MemoKey<'p>, Memo<'p>)>>,
    ops: Vec<Op>,
    /// Entries of the open iterations around `ops`.
    outer_entries: usize,
    depth: usize,
    /// Whether periods of iterations become loops.
    pub(crate) rolls: bool,
    pub(crate) groups: Groups,
    /// Messages that were started and not waited for, oldest first.
    requests: Vec<RequestId>,
    /// Whether streams are on the input or output of a block.
    pub(crate) uses_streams: bool,
}

impl<'p> Streams<'p> {
    pub(crate) fn new(
        interpreter: Interpreter<'p>,
        tables: &'p Tables<'p>,
        seed: u64,
        bytes_per_cost: f64,
    ) -> Self {
        Self {
            analysis: interpreter.analysis,
            interpreter,
            tables,
            decisions: Decisions::new(seed),
            seed,
            bytes_per_cost,
            variants: Vec::new(),
            works: Vec::new(),
            variant_numbers: NumberMap::default(),
            memos: NumberMap::default(),
            ops: Vec::new(),
            outer_entries: 0,
            depth: 0,
            rolls: true,
            groups: Groups::default(),
            requests: Vec::new(),
            uses_streams: false,
        }
    }

    /// The stream of ranks that are executed together. A [`Operand::Table`] in it is the number of a vector.
    pub(crate) fn of_ranks(
        &mut self,
        ranks: &[u32],
        body: &'p Block,
    ) -> Result<Together<Vec<Op>>, Fault> {
        // Whether any rank has drawn an outcome is remembered for all ranks.
        let is_used = self.decisions.is_used;
        // Every rank takes the same outcomes.
        self.decisions = Decisions::new(self.seed);
        self.decisions.is_used = is_used;
        // The common execution of other ranks may have ended anywhere.
        self.requests.clear();
        self.ops.clear();
        (self.outer_entries, self.depth) = (0, 0);
        let beginning = self.interpreter.begin_together(ranks);
        let result = self.block(body);
        let ops = std::mem::take(&mut self.ops);
        self.interpreter
            .end_together(beginning, result.map(|_| ops))
    }

    fn block(&mut self, block: &'p Block) -> Result<End, Fault> {
        let Some(first) = block.statements.first() else {
            return Ok(End::Whole);
        };
        self.interpreter.descend(first.span)?;
        let mut end = End::Whole;
        for run in runs(self.analysis, &block.statements) {
            match run {
                Run::Work(statements) => self.work(statements)?,
                Run::Structure(statement) => end = self.structure(statement)?,
            }
            if end == End::Break {
                break;
            }
        }
        self.interpreter.ascend();
        Ok(end)
    }

    // Compute blocks.

    fn work(&mut self, statements: &'p [Statement]) -> Result<(), Fault> {
        let Some(first) = statements.first() else {
            return Ok(());
        };
        let tables = self.tables;
        let Some(block) = tables.blocks.get(&first.span.start) else {
            return Ok(());
        };
        if block.is_simple {
            let Flow { stay: work, .. } = self.interpreter.amount::<Work>(statements)?;
            return self.enter_work(block.id, work, first.span);
        }
        self.interpreter.step(first.span)?;
        let mut values = Vec::with_capacity(block.read.len());
        let mut uses_rank = false;
        let mut is_known = true;
        for name in &block.read {
            uses_rank |= *name == "ID" || *name == PROFILED && self.interpreter.profile_varies();
            let variable = self.interpreter.read_variable(name);
            // A late value depends on names that the block need not mention, so it cannot be compared here.
            is_known &= variable.as_ref().is_none_or(|variable| !variable.is_late());
            values.push(variable);
        }
        let set = if uses_rank {
            self.interpreter.has_used_rank = true;
            self.interpreter.vectors.set
        } else {
            0
        };
        let key = (first.span.start, values, set);
        let hash = hash_of(&key);
        if is_known
            && let Some(memos) = self.memos.get(&hash)
            && let Some((_, memo)) = memos.iter().find(|(known, _)| *known == key)
        {
            for (name, variable) in &memo.assigned {
                self.interpreter.restore(name, variable.clone());
            }
            let work = memo.work.clone();
            return self.enter_work(block.id, work, first.span);
        }
        // A statement that may leave a loop around it counts as structure, so a block always reaches its end.
        let Flow { stay: work, .. } = self.interpreter.amount::<Work>(statements)?;
        if is_known {
            let mut assigned = Vec::with_capacity(block.assigned.len());
            for name in &block.assigned {
                assigned.push((*name, self.interpreter.stored(name)));
            }
            let memo = Memo {
                work: work.clone(),
                assigned,
            };
            self.memos.entry(hash).or_default().push((key, memo));
        }
        self.enter_work(block.id, work, first.span)
    }

    /// Adds an entry for the execution of a block, unless it costs nothing.
    fn enter_work(&mut self, block: BlockId, work: Work, span: Span) -> Result<(), Fault> {
        if work.mean == [0.0; 2] {
            return Ok(());
        }
        self.uses_streams |= work.mean[1] > 0.0;
        let [first, second] = work.mean;
        let [first_deviation, second_deviation, sum_deviation] = work.deviations();
        let mut terms = Vec::with_capacity(WORK_TERMS.len());
        for cost in [
            first,
            second,
            first_deviation,
            second_deviation,
            sum_deviation,
        ] {
            let term = (cost * TERM_UNITS).round();
            if term >= MOST_EXACT {
                let message = format!(
                    "a block costs {}, more than {:e}; use a larger unit of costs",
                    short(cost),
                    MOST_EXACT / TERM_UNITS
                );
                return Err(Fault::new(span, message));
            }
            terms.push(term as i64);
        }
        let variant = Variant { block, terms };
        let number = match self.variant_numbers.get(&variant) {
            Some(&known) => known,
            None => {
                let next = self.variants.len() as u32;
                self.variant_numbers.insert(variant.clone(), next);
                self.variants.push(variant);
                self.works.push(work);
                next
            }
        };
        self.push(
            Op::Block {
                block,
                variant: Operand::Constant(i64::from(number)),
            },
            span,
        )
    }

    fn push(&mut self, op: Op, span: Span) -> Result<(), Fault> {
        if self.outer_entries + self.ops.len() >= MOST_ENTRIES {
            return Err(too_long(span));
        }
        self.ops.push(op);
        Ok(())
    }

    // Statements with calls.

    fn structure(&mut self, statement: &'p Statement) -> Result<End, Fault> {
        self.interpreter.step(statement.span)?;
        match &statement.kind {
            StatementKind::Act {
                action: Action::Wait,
                arguments,
            } => {
                self.wait(arguments.first(), statement)?;
                Ok(End::Whole)
            }
            StatementKind::Act { action, arguments } => {
                let call = self.call(*action, arguments, statement.span)?;
                if let Some(&site) = self.tables.sites.get(&statement.span.start) {
                    self.push(Op::Call { site, call }, statement.span)?;
                }
                Ok(End::Whole)
            }
            StatementKind::Call { name, arguments } => {
                let (body, outside) = self.interpreter.enter_call(name, arguments)?;
                let end = self.block(body)?;
                self.interpreter.leave_call(outside);
                Ok(end)
            }
            StatementKind::For { index, range, body } => {
                let repetitions = self.interpreter.repetitions(range)?;
                self.repeat(statement, index.as_ref(), repetitions, body)?;
                Ok(End::Whole)
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                let outcome = match self.interpreter.choice(condition)? {
                    ConditionOutcome::Certain(outcome) => outcome,
                    ConditionOutcome::Random(probability) => {
                        self.decisions.next(statement.span.start, probability)
                    }
                };
                match (outcome, otherwise) {
                    (true, _) => self.block(then),
                    (false, Some(otherwise)) => self.block(otherwise),
                    (false, None) => Ok(End::Whole),
                }
            }
            StatementKind::Parallel { degree, body } => {
                self.interpreter.enter_parallel(degree)?;
                let end = self.block(body)?;
                self.interpreter.leave_parallel();
                Ok(end)
            }
            StatementKind::Break => Ok(End::Break),
            // Definitions act where they are called; assignments are parts of blocks.
            StatementKind::Define { .. } | StatementKind::Assign { .. } => Ok(End::Whole),
        }
    }

    /// Executes a loop with calls. Iterations that cannot differ are passed at once; of the others, [`Iterations`] finds equal ones.
    fn repeat(
        &mut self,
        statement: &'p Statement,
        index: Option<&'p Name>,
        repetitions: Repetitions,
        body: &'p Block,
    ) -> Result<(), Fault> {
        let mut open = self.interpreter.open_loop(statement, index, repetitions);
        self.interpreter.check_whole(&open, "it communicates")?;
        self.depth += 1;
        if self.depth > DEEPEST_LOOPS {
            let message = format!("loops with MPI calls nest deeper than {DEEPEST_LOOPS}");
            return Err(Fault::new(statement.span, message));
        }
        let count = repetitions.count as u64;
        let mut iteration = 0;
        let mut executed = 0;
        let mut iterations = Iterations::default();
        while iteration < count {
            self.interpreter.begin_iteration(&mut open, iteration);
            self.decisions.begin();
            let requests = self.requests.clone();
            let outside = std::mem::take(&mut self.ops);
            // `self.ops` is empty while the body is executed, but the entries around it count toward the limit.
            let outer = outside.len() + iterations.len();
            self.outer_entries += outer;
            let end = self.block(body)?;
            self.outer_entries -= outer;
            let ops = std::mem::replace(&mut self.ops, outside);
            let taken = self.decisions.end();
            let mut equal = 1;
            // Entries contain the numbers of requests: an iteration that leaves other requests open than it found is followed by
            // one with other entries.
            let is_same = self.interpreter.repeats(&open, iteration) && self.requests == requests;
            if end == End::Whole && is_same {
                equal += self.decisions.pass(&taken, count - iteration - 1);
            } else if end == End::Whole && iteration == 0 {
                self.interpreter.check_length(&open, body)?;
            }
            iterations.add(ops, equal);
            if end == End::Break {
                break;
            }
            iteration += equal;
            executed += 1;
            self.interpreter
                .check_progress(&open, body, executed, iteration)?;
        }
        let is_rolled = self.rolls && self.depth <= DEEPEST_ROLLED;
        let most = MOST_ENTRIES.saturating_sub(self.outer_entries);
        let written = iterations.write(&mut self.ops, is_rolled, most);
        written.ok_or_else(|| too_long(statement.span))?;
        self.depth -= 1;
        self.interpreter.close_loop(open);
        Ok(())
    }

    // Calls.

    fn call(
        &mut self,
        action: Action,
        arguments: &'p [Expression],
        span: Span,
    ) -> Result<Call, Fault> {
        let bytes = match arguments.first() {
            Some(cost) if action.has_cost() => {
                if let Some(kind) = kind_of(action) {
                    // Which calls a collective joins, and its parts, are found rank by rank: see `groups`.
                    let bytes = self.common_bytes(cost)?;
                    return self.collective(kind, action, arguments, bytes);
                }
                self.bytes(cost)?
            }
            Some(_) | None => Operand::Constant(0),
        };
        if let Some(kind) = kind_of(action) {
            return self.collective(kind, action, arguments, 0);
        }
        let is_started = matches!(action, Action::StartSend | Action::StartReceive);
        let call = match action {
            Action::Send | Action::StartSend => {
                let Some(peer) = arguments.get(1) else {
                    let name = action.entry().name;
                    let message = format!("the receiver is missing; write {name}(COST, PEER)");
                    return Err(Fault::new(span, message));
                };
                let tag = arguments.get(2);
                for argument in [Some(peer), tag].into_iter().flatten() {
                    if let Value::Any = self.interpreter.known(argument)? {
                        let message = "only receives have ANY as partner or tag; write the receiver's rank and a number";
                        return Err(Fault::new(argument.span, message));
                    }
                }
                let peer = self.peer(peer)?;
                let tag = self.tag(tag)?;
                Call::Send {
                    mode: SendMode::Standard,
                    transfer: transfer(peer, tag, bytes),
                    request: self.started(is_started),
                }
            }
            Action::Receive | Action::StartReceive => {
                let peer = match arguments.get(1) {
                    Some(peer) => self.peer(peer)?,
                    // As in figure 3: the master receives from all others.
                    None => Peer::Any,
                };
                let tag = self.tag(arguments.get(2))?;
                Call::Receive {
                    transfer: transfer(peer, tag, bytes),
                    request: self.started(is_started),
                    observed: None,
                }
            }
            Action::Exchange => {
                let (to, from) = match arguments {
                    [_, to, from, ..] => (self.peer(to)?, self.peer(from)?),
                    // The parser requires all three arguments.
                    _ => (Peer::Null, Peer::Null),
                };
                Call::SendReceive {
                    send: transfer(to, NO_TAG, bytes),
                    receive: transfer(from, NO_TAG, bytes),
                    observed: None,
                }
            }
            Action::Probe => {
                let peer = match arguments.first() {
                    Some(peer) => self.peer(peer)?,
                    None => Peer::Any,
                };
                Call::Probe {
                    transfer: transfer(peer, self.tag(arguments.get(1))?, Operand::Constant(0)),
                    blocking: true,
                    observed: None,
                }
            }
            // Never reached: `work` takes the first three, `structure` waits, and collectives were made above.
            Action::Compute
            | Action::Input
            | Action::Output
            | Action::Wait
            | Action::Barrier
            | Action::Broadcast
            | Action::Reduce
            | Action::Allreduce
            | Action::Gather
            | Action::Scatter
            | Action::Allgather
            | Action::Alltoall
            | Action::ReduceScatter
            | Action::Scan
            | Action::ExclusiveScan => {
                return Err(Fault::new(span, "it starts no message"));
            }
        };
        Ok(call)
    }

    /// The number of a message that is started: the lowest that is free.
    fn started(&mut self, is_started: bool) -> Option<RequestId> {
        if !is_started {
            return None;
        }
        // Not a running number, so that equal iterations of a loop have equal entries.
        let mut number = 0;
        while self.requests.contains(&RequestId(number)) {
            number += 1;
        }
        self.requests.push(RequestId(number));
        Some(RequestId(number))
    }

    /// Waits for the oldest messages that were started, or for all.
    fn wait(
        &mut self,
        count: Option<&'p Expression>,
        statement: &'p Statement,
    ) -> Result<(), Fault> {
        let open = self.requests.len();
        let count = match count {
            None => open,
            Some(expression) => {
                let count = self
                    .interpreter
                    .whole(expression, "the number of messages")?;
                let count = usize::try_from(count).ok().filter(|count| *count <= open);
                count.ok_or_else(|| {
                    let message = format!(
                        "rank {} waits for more messages than the {open} that it has started; start them before, or wait for fewer",
                        self.interpreter.rank
                    );
                    Fault::new(expression.span, message)
                })?
            }
        };
        let requests: Vec<RequestId> = self.requests.drain(..count).collect();
        // MPI_Waitall of no requests returns at once.
        if requests.is_empty() {
            return Ok(());
        }
        let Some(&site) = self.tables.sites.get(&statement.span.start) else {
            return Ok(());
        };
        let call = Call::Wait {
            completion: Completion::All,
            completed: Vec::new(),
            observed: Vec::new(),
            requests,
        };
        self.push(Op::Call { site, call }, statement.span)
    }

    /// Bytes of a message.
    fn bytes(&mut self, cost: &'p Expression) -> Result<Operand, Fault> {
        let (span, per_cost) = (cost.span, self.bytes_per_cost);
        let bytes = self
            .interpreter
            .converted(cost, Conversion::Bytes, |number, _| {
                rounded_bytes(checked_cost(number, span)?, per_cost, span)
            })?;
        Ok(operand(&bytes))
    }

    /// Bytes that are the same on all ranks; others part here.
    fn common_bytes(&mut self, cost: &'p Expression) -> Result<i64, Fault> {
        let number = self.interpreter.cost(cost)?;
        rounded_bytes(number, self.bytes_per_cost, cost.span).map(|bytes| bytes as i64)
    }

    /// A rank of the world.
    fn rank(&mut self, expression: &'p Expression, what: &str) -> Result<Operand, Fault> {
        let known = self.interpreter.known_ranks();
        let ranks = i64::from(known.unwrap_or(1));
        let convert = |number: f64, own: u32| {
            let rank = whole_number(number, expression.span, what)?;
            if (0..ranks).contains(&rank) {
                return Ok(number);
            }
            let message = match known {
                Some(_) => format!(
                    "{what} is {rank} on rank {own}, but ranks are 0 to {}; write NONE for no partner",
                    ranks - 1
                ),
                None => format!(
                    "{what} is {rank}, but nothing names the number of ranks, so rank 0 is the only one; give it with \
                     -n N, or write PARALLEL N DO … END around the statements"
                ),
            };
            Err(Fault::new(expression.span, message))
        };
        let rank = self
            .interpreter
            .converted(expression, Conversion::Rank, convert)?;
        Ok(operand(&rank))
    }

    fn peer(&mut self, expression: &'p Expression) -> Result<Peer, Fault> {
        match self.interpreter.known(expression)? {
            Value::NoPeer => return Ok(Peer::Null),
            Value::Any => return Ok(Peer::Any),
            _ => {}
        }
        self.rank(expression, "the partner").map(Peer::Rank)
    }

    fn tag(&mut self, expression: Option<&'p Expression>) -> Result<Tag, Fault> {
        let Some(expression) = expression else {
            return Ok(NO_TAG);
        };
        if let Value::Any = self.interpreter.known(expression)? {
            return Ok(Tag::Any);
        }
        let convert = |number: f64, _| {
            let tag = whole_number(number, expression.span, "the tag")?;
            if (0..=i64::from(i32::MAX)).contains(&tag) {
                return Ok(number);
            }
            let message = format!("the tag is {tag}; it must be from 0 to {}", i32::MAX);
            Err(Fault::new(expression.span, message))
        };
        let tag = self
            .interpreter
            .converted(expression, Conversion::Tag, convert)?;
        Ok(Tag::Value(operand(&tag)))
    }

    /// A collective. Its root is a rank of the world until [`Groups::resolve`] knows the groups.
    fn collective(
        &mut self,
        kind: CollectiveKind,
        action: Action,
        arguments: &'p [Expression],
        bytes: i64,
    ) -> Result<Call, Fault> {
        let is_rooted = action.entry().parameters.contains(&"root");
        let root = match arguments.get(1) {
            _ if !is_rooted => None,
            // Rank 0 if none is given.
            None => Some(Operand::Constant(0)),
            Some(root) => match self.rank(root, "the root")? {
                Operand::Table(TableId(number)) => {
                    return Err(self.interpreter.vectors.part(VectorId(number)));
                }
                root => Some(root),
            },
        };
        let communicator = match action.group(arguments) {
            None => WORLD,
            Some(group) => {
                let number = self.interpreter.whole(group, "the group")?;
                if number < 0 {
                    let message = format!(
                        "the group is {number} on rank {}; it must not be negative, as floor(ID / 4)",
                        self.interpreter.rank
                    );
                    return Err(Fault::new(group.span, message));
                }
                self.groups.communicator(number as f64)
            }
        };
        let reduces = kind.reduces();
        // Reductions add 8-byte reals, if the operand consists of such.
        let are_reals = reduces && bytes % 8 == 0;
        let (datatype, count) = if are_reals {
            (REALS, bytes / 8)
        } else {
            (BYTES, bytes)
        };
        Ok(Call::Collective {
            kind,
            communicator,
            root,
            counts: Counts::Same(Operand::Constant(count)),
            receive_counts: None,
            datatype,
            reduce_op: if reduces { Some(ReduceOp::Sum) } else { None },
            request: None,
        })
    }
}

/// The collective that an action is.
fn kind_of(action: Action) -> Option<CollectiveKind> {
    let kind = match action {
        Action::Barrier => CollectiveKind::Barrier,
        Action::Broadcast => CollectiveKind::Broadcast,
        Action::Reduce => CollectiveKind::Reduce,
        Action::Allreduce => CollectiveKind::Allreduce,
        Action::Gather => CollectiveKind::Gather,
        Action::Scatter => CollectiveKind::Scatter,
        Action::Allgather => CollectiveKind::Allgather,
        Action::Alltoall => CollectiveKind::Alltoall,
        Action::ReduceScatter => CollectiveKind::ReduceScatter,
        Action::Scan => CollectiveKind::Scan,
        Action::ExclusiveScan => CollectiveKind::ExclusiveScan,
        Action::Compute
        | Action::Input
        | Action::Output
        | Action::Send
        | Action::Receive
        | Action::Exchange
        | Action::StartSend
        | Action::StartReceive
        | Action::Wait
        | Action::Probe => return None,
    };
    Some(kind)
}

/// Bytes of a cost.
fn rounded_bytes(cost: f64, bytes_per_cost: f64, span: Span) -> Result<f64, Fault> {
    let bytes = (cost * bytes_per_cost).round();
    if bytes >= MOST_EXACT {
        let message = format!(
            "a message of {} bytes is too long; reduce its cost or --message-unit",
            short(bytes)
        );
        return Err(Fault::new(span, message));
    }
    Ok(bytes)
}

/// A converted number in a stream: a vector is a table until its class is made.
fn operand(value: &Value<'_>) -> Operand {
    match value {
        Value::ByRank(VectorId(number)) => Operand::Table(TableId(*number)),
        Value::Number(number) => Operand::Constant(*number as i64),
        // Conversions give numbers alone.
        _ => Operand::Constant(0),
    }
}

fn too_long(span: Span) -> Fault {
    let message = format!(
        "a rank makes more than {MOST_ENTRIES} different calls and computations; let fewer \
         iterations differ, or reduce their number"
    );
    Fault::new(span, message)
}

fn hash_of(key: &MemoKey<'_>) -> u64 {
    // Rotation and multiplier of FxHash. Keys are compared in full, so a collision only costs time.
    let mut hash = u64::from(key.0) << 32 | u64::from(key.2);
    for variable in &key.1 {
        let value = variable.as_ref().map_or(7, Variable::hash);
        hash = (hash.rotate_left(5) ^ value).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    hash
}

/// The tag of messages without one.
const NO_TAG: Tag = Tag::Value(Operand::Constant(0));

/// Bytes to or from a rank of the world.
fn transfer(peer: Peer, tag: Tag, bytes: Operand) -> Transfer {
    Transfer {
        peer,
        tag,
        count: bytes,
        datatype: BYTES,
        communicator: WORLD,
    }
}
