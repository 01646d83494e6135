//! Innermost loops of compiled code. In an executable they have addresses and source lines, from the disassembly of `objdump`,
//! which comes with the compiler, and the object's line numbers. In the compiler's assembly they have labels. Both texts list the
//! same instructions in the same order, so the loops of a function have equal numbers in both.

use addr2line::Loader;
use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

/// Bytes of a line of the instruction cache. Code at equal offsets in lines is fetched and decoded alike.
pub const LINE: u64 = 64;

/// An innermost loop of compiled code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLoop {
    /// File name and line of the instruction that repeats it.
    pub place: (String, u32),
    /// Its instructions without their operands: registers may differ.
    pub mnemonics: Vec<String>,
    /// Address of its first instruction.
    pub start: u64,
    /// Loops around it in the same function, itself included.
    pub depth: u32,
    /// The symbol of the function that it belongs to.
    pub function: String,
    /// Address of that function.
    pub function_start: u64,
    /// Its number among the innermost loops of the function.
    pub number: usize,
    /// How many innermost loops the function has.
    pub innermost_loops: usize,
}

/// A function in assembly.
#[derive(Debug, PartialEq, Eq)]
pub struct AssemblyFunction {
    /// Its symbol.
    pub name: String,
    /// The line, from 0, of each innermost loop's first label: code before this line is executed once, before the loop.
    pub loops: Vec<usize>,
}

/// A backward jump.
#[derive(Clone, Copy)]
struct Jump {
    target: u64,
    at: u64,
}

/// A function of the disassembly.
#[derive(Default)]
struct Function {
    /// Its symbol.
    name: String,
    /// Address and mnemonic of each instruction, ascending, without padding. In assembly, the address is the instruction's number.
    instructions: Vec<(u64, String)>,
    jumps: Vec<Jump>,
}

/// The innermost loops of an executable that have line numbers, by address; `None` if it cannot be read. Loops with calls are
/// omitted: alignment is negligible in their longer iterations, and the calls may be marks of a probe.
pub fn innermost(path: &Path) -> Option<Vec<CodeLoop>> {
    let output = Command::new("objdump")
        .args(["-d", "--no-show-raw-insn"])
        .arg(path)
        .output()
        .ok()?;
    if !output.status.success() {
        return None;
    }
    let loader = Loader::new(path).ok()?;
    let place = |address: u64| {
        let location = loader.find_location(address).ok()??;
        let file = location.file?.rsplit('/').next()?.to_string();
        Some((file, location.line?))
    };
    let mut found = Vec::new();
    for function in functions(&String::from_utf8_lossy(&output.stdout)) {
        let innermost = function.innermost();
        let innermost_loops = innermost.len();
        for (number, (jump, depth)) in innermost.into_iter().enumerate() {
            let Some(place) = place(jump.at) else {
                continue;
            };
            let mnemonics = function.mnemonics(jump);
            if mnemonics
                .iter()
                .any(|mnemonic| mnemonic.starts_with("call"))
            {
                continue;
            }
            let function_start = function.instructions[0].0;
            let function = function.name.clone();
            found.push(CodeLoop {
                place,
                mnemonics,
                start: jump.target,
                depth,
                function,
                function_start,
                number,
                innermost_loops,
            });
        }
    }
    Some(found)
}

/// The functions of assembly in the form of GNU on x86-64.
pub fn of_assembly(assembly: &str) -> Vec<AssemblyFunction> {
    let mut found = Vec::new();
    let mut reader = AssemblyReader::default();
    for (number, line) in assembly.lines().enumerate() {
        match label(line) {
            Some(label) if is_local(label) => reader.add_label(label, number),
            // Other symbols begin functions, or data, which contain no instructions.
            Some(symbol) => found.extend(reader.begin(symbol)),
            None => reader.add_line(line),
        }
    }
    found.extend(reader.begin(""));
    found
}

/// The label that a line of assembly defines.
pub fn label(line: &str) -> Option<&str> {
    line.strip_suffix(':').map(|label| label.trim_matches('"'))
}

/// Whether a label belongs to the function around it.
fn is_local(label: &str) -> bool {
    label.starts_with(".L")
}

/// A place that jumps may name.
#[derive(Clone, Copy)]
struct Label {
    /// Number of the instruction after it.
    instruction: u64,
    /// Line of the first of the labels before that instruction that have no padding between.
    line: usize,
}

/// Reads one function of assembly after the other.
#[derive(Default)]
struct AssemblyReader {
    function: Function,
    labels: HashMap<String, Label>,
    /// Line of the first label since the last instruction or padding.
    first_label: Option<usize>,
    /// Lines of the labels that backward jumps name, by number of the instruction.
    heads: HashMap<u64, usize>,
}

impl AssemblyReader {
    /// Begins a function and returns the one before, if it has instructions.
    fn begin(&mut self, symbol: &str) -> Option<AssemblyFunction> {
        let next = Self {
            function: Function {
                name: symbol.to_string(),
                ..Function::default()
            },
            ..Self::default()
        };
        let ended = std::mem::replace(self, next);
        if ended.function.instructions.is_empty() {
            return None;
        }
        let mut loops = Vec::new();
        for (jump, _) in ended.function.innermost() {
            // A jump to the function's own symbol repeats the function, which has no label to move.
            loops.push(*ended.heads.get(&jump.target)?);
        }
        Some(AssemblyFunction {
            name: ended.function.name,
            loops,
        })
    }

    fn add_label(&mut self, label: &str, number: usize) {
        let line = *self.first_label.get_or_insert(number);
        let instruction = self.function.instructions.len() as u64;
        self.labels
            .insert(label.to_string(), Label { instruction, line });
    }

    fn add_line(&mut self, line: &str) {
        let text = line.trim_start();
        if text.starts_with(".p2align") {
            // Labels before the padding are at other addresses than those after it.
            self.first_label = None;
            return;
        }
        let is_instruction = text.starts_with(|first: char| first.is_ascii_alphabetic());
        if !is_instruction || is_padding(text) {
            return;
        }
        self.first_label = None;
        let at = self.function.instructions.len() as u64;
        let mut words = text.split_whitespace();
        let mnemonic = words.next().unwrap_or_default();
        self.function.instructions.push((at, mnemonic.to_string()));
        if !mnemonic.starts_with('j') {
            return;
        }
        let operand = words.next().unwrap_or_default();
        if let Some(label) = self.labels.get(operand) {
            let target = label.instruction;
            self.heads.insert(target, label.line);
            self.function.jumps.push(Jump { target, at });
        } else if operand == self.function.name {
            self.function.jumps.push(Jump { target: 0, at });
        }
    }
}

fn functions(disassembly: &str) -> Vec<Function> {
    let mut functions: Vec<Function> = Vec::new();
    for line in disassembly.lines() {
        if let Some(line) = line.strip_suffix(">:") {
            let name = line
                .split_once('<')
                .map_or("", |(_, name)| name)
                .to_string();
            functions.push(Function {
                name,
                ..Function::default()
            });
            continue;
        }
        let Some((address, text)) = line.split_once(":\t") else {
            continue;
        };
        let Ok(address) = u64::from_str_radix(address.trim(), 16) else {
            continue;
        };
        // The amount of padding depends on the alignment that is compared.
        if is_padding(text) {
            continue;
        }
        let mut words = text.split_whitespace();
        let (Some(mnemonic), Some(function)) = (words.next(), functions.last_mut()) else {
            continue;
        };
        function.instructions.push((address, mnemonic.to_string()));
        let target = words
            .next()
            .and_then(|word| u64::from_str_radix(word, 16).ok());
        // A backward jump within the function is the end of a loop; a jump to another function is a
        // tail call.
        let first = function.instructions[0].0;
        if let Some(target) =
            target.filter(|target| mnemonic.starts_with('j') && (first..=address).contains(target))
        {
            function.jumps.push(Jump {
                target,
                at: address,
            });
        }
    }
    functions
}

/// Whether an instruction is padding before an aligned address.
fn is_padding(text: &str) -> bool {
    let is_nop = text
        .split_whitespace()
        .any(|word| matches!(word, "nop" | "nopw" | "nopl"));
    is_nop || text.split_whitespace().eq(["xchg", "%ax,%ax"])
}

impl Function {
    /// Loops without inner loops, each with its nesting depth.
    fn innermost(&self) -> Vec<(Jump, u32)> {
        let holds =
            |outer: &Jump, inner: &Jump| outer.target <= inner.target && inner.at <= outer.at;
        let is_same = |one: &Jump, other: &Jump| one.target == other.target && one.at == other.at;
        let mut found = Vec::new();
        for jump in &self.jumps {
            let others = self.jumps.iter().filter(|other| !is_same(jump, other));
            if others.clone().any(|other| holds(jump, other)) {
                continue;
            }
            let around = others.filter(|other| holds(other, jump)).count();
            found.push((*jump, around as u32 + 1));
        }
        found
    }

    fn mnemonics(&self, jump: Jump) -> Vec<String> {
        let inside = self
            .instructions
            .iter()
            .filter(|(at, _)| (jump.target..=jump.at).contains(at));
        inside.map(|(_, mnemonic)| mnemonic.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_assembly_are_numbered_as_in_the_executable() {
        let text = "\
f_:
\t.cfi_startproc
.L4:
\ttestl\t%eax, %eax
\tjle\t.L15
\t.p2align 4,,10
.L2:
\tpxor\t%xmm2, %xmm2
.L7:
\t.p2align 4,,10
.LBB3:
.L5:
\t.loc 1 5 2
\tmovsd\t(%rax), %xmm1
\tjne\t.L5
\tjne\t.L2
\tret
.L15:
\taddl\t$1, %esi
\tjne\t.L4
\t.section\t.rodata
table.0:
\t.quad\t.L15
\t.text
g_:
\tret
";
        let of = |name: &str, loops: &[usize]| AssemblyFunction {
            name: name.into(),
            loops: loops.to_vec(),
        };
        assert_eq!(of_assembly(text), [of("f_", &[10]), of("g_", &[])]);
    }

    #[test]
    fn innermost_loops_are_found_with_their_depth() {
        let text = "
0000000000001360 <MAIN__>:
    1360:\tpush   %rbx
    1720:\tcmp    $0x1,%rax
    1730:\tmovsd  (%r11),%xmm0
    1734:\tdata16 cs nopw 0x0(%rax,%rax,1)
    173b:\txchg   %ax,%ax
    173d:\tmulsd  %xmm1,%xmm0
    174e:\tjne    1730 <MAIN__+0x4b0>
    1750:\tjne    1720 <MAIN__+0x4a0>
    1760:\tjmp    1770 <MAIN__+0x500>
    1765:\tje     1360 <other+0x4>

0000000000001770 <other>:
    1770:\tjmp    1730 <MAIN__+0x4b0>
";
        let functions = functions(text);
        let found: Vec<_> = functions.iter().flat_map(|one| one.innermost()).collect();
        assert_eq!(found.len(), 1);
        let (jump, depth) = found[0];
        assert_eq!((jump.target, jump.at, depth), (0x1730, 0x174e, 3));
        assert_eq!(functions[0].name, "MAIN__");
        assert_eq!(functions[0].mnemonics(jump), ["movsd", "mulsd", "jne"]);
    }
}
