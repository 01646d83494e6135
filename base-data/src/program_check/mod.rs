//! Whether program data are whole: every id within its table, every loop within its stream, every
//! rank in exactly one class. Readers call it once, so that replay can index without asking.
//!
//! The replay's matching pass checks whether calls fit together (unmatched messages, requests that no
//! call waits for).

mod operands;
mod stream;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use table::{check_span, check_table};

use crate::ids::CommId;
use crate::program_data::{Communicator, FormulaStep, ProgramData};
use crate::rank_set::RankSet;
use operands::Budget;

/// More ranks than any machine has, few enough to hold a word for each.
pub const MOST_RANKS: u32 = 1 << 24;

/// Result of a check; an error is the second half of a sentence.
pub(crate) type Checked = Result<(), String>;

/// Checks `data`; the error is the second half of a sentence that names the entry.
pub(crate) fn check(data: &ProgramData) -> Checked {
    if data.ranks == 0 || data.ranks > MOST_RANKS {
        return Err(format!(
            "it has {} ranks, not 1 to {MOST_RANKS}",
            data.ranks
        ));
    }
    check_table(&data.table)?;
    check_variants(data)?;
    check_communicators(data)?;
    check_formulas(data)?;
    check_findings(data)?;
    check_classes(data)?;
    let mut budget = Budget::default();
    data.classes.iter().enumerate().try_for_each(|(i, class)| {
        let named = |what| format!("class {i} ({}), {what}", short(&class.ranks));
        stream::check_class(data, class, &mut budget).map_err(named)
    })
}

/// `what NUMBER of LENGTH` if the number is not below the length.
fn within(what: &str, number: usize, length: usize) -> Checked {
    if number < length {
        Ok(())
    } else {
        Err(format!("{what} {number} is none of the {length} there are"))
    }
}

fn short(ranks: &RankSet) -> String {
    match ranks.ranges() {
        [] => "no ranks".into(),
        [_] | [_, _] | [_, _, _] => format!("ranks {ranks}"),
        [first, ..] => format!("ranks {},…", first.first),
    }
}

fn check_variants(data: &ProgramData) -> Checked {
    data.variants
        .iter()
        .enumerate()
        .try_for_each(|(i, variant)| {
            within(
                &format!("variant {i}: block"),
                variant.block.index(),
                data.table.blocks.len(),
            )?;
            let (found, needed) = (
                variant.terms.len(),
                data.table.blocks[variant.block.index()].work_terms.len(),
            );
            if found == needed {
                return Ok(());
            }
            Err(format!(
                "variant {i} has {found} terms, block {} has {needed}",
                variant.block
            ))
        })
}

fn check_communicators(data: &ProgramData) -> Checked {
    let [world, own, made @ ..] = data.communicators.as_slice() else {
        return Err(format!(
            "it has {} communicators, world and self are missing",
            data.communicators.len()
        ));
    };
    let is_world = world.group.is_valid(data.ranks)
        && world.group.len() == data.ranks as usize
        && world
            .group
            .iter()
            .enumerate()
            .all(|(i, rank)| rank.index() == i);
    if !is_world || world.parent.is_some() {
        return Err("communicator 0 is not the world: all ranks in order, without a parent".into());
    }
    // The group of self differs by rank, so it is not stored.
    if !own.group.is_empty() || own.parent.is_some() {
        return Err("communicator 1 is not self: no group, no parent".into());
    }
    let mut budget = Budget::default();
    made.iter().enumerate().try_for_each(|(i, entry)| {
        let number = i + 2;
        check_made(entry, number, data.ranks, &mut budget)
            .map_err(|what| format!("communicator {number} {what}"))
    })
}

fn check_made(entry: &Communicator, number: usize, ranks: u32, budget: &mut Budget) -> Checked {
    let Some(CommId(parent)) = entry.parent else {
        return Err("has no parent".into());
    };
    // Parents come first, so that a chain of parents ends.
    if parent as usize >= number {
        return Err(format!("has parent {parent}, which is not made before it"));
    }
    if entry.group.ranges().len() > 1 {
        // Interleaved ranges are walked, so that small files could ask for much work.
        budget.spend(entry.group.len().min(ranks as usize))?;
    }
    if entry.group.is_empty() || !entry.group.is_valid(ranks) {
        return Err(format!(
            "has a group that is empty, lists a rank twice or leaves the {ranks} ranks"
        ));
    }
    Ok(())
}

fn check_formulas(data: &ProgramData) -> Checked {
    data.formulas
        .iter()
        .enumerate()
        .try_for_each(|(i, formula)| {
            // Formulas are in postfix order: values push, operations replace two values by one.
            let mut depth = 0usize;
            for step in &formula.0 {
                depth = match step {
                    FormulaStep::Rank | FormulaStep::Ranks | FormulaStep::Number(_) => depth + 1,
                    FormulaStep::Add
                    | FormulaStep::Subtract
                    | FormulaStep::Multiply
                    | FormulaStep::Divide
                    | FormulaStep::Modulo
                    | FormulaStep::Xor => {
                        let missing = || format!("formula {i} has an operation without two values");
                        depth.checked_sub(2).ok_or_else(missing)? + 1
                    }
                };
            }
            if depth == 1 {
                Ok(())
            } else {
                Err(format!("formula {i} leaves {depth} values, not one"))
            }
        })
}

fn check_findings(data: &ProgramData) -> Checked {
    let sites = data.table.call_sites.len();
    for (i, path) in data.call_paths.iter().enumerate() {
        path.iter()
            .try_for_each(|site| within(&format!("call path {i}: site"), site.index(), sites))?;
    }
    for place in &data.time_dependent {
        within("a time-dependent place: site", place.site.index(), sites)?;
    }
    let spans = (data.section.iter().map(|span| ("the section", span)))
        .chain(
            data.assumptions
                .iter()
                .map(|assumption| ("an assumption", &assumption.span)),
        )
        .chain(
            data.allocations
                .iter()
                .map(|allocation| ("an allocation", &allocation.span)),
        );
    for (what, span) in spans {
        table::check_span(span, &data.table).map_err(|wrong| format!("{what}: {wrong}"))?;
    }
    // A rank with two peaks would be reported by whichever comes first.
    let requesting = data
        .requested_memory
        .iter()
        .flat_map(|requested| requested.ranks.ranges());
    if !RankSet::from_ranges(requesting.copied().collect()).is_valid(data.ranks) {
        return Err(format!(
            "memory is requested by a rank twice, or by none of the {} ranks",
            data.ranks
        ));
    }
    match data.slice_share {
        Some((kept, all)) if kept > all => {
            Err(format!("the slice keeps {kept} of {all} statements"))
        }
        _ => Ok(()),
    }
}

/// Every rank is in exactly one class.
fn check_classes(data: &ProgramData) -> Checked {
    let mut ranges = Vec::new();
    for (i, class) in data.classes.iter().enumerate() {
        if class.ranks.ranges().is_empty() {
            return Err(format!("class {i} has no ranks"));
        }
        ranges.extend_from_slice(class.ranks.ranges());
    }
    // One set of all ranges: a rank in two classes is listed twice in it.
    let together = RankSet::from_ranges(ranges);
    if !together.is_valid(data.ranks) {
        return Err(format!(
            "its classes list a rank twice or leave the {} ranks",
            data.ranks
        ));
    }
    if together.len() != data.ranks as usize {
        return Err(format!(
            "its classes hold {} of {} ranks",
            together.len(),
            data.ranks
        ));
    }
    Ok(())
}
