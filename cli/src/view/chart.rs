//! Line charts as self-contained SVG, which is embedded in a page or written as a file.

use super::html::escaped;
use std::fmt::Write;

/// A chart.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// Title.
    pub title: String,
    /// Label of the x axis.
    pub axis: String,
    /// Tick positions on the x axis, ascending, with their labels.
    pub places: Vec<(f64, String)>,
    /// Whether the x axis is logarithmic.
    pub logarithmic_x: bool,
    /// Whether the y axis is logarithmic.
    pub logarithmic_y: bool,
    /// The lines.
    pub lines: Vec<Line>,
    /// Formats tick labels of the y axis.
    pub spelled: Option<fn(f64) -> String>,
}

/// A line with its name.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Empty for the only line.
    pub name: String,
    /// From the left.
    pub points: Vec<Point>,
    /// Whether it is a reference line, such as ideal speed-up: thin and without marks.
    pub is_ideal: bool,
}

/// A point of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Value on the x axis.
    pub x: f64,
    /// Value on the y axis.
    pub y: f64,
    /// Interval of y.
    pub between: Option<(f64, f64)>,
    /// Whether it is highlighted.
    pub is_marked: bool,
}

/// Size of the drawing and of its margins, in units of the viewBox.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 52.0;
/// Lines of text below a chart, one per line of the chart.
const LEGEND_STEP: f64 = 18.0;

/// Colours of lines: those of the page's categories, for drawings that stand alone.
const COLOURS: [&str; 6] = [
    "#4477aa", "#aa3377", "#228833", "#ee6677", "#ccbb44", "#66ccee",
];

/// Maps values to coordinates of the drawing.
#[derive(Clone, Copy)]
struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: f64,
    to: f64,
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let of = |value: f64| if self.logarithmic { value.ln() } else { value };
        let (low, high) = (of(self.low), of(self.high));
        let share = if high > low {
            (of(value) - low) / (high - low)
        } else {
            0.5
        };
        self.from + share * (self.to - self.from)
    }
}

impl Chart {
    /// The drawing.
    pub fn svg(&self) -> String {
        let (x, y) = (self.x(), self.y());
        let legend: Vec<&Line> = self
            .lines
            .iter()
            .filter(|line| !line.name.is_empty())
            .collect();
        let height = HEIGHT + LEGEND_STEP * legend.len() as f64;
        let mut svg = format!(
            "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"currentColor\">\n<title>{}</title>\n\
             <text x=\"{LEFT}\" y=\"18\" font-weight=\"600\">{0}</text>\n",
            escaped(&self.title)
        );
        self.push_axes(&mut svg, x, y);
        for (number, line) in self.lines.iter().enumerate() {
            push_line(&mut svg, line, COLOURS[number % COLOURS.len()], x, y);
        }
        for (number, line) in self
            .lines
            .iter()
            .enumerate()
            .filter(|(_, line)| !line.name.is_empty())
        {
            let at = HEIGHT + LEGEND_STEP * (number as f64 + 0.2);
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}h24\" stroke=\"{}\" stroke-width=\"{}\"/><text x=\"{}\" y=\"{:.1}\">{}</text>",
                COLOURS[number % COLOURS.len()],
                if line.is_ideal { "1" } else { "2.5" },
                LEFT + 32.0,
                at + 4.5,
                escaped(&line.name)
            );
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn x(&self) -> Scale {
        let (low, high) = extent(self.places.iter().map(|(x, _)| *x), self.logarithmic_x);
        Scale {
            low,
            high,
            logarithmic: self.logarithmic_x,
            from: LEFT + 12.0,
            to: WIDTH - RIGHT - 12.0,
        }
    }

    fn y(&self) -> Scale {
        let points = self.lines.iter().flat_map(|line| &line.points);
        let values = points.flat_map(|point| {
            let (low, high) = point.between.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let (low, high) = extent(values, self.logarithmic_y);
        // A linear axis includes 0, so that heights show ratios.
        let low = if self.logarithmic_y {
            low
        } else {
            low.min(0.0)
        };
        Scale {
            low,
            high,
            logarithmic: self.logarithmic_y,
            from: HEIGHT - BOTTOM,
            to: TOP,
        }
    }

    fn push_axes(&self, svg: &mut String, x: Scale, y: Scale) {
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - RIGHT);
        for value in ticks(y) {
            let at = y.at(value);
            let spelled = self
                .spelled
                .map_or_else(|| super::numbers::plain(value), |spell| spell(value));
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"currentColor\" stroke-opacity=\"0.15\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                at + 4.5,
                escaped(&spelled)
            );
        }
        for (place, name) in &self.places {
            let at = x.at(*place);
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {bottom}v5\" stroke=\"currentColor\"/>\
                 <text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                bottom + 19.0,
                escaped(name)
            );
        }
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {TOP}V{bottom}H{right}\" stroke=\"currentColor\" fill=\"none\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            (LEFT + right) / 2.0,
            HEIGHT - 12.0,
            escaped(&self.axis)
        );
    }
}

fn push_line(svg: &mut String, line: &Line, colour: &str, x: Scale, y: Scale) {
    let points: Vec<String> = line
        .points
        .iter()
        .map(|point| format!("{:.1},{:.1}", x.at(point.x), y.at(point.y)))
        .collect();
    let style = if line.is_ideal {
        "stroke-width=\"1\" stroke-dasharray=\"5 4\""
    } else {
        "stroke-width=\"2.5\""
    };
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" {style}/>",
        points.join(" ")
    );
    if line.is_ideal {
        return;
    }
    for point in &line.points {
        let (at, up) = (x.at(point.x), y.at(point.y));
        if let Some((low, high)) = point.between {
            let _ = writeln!(
                svg,
                "<path d=\"M{at:.1} {:.1}V{:.1}\" stroke=\"{colour}\" stroke-opacity=\"0.45\" stroke-width=\"6\"/>",
                y.at(low),
                y.at(high)
            );
        }
        let (radius, fill) = if point.is_marked {
            (6.5, "none")
        } else {
            (3.5, colour)
        };
        let _ = writeln!(
            svg,
            "<circle cx=\"{at:.1}\" cy=\"{up:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"2\"/>"
        );
    }
}

/// Minimum and maximum of the values that the axis can show.
fn extent(values: impl Iterator<Item = f64>, logarithmic: bool) -> (f64, f64) {
    let fits = values.filter(|value| value.is_finite() && (!logarithmic || *value > 0.0));
    let (low, high) = fits.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    if low <= high {
        (low, high)
    } else {
        (1.0, 10.0)
    }
}

/// Ticks of an axis.
fn ticks(scale: Scale) -> Vec<f64> {
    let (low, high) = (scale.low, scale.high);
    if high <= low {
        vec![low]
    } else if scale.logarithmic {
        logarithmic_ticks(low, high)
    } else {
        linear_ticks(low, high)
    }
}

/// 1, 2 and 5 times powers of ten; only the powers if the axis covers more than three decades.
fn logarithmic_ticks(low: f64, high: f64) -> Vec<f64> {
    let steps: &[f64] = if high / low > 1e3 {
        &[1.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let mut ticks = Vec::new();
    for decade in (low.log10().floor() as i32)..=(high.log10().ceil() as i32) {
        for step in steps {
            let value = step * 10f64.powi(decade);
            // Tolerances, since a power of ten at an end of the axis may be rounded.
            if value >= low * 0.999 && value <= high * 1.001 {
                ticks.push(value);
            }
        }
    }
    if ticks.is_empty() {
        // A narrow range between two round values.
        return vec![low, high];
    }
    ticks
}

/// About five multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = (high - low) / 5.0;
    let power = 10f64.powf(rough.log10().floor());
    let mut step = rough;
    for factor in [1.0, 2.0, 5.0, 10.0] {
        if factor * power >= rough {
            step = factor * power;
            break;
        }
    }
    let mut ticks = Vec::new();
    // An integer, since -0.0 would be shown with its sign.
    let mut number = (low / step).ceil() as i64;
    // Multiplied rather than added up, so that rounding errors do not accumulate.
    while number as f64 * step <= high * 1.000_001 {
        ticks.push(number as f64 * step);
        number += 1;
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(low: f64, high: f64, logarithmic: bool) -> Scale {
        Scale {
            low,
            high,
            logarithmic,
            from: 0.0,
            to: 100.0,
        }
    }

    #[test]
    fn round_values_stand_on_axes() {
        assert_eq!(ticks(scale(0.0, 1.1, false)), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(scale(3.0, 40.0, true)), [5.0, 10.0, 20.0]);
        assert_eq!(ticks(scale(1.0, 1e4, true)), [1.0, 10.0, 100.0, 1e3, 1e4]);
        assert_eq!(ticks(scale(3.1, 3.2, true)), [3.1, 3.2]);
        assert_eq!(ticks(scale(2.0, 2.0, false)), [2.0]);
    }

    #[test]
    fn factors_are_distances() {
        let axis = scale(1.0, 100.0, true);
        assert!((axis.at(10.0) - 50.0).abs() < 1e-9);
        assert_eq!(scale(5.0, 5.0, false).at(5.0), 50.0);
    }

    #[test]
    fn names_are_escaped_in_svg() {
        let line = Line {
            name: "<b>".into(),
            points: vec![Point {
                x: 1.0,
                y: 1.0,
                ..Point::default()
            }],
            ..Line::default()
        };
        let chart = Chart {
            places: vec![(1.0, "<i>".into())],
            lines: vec![line],
            ..Chart::default()
        };
        let svg = chart.svg();
        assert!(
            svg.contains("&lt;b&gt;") && svg.contains("&lt;i&gt;") && !svg.contains("<b>"),
            "{svg}"
        );
    }
}
