//! Which modules a Fortran text defines and uses, by its lines alone: enough to put files in an order in
//! which they compile.

/// Names of the modules that a text in lower case defines.
pub fn defined(text: &str) -> Vec<String> {
    words_after(text, "module")
}

/// Names of the modules that it uses.
pub fn used(text: &str) -> Vec<String> {
    words_after(text, "use")
}

/// The names in lines `KEYWORD name` or `KEYWORD, … :: name`.
fn words_after(text: &str, keyword: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix(keyword)?;
        let rest = rest.strip_prefix([' ', ',', ':'])?;
        let rest = rest.split_once("::").map_or(rest, |(_, name)| name).trim_start();
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        (!name.is_empty() && name != "procedure").then_some(name)
    });
    names.collect()
}
