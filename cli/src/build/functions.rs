//! The functions of an object: what the code of each refers to. Symbols have ranges; relocations and operands within a range are
//! references of its function. Data count for the object as a whole: without indirect calls, no code reaches a function whose
//! address only data contain.
//!
//! Compilers put each instruction into a function. Where one is outside of all, or where ranges overlap, the code of the object is not
//! divided.

use super::machine_code::InstructionFacts;
use object::{
    Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionFlags,
    SectionIndex, SymbolKind, elf,
};
use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A function of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FunctionSymbols {
    /// Names by which other objects may call it; a static function has none.
    pub defined: Vec<String>,
    /// Global names to which its code refers, including those of its own object.
    pub referred: Vec<String>,
    /// Functions of the object to which its code refers without a name, or into which it may run at its end.
    pub functions: Vec<usize>,
    /// The first instruction that does more than to compute, to read and write memory and to call.
    pub instruction: Option<String>,
    /// Whether it calls, or jumps to, an address from a register or from memory.
    pub calls_addresses: bool,
}

/// Functions after a call of which compilers put no other instruction.
const NEVER_RETURN: [&str; 10] = [
    "exit",
    "_exit",
    "abort",
    "__assert_fail",
    "__stack_chk_fail",
    "__chk_fail",
    "longjmp",
    "_Unwind_Resume",
    "_gfortran_runtime_error",
    "_gfortran_runtime_error_at",
];

/// Relocations by an address, and by its distance from the instruction.
const ABSOLUTE: [elf::RelocationType; 3] = [elf::R_X86_64_64, elf::R_X86_64_32, elf::R_X86_64_32S];
const RELATIVE: [elf::RelocationType; 5] = [
    elf::R_X86_64_PC32,
    elf::R_X86_64_PLT32,
    elf::R_X86_64_GOTPCREL,
    elf::R_X86_64_GOTPCRELX,
    elf::R_X86_64_REX_GOTPCRELX,
];

/// Where the code of a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Range {
    section: usize,
    start: u64,
    end: u64,
}

impl Range {
    fn contains(self, section: usize, address: u64) -> bool {
        self.section == section && self.start <= address && address < self.end
    }
}

/// The functions of an object, with what its instructions do; `None` if its code is not divided.
pub fn of(file: &object::File, instructions: &[InstructionFacts]) -> Option<Vec<FunctionSymbols>> {
    let mut object = Divided {
        file,
        instructions,
        ranges: Vec::new(),
        functions: Vec::new(),
    };
    object.find_ranges()?;
    object.read_instructions()?;
    object.read_relocations()?;
    for function in &mut object.functions {
        function.referred.sort();
        function.referred.dedup();
        function.functions.sort_unstable();
        function.functions.dedup();
    }
    Some(object.functions)
}

struct Divided<'a> {
    file: &'a object::File<'a>,
    instructions: &'a [InstructionFacts],
    /// In the order of sections and addresses.
    ranges: Vec<Range>,
    /// Index = range.
    functions: Vec<FunctionSymbols>,
}

impl Divided<'_> {
    fn find_ranges(&mut self) -> Option<()> {
        let mut with_code = BTreeSet::new();
        for section in self.file.sections() {
            if is_executable(&section)? {
                with_code.insert(section.index().0);
            }
            // Exceptions continue at addresses to which no code refers.
            if section.name_bytes().ok()?.starts_with(b".gcc_except_table") {
                return None;
            }
        }
        let mut names: Vec<(Range, Option<String>)> = Vec::new();
        for symbol in self.file.symbols() {
            let Some(SectionIndex(section)) = symbol.section_index() else {
                continue;
            };
            if !with_code.contains(&section) || symbol.kind() == SymbolKind::Section {
                continue;
            }
            // Labels of assembly may be entered, too.
            if symbol.kind() != SymbolKind::Text || symbol.size() == 0 {
                return None;
            }
            let range = Range {
                section,
                start: symbol.address(),
                end: symbol.address().checked_add(symbol.size())?,
            };
            let mut name = Some(symbol.name().ok()?.to_string());
            if !symbol.is_global() {
                name = None;
            }
            names.push((range, name));
        }
        names.sort();
        for (range, name) in names {
            if self.ranges.last() != Some(&range) {
                if let Some(before) = self.ranges.last()
                    && before.section == range.section
                    && before.end > range.start
                {
                    return None;
                }
                self.ranges.push(range);
                self.functions.push(FunctionSymbols::default());
            }
            let last = self.functions.len() - 1;
            self.functions[last].defined.extend(name);
        }
        Some(())
    }

    fn read_instructions(&mut self) -> Option<()> {
        let mut relocated: BTreeMap<usize, Relocated> = BTreeMap::new();
        for one in self.instructions {
            let Some(function) = self.function_at(one.section, one.start) else {
                if one.is_padding {
                    continue;
                }
                return None;
            };
            let range = self.ranges[function];
            if one.end > range.end {
                return None;
            }
            let relocated = match relocated.entry(one.section) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.relocated(one.section)?),
            };
            let own = &mut self.functions[function];
            own.calls_addresses |= one.calls_addresses;
            if own.instruction.is_none() {
                own.instruction.clone_from(&one.instruction);
            }
            if let Some(target) = one.target
                && !contains_any(&relocated.all, one)
            {
                // An address outside of all functions is none of code that is divided.
                let other = self.function_at(one.section, target)?;
                self.refer(function, other);
            }
            let ends = one.ends || one.is_call && contains_any(&relocated.never_return, one);
            if one.end == range.end && !ends {
                self.refer_to_next(function);
            }
        }
        Some(())
    }

    /// The offsets of the relocations of a section.
    fn relocated(&self, section: usize) -> Option<Relocated> {
        let mut found = Relocated::default();
        let section = self.file.section_by_index(SectionIndex(section)).ok()?;
        for (offset, relocation) in section.relocations() {
            found.all.insert(offset);
            if let RelocationTarget::Symbol(index) = relocation.target()
                && let Ok(symbol) = self.file.symbol_by_index(index)
                && let Ok(name) = symbol.name()
                && NEVER_RETURN.contains(&name)
            {
                found.never_return.insert(offset);
            }
        }
        Some(found)
    }

    /// A function runs into the one behind it.
    fn refer_to_next(&mut self, function: usize) {
        let next = function + 1;
        if next < self.ranges.len() && self.ranges[next].section == self.ranges[function].section {
            self.refer(function, next);
        }
    }

    fn read_relocations(&mut self) -> Option<()> {
        for section in self.file.sections() {
            if !is_executable(&section)? {
                continue;
            }
            for (offset, relocation) in section.relocations() {
                let function = self.function_at(section.index().0, offset)?;
                let index = match relocation.target() {
                    RelocationTarget::Symbol(index) => index,
                    RelocationTarget::Absolute => continue,
                    _ => return None,
                };
                let symbol = self.file.symbol_by_index(index).ok()?;
                if symbol.is_global() {
                    let name = symbol.name().ok()?.to_string();
                    self.functions[function].referred.push(name);
                    continue;
                }
                let Some(SectionIndex(target)) = symbol.section_index() else {
                    continue;
                };
                let mut address = symbol.address().wrapping_add_signed(relocation.addend());
                let is_known = match relocation.flags() {
                    RelocationFlags::Elf { r_type } if ABSOLUTE.contains(&r_type) => true,
                    RelocationFlags::Elf { r_type } if RELATIVE.contains(&r_type) => {
                        // To the end of the instruction, of which the operand may not be the last part.
                        let end = self.instruction_end(section.index().0, offset)?;
                        address = address.wrapping_add(end - offset);
                        true
                    }
                    _ => false,
                };
                self.refer_to_local(
                    function,
                    target,
                    if is_known { Some(address) } else { None },
                );
            }
        }
        Some(())
    }

    /// A reference to an address in a section, which may contain no code; `None` for any.
    fn refer_to_local(&mut self, function: usize, section: usize, address: Option<u64>) {
        if let Some(address) = address
            && let Some(other) = self.function_at(section, address)
        {
            return self.refer(function, other);
        }
        for other in 0..self.ranges.len() {
            if self.ranges[other].section == section {
                self.refer(function, other);
            }
        }
    }

    fn refer(&mut self, function: usize, other: usize) {
        if function != other {
            self.functions[function].functions.push(other);
        }
    }

    fn function_at(&self, section: usize, address: u64) -> Option<usize> {
        let after = self
            .ranges
            .partition_point(|range| (range.section, range.start) <= (section, address));
        let found = after.checked_sub(1)?;
        if self.ranges[found].contains(section, address) {
            Some(found)
        } else {
            None
        }
    }

    /// The end of the instruction that contains an offset.
    fn instruction_end(&self, section: usize, offset: u64) -> Option<u64> {
        let after = self
            .instructions
            .partition_point(|one| (one.section, one.start) <= (section, offset));
        let found = &self.instructions[after.checked_sub(1)?];
        if found.section == section && offset < found.end {
            Some(found.end)
        } else {
            None
        }
    }
}

/// Offsets of relocations in a section.
#[derive(Default)]
struct Relocated {
    all: BTreeSet<u64>,
    /// Those that lead to functions of [`NEVER_RETURN`].
    never_return: BTreeSet<u64>,
}

/// Whether one of some offsets is in an instruction.
fn contains_any(offsets: &BTreeSet<u64>, instruction: &InstructionFacts) -> bool {
    let mut inside = offsets.range(instruction.start..instruction.end);
    inside.next().is_some()
}

fn is_executable<'data>(section: &impl ObjectSection<'data>) -> Option<bool> {
    let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
        return None;
    };
    Some(sh_flags & elf::SHF_EXECINSTR != elf::SectionFlags(0))
}

#[cfg(test)]
mod tests {
    use crate::build::objects::{self, Code};
    use std::process::Command;

    /// The functions of an object of a text in C or assembler: for each that has a name, what it reaches by names, directly or not.
    fn reached(file: &str, text: &str, flags: &[&str]) -> Option<Vec<String>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), text).unwrap();
        let status = Command::new("gcc")
            .current_dir(folder.path())
            .args(["-c", file, "-o", "a.o", "-fno-stack-protector"])
            .args(flags)
            .status()
            .unwrap();
        assert!(status.success());
        let bytes = std::fs::read(folder.path().join("a.o")).unwrap();
        let functions = objects::object_symbols(&bytes, Code::Read)
            .unwrap()
            .functions;
        if functions.is_empty() {
            return None;
        }
        let mut found = Vec::new();
        for (index, function) in functions.iter().enumerate() {
            let Some(name) = function.defined.first() else {
                continue;
            };
            let (mut open, mut seen) = (vec![index], vec![index]);
            let mut names = Vec::new();
            while let Some(at) = open.pop() {
                let one = &functions[at];
                names.extend(one.referred.iter().cloned());
                if one.calls_addresses {
                    names.push("*".to_string());
                }
                names.extend(one.instruction.clone());
                for &next in &one.functions {
                    if !seen.contains(&next) {
                        seen.push(next);
                        open.push(next);
                    }
                }
            }
            names.retain(|name| name != "_GLOBAL_OFFSET_TABLE_");
            names.sort();
            names.dedup();
            found.push(format!("{name}: {}", names.join(" ")));
        }
        found.sort();
        Some(found)
    }

    const ALL: [&[&str]; 4] = [
        &["-O0"],
        &["-O2"],
        &["-O2", "-ffunction-sections"],
        &["-O0", "-fPIC"],
    ];

    #[test]
    fn references_belong_to_the_function_that_contains_them() {
        let text = "int MPI_Abort(int, int); double now(void); extern int limit; static double last; int shown;\n\
            static __attribute__((noinline)) void fail(void) { MPI_Abort(0, limit); }\n\
            double start(void) { last = now(); return last; }\n\
            double stop(void) { if (last < 0) fail(); return now() - last; }\n\
            void count(void) { shown++; }\n";
        for flags in ALL {
            let functions = reached("a.c", text, flags).unwrap();
            assert_eq!(
                functions,
                ["count: shown", "start: now", "stop: MPI_Abort limit now"],
                "{flags:?}"
            );
        }
    }

    /// The assembler resolves calls of static functions, and compilers make jumps of calls at the end.
    #[test]
    fn static_functions_are_followed_without_relocations() {
        let text = "int MPI_Barrier(int); static __attribute__((noinline)) int sync(int c) { return MPI_Barrier(c); }\n\
            int a(int c) { return sync(c) + 1; }\nint b(int c) { return sync(c); }\nint c(int x) { return x; }\n\
            int d(int c) { return b(c); }\n";
        for flags in ALL {
            let functions = reached("a.c", text, flags).unwrap();
            let is_free = |name: &str| functions.contains(&format!("{name}: "));
            assert!(is_free("c") && !is_free("a") && !is_free("b"), "{flags:?}");
            let reaches = |name: &str| {
                let own = functions.iter().find(|one| one.starts_with(name)).unwrap();
                own.contains("MPI_Barrier") || own.contains(" b")
            };
            assert!(
                reaches("a:") && reaches("b:") && reaches("d:"),
                "{functions:?}"
            );
        }
    }

    /// A function whose address is taken is reached; a table of addresses is used by an indirect call.
    #[test]
    fn addresses_of_functions_are_references() {
        let text = "int MPI_Barrier(int); static int sync(int c) { return MPI_Barrier(c); }\n\
            static int (*table[2])(int) = {sync, sync}; void keep(int (*)(int));\n\
            void give(void) { keep(sync); }\nint call(int i) { return table[i](i) + 1; }\n\
            void set(int (*f)(int)) { table[0] = f; }\n";
        for flags in ALL {
            let functions = reached("a.c", text, flags).unwrap();
            assert_eq!(
                functions,
                ["call: *", "give: MPI_Barrier keep", "set: "],
                "{flags:?}"
            );
        }
    }

    #[test]
    fn code_that_no_function_contains_is_not_divided() {
        let function = ".globl f\n.type f, @function\nf: ret\n.size f, .-f\n";
        let other = ".globl g\n.type g, @function\ng: call MPI_Abort\nret\n.size g, .-g\n";
        let of = |text: &str| reached("a.s", text, &[]);
        let both = Some(vec!["f: ".to_string(), "g: MPI_Abort".to_string()]);
        assert_eq!(of(&format!("{function}.p2align 4\n{other}")), both);
        for broken in [
            // Outside of all, a label, no size, a part of another.
            format!("{function}call MPI_Abort\nret\n{other}"),
            format!("{function}.globl h\nh:\n{other}"),
            format!("{function}.globl h\n.type h, @function\nh:\n{other}"),
            format!("{function}{other}.set h, g + 5\n.type h, @function\n.size h, 1\n"),
        ] {
            assert_eq!(of(&broken), None, "{broken}");
        }
        // Code that runs into the next function, or jumps into another one.
        let runs = function.replace("ret", "nop");
        let found = of(&format!("{runs}{other}")).unwrap();
        assert_eq!(found[0], "f: MPI_Abort");
        let jumps = function.replace("ret", "jmp .L1");
        let inner = other.replace("call", ".L1: call");
        let found = of(&format!("{jumps}{inner}")).unwrap();
        assert_eq!(found[0], "f: MPI_Abort");
        // An alias.
        let alias = of(&format!("{function}.globl e\n.set e, f\n{other}"));
        assert_eq!(alias.map(|found| found.len()), Some(2));
        let odd = function.replace("ret", "std\nret");
        let found = of(&format!("{odd}{other}")).unwrap();
        assert_eq!(found, ["f: the instruction std", "g: MPI_Abort"]);
    }
}
