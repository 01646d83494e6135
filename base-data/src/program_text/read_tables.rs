//! Text to program data: the lines of the tables.

use super::lines::{Line, Read, listed};
use super::spelling::{self, Spelled};
use crate::block_table::{
    Block, BlockKey, BlockKind, BlockTable, CallSite, CallSiteKey, IncludeLine, SourceFileInfo,
    SourceSpan, StructureLoop, WorkTerm,
};
use crate::ids::{BlockId, CallSiteId, CommId, Digest, LoopId};
use crate::mpi::Datatype;
use crate::program_data::{
    Allocation, AssumedOutcome, Assumption, AssumptionOrigin, Communicator, Formula, ProgramData,
    RequestedMemory, TimeDependentPlace, Variant,
};

const DIGEST: &str = "a digest of 32 hexadecimal digits";
const PLACE: &str = "a place like cg.f:120 or cg.f:120-134, in a file that has a line above";

/// Reads `file`, `loop`, `block` and `site` lines.
pub(super) fn table_line(keyword: &str, line: &mut Line, table: &mut BlockTable) -> Read<()> {
    match keyword {
        "file" => {
            line.entry_number(table.files.len())?;
            let path = line.text("the path of a file")?;
            let digest = if line.takes("digest") {
                line.number(DIGEST)?
            } else {
                Digest::default()
            };
            table.files.push(SourceFileInfo { path, digest });
        }
        "loop" => {
            line.entry_number(table.loops.len())?;
            let entry = structure_loop(line, table)?;
            table.loops.push(entry);
        }
        "block" => {
            line.entry_number(table.blocks.len())?;
            let entry = block(line, table)?;
            table.blocks.push(entry);
        }
        _ => {
            line.entry_number(table.call_sites.len())?;
            let entry = call_site(line, table)?;
            table.call_sites.push(entry);
        }
    }
    Ok(())
}

fn structure_loop(line: &mut Line, table: &BlockTable) -> Read<StructureLoop> {
    let span = SpanReader::of(table).or_default(line)?;
    let procedure = named(line, "in")?;
    Ok(StructureLoop {
        span,
        procedure,
        loop_path: loops(line)?,
    })
}

fn block(line: &mut Line, table: &BlockTable) -> Read<Block> {
    let kind = line.parsed(BlockKind::WORDS, BlockKind::from_word)?;
    let places = SpanReader::of(table);
    let span = places.or_default(line)?;
    let procedure = named(line, "in")?;
    let (digest, ordinal) = digest_and_ordinal(line)?;
    let loop_path = loops(line)?;
    let mut work_terms = Vec::new();
    while line.takes("term") {
        let expression = line.text("the expression of a work term")?;
        work_terms.push(WorkTerm {
            expression,
            span: places.or_default(line)?,
        });
    }
    let data_dependent = line.takes("data-dependent");
    let key = BlockKey {
        digest,
        procedure,
        ordinal,
    };
    Ok(Block {
        key,
        kind,
        span,
        loop_path,
        work_terms,
        data_dependent,
    })
}

fn call_site(line: &mut Line, table: &BlockTable) -> Read<CallSite> {
    let function = line.text("the name of a function")?;
    let span = SpanReader::of(table).optional(line)?;
    let procedure = named(line, "in")?;
    let key = call_site_key(line, &procedure)?;
    Ok(CallSite {
        key,
        function,
        procedure,
        span,
        loop_path: loops(line)?,
    })
}

fn call_site_key(line: &mut Line, procedure: &str) -> Read<CallSiteKey> {
    if line.takes("object") {
        let object = line.text("the name of an object")?;
        let offset = if line.takes("offset") {
            line.number("an offset")?
        } else {
            0
        };
        return Ok(CallSiteKey::Object { object, offset });
    }
    let other = line.takes("key-in");
    let procedure = if other {
        line.text("a procedure")?
    } else {
        procedure.to_string()
    };
    let (digest, ordinal) = digest_and_ordinal(line)?;
    Ok(CallSiteKey::Source {
        digest,
        procedure,
        ordinal,
    })
}

fn named(line: &mut Line, keyword: &str) -> Read<String> {
    if line.takes(keyword) {
        line.text("a name")
    } else {
        Ok(String::new())
    }
}

fn digest_and_ordinal(line: &mut Line) -> Read<(Digest, u32)> {
    let digest = if line.takes("digest") {
        line.number(DIGEST)?
    } else {
        Digest::default()
    };
    let ordinal = if line.takes("ordinal") {
        line.number("a number")?
    } else {
        0
    };
    Ok((digest, ordinal))
}

fn loops(line: &mut Line) -> Read<Vec<LoopId>> {
    if !line.takes("loops") {
        return Ok(Vec::new());
    }
    let ids: Vec<u32> = line.parsed("numbers of loops like 0,2", listed)?;
    Ok(ids.into_iter().map(LoopId).collect())
}

/// Reads `variant`, `type`, `comm`, `table`, `count-table`, `formula` and `path` lines.
pub(super) fn value_line(keyword: &str, line: &mut Line, data: &mut ProgramData) -> Read<()> {
    if keyword == "comm" {
        return communicator(line, data);
    }
    let length = match keyword {
        "variant" => data.variants.len(),
        "type" => data.datatypes.len(),
        "table" => data.tables.len(),
        "count-table" => data.count_tables.len(),
        "formula" => data.formulas.len(),
        _ => data.call_paths.len(),
    };
    // Numbers are redundant: they let people find entries, and reveal lines that are missing.
    line.entry_number(length)?;
    line.needs("=")?;
    match keyword {
        "variant" => data.variants.push(variant(line)?),
        "type" => data.datatypes.push(datatype(line)?),
        "table" => data.tables.push(line.numbers()),
        "count-table" => {
            let mut rows = Vec::new();
            // A row may be empty, so rows have a mark in front of each and not between them.
            while line.takes("|") {
                rows.push(line.numbers());
            }
            data.count_tables.push(rows);
        }
        "formula" => data.formulas.push(formula(line)?),
        _ => data
            .call_paths
            .push(line.numbers().into_iter().map(CallSiteId).collect()),
    }
    Ok(())
}

fn variant(line: &mut Line) -> Read<Variant> {
    line.needs("block")?;
    let block = BlockId(line.number("the number of a block")?);
    let terms = if line.takes("terms") {
        line.numbers()
    } else {
        Vec::new()
    };
    Ok(Variant { block, terms })
}

fn datatype(line: &mut Line) -> Read<Datatype> {
    if let Some(element) = line.peek().and_then(spelling::parse_basic) {
        line.text("")?;
        return Ok(Datatype::basic(element));
    }
    let mut runs = Vec::new();
    while !line.takes("extent") {
        let form = "a basic type like real8, or runs like real8*10@0 and 'extent' with bytes";
        runs.push(line.parsed(form, spelling::parse_run)?);
    }
    Ok(Datatype {
        runs,
        extent: line.number("the extent in bytes")?,
    })
}

fn formula(line: &mut Line) -> Read<Formula> {
    let mut steps = Vec::new();
    while line.peek().is_some() {
        steps.push(line.parsed(
            "rank, ranks, a number, +, -, *, /, mod or xor",
            spelling::parse_formula_step,
        )?);
    }
    Ok(Formula(steps))
}

/// World and self are there before they are written, so that a line about them replaces them.
fn communicator(line: &mut Line, data: &mut ProgramData) -> Read<()> {
    let predefined = line
        .peek()
        .and_then(|number| number.parse::<usize>().ok())
        // Communicators 0 and 1 exist from the line `ranks` on.
        .filter(|&number| number < 2);
    line.entry_number(predefined.unwrap_or(data.communicators.len()))?;
    let number = |line: &mut Line, keyword: &str| -> Read<Option<u32>> {
        if line.takes(keyword) {
            line.number("a number").map(Some)
        } else {
            Ok(None)
        }
    };
    let parent = number(line, "parent")?.map(CommId);
    let sequence = number(line, "sequence")?.unwrap_or(0);
    let group = if line.takes("ranks") {
        line.number("ranks like 0-6/2,9")?
    } else {
        Default::default()
    };
    let entry = Communicator {
        parent,
        sequence,
        group,
    };
    match predefined.and_then(|number| data.communicators.get_mut(number)) {
        Some(place) => *place = entry,
        None => data.communicators.push(entry),
    }
    Ok(())
}

/// Reads `assumption`, `time-dependent`, `allocation`, `memory` and `slice` lines.
pub(super) fn finding(keyword: &str, line: &mut Line, data: &mut ProgramData) -> Read<()> {
    let places = SpanReader::of(&data.table);
    match keyword {
        "assumption" => {
            line.entry_number(data.assumptions.len())?;
            let assumption = assumption(line, &places)?;
            data.assumptions.push(assumption);
        }
        "time-dependent" => {
            line.needs("site")?;
            let site = CallSiteId(line.number("the number of a site")?);
            data.time_dependent.push(TimeDependentPlace {
                site,
                reason: line.text("a reason")?,
            });
        }
        "allocation" => {
            let name = line.text("the name of an array")?;
            let expression = line.text("an expression")?;
            let span = places.or_default(line)?;
            data.allocations.push(Allocation {
                span,
                name,
                expression,
            });
        }
        "memory" => {
            let bytes = line.number("a number of bytes")?;
            line.needs("ranks")?;
            let ranks = line.number("ranks like 0-6/2,9")?;
            data.requested_memory.push(RequestedMemory { ranks, bytes });
        }
        // The caller passes the five keywords only: this is "slice".
        _ => {
            let kept = line.number("a number of statements")?;
            line.needs("of")?;
            data.slice_share = Some((kept, line.number("a number of statements")?));
        }
    }
    Ok(())
}

fn assumption(line: &mut Line, places: &SpanReader) -> Read<Assumption> {
    let outcome = if line.takes("trips") {
        AssumedOutcome::Trips(line.number("a number of iterations")?)
    } else if line.takes("goto") {
        AssumedOutcome::Label(line.number("a label")?)
    } else {
        line.parsed("taken, not-taken, trips or goto", |word| match word {
            "taken" => Some(AssumedOutcome::Taken),
            "not-taken" => Some(AssumedOutcome::NotTaken),
            _ => None,
        })?
    };
    line.needs("by")?;
    let origin = line.parsed(AssumptionOrigin::WORDS, AssumptionOrigin::from_word)?;
    let reason = line.text("a reason")?;
    Ok(Assumption {
        span: places.or_default(line)?,
        outcome,
        reason,
        origin,
    })
}

/// Reads source spans. Files are named by path and must stand in the table of files already.
pub(super) struct SpanReader<'a> {
    files: &'a [SourceFileInfo],
}

impl<'a> SpanReader<'a> {
    pub fn of(table: &'a BlockTable) -> Self {
        Self {
            files: &table.files,
        }
    }

    /// An optional span; the default span where it is missing.
    fn or_default(&self, line: &mut Line) -> Read<SourceSpan> {
        Ok(self.optional(line)?.unwrap_or_default())
    }

    fn optional(&self, line: &mut Line) -> Read<Option<SourceSpan>> {
        // Places are the only words with a colon here; names with one are quoted.
        if line.peek().is_some_and(|word| word.contains(':')) {
            self.needed(line).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A place that must be there.
    pub fn needed(&self, line: &mut Line) -> Read<SourceSpan> {
        let (file, first_line, last_line) = line.parsed(PLACE, |word| self.lines(word))?;
        let mut span = SourceSpan {
            file,
            first_line,
            last_line,
            ..SourceSpan::default()
        };
        while line.takes("via") {
            let (file, line, _) = line.parsed(PLACE, |word| self.lines(word))?;
            span.included_through.push(IncludeLine { file, line });
        }
        while line.takes("moved") {
            span.moved
                .push(line.parsed("a moved range like 100>106:12", moved)?);
        }
        Ok(span)
    }

    fn lines(&self, word: &str) -> Option<(u32, u32, u32)> {
        // The last colon: paths may contain others.
        let (file, lines) = word.rsplit_once(':')?;
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        Some((self.file(file)?, first.parse().ok()?, last.parse().ok()?))
    }

    fn file(&self, word: &str) -> Option<u32> {
        match word.strip_prefix('@') {
            Some(number) => number.parse().ok(),
            None => self
                .files
                .iter()
                .position(|file| file.path == word)?
                .try_into()
                .ok(),
        }
    }
}

fn moved(word: &str) -> Option<(u32, u32, u32)> {
    let (from, rest) = word.split_once('>')?;
    let (to, length) = rest.split_once(':')?;
    Some((from.parse().ok()?, to.parse().ok()?, length.parse().ok()?))
}
