//! A collective: its algorithm, why it was chosen, rounds, messages, time, and a picture of who sends to whom.

use super::document::{ColumnStyle, Document, Section, SectionElement, Table, TableCell};
use super::{html, numbers, text as terminal};
use base_data::Time;
use serde::Serialize;
use std::fmt::Write;

/// What is shown.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
    /// Name of the collective.
    pub collective: String,
    /// Size of the communicator.
    pub ranks: u32,
    /// Rank of the root.
    pub root: u32,
    /// Bytes of the operand, or of one block.
    pub bytes: u64,
    /// Name of the platform.
    pub platform: String,
    /// Its MPI library, or what stands for it.
    pub library: String,
    /// The algorithm.
    pub algorithm: String,
    /// Why it was chosen.
    pub reason: String,
    /// How many rounds its messages need.
    pub rounds: u32,
    /// Time until the last rank has finished, if all begin together; picoseconds.
    pub time: Time,
    /// All algorithms of this collective.
    pub algorithms: Vec<String>,
    /// Its messages by round.
    pub messages: Vec<ShownMessage>,
}

/// A message.
#[derive(Clone, Debug, Serialize)]
pub struct ShownMessage {
    /// Round, from 1.
    pub round: u32,
    /// Sender.
    pub from: u32,
    /// Receiver.
    pub to: u32,
    /// Length.
    pub bytes: u64,
    /// Its place among the messages that its sender sends, from 0.
    pub order: u32,
}

/// For a terminal.
pub fn text(shown: &Shown) -> String {
    terminal::render(&document(shown))
}

/// One self-contained page with a picture.
pub fn html(shown: &Shown) -> String {
    let page = html::page(&document(shown));
    page.replacen("</main>", &format!("{}</main>", picture(shown)), 1)
}

fn document(shown: &Shown) -> Document {
    let mut bytes = 0u64;
    for message in &shown.messages {
        bytes = bytes.saturating_add(message.bytes);
    }
    let facts = SectionElement::facts([
        ("platform", shown.platform.clone()),
        ("MPI library", shown.library.clone()),
        ("algorithm", shown.algorithm.clone()),
        ("why", shown.reason.clone()),
        ("time", shown.time.to_string()),
        ("rounds", shown.rounds.to_string()),
        ("messages", numbers::count(shown.messages.len() as u64)),
        ("bytes sent", numbers::count(bytes)),
        ("all algorithms", shown.algorithms.join(", ")),
    ]);
    let columns = [
        ("round", ColumnStyle::Number),
        ("messages", ColumnStyle::Number),
        ("bytes", ColumnStyle::Number),
        ("first", ColumnStyle::Words),
    ];
    let mut rows = Vec::new();
    for round in 1..=shown.rounds {
        let mut of_round = shown
            .messages
            .iter()
            .filter(|message| message.round == round);
        let Some(first) = of_round.clone().next() else {
            continue;
        };
        let count = of_round.clone().count() as u64;
        let bytes = of_round.try_fold(0u64, |sum, message| sum.checked_add(message.bytes));
        rows.push([
            TableCell::ordinal(round),
            TableCell::count(count),
            TableCell::bytes(bytes.unwrap_or(u64::MAX)),
            format!("{} to {}: {} bytes", first.from, first.to, first.bytes).into(),
        ]);
    }
    let table = Table::new(columns, rows).showing(40);
    Document {
        title: format!(
            "{} of {} bytes on {} ranks",
            shown.collective,
            numbers::count(shown.bytes),
            shown.ranks
        ),
        sections: vec![
            Section::new("", [facts]),
            Section::new("rounds", [SectionElement::Table(table)]),
        ],
    }
}

/// Messages that a picture shows at most.
const MOST_DRAWN: usize = 4000;
/// Pixels between two ranks, and between two rounds.
const RANK_WIDTH: u32 = 28;
const ROUND_HEIGHT: u32 = 48;

/// Ranks from left to right, rounds from top to bottom, a line per message.
fn picture(shown: &Shown) -> String {
    let (width, height) = (
        (shown.ranks + 1) * RANK_WIDTH,
        (shown.rounds + 1) * ROUND_HEIGHT,
    );
    let mut svg = format!(
        "<section>\n<h2>who sends to whom</h2>\n<svg viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" role=\"img\" aria-label=\"messages by round\" stroke=\"currentColor\" fill=\"currentColor\" \
         font-size=\"10\">\n"
    );
    let x = |rank: u32| (rank + 1) * RANK_WIDTH - RANK_WIDTH / 2;
    let y = |round: u32| round * ROUND_HEIGHT + 20;
    for rank in 0..shown.ranks {
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"12\" text-anchor=\"middle\" stroke=\"none\">{rank}</text>",
            x(rank)
        );
    }
    // A browser needs seconds for more lines, and a reader sees a grey area.
    for message in shown.messages.iter().take(MOST_DRAWN) {
        let (from, to) = (x(message.from), x(message.to));
        let (begin, end) = (y(message.round - 1), y(message.round));
        let _ = writeln!(
            svg,
            "<line x1=\"{from}\" y1=\"{begin}\" x2=\"{to}\" y2=\"{end}\"><title>{} to {}: {} bytes</title></line>\
             <circle cx=\"{to}\" cy=\"{end}\" r=\"3\"/>",
            message.from, message.to, message.bytes
        );
    }
    svg.push_str("</svg>\n");
    if shown.messages.len() > MOST_DRAWN {
        let _ = writeln!(
            svg,
            "<p>The picture shows the first {MOST_DRAWN} of {} messages.</p>",
            shown.messages.len()
        );
    }
    svg.push_str("</section>\n");
    svg
}
