//! Procedures of OpenMP's library that set or query its internal control variables. Locks and clocks are not
//! among them.

/// What a procedure does with the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Its result depends on them.
    Asks,
    /// It changes some of them.
    Sets,
}

/// Of a procedure by its name, in lower case.
pub(crate) fn access(name: &str) -> Option<Access> {
    let is_apart = ["lock", "wtime", "wtick"]
        .iter()
        .any(|end| name.ends_with(end));
    let name = name.strip_prefix("omp_").filter(|_| !is_apart)?;
    if name.starts_with("set_") {
        return Some(Access::Sets);
    }
    if name.starts_with("get_") || name == "in_parallel" {
        return Some(Access::Asks);
    }
    None
}
