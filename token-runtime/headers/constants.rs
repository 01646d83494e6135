//! The constants, as `constants.txt` says them.

/// Constants that belong together.
pub struct Section {
    pub title: String,
    pub constants: Vec<Constant>,
}

/// A constant: its kind, its name, and its value in C.
pub struct Constant {
    pub kind: String,
    pub name: String,
    pub value: String,
}

impl Constant {
    /// Its value in Fortran; `None` if only C has it.
    pub fn in_fortran(&self) -> Option<i64> {
        let value = match self.value.strip_prefix("0x") {
            Some(digits) => u32::from_str_radix(digits, 16)
                .ok()
                .map(|bits| i64::from(bits as i32)),
            None => self.value.parse().ok(),
        };
        let value = value.unwrap_or_else(|| panic!("constants.txt: '{}' is no number", self.value));
        match self.kind.as_str() {
            "c_int" => None,
            "keyval" => Some(value + 1),
            "room" => Some(value - 1),
            _ => Some(value),
        }
    }
}

/// All sections: the first paragraph is about the file.
pub fn read(text: &str) -> Vec<Section> {
    text.split("\n\n").skip(1).map(section).collect()
}

fn section(paragraph: &str) -> Section {
    let mut lines = paragraph.lines();
    let title = lines.next().and_then(|line| line.strip_prefix("# "));
    let constant = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [kind, name, value] => Constant {
            kind: kind.into(),
            name: name.into(),
            value: value.into(),
        },
        _ => panic!("constants.txt: '{line}' is no constant"),
    };
    Section {
        title: title
            .unwrap_or_else(|| panic!("constants.txt: a section has no title"))
            .into(),
        constants: lines.map(constant).collect(),
    }
}
