//! Rules that a slice is safe by, by name, so that tests can break one and see that it is missed. They
//! always hold in a product: that they can be broken is no part of it, but of the feature `mutations`, which
//! only tests turn on. What a rule says stands where it is obeyed.

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "mutations"), allow(dead_code))]
pub enum Rule {
    /// A GOTO decides whether what it jumps over runs.
    GotoDecides = 1,
    /// So does an EXIT.
    ExitDecides,
    /// So does a CYCLE.
    CycleDecides,
    /// So does a RETURN.
    ReturnDecides,
    /// So does what ends the run.
    StopDecides,
    /// Members of COMMON are one place where they share bytes.
    CommonIsStorage,
    /// So are variables that are equivalent.
    EquivalenceIsStorage,
    /// What a callee writes to a dummy is written to the actual argument.
    DummiesAreWritten,
    /// Functions write, too.
    FunctionsWrite,
    /// What pointers may point at is one place with them.
    PointersAlias,
    /// Variables with SAVE keep their values from one call to the next.
    SavedStays,
    /// What is written to a part leaves the rest as it was.
    PartsLeaveTheRest,
    /// What is allocated has to be when it is named.
    NamedExists,
    /// Data of broadcasts and reductions are read where they decide.
    CollectivesCarry,
    /// So are data of messages from one rank to another.
    MessagesCarry,
    /// What an iteration leaves the next may take, and differ.
    IterationsCarry,
    /// So does what an iteration calls.
    CalleesCarry,
    /// What may be written may also stay as the iteration before left it.
    WritesMayNotHappen,
    /// Iterations differ in their number.
    NumbersDiffer,
    /// Work terms are read in each iteration.
    WorkIsRead,
    /// MPI calls procedures of the program.
    MpiCallsBack,
    /// What one process does to a file another may see, after it.
    FilesAreShared,
    /// What a file holds was written there.
    FilesHold,
    /// Text that is written to as a file is a variable.
    TextIsWritten,
    /// What a callee writes beside its dummies is written where it is called.
    CalleesWriteBeside,
    /// Two dummies may be one variable.
    DummiesMayBeOne,
    /// Statuses depend on messages, which must be matched.
    StatusesTell,
    /// Collectives of one function, and messages between two, meet unless all say of what sort they are.
    CollectivesMeet,
    /// Random numbers depend on those before.
    RandomNumbersGoOn,
    /// What is made of a function's value may be wanted.
    ValuesAreWanted,
    /// What a callee reads of an expression that it is passed is read where it is called.
    PassedIsRead,
    /// What BLOCK declares hides what is outside.
    BlocksHide,
    /// What is PRIVATE in a module is known nowhere else.
    PrivateHides,
    /// Names that ASSOCIATE gives hide those outside.
    AssociatesHide,
}

#[cfg(feature = "mutations")]
impl Rule {
    /// All.
    pub const ALL: [Rule; 34] = [
        Rule::GotoDecides,
        Rule::ExitDecides,
        Rule::CycleDecides,
        Rule::ReturnDecides,
        Rule::StopDecides,
        Rule::CommonIsStorage,
        Rule::EquivalenceIsStorage,
        Rule::DummiesAreWritten,
        Rule::FunctionsWrite,
        Rule::PointersAlias,
        Rule::SavedStays,
        Rule::PartsLeaveTheRest,
        Rule::NamedExists,
        Rule::CollectivesCarry,
        Rule::MessagesCarry,
        Rule::IterationsCarry,
        Rule::NumbersDiffer,
        Rule::CalleesCarry,
        Rule::WritesMayNotHappen,
        Rule::WorkIsRead,
        Rule::MpiCallsBack,
        Rule::FilesAreShared,
        Rule::FilesHold,
        Rule::TextIsWritten,
        Rule::CalleesWriteBeside,
        Rule::DummiesMayBeOne,
        Rule::StatusesTell,
        Rule::CollectivesMeet,
        Rule::RandomNumbersGoOn,
        Rule::ValuesAreWanted,
        Rule::PassedIsRead,
        Rule::BlocksHide,
        Rule::PrivateHides,
        Rule::AssociatesHide,
    ];
}

#[cfg(feature = "mutations")]
static BROKEN: std::sync::atomic::AtomicU8 = std::sync::atomic::AtomicU8::new(0);

/// Breaks a rule for all analyses of the process; `None`: all hold again.
#[cfg(feature = "mutations")]
pub fn break_rule(rule: Option<Rule>) {
    BROKEN.store(
        rule.map_or(0, |rule| rule as u8),
        std::sync::atomic::Ordering::SeqCst,
    );
}

/// Whether a rule holds.
#[cfg(feature = "mutations")]
pub(crate) fn holds(rule: Rule) -> bool {
    BROKEN.load(std::sync::atomic::Ordering::SeqCst) != rule as u8
}

/// Whether a rule holds: it does.
#[cfg(not(feature = "mutations"))]
pub(crate) const fn holds(_rule: Rule) -> bool {
    true
}
