//! The page of an estimate: assumptions above the time, the timeline, the ranks, then tables.

use super::super::estimate as shown;
use super::super::{assumptions, document::Section, explanation, provenance};
use super::{TABLES, escaped, frame, headline::headline, page_data, parts, section};
use base_data::Time;
use base_data::compute_data::Unit;
use base_data::estimate_file::{Category, Estimate};

/// In the order in which they need each other.
const SCRIPTS: [&str; 6] = [
    TABLES,
    include_str!("drawing.js"),
    include_str!("rank_bars.js"),
    include_str!("segments.js"),
    include_str!("timeline.js"),
    include_str!("timeline_input.js"),
];
/// From this many ranks on their rows can be made taller.
const MANY_RANKS: usize = 40;

/// One self-contained page, with a timeline to look at where there is time.
pub fn estimate(estimate: &Estimate) -> String {
    match estimate.unit {
        Unit::Time => drawn(estimate),
        Unit::Statements => {
            let mut document = shown::document(estimate);
            document.sections.insert(0, shown::clock_note(estimate));
            super::page(&document)
        }
    }
}

fn drawn(estimate: &Estimate) -> String {
    let title = shown::title(estimate);
    let body = [
        format!("<h1>{}</h1>\n", escaped(&title)),
        noted("warned", &shown::clock_note(estimate)),
        noted(
            "assumed",
            &assumptions::section(&estimate.program.table, &estimate.assumptions),
        ),
        headline(estimate),
        noted("warned", &shown::warnings(estimate)),
        timeline(estimate),
        ranks(estimate),
        why(estimate),
        section(&shown::blocks(estimate)),
        section(&shown::call_sites(estimate)),
        side_by_side(&[shown::clock_intervals(estimate), shown::sources(estimate)]),
        section(&provenance::section(&estimate.provenance)),
        format!(
            "<script type=\"application/json\" id=\"data\">{}</script>\n",
            page_data::json(estimate)
        ),
    ];
    frame(&title, &body.concat(), &SCRIPTS)
}

/// A section that is set apart because it limits what the estimate says.
fn noted(class: &str, noted: &Section) -> String {
    section(noted).replacen("<section>", &format!("<section class=\"note {class}\">"), 1)
}

/// What another machine would buy, who comes late, the critical path.
fn why(estimate: &Estimate) -> String {
    let machine = side_by_side(&[
        explanation::network_sensitivity(estimate),
        explanation::compute_sensitivity(estimate),
    ]);
    let rest = [
        explanation::wait_states(estimate),
        explanation::critical_path(estimate),
    ];
    machine + &rest.iter().map(section).collect::<String>()
}

fn side_by_side(sections: &[Section]) -> String {
    let drawn: String = sections.iter().map(section).collect();
    if drawn.is_empty() {
        drawn
    } else {
        format!("<div class=\"side\">\n{drawn}</div>\n")
    }
}

fn legend(estimate: &Estimate) -> String {
    let used = |category: &&Category| {
        estimate
            .per_rank
            .iter()
            .any(|rank| rank.split[category.index()] != Time::ZERO)
            || estimate
                .timeline
                .ranks
                .iter()
                .flatten()
                .any(|segment| segment.category == **category)
    };
    let entry = |category: &Category| {
        format!(
            "<button type=\"button\" aria-pressed=\"true\" data-category=\"{}\"><i class=\"c{0}\"></i>{}</button>\n",
            category.index(),
            category.label()
        )
    };
    Category::ALL
        .iter()
        .filter(used)
        .map(entry)
        .chain([path_entry(estimate)])
        .collect()
}

fn path_entry(estimate: &Estimate) -> String {
    if estimate.explanation.critical_path.segments.is_empty() {
        return String::new();
    }
    "<button type=\"button\" aria-pressed=\"true\" data-do=\"path\"><i class=\"path\"></i>critical path</button>\n"
        .into()
}

const TIMELINE_KEYS: &str = "Drag to zoom into an interval, or turn the wheel; hold Shift to \
    move instead. Keys: + and − zoom, ← → move, ↑ ↓ choose a rank, [ ] step through its segments, 0 \
    shows all. Click a place in the tables below to highlight it here.";

const SECTION_MARKS: &str =
    " The marks in each row are the beginning and the end of the predicted section.";

fn timeline(estimate: &Estimate) -> String {
    if estimate.timeline.ranks.iter().all(Vec::is_empty) {
        return "<section><h2>timeline</h2><p>This estimate was made without a timeline.</p></section>\n"
            .into();
    }
    format!(
        "<section id=\"timeline\">\n<h2>timeline</h2>\n<div class=\"tools\">\n\
         <div class=\"legend\" role=\"group\" aria-label=\"categories shown\">\n{}</div>\n\
         <div class=\"buttons\">{}{}<button type=\"button\" data-do=\"in\" aria-label=\"zoom in\">+</button>\
         <button type=\"button\" data-do=\"out\" aria-label=\"zoom out\">−</button>\
         <button type=\"button\" data-do=\"all\">show all</button></div>\n</div>\n\
         <canvas class=\"overview\" aria-hidden=\"true\"></canvas>\n\
         <canvas class=\"axis\" aria-hidden=\"true\"></canvas>\n\
         <div class=\"plot\" tabindex=\"0\" role=\"application\" aria-label=\"timeline of all ranks\" \
         aria-describedby=\"keys\">\n<div class=\"rows\"><canvas></canvas></div>\n</div>\n\
         <p class=\"range\" aria-live=\"polite\"></p>\n<p class=\"hint\" id=\"keys\">{TIMELINE_KEYS}{}</p>\n\
         <noscript><p>The timeline needs JavaScript; the tables below do not.</p></noscript>\n</section>\n",
        legend(estimate),
        row_buttons(estimate),
        section_button(estimate),
        if is_part(estimate) { SECTION_MARKS } else { "" },
    )
}

/// Whether the predicted section is not the whole run that the timeline shows.
fn is_part(estimate: &Estimate) -> bool {
    let mut lines = estimate.per_rank.iter().zip(&estimate.timeline.ranks);
    lines.any(|(rank, line)| {
        rank.begin > Time::ZERO || line.last().is_some_and(|last| last.end > rank.end)
    })
}

fn section_button(estimate: &Estimate) -> &'static str {
    if is_part(estimate) {
        "<button type=\"button\" data-do=\"section\">show section</button>"
    } else {
        ""
    }
}

fn row_buttons(estimate: &Estimate) -> &'static str {
    if estimate.timeline.ranks.len() < MANY_RANKS {
        return "";
    }
    "<button type=\"button\" data-do=\"taller\">taller rows</button>\
     <button type=\"button\" data-do=\"flatter\">flatter rows</button>"
}

fn ranks(estimate: &Estimate) -> String {
    if estimate.per_rank.is_empty() {
        return String::new();
    }
    let chart = "<section id=\"ranks\">\n<h2>ranks</h2>\n<canvas role=\"img\" aria-label=\"time of \
        each rank in categories; the table below has the numbers\"></canvas>\n</section>\n";
    let every = parts(&shown::ranks(estimate));
    format!(
        "<div class=\"side\">\n{}{chart}</div>\n<section><details><summary>all ranks in \
        numbers</summary>\n{every}</details></section>\n",
        section(&shown::categories(estimate)),
    )
}

#[cfg(test)]
mod tests {
    use super::super::super::samples;
    use base_data::Time;

    #[test]
    fn partial_sections_are_marked() {
        let mut estimate = samples::small_estimate();
        let marked = |estimate: &_| super::estimate(estimate).contains("show section</button>");
        estimate.per_rank[0].end = Time::from_nanoseconds(980_000);
        assert!(!marked(&estimate));
        estimate.per_rank[1].begin = Time::from_nanoseconds(1);
        assert!(marked(&estimate));
    }

    #[test]
    fn statements_are_not_drawn_as_time() {
        let page = super::estimate(&samples::small_estimate_in_statements());
        assert!(
            page.contains("8,000,000") && !page.contains("<canvas"),
            "{page}"
        );
    }

    #[test]
    fn missing_timeline_is_reported() {
        let page = super::estimate(&Default::default());
        assert!(page.contains("made without a timeline") && !page.contains("<canvas"));
    }
}
