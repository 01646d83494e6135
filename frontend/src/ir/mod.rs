//! A program's meaning: procedures, variables, statements and expressions, free of language and
//! position. Positions are in [`crate::ir::source_map`], by statement id.
//!
//! The statement tree keeps structured constructs; jumps stay jumps. Nothing here is executable
//! by itself: expressions keep what dependence, constant folding and work terms need.

pub mod analysis;
pub(crate) mod array_inquiries;
pub(crate) mod bit_set;
pub(crate) mod canonical_text;
pub mod conjuncts;
pub(crate) mod constant_values;
#[cfg(test)]
pub(crate) mod dump;
pub(crate) mod expression_builders;
pub(crate) mod implied_loops;
mod input_output;
pub(crate) mod iterations;
pub mod line_markers;
mod lookup;
pub mod lowered;
pub(crate) mod object_components;
pub(crate) mod openmp;
pub(crate) mod parallel;
pub(crate) mod reallocation_on_assignment;
pub(crate) mod references;
pub mod rules;
pub mod source_map;
pub(crate) mod spans;
pub(crate) mod statement_tree;
pub(crate) mod sums;

pub use input_output::{InputOutput, IoOperation, IoUnit, Shared};

use base_data::mpi::Function;
use std::collections::{BTreeMap, BTreeSet};

/// Index into [`Program::procedures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcedureId(pub u32);

/// Index into [`Program::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// Index into [`Program::statements`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementId(pub u32);

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Main program and procedures, in source order.
    pub procedures: Vec<Procedure>,
    /// All variables of all scopes.
    pub variables: Vec<Variable>,
    /// All executable statements.
    pub statements: Vec<Statement>,
    /// All derived types.
    pub types: Vec<DerivedType>,
    /// What pointers point at from the start, by their declaration.
    pub from_start: Vec<FromStart>,
    /// The main program.
    pub main: Option<ProcedureId>,
    /// What names mean in constructs that have names of their own (BLOCK, ASSOCIATE, SELECT TYPE, DO CONCURRENT): the variable
    /// of that name that USE brings there, or something else.
    pub own_names: BTreeMap<StatementId, BTreeMap<String, Option<VariableId>>>,
    /// Names of the variables that a BLOCK declares and that hide procedures.
    pub hiding_procedures: BTreeMap<StatementId, Vec<String>>,
    /// Procedure pointers and dummy procedures, as far as their declarations say so.
    pub procedure_variables: BTreeSet<VariableId>,
    /// Binding labels that the program gives: names that code in other languages may use.
    pub labels: BTreeSet<String>,
    /// Whether it gives others, whose text is not known.
    pub has_unknown_labels: bool,
    /// By which symbols procedures without source are called, as far as declarations or calls show it.
    pub external_labels: BTreeMap<String, BindingName>,
    /// Procedures without source that an EXTERNAL statement or an interface body declares: no intrinsic ones.
    pub declared_externals: BTreeSet<String>,
    /// Names of procedures without source that may stand for one of several procedures.
    pub ambiguous_externals: BTreeSet<String>,
    /// Names of procedures without source that a module without source may give.
    pub names_of_modules: BTreeSet<String>,
    /// Of procedures without source that have an interface body: how it passes each argument, by position. Empty if bodies
    /// differ, or a call names an argument that none has.
    pub external_dummies: BTreeMap<String, Vec<PassedAs>>,
}

/// By which symbol a procedure without source is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindingName {
    /// As a procedure without BIND(C).
    Fortran,
    /// By a binding label.
    Label(String),
    /// By several symbols, or one that is not known.
    Several,
}

/// What an interface body says of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassedAs {
    /// The procedure may write it, and allocate, deallocate or associate it.
    Object,
    /// The procedure knows its address. Even with INTENT(IN) it may keep that, and a later call may write the argument.
    Address,
    /// VALUE: the procedure does not know where it is.
    Value,
}

/// What stands for a label that a call may return to.
pub const ALTERNATE_RETURN: &str = "*";

/// A main program, subroutine or function.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// Lower-case name; a main program without one is `main`.
    pub name: String,
    /// Main program, subroutine or function.
    pub kind: ProcedureKind,
    /// Whether it is PURE, or ELEMENTAL without IMPURE: it can call nothing that has effects.
    pub is_pure: bool,
    /// Whether it is ELEMENTAL.
    pub is_elemental: bool,
    /// Dummy arguments by position; `None` for an alternate return.
    pub dummies: Vec<Option<VariableId>>,
    /// A function's result.
    pub result: Option<VariableId>,
    /// Body.
    pub body: Vec<StatementId>,
    /// Module or host procedure it is contained in.
    pub host: Option<String>,
    /// Variables that it can name by their own names, whether it does or not, where no construct in it has others; in the
    /// order of their numbers.
    pub known: Vec<VariableId>,
    /// Names declared EXTERNAL or used as procedures that have no source here, lower case.
    pub externals: Vec<String>,
    /// ENTRY statements: where control may begin, too.
    pub entries: Vec<StatementId>,
    /// Whether it is FINAL for some type: called where no statement says so.
    pub is_final: bool,
    /// Whether another procedure contains it: no other procedure can call it, unless it is passed.
    pub is_internal: bool,
    /// Whether it has BIND(C): C may call it.
    pub is_bound: bool,
    /// Whether control or arguments take paths that the representation does not contain (ENTRY, alternate
    /// returns, assigned GOTO): all its statements stay together.
    pub is_whole: bool,
}

/// A derived type.
#[derive(Clone, Debug, Default)]
pub struct DerivedType {
    /// As [`Type::Derived`] names it.
    pub name: String,
    /// The type it extends.
    pub parent: Option<String>,
    /// Its own components, without those of its parent.
    pub components: Vec<Component>,
    /// Its own FINAL procedures.
    pub finals: Vec<ProcedureId>,
}

/// A component of a derived type.
#[derive(Clone, Debug)]
pub struct Component {
    /// Lower-case name.
    pub name: String,
    /// Type.
    pub of_type: Type,
    /// Number of dimensions.
    pub rank: usize,
    /// POINTER, ALLOCATABLE, CLASS.
    pub attributes: Attributes,
    /// Whether it is a procedure pointer.
    pub is_procedure: bool,
    /// PRIVATE: known only where its type is defined.
    pub is_private: bool,
}

/// `pointer => target` in a declaration.
#[derive(Clone, Debug)]
pub struct FromStart {
    /// What points.
    pub holder: Holder,
    /// At what: a part of a variable, or a call without arguments, which names a procedure.
    pub target: Expression,
}

/// What points from the start.
#[derive(Clone, Debug)]
pub enum Holder {
    /// A variable.
    Variable(VariableId),
    /// A component of all objects of a derived type.
    Type(String),
}

/// What a declaration says of a variable or component beside type and shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    /// POINTER: it names storage that others may name, too.
    pub pointer: bool,
    /// ALLOCATABLE.
    pub allocatable: bool,
    /// OPTIONAL.
    pub optional: bool,
    /// INTENT(OUT): what it had before the call is gone.
    pub intent_out: bool,
    /// CLASS: its type may be any extension of the declared one.
    pub polymorphic: bool,
    /// DATA or an initial value: it holds something before any statement runs.
    pub initialised: bool,
    /// That value is a null handle of MPI, or a number that is no handle.
    pub begins_null: bool,
    /// VALUE: it is a copy of the actual argument.
    pub value: bool,
    /// A dummy that some caller passes a section which does not lie in one piece, and that takes it so.
    pub in_pieces: bool,
    /// It is known only inside a construct, or under another name somewhere: probes cannot name it.
    pub inner: bool,
    /// A constant of MPI, of which every library has a value of its own.
    pub of_mpi: bool,
}

/// Kind of a procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcedureKind {
    /// Main program.
    Main,
    /// Subroutine.
    Subroutine,
    /// Function.
    Function,
}

/// A variable (or named constant) of one scope. The same COMMON member seen from two procedures
/// is two variables with equal [`Storage::Common`] places.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Lower-case name.
    pub name: String,
    /// Scope that declares it; `None` for module variables.
    pub owner: Option<ProcedureId>,
    /// Declared or implicit type.
    pub of_type: Type,
    /// Bounds per dimension; empty for a scalar.
    pub shape: Vec<Dimension>,
    /// Length of CHARACTER; `None` for other types, and where it is assumed or deferred.
    pub length: Option<Expression>,
    /// Where it lives.
    pub storage: Storage,
    /// What else its declaration says.
    pub attributes: Attributes,
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Integer of this many bytes.
    Integer(u8),
    /// Real of this many bytes.
    Real(u8),
    /// Complex of this many bytes in all.
    Complex(u8),
    /// Logical of this many bytes.
    Logical(u8),
    /// Character.
    Character,
    /// Derived type, by the name it has in [`Program::types`] (types of MPI and of modules without source are
    /// not there).
    Derived(String),
    /// Not known.
    Unknown,
}

/// One dimension of an array.
#[derive(Clone, Debug, Default)]
pub struct Dimension {
    /// Lower bound; 1 if `None`.
    pub lower: Option<Expression>,
    /// Upper bound; `None` for assumed size or shape.
    pub upper: Option<Expression>,
    /// `*`: as far as what is passed reaches, in one piece.
    pub is_assumed_size: bool,
}

/// Where a variable lives.
#[derive(Clone, Debug)]
pub enum Storage {
    /// In a frame of its procedure.
    Local,
    /// Once per process: SAVE, initialised, main program's, or of a module.
    Static,
    /// Dummy argument by position.
    Dummy(u32),
    /// Member of a COMMON block.
    Common {
        /// Block name, lower case; empty for blank COMMON.
        block: String,
        /// Offset in bytes from the start of the block, where all sizes before it are known.
        offset: Option<u64>,
        /// Size in bytes, where known.
        bytes: Option<u64>,
    },
    /// Named constant.
    Constant(Option<Expression>),
    /// Module variable: same name and module are the same place.
    Module(String),
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Procedure it belongs to.
    pub procedure: ProcedureId,
    /// Statement label.
    pub label: Option<u32>,
    /// What it does.
    pub kind: StatementKind,
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `target = value`; target is a [`Expression::Variable`] or a reference based on one.
    Assign {
        /// What is written.
        target: Expression,
        /// What is written to it.
        value: Expression,
    },
    /// CALL.
    Call {
        /// Who is called.
        callee: Callee,
        /// Actual arguments; `None` for those of dummies that are passed nothing. A label to return to is the literal
        /// [`ALTERNATE_RETURN`].
        arguments: Vec<Option<Expression>>,
    },
    /// IF in any form; a logical IF has one branch of one statement.
    If {
        /// Conditions with their bodies, in order.
        branches: Vec<(Expression, Vec<StatementId>)>,
        /// ELSE.
        otherwise: Option<Vec<StatementId>>,
        /// Whether it is a logical IF, whose statement stands on its line.
        logical: bool,
    },
    /// Counted DO.
    Do {
        /// DO variable.
        variable: VariableId,
        /// First value.
        from: Expression,
        /// Last value.
        to: Expression,
        /// Step; 1 if `None`.
        step: Option<Expression>,
        /// Body; a labelled DO's terminal statement is its last.
        body: Vec<StatementId>,
        /// Label of the terminal statement of a labelled DO.
        terminal: Option<u32>,
    },
    /// DO WHILE, or DO without control (`condition` is `None`).
    While {
        /// Condition.
        condition: Option<Expression>,
        /// Body, as that of a DO.
        body: Vec<StatementId>,
        /// As that of a DO.
        terminal: Option<u32>,
    },
    /// SELECT CASE.
    Select {
        /// Selector.
        selector: Expression,
        /// Case values with bodies; DEFAULT has no values.
        cases: Vec<(Vec<CaseValue>, Vec<StatementId>)>,
    },
    /// ASSOCIATE or BLOCK: names that hold inside.
    Scoped {
        /// What is evaluated on entry: selectors, bounds of arrays.
        reads: Vec<Expression>,
        /// Body.
        body: Vec<StatementId>,
    },
    /// `pointer => target`: from here on both may be one storage.
    PointerAssignment {
        /// What is made to point.
        pointer: Expression,
        /// At what.
        target: Expression,
    },
    /// ENTRY: control may begin here.
    Entry,
    /// GOTO in any form: where it may go; `selector` decides (computed, arithmetic IF). With a
    /// selector of a computed GOTO, control may also fall through.
    Goto {
        /// Labels.
        labels: Vec<u32>,
        /// What decides among them.
        selector: Option<Expression>,
        /// Whether control may go on to the next statement.
        falls_through: bool,
    },
    /// EXIT: leaves this loop or construct.
    Exit(StatementId),
    /// CYCLE: next iteration of this loop.
    Cycle(StatementId),
    /// RETURN.
    Return,
    /// STOP, ERROR STOP, CALL EXIT and the like: the run ends here.
    Stop,
    /// CONTINUE and other statements that do nothing.
    Continue,
    /// Input and output.
    InputOutput(InputOutput),
    /// ALLOCATE: makes these arrays (each a reference whose subscripts are the bounds).
    Allocate {
        /// Length of CHARACTER, where a type is said: `ALLOCATE (CHARACTER(n) :: c)`.
        length: Option<Expression>,
        /// Objects.
        objects: Vec<Expression>,
        /// STAT= variable.
        status: Option<Expression>,
    },
    /// DEALLOCATE, NULLIFY.
    Deallocate {
        /// Objects.
        objects: Vec<Expression>,
        /// STAT= variable.
        status: Option<Expression>,
    },
    /// Anything that was not understood, or a construct kept whole (WHERE, FORALL):
    /// all it mentions. Its text is never edited inside.
    Opaque {
        /// What it may read.
        reads: Vec<Expression>,
        /// What it may write.
        writes: Vec<Expression>,
    },
}

/// Who is called.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A procedure of this program.
    Procedure(ProcedureId),
    /// A function of MPI that is in the table.
    Mpi(&'static Function),
    /// A name in MPI's name space that is not in the table, lower case.
    UnknownMpi(String),
    /// An intrinsic procedure, lower case: reads its arguments; as a subroutine also writes them.
    Intrinsic(String),
    /// A procedure without source, lower case: may read and write its arguments and all COMMON.
    External(String),
    /// A dummy procedure or procedure pointer: any procedure that is passed or pointed at somewhere.
    Variable(VariableId),
    /// One of several procedures of this program: overridden bindings, a generic name that is not resolved.
    OneOf(Vec<ProcedureId>),
}

impl Callee {
    /// The procedures of this program that a call by name leads to.
    pub fn procedures(&self) -> &[ProcedureId] {
        match self {
            Callee::Procedure(procedure) => std::slice::from_ref(procedure),
            Callee::OneOf(all) => all,
            Callee::Mpi(_)
            | Callee::UnknownMpi(_)
            | Callee::Intrinsic(_)
            | Callee::External(_)
            | Callee::Variable(_) => &[],
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expression {
    /// Integer literal.
    Integer(i64),
    /// Other literal, as it is spelled.
    Literal(String),
    /// A variable as a whole: scalar, or whole array.
    Variable(VariableId),
    /// An array element, section or substring; components of a derived type are in `path`.
    Reference {
        /// The variable.
        base: VariableId,
        /// Component names, lower case, outermost first; empty without `%`.
        path: Vec<String>,
        /// Subscripts and bounds in reading order.
        subscripts: Vec<Subscript>,
    },
    /// A function's value.
    Call {
        /// Who.
        callee: Callee,
        /// Actual arguments.
        arguments: Vec<Expression>,
    },
    /// `-x`, `+x`, `.not. x`.
    Unary {
        /// Operator.
        operator: Operator,
        /// Operand.
        operand: Box<Expression>,
    },
    /// `a + b` and the like.
    Binary {
        /// Operator.
        operator: Operator,
        /// Left.
        left: Box<Expression>,
        /// Right.
        right: Box<Expression>,
    },
    /// Anything else: array constructors, implied DO, structure constructors, complex literals.
    Other(Vec<Expression>),
}

/// What a case selects.
#[derive(Clone, Debug)]
pub enum CaseValue {
    /// A value.
    One(Expression),
    /// All values from one to another, `from:to`; without a bound, all from or to the other.
    Range {
        /// The least.
        from: Option<Expression>,
        /// The greatest.
        to: Option<Expression>,
    },
    /// A type or rank.
    TypeOrRank,
}

impl CaseValue {
    /// The expressions in it.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        let (first, second) = match self {
            CaseValue::One(value) => (Some(value), None),
            CaseValue::Range { from, to } => (from.as_ref(), to.as_ref()),
            CaseValue::TypeOrRank => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// A subscript.
#[derive(Clone, Debug)]
pub enum Subscript {
    /// One element.
    Element(Expression),
    /// `lower:upper:stride`.
    Section {
        /// Lower bound.
        lower: Option<Expression>,
        /// Upper bound.
        upper: Option<Expression>,
        /// Stride.
        stride: Option<Expression>,
    },
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Concatenate,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
    Not,
    Equivalent,
    NotEquivalent,
    Negate,
    Plus,
    /// `.name.` of the program's own.
    Defined,
}
