//! Innermost loops of compiled code, with their addresses and source lines, from the disassembly of `objdump`, which comes with
//! the compiler, and the object's line numbers.

use addr2line::Loader;
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
    /// Address and mnemonic of each instruction, ascending, without padding.
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
        for (jump, depth) in function.innermost() {
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
            });
        }
    }
    Some(found)
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
