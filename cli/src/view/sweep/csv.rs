//! A sweep as comma-separated values: one row per point. docs/guide/sweep.md describes the columns. They keep their names and
//! order; new ones come at the end.

use super::super::csv_fields::{number, quoted};
use crate::sweep::{Row, Sweep};
use base_data::Time;
use base_data::compute_data::Unit;
use base_data::estimate_file::Category;

/// All points, with the parameters' values in front.
pub fn csv(swept: &Sweep) -> String {
    let mut text = String::new();
    for name in &swept.parameters {
        text += &quoted(name);
        text.push(',');
    }
    text += "n,threads,platform_name,model_name,time_s,p10_s,p90_s,speed_up,efficiency,core_hours,against_first,recommended";
    for category in Category::ALL {
        text += &format!(",{}_s", category.label().replace(' ', "_"));
    }
    text += ",communication_only,default_platform";
    text.push('\n');
    for row in &swept.rows {
        push_row(&mut text, row);
    }
    text
}

fn push_row(text: &mut String, row: &Row) {
    for value in &row.values {
        text.push_str(&quoted(value));
        text.push(',');
    }
    let [time, p10, p90] =
        [Some(row.time), row.p10, row.p90].map(|time| time.map_or("".into(), seconds));
    *text += &format!(
        "{},{},{},{},{time},{p10},{p90},{},{},{:.9},{},{}",
        row.ranks,
        row.threads,
        quoted(&row.platform),
        quoted(&row.model),
        ratio(row.speed_up),
        ratio(row.efficiency),
        row.core_hours,
        ratio(row.against_first),
        yes_or_no(row.recommended),
    );
    for time in &row.split {
        text.push(',');
        text.push_str(&seconds(*time));
    }
    *text += &format!(
        ",{},{}\n",
        yes_or_no(row.communication_only),
        yes_or_no(row.default_platform)
    );
}

fn yes_or_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

fn ratio(value: Option<f64>) -> String {
    match value {
        Some(value) => format!("{value:.6}"),
        None => String::new(),
    }
}

/// Seconds to the picosecond.
fn seconds(time: Time) -> String {
    number(Unit::Time, time)
}
