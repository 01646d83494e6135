//! Generated tables of pages, between their marks. The words around them are written by hand.

use anyhow::{Context, Result};

/// The text of a page, the file `file`, with one table replaced by these lines.
pub(crate) fn replaced(page: &str, file: &str, name: &str, lines: &[String]) -> Result<String> {
    let begin = format!("<!-- table {name} -->\n");
    let end = format!("<!-- end of {name} -->");
    let missing = || {
        let begin = begin.trim_end();
        format!("{file} lacks the line '{begin}' or '{end}'")
    };
    let (before, rest) = page.split_once(&begin).with_context(missing)?;
    let (_, after) = rest.split_once(&end).with_context(missing)?;
    let table = lines.join("\n");
    Ok(format!("{before}{begin}{table}\n{end}{after}"))
}

/// The first lines of a table.
pub(crate) fn header(titles: &str) -> Vec<String> {
    // A row begins and ends with a bar.
    let columns = titles.matches('|').count() - 1;
    vec![titles.to_string(), format!("|{}", " --- |".repeat(columns))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_is_replaced_and_the_words_around_it_stay() {
        let page = "# A\n<!-- table x -->\nold\n<!-- end of x -->\nwords\n<!-- table y -->\nkept\n<!-- end of y -->\n";
        let replaced = replaced(page, "a.md", "x", &["new".to_string(), "lines".to_string()]);
        assert_eq!(
            replaced.expect("marks"),
            page.replace("old\n", "new\nlines\n")
        );
    }

    #[test]
    fn missing_marks_are_named() {
        let error = replaced("<!-- table x -->\n", "a.md", "x", &[]).expect_err("no end");
        assert_eq!(
            error.to_string(),
            "a.md lacks the line '<!-- table x -->' or '<!-- end of x -->'"
        );
    }

    #[test]
    fn header_has_a_rule_for_each_column() {
        assert_eq!(header("| a | b |"), ["| a | b |", "| --- | --- |"]);
    }
}
