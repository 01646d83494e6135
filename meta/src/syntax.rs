//! The syntax tree of a meta-program.

use crate::fault::Span;
use base_data::profiling::{Position, Quantity, Reduction};

/// A meta-program as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntaxTree {
    /// Its statements, definitions included.
    pub body: Block,
}

/// Statements with the comments around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Comment on the line that opens the block.
    pub opening_comment: Option<String>,
    /// The statements.
    pub statements: Vec<Statement>,
    /// Comments behind the last statement; an empty text is an empty line.
    pub trailing: Vec<String>,
    /// Comment on the line of its END.
    pub closing_comment: Option<String>,
}

/// A statement with its comments.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// Comments on the lines before it; an empty text is an empty line.
    pub leading: Vec<String>,
    /// The statement.
    pub kind: StatementKind,
    /// Comment behind it on its line.
    pub comment: Option<String>,
    /// Where it stands, with its END.
    pub span: Span,
}

/// A name and its place. Names that begin with `$` or a capital letter are global, others belong to the
/// definition around them.
#[derive(Clone, Debug, PartialEq)]
pub struct Name {
    /// The name; `$` is a part of it.
    pub text: String,
    /// Where.
    pub span: Span,
}

impl Name {
    /// Whether the name means the same in all definitions.
    pub fn is_global(&self) -> bool {
        is_global(&self.text)
    }
}

/// Whether a name means the same in all definitions.
pub(crate) fn is_global(name: &str) -> bool {
    name.starts_with(|first: char| first == '$' || first.is_uppercase())
}

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `DEF name(a, b) … END`.
    Define {
        /// Its name.
        name: Name,
        /// Its parameters.
        parameters: Vec<Name>,
        /// What a call does.
        body: Block,
    },
    /// `name = value`.
    Assign {
        /// The variable.
        target: Name,
        /// Its value.
        value: Expression,
    },
    /// `compute(cost)` and the other actions.
    Act {
        /// What is done.
        action: Action,
        /// Its arguments.
        arguments: Vec<Expression>,
    },
    /// A call of a definition.
    Call {
        /// Its name.
        name: Name,
        /// Values of its parameters.
        arguments: Vec<Expression>,
    },
    /// `FOR … END`.
    For {
        /// Variable that counts the iterations.
        index: Option<Name>,
        /// How often.
        range: Range,
        /// What is repeated.
        body: Block,
    },
    /// `IF … ELSE … END`.
    If {
        /// A condition, or the probability of the first branch.
        condition: Expression,
        /// First branch.
        then: Block,
        /// Second branch.
        otherwise: Option<Block>,
    },
    /// `PARALLEL degree DO … END`.
    Parallel {
        /// Number of ranks.
        degree: Expression,
        /// What each rank does.
        body: Block,
    },
    /// `BREAK`: leaves the innermost FOR.
    Break,
}

/// How often a FOR is repeated.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// `FOR n`: the index counts from 0.
    Count(Expression),
    /// `FOR a..b`: from a to below b.
    Between(Expression, Expression),
}

/// What a meta-program does beside control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Action {
    Compute,
    Input,
    Output,
    Send,
    Receive,
    Exchange,
    StartSend,
    StartReceive,
    Wait,
    Probe,
    Barrier,
    Broadcast,
    Reduce,
    Allreduce,
    Gather,
    Scatter,
    Allgather,
    Alltoall,
    ReduceScatter,
    Scan,
    ExclusiveScan,
}

/// An action's row in [`ACTIONS`].
pub struct ActionEntry {
    /// The action.
    pub action: Action,
    /// Its name.
    pub name: &'static str,
    /// Names of its arguments.
    pub parameters: &'static [&'static str],
    /// How many of them must be given.
    pub required: usize,
}

const fn action(
    action: Action,
    name: &'static str,
    parameters: &'static [&'static str],
    required: usize,
) -> ActionEntry {
    ActionEntry {
        action,
        name,
        parameters,
        required,
    }
}

/// All actions. As in the MegaScript paper (2005), `msgsend(cost)` needs no partner: costs are known without one, and streams report the
/// missing receiver.
pub const ACTIONS: [ActionEntry; 21] = [
    action(Action::Compute, "compute", &["cost"], 1),
    action(Action::Input, "input", &["cost"], 1),
    action(Action::Output, "output", &["cost"], 1),
    action(Action::Send, "msgsend", &["cost", "peer", "tag"], 1),
    action(Action::Receive, "msgrecv", &["cost", "peer", "tag"], 1),
    action(Action::Exchange, "msgsendrecv", &["cost", "to", "from"], 3),
    action(Action::StartSend, "msgisend", &["cost", "peer", "tag"], 1),
    action(
        Action::StartReceive,
        "msgirecv",
        &["cost", "peer", "tag"],
        1,
    ),
    action(Action::Wait, "msgwait", &["count"], 0),
    action(Action::Probe, "msgprobe", &["peer", "tag"], 0),
    action(Action::Barrier, "barrier", &["group"], 0),
    action(Action::Broadcast, "broadcast", ROOTED, 1),
    action(Action::Reduce, "reduce", ROOTED, 1),
    action(Action::Allreduce, "allreduce", &["cost", "group"], 1),
    action(Action::Gather, "gather", ROOTED, 1),
    action(Action::Scatter, "scatter", ROOTED, 1),
    action(Action::Allgather, "allgather", &["cost", "group"], 1),
    action(Action::Alltoall, "alltoall", &["cost", "group"], 1),
    action(
        Action::ReduceScatter,
        "reducescatter",
        &["cost", "group"],
        1,
    ),
    action(Action::Scan, "scan", &["cost", "group"], 1),
    action(Action::ExclusiveScan, "exscan", &["cost", "group"], 1),
];

/// Arguments of collectives with a root.
const ROOTED: &[&str] = &["cost", "root", "group"];

impl Action {
    /// Its row.
    pub fn entry(self) -> &'static ActionEntry {
        // The rows stand in the order of the enum.
        &ACTIONS[self as usize]
    }

    /// The action of this name.
    pub(crate) fn of_name(name: &str) -> Option<Action> {
        let entry = ACTIONS.iter().find(|entry| entry.name == name)?;
        Some(entry.action)
    }

    /// Whether its first argument is a cost.
    pub(crate) fn has_cost(self) -> bool {
        !matches!(self, Action::Wait | Action::Probe | Action::Barrier)
    }

    /// The argument that names the ranks which take part, of those that are given.
    pub(crate) fn group(self, arguments: &[Expression]) -> Option<&Expression> {
        let names = self.entry().parameters;
        let index = names.iter().position(|name| *name == "group")?;
        arguments.get(index)
    }

    /// Whether it is an MPI call.
    pub fn communicates(self) -> bool {
        !matches!(self, Action::Compute | Action::Input | Action::Output)
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    /// What it computes.
    pub kind: ExpressionKind,
    /// Where it stands.
    pub span: Span,
}

/// What an expression computes.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpressionKind {
    /// A number, with its spelling.
    Number(f64, String),
    /// A variable, `ID`, `RANKS`, `NONE` or `ANY`.
    Name(String),
    /// `@arg[index]`.
    Argument(u32),
    /// An expression that is evaluated where its value is needed.
    Cost(CostForm, Box<Expression>),
    /// A profiling directive, whose value a profile has.
    Directive(Directive),
    /// `-a`, `!a`.
    Unary(UnaryOperator, Box<Expression>),
    /// `a + b`.
    Binary(BinaryOperator, Box<Expression>, Box<Expression>),
    /// `floor(a)`.
    Function(Function, Vec<Expression>),
}

/// How a cost object was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CostForm {
    /// `Cost("x")`.
    Cost,
    /// `Cost.new("x")`.
    New,
    /// `C_x`.
    Prefix,
}

/// An operator with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum UnaryOperator {
    Minus,
    Not,
}

/// An operator with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    Power,
}

/// Symbols of operators; the first one of an operator is that of the formatter.
pub(crate) const OPERATORS: [(&str, BinaryOperator); 15] = [
    ("||", BinaryOperator::Or),
    ("&&", BinaryOperator::And),
    ("==", BinaryOperator::Equal),
    ("!=", BinaryOperator::Unequal),
    ("<=", BinaryOperator::LessEqual),
    (">=", BinaryOperator::GreaterEqual),
    ("<", BinaryOperator::Less),
    (">", BinaryOperator::Greater),
    ("+", BinaryOperator::Add),
    ("-", BinaryOperator::Subtract),
    ("*", BinaryOperator::Multiply),
    ("/", BinaryOperator::Divide),
    ("%", BinaryOperator::Modulo),
    ("^", BinaryOperator::Power),
    ("**", BinaryOperator::Power),
];

impl BinaryOperator {
    /// How tightly it binds; a larger number binds tighter.
    pub(crate) fn precedence(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal
            | Self::Unequal
            | Self::Less
            | Self::LessEqual
            | Self::Greater
            | Self::GreaterEqual => 4,
            Self::Add | Self::Subtract => 5,
            Self::Multiply | Self::Divide | Self::Modulo => 6,
            Self::Power => 8,
        }
    }

    pub(crate) fn symbol(self) -> &'static str {
        let row = OPERATORS.iter().find(|(_, operator)| *operator == self);
        row.map_or("?", |(symbol, _)| symbol)
    }
}

/// Binds tighter than all operators, as in Ruby: `!a == b` negates a alone.
pub(crate) const NOT_PRECEDENCE: u8 = 9;
/// Binds weaker than powers: `-a ^ 2` is the negative of the square.
pub(crate) const MINUS_PRECEDENCE: u8 = 7;

/// A function in expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Function {
    Floor,
    Ceil,
    Round,
    Abs,
    Sqrt,
    Log2,
    Min,
    Max,
    Xor,
}

/// Names of functions, with the number of their arguments.
pub const FUNCTIONS: [(&str, Function, usize); 9] = [
    ("floor", Function::Floor, 1),
    ("ceil", Function::Ceil, 1),
    ("round", Function::Round, 1),
    ("abs", Function::Abs, 1),
    ("sqrt", Function::Sqrt, 1),
    ("log2", Function::Log2, 1),
    ("min", Function::Min, 2),
    ("max", Function::Max, 2),
    ("xor", Function::Xor, 2),
];

/// A profiling directive: a value that a run of the described program has.
#[derive(Clone, Debug, PartialEq)]
pub struct Directive {
    /// What is measured.
    pub quantity: Quantity,
    /// How several values become one.
    pub reduction: Reduction,
    /// The place, and the calls that lead to it, innermost first.
    pub path: Vec<PathStep>,
}

/// Names of directives; the first one of a quantity is that of the formatter, the others are those of figures 12 and 14.
pub(crate) const QUANTITIES: [(&str, Quantity); 5] = [
    ("getTime", Quantity::Time),
    ("getValueOfVariable", Quantity::Variable),
    ("getAmountOfMessage", Quantity::Message),
    ("getValue", Quantity::Variable),
    ("getAmountMessage", Quantity::Message),
];

/// Names of reductions.
pub(crate) const REDUCTIONS: [(&str, Reduction); 6] = [
    ("of", Reduction::Of),
    ("averageOf", Reduction::Average),
    ("maxOf", Reduction::Maximum),
    ("minOf", Reduction::Minimum),
    ("headOf", Reduction::Head),
    ("tailOf", Reduction::Tail),
];

/// A function of the described program, and a place in it.
#[derive(Clone, Debug, PartialEq)]
pub struct PathStep {
    /// The function.
    pub function: String,
    /// `blockCount`: number of the block, from 1.
    pub block_count: Option<u32>,
    /// `blockName`: kind of the block.
    pub block_name: Option<String>,
    /// `position`.
    pub position: Option<Position>,
    /// `variableName`.
    pub variable_name: Option<String>,
    /// Where it stands, with its options.
    pub span: Span,
}
