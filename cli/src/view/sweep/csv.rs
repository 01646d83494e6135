//! A sweep as comma-separated values: one row per point. What the columns mean is in docs/guide/sweep.md; they keep their names
//! and order, new ones come at the end.

use super::super::csv_fields::{number, quoted};
use crate::sweep::{Row, Sweep};
use base_data::Time;
use base_data::compute_data::Unit;
use base_data::estimate_file::Category;

/// All points, with the parameters' values in front.
pub fn csv(swept: &Sweep) -> String {
    let parameters: Vec<String> = swept
        .parameters
        .iter()
        .map(|name| format!("{},", quoted(name)))
        .collect();
    let categories: Vec<String> = Category::ALL
        .iter()
        .map(|category| format!(",{}_s", category.label().replace(' ', "_")))
        .collect();
    let header = format!(
        "{}n,threads,platform_name,model_name,time_s,p10_s,p90_s,speed_up,efficiency,core_hours,against_first,recommended{}\n",
        parameters.concat(),
        categories.concat()
    );
    std::iter::once(header)
        .chain(swept.rows.iter().map(row))
        .collect()
}

fn row(row: &Row) -> String {
    let values: Vec<String> = row.values.iter().map(|value| quoted(value)).collect();
    let [time, p10, p90] =
        [Some(row.time), row.p10, row.p90].map(|time| time.map_or("".into(), seconds));
    let [speed_up, efficiency, against_first] = [row.speed_up, row.efficiency, row.against_first]
        .map(|value| value.map_or("".into(), |value| format!("{value:.6}")));
    let split: Vec<String> = row
        .split
        .iter()
        .map(|time| format!(",{}", seconds(*time)))
        .collect();
    let lead: String = values.iter().map(|value| format!("{value},")).collect();
    format!(
        "{lead}{},{},{},{},{time},{p10},{p90},{speed_up},{efficiency},{:.9},{against_first},{}{}\n",
        row.ranks,
        row.threads,
        quoted(&row.platform),
        quoted(&row.model),
        row.core_hours,
        if row.recommended { "yes" } else { "no" },
        split.concat()
    )
}

/// Seconds to the picosecond.
fn seconds(time: Time) -> String {
    number(Unit::Time, time)
}
