//! Values of profiling directives: what a run of the described program measured. The run is the caller's business; this module
//! knows the file in which its values are kept, and what a directive is worth on a rank.

use crate::fault::{Fault, Span};
use crate::layout::directive_text;
use crate::syntax::{
    Block, Directive, Expression, ExpressionKind, Range, StatementKind, SyntaxTree,
};
use base_data::profiling::{Quantity, Reduction};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// Version of the file.
const FORMAT: u32 = 1;

/// First word of the file.
const MAGIC: &str = "mpiete-profile";

/// The clock of a profile's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Processor time of the rank: without the time that it waits.
    Processor,
    /// Elapsed time.
    Elapsed,
}

/// Names of clocks in the file.
const CLOCKS: [(&str, Clock); 2] = [("processor", Clock::Processor), ("elapsed", Clock::Elapsed)];

/// Values of directives from one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// The program that ran.
    pub program: String,
    /// Number of ranks of the run.
    pub ranks: u32,
    /// Clock of its times.
    pub clock: Clock,
    /// Values of each directive by its text in standard form, as the formatter writes it.
    pub directives: BTreeMap<String, BTreeMap<u32, Sample>>,
}

/// The value of a directive on a rank.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// How often its place was reached.
    pub executions: u64,
    /// The reduced value: nanoseconds, bytes, or the value of a variable.
    pub value: f64,
    /// Of `of`: the least and the largest value.
    pub range: Option<(f64, f64)>,
}

impl Profile {
    /// The text of the file.
    pub fn to_text(&self) -> String {
        let clock = CLOCKS.iter().find(|(_, clock)| *clock == self.clock);
        let mut text = format!(
            "{MAGIC} {FORMAT}\nprogram {}\nranks {}\nclock {}\n",
            self.program.replace('\n', " "),
            self.ranks,
            clock.map_or("", |row| row.0)
        );
        for (directive, samples) in &self.directives {
            let _ = writeln!(text, "directive {directive}");
            for (rank, sample) in samples {
                let _ = write!(text, "  {rank} {} {}", sample.executions, sample.value);
                if let Some((least, largest)) = sample.range {
                    let _ = write!(text, " {least} {largest}");
                }
                text.push('\n');
            }
        }
        text
    }

    /// Reads the text of a file; lines that begin with `#` are comments.
    ///
    /// # Errors
    /// The line, and what is wrong with it.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let mut lines = Lines::of(text);
        let version = lines.field(MAGIC)?;
        if version != FORMAT.to_string() {
            return Err(format!(
                "the profile has format {version}, this version reads {FORMAT}; profile again"
            ));
        }
        let mut profile = Self {
            program: lines.field("program")?,
            ranks: 0,
            clock: Clock::Processor,
            directives: BTreeMap::new(),
        };
        let ranks = lines.field("ranks")?;
        profile.ranks = match ranks.parse() {
            Ok(ranks) if ranks > 0 => ranks,
            Ok(_) | Err(_) => return Err(lines.error("expected a number of ranks")),
        };
        let clock = lines.field("clock")?;
        let known = CLOCKS.iter().find(|(name, _)| *name == clock);
        profile.clock = match known {
            Some((_, clock)) => *clock,
            None => return Err(lines.error("expected processor or elapsed")),
        };
        let mut open: Option<String> = None;
        while let Some(line) = lines.next() {
            if let Some(directive) = line.strip_prefix("directive ") {
                let directive = directive.trim().to_string();
                if profile.directives.contains_key(&directive) {
                    return Err(lines.error("this directive stands twice; keep one"));
                }
                profile
                    .directives
                    .insert(directive.clone(), BTreeMap::new());
                open = Some(directive);
                continue;
            }
            let samples = open
                .as_ref()
                .and_then(|name| profile.directives.get_mut(name));
            let Some(samples) = samples else {
                return Err(lines.error("expected `directive` and its text"));
            };
            let Some((rank, sample)) = sample(line) else {
                return Err(lines.error(
                    "expected rank, number of executions, value, and for `of` the least and the largest value",
                ));
            };
            if rank >= profile.ranks || samples.insert(rank, sample).is_some() {
                let message = format!(
                    "rank {rank} stands twice or is not one of {} ranks",
                    profile.ranks
                );
                return Err(lines.error(&message));
            }
        }
        Ok(profile)
    }
}

/// The lines of a profile that are not comments.
struct Lines<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
    /// Number of the last line, from 1.
    number: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            lines: text.lines().enumerate(),
            number: 1,
        }
    }

    fn next(&mut self) -> Option<&'a str> {
        for (index, line) in self.lines.by_ref() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                self.number = index + 1;
                return Some(line);
            }
        }
        None
    }

    /// What follows a word on the next line.
    fn field(&mut self, word: &str) -> Result<String, String> {
        let line = self.next().unwrap_or_default();
        match line.split_once(' ') {
            Some((first, rest)) if first == word => Ok(rest.trim().into()),
            Some(_) | None => Err(self.error(&format!("expected `{word}` and its value"))),
        }
    }

    fn error(&self, message: &str) -> String {
        format!("line {}: {message}; or profile again", self.number)
    }
}

fn sample(line: &str) -> Option<(u32, Sample)> {
    let mut words = line.split_whitespace();
    let rank = words.next()?.parse().ok()?;
    let executions = words.next()?.parse().ok()?;
    let mut number = || {
        let number = words.next()?.parse().ok()?;
        Some(number).filter(|number: &f64| number.is_finite())
    };
    let value = number()?;
    let range = match (number(), number()) {
        (Some(least), Some(largest)) => Some((least, largest)),
        (None, None) => None,
        _ => return None,
    };
    let sample = Sample {
        executions,
        value,
        range,
    };
    match (words.next(), executions) {
        // A rank that did not reach the place has no line, so 0 executions are an error.
        (None, 1..) => Some((rank, sample)),
        _ => None,
    }
}

/// Values of the directives of a meta-program, by the first bytes of the directives.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileValues {
    /// Number of ranks of the run.
    ranks: u32,
    by_rank: HashMap<u32, Values>,
    varies: bool,
    /// The values for other numbers of ranks: those of all ranks of the run together.
    together: Option<Box<ProfileValues>>,
}

/// Values of a directive.
#[derive(Clone, Debug, PartialEq)]
enum Values {
    /// The same on all ranks; `None` if its place was reached on none.
    Same(Option<f64>),
    /// One for each rank, where its place was reached.
    Ranks(Vec<Option<f64>>),
}

impl ProfileValues {
    pub(crate) fn of(tree: &SyntaxTree, profile: &Profile, time_unit: f64) -> Result<Self, Fault> {
        let mut by_rank = HashMap::new();
        let mut together = HashMap::new();
        for (directive, span) in all_directives(tree) {
            let Some(samples) = profile.directives.get(&directive_text(directive)) else {
                let message = "the profile contains no value of this directive; profile again, with --profile PROJECT";
                return Err(Fault::new(span, message));
            };
            let unit = match directive.quantity {
                Quantity::Time => time_unit,
                Quantity::Variable | Quantity::Message => 1.0,
            };
            let value = |rank: u32| samples.get(&rank).map(|sample| sample.value / unit);
            let values: Vec<Option<f64>> = (0..profile.ranks).map(value).collect();
            let first = values.first().copied().flatten();
            // Equal values need no rank, so that equal ranks stay one class.
            let is_same = values.iter().all(|value| *value == first);
            let values = match is_same {
                true => Values::Same(first),
                false => Values::Ranks(values),
            };
            by_rank.insert(span.start, values);
            let all = combined(directive.reduction, samples).map(|value| value / unit);
            together.insert(span.start, Values::Same(all));
        }
        let values = |by_rank: HashMap<u32, Values>, together| Self {
            ranks: profile.ranks,
            varies: by_rank
                .values()
                .any(|values| matches!(values, Values::Ranks(_))),
            by_rank,
            together,
        };
        let together = Box::new(values(together, None));
        Ok(values(by_rank, Some(together)))
    }

    /// Number of ranks of the run.
    pub(crate) fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The values for a number of ranks.
    pub(crate) fn for_ranks(&self, ranks: u32) -> &Self {
        match &self.together {
            Some(together) if ranks != self.ranks => together,
            Some(_) | None => self,
        }
    }

    /// The value of the directive at a place on a rank.
    pub(crate) fn value(&self, place: Span, rank: u32) -> Option<f64> {
        match self.by_rank.get(&place.start)? {
            Values::Same(value) => *value,
            Values::Ranks(values) => values.get(rank as usize).copied().flatten(),
        }
    }

    /// Whether the directive at a place has different values on different ranks.
    pub(crate) fn varies(&self, place: Span) -> bool {
        matches!(self.by_rank.get(&place.start), Some(Values::Ranks(_)))
    }

    /// Whether any directive has.
    pub(crate) fn varies_anywhere(&self) -> bool {
        self.varies
    }

    /// Whether the place of a directive was reached on any rank.
    pub(crate) fn is_reached(&self, place: Span) -> bool {
        match self.by_rank.get(&place.start) {
            Some(Values::Same(value)) => value.is_some(),
            Some(Values::Ranks(_)) => true,
            None => false,
        }
    }
}

/// The value of all ranks together.
fn combined(reduction: Reduction, samples: &BTreeMap<u32, Sample>) -> Option<f64> {
    let values = samples.values().map(|sample| sample.value);
    match reduction {
        Reduction::Maximum => values.reduce(f64::max),
        Reduction::Minimum => values.reduce(f64::min),
        // The first and the last value of a rank have no order among ranks: the lowest rank stands for all.
        Reduction::Of | Reduction::Head | Reduction::Tail => values.reduce(|first, _| first),
        Reduction::Average => {
            // The mean over all executions, not over ranks: a rank counts as often as it reached the place.
            let executions: u64 = samples.values().map(|sample| sample.executions).sum();
            let share = |sample: &Sample| sample.executions as f64 / executions as f64;
            let mean = samples.values().map(|sample| sample.value * share(sample));
            mean.reduce(|a, b| a + b)
        }
    }
}

/// The directives of a meta-program, each once.
pub(crate) fn directives(tree: &SyntaxTree) -> Vec<(&Directive, Span)> {
    let mut found: Vec<(&Directive, Span)> = Vec::new();
    for (directive, span) in all_directives(tree) {
        // Places do not count in comparisons.
        if !found.iter().any(|(known, _)| *known == directive) {
            found.push((directive, span));
        }
    }
    found
}

fn all_directives(tree: &SyntaxTree) -> Vec<(&Directive, Span)> {
    let mut found = Vec::new();
    in_block(&tree.body, &mut found);
    found
}

fn in_block<'p>(block: &'p Block, found: &mut Vec<(&'p Directive, Span)>) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Define { body, .. } => in_block(body, found),
            StatementKind::Assign { value, .. } => in_expression(value, found),
            StatementKind::Act { arguments, .. } | StatementKind::Call { arguments, .. } => {
                for argument in arguments {
                    in_expression(argument, found);
                }
            }
            StatementKind::For { range, body, .. } => {
                match range {
                    Range::Count(count) => in_expression(count, found),
                    Range::Between(from, to) => {
                        in_expression(from, found);
                        in_expression(to, found);
                    }
                }
                in_block(body, found);
            }
            StatementKind::If {
                condition,
                then,
                otherwise,
            } => {
                in_expression(condition, found);
                in_block(then, found);
                if let Some(otherwise) = otherwise {
                    in_block(otherwise, found);
                }
            }
            StatementKind::Parallel { degree, body } => {
                in_expression(degree, found);
                in_block(body, found);
            }
            StatementKind::Break => {}
        }
    }
}

fn in_expression<'p>(expression: &'p Expression, found: &mut Vec<(&'p Directive, Span)>) {
    match &expression.kind {
        ExpressionKind::Directive(directive) => found.push((directive, expression.span)),
        ExpressionKind::Number(..) | ExpressionKind::Name(_) | ExpressionKind::Argument(_) => {}
        ExpressionKind::Cost(_, inner) | ExpressionKind::Unary(_, inner) => {
            in_expression(inner, found);
        }
        ExpressionKind::Binary(_, left, right) => {
            in_expression(left, found);
            in_expression(right, found);
        }
        ExpressionKind::Function(_, arguments) => {
            for argument in arguments {
                in_expression(argument, found);
            }
        }
    }
}

/// The text of a directive in its standard form, by which a profile names it.
pub fn text_of(directive: &Directive) -> String {
    directive_text(directive)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arguments, MetaProgram, Units};
    use std::sync::Arc;

    const TEXT: &str = "mpiete-profile 1\n# a remark\nprogram a.f90\nranks 2\nclock processor\n\
        directive getTime.averageOf(f)\n  0 3 200\n  1 1 600\n\
        directive getValueOfVariable.of(f(variableName=n))\n  1 2 5 5 7\n";

    #[test]
    fn file_round_trips() {
        let profile = Profile::from_text(TEXT).unwrap();
        assert_eq!(profile.directives.len(), 2);
        assert_eq!(Profile::from_text(&profile.to_text()), Ok(profile));
    }

    #[test]
    fn bad_files_are_refused() {
        for (wrong, message) in [
            (TEXT.replace("profile 1", "profile 9"), "format 9"),
            (
                TEXT.replace("ranks 2", "ranks 0"),
                "line 4: expected a number",
            ),
            (TEXT.replace("0 3 200", "0 3 nan"), "line 7: expected rank"),
            (TEXT.replace("0 3 200", "0 0 200"), "line 7: expected rank"),
            (TEXT.replace("0 3 200", "5 3 200"), "line 7: rank 5"),
            (TEXT.replace("5 5 7", "5 5"), "line 10: expected rank"),
            ("x".into(), "line 1: expected `mpiete-profile`"),
        ] {
            let error = Profile::from_text(&wrong).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }

    /// Costs of computation by rank, or the error.
    fn costs(text: &str, ranks: u32) -> Result<Vec<f64>, String> {
        let program = MetaProgram::parse("a.meta", text).unwrap();
        let profile = Profile::from_text(TEXT).unwrap();
        let values = program
            .profile_values(&profile, 2.0)
            .map_err(|error| error.to_string())?;
        let arguments = Arguments {
            profile: Some(Arc::new(values)),
            ..Arguments::default()
        };
        let costs = program
            .costs(&arguments, Some(ranks))
            .map_err(|error| error.to_string())?;
        // Streams, which remember blocks, must agree with costs.
        let units = Units {
            computation: 1.0,
            stream: 1.0,
            message: 1.0,
        };
        let data = program
            .base_data(&arguments, Some(ranks), units, 1)
            .unwrap();
        let mut all = Vec::new();
        let mut rank = 0;
        for (last, costs) in costs.costs {
            while rank <= last {
                let (_, position) = data.program.class_of(base_data::Rank(rank)).unwrap();
                let mut total = 0.0;
                for op in base_data::stream::entries(&data.program, base_data::Rank(rank)) {
                    if let base_data::program_data::Op::Block { variant, .. } = op {
                        let number = data
                            .program
                            .value(*variant, base_data::Rank(rank), position)
                            .unwrap();
                        total += data.program.variants[number as usize].terms[0] as f64 / 1e6;
                    }
                }
                assert_eq!(total, costs.computation, "rank {rank}");
                all.push(total);
                rank += 1;
            }
        }
        Ok(all)
    }

    #[test]
    fn values_are_those_of_the_rank() {
        // In units of 2 ns.
        assert_eq!(
            costs("compute(getTime.averageOf(f))", 2),
            Ok(vec![100.0, 300.0])
        );
        let text = "DEF g()\n x = getTime.averageOf(f)\n compute(x)\nEND\nbarrier()\ng()\n";
        assert_eq!(costs(text, 2), Ok(vec![100.0, 300.0]));
    }

    #[test]
    fn other_numbers_of_ranks_get_the_values_of_all_ranks() {
        // (3 * 200 + 600) / 4 ns.
        assert_eq!(
            costs("compute(getTime.averageOf(f))", 3),
            Ok(vec![150.0; 3])
        );
    }

    /// The run has 2 ranks. What needs their number before a PARALLEL says it has that of the run.
    #[test]
    fn number_of_ranks_is_that_of_the_run_unless_the_meta_program_says_another() {
        let ranks = |text: &str| {
            let program = MetaProgram::parse("a.meta", text).unwrap();
            let profile = Profile::from_text(TEXT).unwrap();
            let arguments = Arguments {
                profile: Some(Arc::new(program.profile_values(&profile, 2.0).unwrap())),
                ..Arguments::default()
            };
            let costs = program.costs(&arguments, None);
            costs
                .map(|costs| (costs.ranks, costs.costs[0].1.computation))
                .map_err(|error| error.to_string())
        };
        assert_eq!(ranks("compute(getTime.averageOf(f))"), Ok((2, 100.0)));
        assert_eq!(ranks("compute(3)"), Ok((2, 3.0)));
        let inside = "PARALLEL 4 DO\n compute(getTime.averageOf(f))\nEND";
        assert_eq!(ranks(inside), Ok((4, 150.0)));
        let before = "x = getTime.averageOf(f)\nPARALLEL 4 DO\n compute(x)\nEND";
        let error = ranks(before).unwrap_err();
        assert!(
            error.contains("a.meta:2:10: PARALLEL runs on 4 ranks, but values before it are those of the profile's 2; give -n 4"),
            "{error}"
        );
    }

    #[test]
    fn places_that_were_not_reached_have_no_value() {
        let text = "n = getValueOfVariable.of(f(vn=n))\nIF ID == 1\ncompute(n)\nEND";
        assert_eq!(costs(text, 2), Ok(vec![0.0, 5.0]));
        let error = costs("compute(getValueOfVariable.of(f(vn=n)))", 2).unwrap_err();
        assert!(
            error.contains("a.meta:1:9: the place of this directive was never reached on rank 0"),
            "{error}"
        );
        let error = costs("compute(getTime.of(f))", 2).unwrap_err();
        assert!(
            error.contains("a.meta:1:9: the profile contains no value"),
            "{error}"
        );
    }
}
