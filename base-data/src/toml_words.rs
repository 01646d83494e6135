//! What is wrong with a TOML file, in plain words: the line, what was found and what was expected.
//!
//! Callers name the file and check the values.

use toml::de::Error;

/// The line of an error in a text, and what is wrong there.
pub fn wrong(text: &str, error: &Error) -> (usize, String) {
    // Errors without a span concern the whole text.
    let start = error.span().map_or(0, |span| span.start.min(text.len()));
    let line = text.as_bytes()[..start]
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1;
    (line, sentence(&error.message().replace('\n', " ")))
}

fn sentence(message: &str) -> String {
    // The library's messages are English sentences; their wording is part of its version and covered by a
    // test below.
    let expected = |rest: &str| {
        rest.split_once(", expected ")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
    };
    if let Some((found, known)) = message.strip_prefix("unknown field ").and_then(expected) {
        return format!(
            "found the key {}, which is unknown there; expected {}",
            plain(&found),
            choice(&known)
        );
    }
    if let Some((found, known)) = message.strip_prefix("unknown variant ").and_then(expected) {
        return format!("found \"{}\"; expected {}", plain(&found), choice(&known));
    }
    // The span of a missing field is that of its table.
    if let Some(key) = message.strip_prefix("missing field ") {
        return format!("the key {} is missing; add it", plain(key));
    }
    if message.starts_with("duplicate ") {
        return "a key is given twice; leave one of them out".into();
    }
    let value = message
        .strip_prefix("invalid type: ")
        .or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, wanted)) = value.and_then(expected) {
        return format!(
            "found {}; expected {}",
            found_value(&found),
            wanted_value(&wanted)
        );
    }
    if message.starts_with("data did not match any variant") {
        return "found a value of none of the forms that are known there; expected a word in quotes or a list of \
                tables"
            .into();
    }
    if message == "wanted string or table" {
        return "found another value; expected a word in quotes or a table".into();
    }
    format!(
        "found what is no TOML ({message}); expected key = value, [table] or [[list of tables]]"
    )
}

fn plain(quoted: &str) -> String {
    quoted.replace('`', "")
}

/// `one of a, b, c` and the like.
fn choice(known: &str) -> String {
    let names = plain(known.strip_prefix("one of ").unwrap_or(known));
    match names.rsplit_once(", ") {
        Some((front, last)) => format!("{front} or {last}"),
        None => names,
    }
}

fn found_value(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    match kind {
        "string" => format!("the text {value}"),
        "integer" => format!("the number {}", plain(value)),
        "floating" => format!("the number {}", plain(value.trim_start_matches("point "))),
        "boolean" => plain(value),
        "sequence" => "a list".into(),
        "map" => "a table".into(),
        _ => plain(found),
    }
}

fn wanted_value(wanted: &str) -> String {
    match wanted {
        "i8" | "i16" | "i32" | "i64" => "a whole number".into(),
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number that is not negative".into(),
        "f32" | "f64" => "a number".into(),
        "a string" => "text in quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list: [...], or [[name]] for tables".into(),
        _ if wanted == "a map" || wanted == "map" || wanted.starts_with("struct ") => {
            "a table: [name]".into()
        }
        _ if wanted.contains("enum ") => "a word in quotes".into(),
        _ => plain(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::wrong;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case")]
    enum Word {
        One,
        TwoAndMore,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Form {
        count: u32,
        text: Option<String>,
        share: Option<f64>,
        word: Option<Word>,
        list: Option<Vec<u32>>,
        table: Option<BTreeMap<String, bool>>,
    }

    #[test]
    fn wrong_files_are_reported() {
        for (text, line, expected) in [
            (
                "count = 1\ncuont = 2\n",
                2,
                "found the key cuont, which is unknown there; expected count, text, share, word, list or table",
            ),
            ("text = \"a\"\n", 1, "the key count is missing; add it"),
            (
                "count = 1\ncount = 2\n",
                2,
                "a key is given twice; leave one of them out",
            ),
            (
                "count = \"5\"\n",
                1,
                "found the text \"5\"; expected a whole number that is not negative",
            ),
            (
                "count = -5\n",
                1,
                "found the number -5; expected a whole number that is not negative",
            ),
            (
                "count = 1\ntext = 1.5\n",
                2,
                "found the number 1.5; expected text in quotes",
            ),
            (
                "count = 1\nshare = true\n",
                2,
                "found true; expected a number",
            ),
            (
                "count = 1\nword = \"three\"\n",
                2,
                "found \"three\"; expected one or two-and-more",
            ),
            (
                "count = 1\nlist = 3\n",
                2,
                "found the number 3; expected a list: [...], or [[name]] for tables",
            ),
            (
                "count = 1\ntable = []\n",
                2,
                "found a list; expected a table: [name]",
            ),
            (
                "count = 1\n[table]\nyes = \"no\"\n",
                3,
                "found the text \"no\"; expected true or false",
            ),
        ] {
            let error = toml::from_str::<Form>(text).expect_err(text);
            assert_eq!(wrong(text, &error), (line, expected.into()), "{text}");
        }
        let error = toml::from_str::<Form>("count = 1\nword = 3\n").expect_err("no word");
        let expected = "found another value; expected a word in quotes or a table";
        assert_eq!(wrong("count = 1\nword = 3\n", &error), (2, expected.into()));
        let error = toml::from_str::<Form>("count = 1\ncount 2\n").expect_err("no TOML");
        let (line, sentence) = wrong("count = 1\ncount 2\n", &error);
        assert!(
            line == 2 && sentence.starts_with("found what is no TOML ("),
            "{line}: {sentence}"
        );
    }
}
