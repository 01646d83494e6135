//! Text to program data: the entries of streams, their loops, and what an entry written by hand
//! leaves to the reader: call sites, variants and basic datatypes that have no line of their own.

use super::lines::{Line, Read};
use super::spelling::{self, OPERAND_FORM, parse_operand};
use super::{TextError, read_calls};
use crate::block_table::{CallSite, CallSiteKey};
use crate::ids::{BlockId, CallSiteId};
use crate::mpi::{BasicDatatype, Datatype};
use crate::program_data::{Count, Mark, Op, Operand, ProgramData, RankClass, Variant};
use crate::rank_set::RankSet;
use std::collections::HashMap;

/// Reads the streams of one text.
#[derive(Default)]
pub(super) struct Entries {
    /// Place of each open loop in the stream, outermost first.
    open: Vec<usize>,
    /// Numbers of the variants by content, filled when one is asked for by content.
    variants: HashMap<Variant, usize>,
}

impl Entries {
    pub fn start_class(&mut self, data: &mut ProgramData, ranks: RankSet, line: usize) -> Read<()> {
        self.end_class(line)?;
        data.classes.push(RankClass {
            ranks,
            stream: Vec::new(),
        });
        Ok(())
    }

    /// The stream ends before `line`.
    pub fn end_class(&self, line: usize) -> Read<()> {
        let found = format!(
            "the end of the stream within {} open loops",
            self.open.len()
        );
        let unclosed = TextError::Line {
            line,
            found,
            expected: "'end'".into(),
        };
        if self.open.is_empty() {
            Ok(())
        } else {
            Err(unclosed)
        }
    }

    pub fn read(&mut self, mut line: Line, data: &mut ProgramData) -> Read<()> {
        if line.takes("end") {
            self.close(&line, data)?;
            return line.finish();
        }
        if line.takes("loop") {
            self.open.push(stream(data).len());
            let count = count(&mut line)?;
            // The body's length is known at its `end`.
            stream(data).push(Op::Loop { count, body: 0 });
            return line.finish();
        }
        let op = self.entry(&mut line, data)?;
        stream(data).push(op);
        line.finish()
    }

    fn close(&mut self, line: &Line, data: &mut ProgramData) -> Read<()> {
        let start = self
            .open
            .pop()
            .ok_or_else(|| line.error("'end' without a loop", "an entry"))?;
        let length = stream(data).len() - start - 1;
        match stream(data).get_mut(start) {
            Some(Op::Loop { body, .. }) if length > 0 => *body = length as u32,
            _ => return Err(line.error("'end' of a loop without entries", "an entry")),
        }
        Ok(())
    }

    fn entry(&mut self, line: &mut Line, data: &mut ProgramData) -> Read<Op> {
        if line.takes("block") {
            return self.block(line, data);
        }
        if line.takes("section") {
            let begins = line.takes("begin");
            return if begins {
                Ok(Op::Mark(Mark::SectionBegin))
            } else {
                section_end(line)
            };
        }
        if line.takes("clock") {
            let site = site(line, data, "MPI_Wtime")?;
            let path = line.optional("path", "the number of a path", |word| word.parse().ok())?;
            return Ok(Op::Mark(Mark::Clock { site, path }));
        }
        read_calls::call(line, data)
    }

    fn block(&mut self, line: &mut Line, data: &mut ProgramData) -> Read<Op> {
        let block = BlockId(line.number("the number of a block")?);
        if line.takes("variant") {
            return Ok(Op::Block {
                block,
                variant: line.parsed(OPERAND_FORM, parse_operand)?,
            });
        }
        let terms = if line.takes("terms") {
            line.numbers()
        } else {
            Vec::new()
        };
        let variant = self.variant(Variant { block, terms }, data);
        Ok(Op::Block {
            block,
            variant: Operand::Constant(variant as i64),
        })
    }

    fn variant(&mut self, wanted: Variant, data: &mut ProgramData) -> usize {
        // Filled on first use: recorded texts name variants by number and need no map.
        if self.variants.is_empty() {
            // Reversed, so that of equal variants the first one remains in the map.
            let listed = data.variants.iter().enumerate().rev();
            self.variants = listed
                .map(|(number, variant)| (variant.clone(), number))
                .collect();
        }
        let next = data.variants.len();
        let number = *self.variants.entry(wanted.clone()).or_insert(next);
        if number == next {
            data.variants.push(wanted);
        }
        number
    }
}

fn stream(data: &mut ProgramData) -> &mut Vec<Op> {
    let last = data.classes.last_mut();
    &mut last
        .expect("entries are read only after a class line")
        .stream
}

fn count(line: &mut Line) -> Read<Count> {
    let count = line.number("a number of iterations")?;
    if line.takes("invariant") {
        return Ok(Count::Invariant(count));
    }
    if line.takes("assumed") {
        return Ok(Count::Assumed {
            count,
            assumption: line.number("the number of an assumption")?,
        });
    }
    Ok(Count::Constant(count))
}

fn section_end(line: &mut Line) -> Read<Op> {
    line.needs("end")?;
    Ok(Op::Mark(Mark::SectionEnd))
}

/// The site of a call; without `site=` the line itself becomes one.
pub(super) fn site(line: &mut Line, data: &mut ProgramData, function: &str) -> Read<CallSiteId> {
    if let Some(number) = line.optional("site", "the number of a site", |word| word.parse().ok())? {
        return Ok(CallSiteId(number));
    }
    // A hand-written line is its own call site; its number in the text is its place in reports.
    data.table.call_sites.push(CallSite {
        key: CallSiteKey::Object {
            object: format!("line {}", line.number),
            offset: 0,
        },
        function: function.into(),
        procedure: String::new(),
        span: None,
        loop_path: Vec::new(),
    });
    Ok(CallSiteId::from_index(data.table.call_sites.len() - 1))
}

/// `type=` as the number of a datatype or as a basic type by name; bytes if there is none.
pub(super) fn datatype(line: &mut Line, data: &mut ProgramData) -> Read<u32> {
    let form = format!("the number of a datatype, {}", spelling::BASIC_FORM);
    let number = |word: &str| word.parse::<u32>().ok().map(Ok);
    let named = |word: &str| spelling::parse_basic(word).map(Err);
    let given = line.optional("type", &form, |word| number(word).or_else(|| named(word)))?;
    // `Ok` is a number, `Err` an element by name: no error of the reader.
    match given.unwrap_or(Err(BasicDatatype::Byte)) {
        Ok(number) => Ok(number),
        Err(element) => Ok(basic(element, data)),
    }
}

fn basic(element: BasicDatatype, data: &mut ProgramData) -> u32 {
    let wanted = Datatype::basic(element);
    let known = data
        .datatypes
        .iter()
        .position(|datatype| *datatype == wanted);
    let number = known.unwrap_or_else(|| {
        data.datatypes.push(wanted);
        data.datatypes.len() - 1
    });
    number as u32
}
