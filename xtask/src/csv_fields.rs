//! Fields of CSV files.

/// A field of a CSV file (RFC 4180).
pub(crate) fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_string()
    }
}

/// The fields of a line of a CSV file (RFC 4180). No field of the repository's tables contains a line break.
pub(crate) fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        // Inside quotes, two quotes stand for one.
        let is_doubled = is_quoted && character == '"' && characters.peek() == Some(&'"');
        if is_doubled {
            characters.next();
        }
        match character {
            '"' if !is_doubled => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            _ => {
                if let Some(field) = fields.last_mut() {
                    field.push(character);
                }
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_may_contain_quotes_and_commas() {
        assert_eq!(fields("a,\"b, \"\"c\"\"\",,"), ["a", "b, \"c\"", "", ""]);
        assert_eq!(quoted("b, \"c\""), "\"b, \"\"c\"\"\"");
    }
}
