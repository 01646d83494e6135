//! Values that the user gives to a meta-program.

use crate::analysis::Analysis;
use crate::profile::ProfileValues;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Values from the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// `@arg[0]`, `@arg[1]`, …
    pub positional: Vec<f64>,
    /// Values of variables, without `$`: assignments to them have no effect.
    pub named: BTreeMap<String, f64>,
    /// Values of directives.
    pub profile: Option<Arc<ProfileValues>>,
}

/// A name without the sign of global variables, which shells replace.
pub(crate) fn bare(name: &str) -> &str {
    name.strip_prefix('$').unwrap_or(name)
}

impl Arguments {
    /// Reads `VALUE`, which is the next `@arg`, or `NAME=VALUE`.
    ///
    /// # Errors
    /// The second half of a sentence.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (Some(name.trim()), value.trim()),
            None => (None, text.trim()),
        };
        // Rust also parses `inf` and `nan`, which no expression could compute.
        let number = value.parse().ok().filter(|value: &f64| value.is_finite());
        let Some(number) = number else {
            return Err(format!(
                "'{value}' is no number; write --arg NAME=NUMBER, or --arg NUMBER for the next @arg"
            ));
        };
        let Some(name) = name else {
            self.positional.push(number);
            return Ok(());
        };
        let name = bare(name);
        let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name {
            return Err(format!(
                "'{name}' is no name of a variable; write --arg NAME=NUMBER"
            ));
        }
        if self.named.insert(name.into(), number).is_some() {
            return Err(format!("{name} has two values; keep one --arg {name}=…"));
        }
        Ok(())
    }

    /// The value of a variable.
    pub(crate) fn of(&self, name: &str) -> Option<f64> {
        self.named.get(bare(name)).copied()
    }

    /// Whether the meta-program uses all of them.
    pub(crate) fn check(&self, analysis: &Analysis<'_>) -> Result<(), String> {
        // An unknown name is a misspelt one: without a message, the costs would be wrong.
        let known: Vec<&str> = analysis.names.iter().map(|name| bare(name)).collect();
        for name in self.named.keys() {
            if crate::parser::PREDEFINED.contains(&name.as_str()) {
                return Err(format!(
                    "{name} cannot be given with --arg; the number of ranks is -n N"
                ));
            }
            if !known.contains(&name.as_str()) {
                return Err(format!(
                    "the meta-program has no variable {name}; correct --arg {name}=…"
                ));
            }
        }
        let (given, used) = (self.positional.len(), analysis.arguments as usize);
        if given > used {
            let has = match used {
                0 => "no @arg".to_string(),
                1 => "only @arg[0]".to_string(),
                _ => format!("only @arg[0] to @arg[{}]", used - 1),
            };
            return Err(format!(
                "{given} values are given with --arg, but the meta-program has {has}; name the \
                 variable of the others, --arg NAME=VALUE"
            ));
        }
        Ok(())
    }
}
