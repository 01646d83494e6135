//! GOAL as text: lines to operations and dependencies of one rank after the other. The order in which
//! they are done is [`super::dependencies`]' business.

use super::goal_labels::Labels;
use super::{ImportError, MAKE_AGAIN};
use std::io::{BufRead, Read};

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Nanoseconds.
    Compute(i64),
    Send {
        bytes: i64,
        to: u32,
        tag: i64,
    },
    /// From any rank, with any tag where there is none.
    Receive {
        bytes: i64,
        from: Option<u32>,
        tag: Option<i64>,
    },
}

/// One operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Operation {
    pub(super) line: u32,
    pub(super) action: Action,
}

/// That one operation of a rank waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) later: u32,
    pub(super) earlier: u32,
    /// Whether the earlier one must have ended; otherwise it must have started.
    pub(super) requires: bool,
}

/// One rank's operations, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RankSchedule {
    pub(super) operations: Vec<Operation>,
    /// One list for all operations: a list for each costs more time than all else that is read.
    pub(super) dependencies: Vec<Dependency>,
    /// The processor all of them use, and its line; the network interfaces they use.
    processor: Option<u64>,
    interface: Option<u64>,
    pub(super) several_interfaces: bool,
}

/// Longest time of one operation: eleven days in nanoseconds, so that sums fit.
const LONGEST: i64 = 1_000_000_000_000_000;

/// Gets the number of ranks and one rank's schedule.
pub(super) type TakeRank<'a> = &'a mut dyn FnMut(u32, &RankSchedule) -> Result<(), ImportError>;

/// Bytes of text that are looked at together.
const PART_BYTES: usize = 1 << 16;

/// Reads the ranks of a file in order. Only a part of the text is in memory at a time: a large schedule's text, and that
/// of one rank with most operations, takes more memory than everything that the replay needs.
///
/// # Errors
/// The first line that is wrong, and those of `take`.
pub(super) fn read(
    file: &str,
    content: &mut dyn BufRead,
    take: TakeRank<'_>,
) -> Result<(), ImportError> {
    let mut comments = CommentRemover::default();
    let mut text = String::new();
    let mut line = 0;
    let mut reader = Reader {
        file,
        ranks: None,
        done: 0,
        open: None,
        take,
    };
    loop {
        let is_last =
            next_lines(content, &mut comments, &mut text).map_err(|error| ImportError::Whole {
                file: file.into(),
                reason: format!("it cannot be read: {error}"),
            })?;
        let mut words = Vec::new();
        // Carriage returns are blanks.
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
            line += 1;
            split_words(&rest[..end], &mut words);
            reader.line(line, &words)?;
            rest = rest.get(end + 1..).unwrap_or("");
        }
        if is_last {
            return reader.finish(line);
        }
    }
}

/// Puts the next lines of a file into `text`, without comments; returns whether the file ends there.
fn next_lines(
    content: &mut dyn BufRead,
    comments: &mut CommentRemover,
    text: &mut String,
) -> std::io::Result<bool> {
    let mut bytes = Vec::with_capacity(PART_BYTES);
    let read = (&mut *content)
        .take(PART_BYTES as u64)
        .read_to_end(&mut bytes)?;
    // To the end of the line.
    content.read_until(b'\n', &mut bytes)?;
    text.clear();
    match std::str::from_utf8(&bytes) {
        Ok(lines) => comments.append_lines(lines, text),
        Err(_) => comments.append_lines(&String::from_utf8_lossy(&bytes), text),
    }
    Ok(read < PART_BYTES)
}

/// The text with blanks for comments, line ends kept.
pub(super) fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut comments = CommentRemover::default();
    comments.append_lines(text, &mut kept);
    kept
}

/// Removes comments line by line; one between `/*` and `*/` may go over several lines.
#[derive(Default)]
struct CommentRemover {
    inside: bool,
}

impl CommentRemover {
    /// Appends whole lines with a blank for each comment, line ends kept.
    fn append_lines(&mut self, lines: &str, kept: &mut String) {
        let has_comment = self.inside || memchr::memchr(b'/', lines.as_bytes()).is_some();
        if !has_comment {
            kept.push_str(lines);
            return;
        }
        for line in lines.split_inclusive('\n') {
            self.append(line, kept);
        }
    }

    /// Appends a line with a blank for each comment that begins in it.
    fn append(&mut self, line: &str, kept: &mut String) {
        let mut rest = line;
        loop {
            if self.inside {
                let Some(end) = rest.find("*/") else {
                    break;
                };
                self.inside = false;
                rest = &rest[end + 2..];
            }
            let Some(slash) = rest.find('/') else {
                kept.push_str(rest);
                return;
            };
            kept.push_str(&rest[..slash]);
            let after = &rest[slash + 1..];
            if after.starts_with('/') {
                kept.push(' ');
                break;
            }
            if let Some(comment) = after.strip_prefix('*') {
                kept.push(' ');
                self.inside = true;
                rest = comment;
            } else {
                kept.push('/');
                rest = after;
            }
        }
        // The comment swallowed the end of the line, which counts for line numbers.
        if line.ends_with('\n') {
            kept.push('\n');
        }
    }
}

/// What a byte is to [`split_words`].
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Word,
    Blank,
    Mark,
}

/// A table, since most of the time of reading a schedule is spent on this distinction.
const BYTE_CLASSES: [ByteClass; 256] = {
    let mut classes = [ByteClass::Word; 256];
    classes[b' ' as usize] = ByteClass::Blank;
    let mut control = b'\t';
    while control <= b'\r' {
        classes[control as usize] = ByteClass::Blank;
        control += 1;
    }
    classes[b'{' as usize] = ByteClass::Mark;
    classes[b'}' as usize] = ByteClass::Mark;
    classes[b':' as usize] = ByteClass::Mark;
    classes
};

/// Words apart by blanks of ASCII; braces and colons are words of their own.
fn split_words<'a>(line: &'a str, words: &mut Vec<&'a str>) {
    words.clear();
    let bytes = line.as_bytes();
    let class_at = |at: usize| BYTE_CLASSES[bytes[at] as usize];
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let class = class_at(at);
        at += 1;
        if class == ByteClass::Blank {
            continue;
        }
        if class == ByteClass::Word {
            while at < bytes.len() && class_at(at) == ByteClass::Word {
                at += 1;
            }
        }
        words.push(&line[start..at]);
    }
}

struct Reader<'a> {
    file: &'a str,
    ranks: Option<u32>,
    /// How many ranks have been read.
    done: u32,
    open: Option<OpenRank>,
    take: TakeRank<'a>,
}

/// The rank whose block is open.
#[derive(Default)]
struct OpenRank {
    line: usize,
    schedule: RankSchedule,
    labels: Labels,
}

impl Reader<'_> {
    fn wrong(&self, line: usize, found: impl Into<String>, expected: &str) -> ImportError {
        let (file, found, expected) = (self.file.into(), found.into(), expected.into());
        ImportError::Line {
            file,
            line,
            found,
            expected,
            remedy: MAKE_AGAIN,
        }
    }

    fn line(&mut self, line: usize, words: &[&str]) -> Result<(), ImportError> {
        match (words, self.ranks, self.open.is_some()) {
            ([], ..) => Ok(()),
            (["num_ranks", number], None, _) => self.number_of_ranks(line, number),
            (_, None, _) => {
                Err(self.wrong(line, quoted(words), "'num_ranks N' in front of all ranks"))
            }
            (["rank", number, "{"], Some(ranks), false) => self.open_rank(line, number, ranks),
            (["}"], Some(_), true) => {
                let Some(open) = self.open.take() else {
                    return Ok(());
                };
                self.done += 1;
                (self.take)(self.ranks.unwrap_or(0), &open.schedule)
            }
            (_, Some(_), true) => self.statement(line, words),
            (_, Some(_), false) => Err(self.wrong(line, quoted(words), "'rank R {'")),
        }
    }

    fn number_of_ranks(&mut self, line: usize, number: &str) -> Result<(), ImportError> {
        let ranks = number.parse().ok().filter(|&ranks| ranks > 0);
        let wrong = self.wrong(
            line,
            format!("'{number}'"),
            "a number of ranks of at least 1",
        );
        self.ranks = Some(ranks.ok_or(wrong)?);
        Ok(())
    }

    fn open_rank(&mut self, line: usize, number: &str, ranks: u32) -> Result<(), ImportError> {
        let next = self.done;
        if next == ranks {
            return Err(self.wrong(
                line,
                format!("rank {number}"),
                &format!("no more than {ranks} ranks"),
            ));
        }
        if number.parse() != Ok(next) {
            return Err(self.wrong(
                line,
                format!("rank {number}"),
                &format!("rank {next}: ranks in order"),
            ));
        }
        self.open = Some(OpenRank {
            line,
            ..OpenRank::default()
        });
        Ok(())
    }

    fn finish(self, lines: usize) -> Result<(), ImportError> {
        let Some(ranks) = self.ranks else {
            return Err(self.wrong(lines.max(1), "the end of the file", "'num_ranks N'"));
        };
        if let Some(open) = &self.open {
            return Err(self.wrong(
                open.line,
                "a rank that does not end",
                "'}' on a line of its own",
            ));
        }
        let found = self.done;
        if found != ranks {
            return Err(self.wrong(
                lines.max(1),
                format!("the end after {found} ranks"),
                &format!("{ranks} ranks"),
            ));
        }
        Ok(())
    }

    fn statement(&mut self, line: usize, words: &[&str]) -> Result<(), ImportError> {
        match words {
            [label, ":", rest @ ..] => {
                let number = self.operation(line, rest)?;
                self.label(line, label, number)
            }
            [later, relation @ ("requires" | "irequires"), earlier] => {
                let (later, earlier) = (self.labelled(line, later)?, self.labelled(line, earlier)?);
                let Some(open) = &mut self.open else {
                    return Ok(());
                };
                open.schedule.dependencies.push(Dependency {
                    later,
                    earlier,
                    requires: *relation == "requires",
                });
                Ok(())
            }
            _ => self.operation(line, words).map(|_| ()),
        }
    }

    fn label(&mut self, line: usize, label: &str, number: u32) -> Result<(), ImportError> {
        let is_name = label.starts_with(|c: char| c.is_ascii_alphabetic())
            && label
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || c == b'_');
        if !is_name {
            return Err(self.wrong(
                line,
                format!("label '{label}'"),
                "a letter, then letters, digits and _",
            ));
        }
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if open.labels.insert(label, number) {
            return Ok(());
        }
        Err(self.wrong(
            line,
            format!("label '{label}' again"),
            "one label per operation",
        ))
    }

    fn labelled(&self, line: usize, label: &str) -> Result<u32, ImportError> {
        let found = self.open.as_ref().and_then(|open| open.labels.get(label));
        found.ok_or_else(|| {
            self.wrong(
                line,
                format!("label '{label}'"),
                "a label of a line above in this rank",
            )
        })
    }

    /// Adds an operation; gives its number.
    fn operation(&mut self, line: usize, words: &[&str]) -> Result<u32, ImportError> {
        let (action, options) = match words {
            ["calc", time, options @ ..] => {
                (Action::Compute(self.number(line, time, LONGEST)?), options)
            }
            ["send", bytes, "to", peer, options @ ..] => {
                let (bytes, to) = (self.bytes(line, bytes)?, self.partner(line, peer)?);
                let (tag, options) = self.tag(line, options)?;
                (
                    Action::Send {
                        bytes,
                        to,
                        tag: tag.unwrap_or(0),
                    },
                    options,
                )
            }
            ["recv", bytes, "from", peer, options @ ..] => {
                let bytes = self.bytes(line, bytes)?;
                let from = if *peer == "-1" {
                    None
                } else {
                    Some(self.partner(line, peer)?)
                };
                match options {
                    ["tag", "-1", options @ ..] => (
                        Action::Receive {
                            bytes,
                            from,
                            tag: None,
                        },
                        options,
                    ),
                    _ => {
                        let (tag, options) = self.tag(line, options)?;
                        (
                            Action::Receive {
                                bytes,
                                from,
                                tag: Some(tag.unwrap_or(0)),
                            },
                            options,
                        )
                    }
                }
            }
            _ => {
                let expected = "'[LABEL:] calc NS', 'send BYTESb to RANK', 'recv BYTESb from RANK', \
                                'A requires B', 'A irequires B' or '}'";
                return Err(self.wrong(line, quoted(words), expected));
            }
        };
        self.processors(line, options)?;
        let Some(open) = &mut self.open else {
            return Ok(0);
        };
        let operations = &mut open.schedule.operations;
        let operation = Operation {
            line: line as u32,
            action,
        };
        operations.push(operation);
        Ok(operations.len() as u32 - 1)
    }

    /// A rank computes on one processor here; its network interfaces are taken as one.
    fn processors(&mut self, line: usize, options: &[&str]) -> Result<(), ImportError> {
        let (processor, interface) = match options {
            [] => (0, 0),
            ["cpu", cpu] => (self.number(line, cpu, 255)?, 0),
            ["nic", nic] => (0, self.number(line, nic, 255)?),
            ["cpu", cpu, "nic", nic] => {
                (self.number(line, cpu, 255)?, self.number(line, nic, 255)?)
            }
            _ => {
                return Err(self.wrong(
                    line,
                    quoted(options),
                    "'[tag T] [cpu C] [nic K]' in this order",
                ));
            }
        };
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let known = *open.schedule.processor.get_or_insert(processor as u64);
        let interface = interface as u64;
        open.schedule.several_interfaces |=
            *open.schedule.interface.get_or_insert(interface) != interface;
        if known == processor as u64 {
            return Ok(());
        }
        Err(ImportError::Line {
            file: self.file.into(),
            line,
            found: format!("cpu {processor} beside cpu {known}"),
            expected: "one cpu per rank".into(),
            remedy: "a rank has one processor here; give what runs at the same time to ranks of their own",
        })
    }

    fn tag<'w>(
        &self,
        line: usize,
        options: &'w [&'w str],
    ) -> Result<(Option<i64>, &'w [&'w str]), ImportError> {
        match options {
            ["tag", tag, rest @ ..] => {
                Ok((Some(self.number(line, tag, i64::from(u32::MAX))?), rest))
            }
            rest => Ok((None, rest)),
        }
    }

    fn bytes(&self, line: usize, word: &str) -> Result<i64, ImportError> {
        match word.strip_suffix('b') {
            Some(number) => self.number(line, number, 1 << 62),
            None => Err(self.wrong(line, format!("'{word}'"), "a number of bytes like 8b")),
        }
    }

    fn partner(&self, line: usize, word: &str) -> Result<u32, ImportError> {
        let ranks = self.ranks.unwrap_or(0);
        let rank = word.parse().ok().filter(|&rank: &u32| rank < ranks);
        rank.ok_or_else(|| {
            self.wrong(
                line,
                format!("rank '{word}'"),
                &format!("a rank of 0 to {}", ranks - 1),
            )
        })
    }

    fn number(&self, line: usize, word: &str, most: i64) -> Result<i64, ImportError> {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        let number = word
            .parse()
            .ok()
            .filter(|&number: &i64| digits && number <= most);
        number.ok_or_else(|| {
            self.wrong(
                line,
                format!("'{word}'"),
                &format!("a number of 0 to {most}"),
            )
        })
    }
}

/// Words as they stood, shortened.
fn quoted(words: &[&str]) -> String {
    let line: String = words.join(" ").chars().take(60).collect();
    format!("'{line}'")
}
