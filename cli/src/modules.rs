//! Finds the modules that a Fortran text defines and uses, by its lines alone: enough for an order in which files compile.

/// Names of the modules that a text in lower case defines.
pub fn defined(text: &str) -> Vec<String> {
    words_after(text, "module")
}

/// Names of the modules that it uses.
pub fn used(text: &str) -> Vec<String> {
    words_after(text, "use")
}

/// The names in statements `KEYWORD name` or `KEYWORD, … :: name`.
fn words_after(text: &str, keyword: &str) -> Vec<String> {
    let mut names = Vec::new();
    for statement in text.lines().flat_map(statements) {
        names.extend(name_after(statement, keyword));
    }
    names
}

fn name_after(statement: &str, keyword: &str) -> Option<String> {
    let rest = statement.trim_start().strip_prefix(keyword)?;
    // A variable may be called `used` or `module_size`.
    let rest = rest.strip_prefix([' ', ',', ':'])?;
    let rest = match rest.split_once("::") {
        Some((_attributes, name)) => name,
        None => rest,
    };
    let name: String = rest
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    // `module procedure` in an interface defines no module.
    if name.is_empty() || name == "procedure" {
        return None;
    }
    Some(name)
}

/// The statements of a line: it is cut at `;` outside strings and comments.
fn statements(line: &str) -> Vec<&str> {
    let mut quote = None;
    let mut comment = false;
    let cuts = |c: char| {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if matches!(c, '\'' | '"') => quote = Some(c),
            _ => {}
        }
        comment |= quote.is_none() && c == '!';
        c == ';' && quote.is_none() && !comment
    };
    line.split(cuts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_share_a_line() {
        let text = "program main; use mpi; print *, '; use no'; use, intrinsic :: iso_c_binding ! x; use none\n";
        assert_eq!(used(text), ["mpi", "iso_c_binding"]);
        assert_eq!(
            defined("module a; end module; module b\nend module; interface; module procedure c\n"),
            ["a", "b"]
        );
    }
}
