//! The section to predict: lines of a file, the body of a procedure, or what the program times itself
//! ([`crate::blocks::timed_section`]).

use crate::blocks::timed_section::{self, Rejected, TimedSection};
use crate::graphs::call_graph::CallGraph;
use crate::ir::analysis::SectionPlace;
use crate::ir::source_map::SourceMap;
use crate::ir::spans::Spans;
use crate::ir::statement_tree::Outline;
use crate::ir::{ProcedureId, Program, StatementId, StatementKind};
use crate::options::SectionRequest;
use crate::source::diagnostics::{Diagnostic, Severity};
use crate::source::{FileId, Sources};

impl SectionPlace {
    /// All statements at which it begins or ends.
    pub(crate) fn marks(&self) -> impl Iterator<Item = StatementId> + '_ {
        [&self.begin_before, &self.end_after, &self.end_before]
            .into_iter()
            .flatten()
            .copied()
    }

    /// The statements of a list before which control passes an end of the section.
    pub(crate) fn cuts(&self, list: &[StatementId]) -> Vec<StatementId> {
        let mut cuts = Vec::new();
        for (at, id) in list.iter().enumerate() {
            if self.begin_before.contains(id) || self.end_before.contains(id) {
                cuts.push(*id);
            }
            if self.end_after.contains(id) {
                cuts.extend(list.get(at + 1));
            }
        }
        cuts
    }
}

/// The section, `None` for the whole run; what is to be said of it, and why there is none that was asked for.
pub(crate) fn find(
    request: &SectionRequest,
    program: &Program,
    outline: &Outline,
    calls: &CallGraph,
    map: &SourceMap,
    sources: &Sources,
) -> (Option<SectionPlace>, Option<Diagnostic>) {
    let found = match request {
        SectionRequest::Lines { file, first, last } => {
            lines(file, *first, *last, program, outline, map, sources)
        }
        SectionRequest::Procedure(name) => procedure(name, program, outline, map, sources),
        SectionRequest::Timed => {
            let (section, rejected) = timed_section::find(program, outline, calls);
            let remark =
                rejected.map(|rejected| rejected_section(&rejected, section.is_some(), map));
            let Some(section) = section else {
                return (None, remark);
            };
            let (place, cut) = timed(section, map, sources);
            return (place, cut.or(remark));
        }
    };
    match found {
        Ok(place) if communicates(&place, program, outline, calls) => (Some(place), None),
        Ok(place) => {
            let remark = without_calls(&place, map);
            (Some(place), Some(remark))
        }
        Err(sentence) => {
            let remark = Diagnostic {
                severity: Severity::Error,
                span: None,
                sentence,
            };
            (None, Some(remark))
        }
    }
}

/// That the program times more than what is predicted.
fn rejected_section(rejected: &Rejected, has_other: bool, map: &SourceMap) -> Diagnostic {
    let instead = if has_other {
        "something smaller that is timed"
    } else {
        "the whole run"
    };
    let sentence = format!(
        "the section timed from here is not used, since {}: {instead} is predicted; choose a \
        section with --section",
        rejected.why
    );
    let span = Some(map.statement(rejected.begin).header);
    Diagnostic {
        severity: Severity::Note,
        span,
        sentence,
    }
}

/// Whether the statements of a section call MPI, directly or through a call.
fn communicates(
    place: &SectionPlace,
    program: &Program,
    outline: &Outline,
    calls: &CallGraph,
) -> bool {
    let Some(&begin) = place.begin_before.first() else {
        return false;
    };
    let order = outline.of_procedure(program.statement(begin).procedure);
    let from = order.iter().position(|&id| id == begin).unwrap_or(0);
    let mut to = order.len();
    for (at, &id) in order.iter().enumerate() {
        let mut ends = place.end_after.iter().chain(&place.end_before);
        if ends.any(|&end| outline.is_within(id, end)) {
            // The last one: a section may end in several places.
            to = at + 1;
        }
    }
    for id in order.iter().take(to).skip(from) {
        if calls.communicates[id.0 as usize] {
            return true;
        }
    }
    false
}

fn without_calls(place: &SectionPlace, map: &SourceMap) -> Diagnostic {
    let span = place
        .begin_before
        .first()
        .map(|&begin| map.statement(begin).header);
    let sentence =
        "the section that begins here calls MPI nowhere: its time is that of computing alone"
            .into();
    Diagnostic {
        severity: Severity::Warning,
        span,
        sentence,
    }
}

/// What the program times, as far as it lies between MPI_Init and MPI_Finalize; and what is to be said if that is not all.
/// `None` for the whole run.
fn timed(
    section: TimedSection,
    map: &SourceMap,
    sources: &Sources,
) -> (Option<SectionPlace>, Option<Diagnostic>) {
    let TimedSection {
        begin,
        end,
        way,
        counted,
        outside,
    } = section;
    let place = |call: &StatementId| {
        let span = map.statement(*call).whole;
        let place = map.place(span.file, span.start);
        let path = &sources.file(place.file).path;
        format!(
            ", in the call at {}:{}",
            path.rsplit('/').next().unwrap_or(path),
            place.line
        )
    };
    let places: String = way.iter().map(place).collect();
    let reason = format!("timed by the program itself, {counted}{places}");
    let (begin_before, end_before) = match (outside.begins_before, outside.ends_behind) {
        (false, false) => {
            let all = SectionPlace {
                begin_before: vec![begin],
                end_after: vec![end],
                end_before: Vec::new(),
                way,
                span: Spans { map }.between(begin, end),
                reason,
            };
            return (Some(all), None);
        }
        (true, false) => (outside.first, None),
        (false, true) => (Some(begin), outside.last),
        (true, true) => (None, None),
    };
    let begins = if outside.begins_before {
        "begins before MPI_Init"
    } else {
        ""
    };
    let ends = if outside.ends_behind {
        "ends behind MPI_Finalize"
    } else {
        ""
    };
    let both = if outside.begins_before && outside.ends_behind {
        " and "
    } else {
        ""
    };
    // Where MPI begins or ends in several places, no statement is the section's first or last.
    let is_cut = begin_before.is_some() && (end_before.is_some() || !outside.ends_behind);
    let is_whole = !is_cut;
    let instead = match (is_whole, outside.begins_before) {
        (true, _) => "the whole run from MPI_Init to MPI_Finalize",
        (false, true) => "what lies behind MPI_Init",
        (false, false) => "what lies before MPI_Finalize",
    };
    let sentence = format!(
        "the time that the program takes here {begins}{both}{ends}: {instead} is predicted"
    );
    let remark = Diagnostic {
        severity: Severity::Note,
        span: Some(map.statement(begin).header),
        sentence,
    };
    let place = begin_before.filter(|_| is_cut).map(|first| SectionPlace {
        begin_before: vec![first],
        end_after: if outside.ends_behind {
            Vec::new()
        } else {
            vec![end]
        },
        end_before: end_before.into_iter().collect(),
        way,
        span: Spans { map }.between(begin, end),
        reason: format!("{reason}, without what lies outside MPI_Init and MPI_Finalize"),
    });
    (place, Some(remark))
}

fn lines(
    file: &str,
    first: u32,
    last: u32,
    program: &Program,
    outline: &Outline,
    map: &SourceMap,
    sources: &Sources,
) -> Result<SectionPlace, String> {
    let id = find_file(file, sources)?;
    let inside = |statement: &StatementId| {
        let span = map.statement(*statement).whole;
        let (from, to) = map.lines(span);
        from.file == id && from.line >= first && to <= last
    };
    let begin = outline
        .all()
        .filter(inside)
        .min_by_key(|&statement| map.statement(statement).whole.start);
    let end = outline.all().filter(inside).max_by_key(|&statement| {
        // Of a construct and its last statement, the construct: the section ends after all of it.
        let span = map.statement(statement).whole;
        (span.end, std::cmp::Reverse(span.start))
    });
    let (Some(begin), Some(end)) = (begin, end) else {
        return Err(format!(
            "{file}: no executable statement begins and ends within lines {first}-{last}; \
             give a section of at least one whole statement"
        ));
    };
    let of = |id: StatementId| program.statement(id).procedure;
    if of(begin) != of(end) {
        let names = [of(begin), of(end)].map(|id| program.procedure(id).name.clone());
        let own = outline
            .of_procedure(of(begin))
            .iter()
            .map(|&id| map.lines(map.statement(id).whole).1);
        return Err(format!(
            "{file}: lines {first}-{last} begin in {} and end in {}; a section lies within one procedure: give lines \
             up to {}, or the name of the procedure",
            names[0],
            names[1],
            own.max().unwrap_or(last)
        ));
    }
    Ok(SectionPlace {
        begin_before: vec![begin],
        end_after: vec![end],
        span: Spans { map }.between(begin, end),
        ..SectionPlace::default()
    })
}

/// The file whose path is, or ends with, what the user typed.
fn find_file(typed: &str, sources: &Sources) -> Result<FileId, String> {
    let fits = |path: &str| {
        path == typed
            || path
                .strip_suffix(typed)
                .is_some_and(|front| front.ends_with('/'))
    };
    let found: Vec<usize> = (0..sources.files.len())
        .filter(|&i| fits(&sources.files[i].path))
        .collect();
    match found[..] {
        [only] => Ok(FileId(only as u32)),
        [] => Err(format!(
            "{typed}: no such file among the sources; name the section's file as it was given"
        )),
        [..] => Err(format!(
            "{typed}: {} of the sources are called so; give more of the path",
            found.len()
        )),
    }
}

fn procedure(
    name: &str,
    program: &Program,
    outline: &Outline,
    map: &SourceMap,
    sources: &Sources,
) -> Result<SectionPlace, String> {
    let id = program.find(&name.to_ascii_lowercase()).ok_or_else(|| {
        entry(name, program, map, sources).unwrap_or_else(|| {
            format!(
                "{name}: no such procedure in the sources; give one that they define, or lines as \
                FILE:FIRST-LAST"
            )
        })
    })?;
    let body = &program.procedure(id).body;
    let (Some(&first), Some(&last)) = (body.first(), body.last()) else {
        return Err(format!(
            "{name}: the procedure has no executable statement; give one that has"
        ));
    };
    let returns = returns(program, outline, id);
    // The section ends at each RETURN, and behind the last statement if control gets there.
    let falls_off = !matches!(
        program.statement(last).kind,
        StatementKind::Return | StatementKind::Stop
    );
    Ok(SectionPlace {
        begin_before: vec![first],
        end_after: if falls_off { vec![last] } else { Vec::new() },
        end_before: returns,
        span: Spans { map }.between(first, last),
        ..SectionPlace::default()
    })
}

/// Why the name of an ENTRY is no section; `None` if it is none.
fn entry(name: &str, program: &Program, map: &SourceMap, sources: &Sources) -> Option<String> {
    let is_named = |id: &StatementId| {
        let text =
            String::from_utf8_lossy(sources.text(map.statement(*id).whole)).to_ascii_lowercase();
        let text: String = text
            .chars()
            // Fixed form allows blanks inside words, free form continuation marks.
            .filter(|c| !c.is_whitespace() && *c != '&')
            .collect();
        let rest = text
            .find("entry")
            .map_or("", |at| &text[at + "entry".len()..]);
        // Dummies or a comment may follow the name.
        rest.split(['(', '!']).next() == Some(&name.to_ascii_lowercase())
    };
    let procedure = program
        .procedures
        .iter()
        .find(|one| one.entries.iter().any(is_named))?;
    let at = *procedure.entries.iter().find(|id| is_named(id))?;
    let place = map.place(map.statement(at).whole.file, map.statement(at).whole.start);
    Some(format!(
        "{}:{}: {name} is an ENTRY of {}, and a section that is named is the whole body of a procedure; give {}, or lines as \
         FILE:FIRST-LAST",
        sources.file(place.file).path,
        place.line,
        procedure.name,
        procedure.name
    ))
}

fn returns(program: &Program, outline: &Outline, procedure: ProcedureId) -> Vec<StatementId> {
    let mut returns = outline.of_procedure(procedure).to_vec();
    returns.retain(|&id| matches!(program.statement(id).kind, StatementKind::Return));
    returns
}
