//! The functions of MPI with the types of their arguments, as `signatures.txt` says them. Nothing of
//! any language is here.

/// A function.
pub struct Signature {
    /// The name behind `MPI_`.
    pub name: String,
    /// Whether MPI 2 replaced it: `mpi_f08` does not have it.
    pub is_old: bool,
    /// Whether there is a form for large counts.
    pub has_large: bool,
    pub arguments: Vec<Argument>,
}

/// A function that only C has in this form: its prototype.
pub struct Prototype {
    pub text: String,
}

/// An argument.
pub struct Argument {
    pub name: String,
    pub direction: Direction,
    pub shape: Shape,
    pub kind: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    In,
    Out,
    InOut,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Single,
    Array,
    /// An array of arrays; texts only.
    Table,
    Triples,
}

impl Argument {
    fn read(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (direction, kind, name) = match words[..] {
            [kind, name] => (Direction::In, kind, name),
            ["out", kind, name] => (Direction::Out, kind, name),
            ["inout", kind, name] => (Direction::InOut, kind, name),
            _ => panic!("signatures.txt: '{text}' is no argument"),
        };
        let (kind, shape) = match kind.split_once('[') {
            None => (kind, Shape::Single),
            Some((kind, "]")) => (kind, Shape::Array),
            Some((kind, "][]")) => (kind, Shape::Table),
            Some((kind, _)) => (kind, Shape::Triples),
        };
        Self {
            name: name.into(),
            direction,
            shape,
            kind: kind.into(),
        }
    }

    /// Whether it is a function of the program.
    pub fn is_function(&self) -> bool {
        self.kind.contains("_function")
    }

    /// Whether it is there only in the form for large counts.
    pub fn is_only_large(&self) -> bool {
        self.kind == "large_count"
    }
}

impl Signature {
    fn read(line: &str) -> Self {
        let (head, arguments) = line
            .split_once(':')
            .unwrap_or_else(|| panic!("signatures.txt: '{line}' has no colon"));
        let words: Vec<&str> = head.split_whitespace().collect();
        let is_old = words[0] == "old";
        let has_large = words.last() == Some(&"large");
        let arguments = arguments
            .split(',')
            .map(str::trim)
            .filter(|text| !text.is_empty());
        Self {
            name: words[usize::from(is_old)].into(),
            is_old,
            has_large,
            arguments: arguments.map(Argument::read).collect(),
        }
    }

    /// The arguments of one of its forms.
    pub fn arguments(&self, large: bool) -> impl Iterator<Item = &Argument> {
        self.arguments
            .iter()
            .filter(move |argument| large || !argument.is_only_large())
    }

    /// Whether it has choice buffers.
    pub fn has_choice(&self) -> bool {
        self.arguments
            .iter()
            .any(|argument| argument.kind == "choice")
    }

    /// Whether `mpi_f08` can resolve the generic name to a form for large counts; MPICH has none for files.
    pub fn has_large_in_fortran(&self) -> bool {
        let differs =
            |argument: &Argument| matches!(argument.kind.as_str(), "count" | "displacement");
        self.has_large && !self.name.starts_with("File_") && self.arguments.iter().any(differs)
    }

    /// Name of the procedure behind `mpi_f08`, without `MPI_`.
    pub fn f08_name(&self, large: bool) -> String {
        let kind = if self.has_choice() { "_f08ts" } else { "_f08" };
        format!("{}{kind}{}", self.name, if large { "_large" } else { "" })
    }
}

/// All functions, and the prototypes that only C has.
pub fn read(text: &str) -> (Vec<Signature>, Vec<Prototype>) {
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (only_c, all): (Vec<&str>, Vec<&str>) = lines.partition(|line| line.starts_with("c "));
    let prototype = |line: &str| Prototype {
        text: line[2..].to_string(),
    };
    (
        all.into_iter().map(Signature::read).collect(),
        only_c.into_iter().map(prototype).collect(),
    )
}
