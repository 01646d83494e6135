//! Disassembles the machine code of objects: instructions may change states of the processor or call the operating
//! system, which no symbol shows.
//!
//! An instruction set is known if all its instructions only compute, read and write memory and registers, jump and call; the few
//! others of these sets are listed. Everything else, and code that cannot be decoded with certainty, is reported.

use iced_x86::{
    CpuidFeature, Decoder, DecoderOptions, FlowControl, Instruction, InstructionInfoFactory,
    Mnemonic, OpAccess, OpKind, Register,
};
use object::read::elf::Dyn;
use object::{
    Architecture, Object, ObjectKind, ObjectSection, ObjectSymbol, RelocationFlags, SectionFlags,
    SectionKind, SymbolKind, elf,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// What the instructions of an object do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MachineCode {
    /// The first instruction that does more than to compute, to read and write memory and to call, or why the code is not known.
    pub instruction: Option<String>,
    /// Whether such instructions may read error numbers or floating-point flags.
    pub reads_errors: bool,
    /// Whether it calls, or jumps to, an address from a register or from memory.
    pub calls_addresses: bool,
}

impl MachineCode {
    /// Code that may do anything, for a reason.
    pub fn unknown(reason: &str) -> Self {
        MachineCode {
            instruction: Some(reason.to_string()),
            reads_errors: true,
            calls_addresses: true,
        }
    }
}

/// Instruction sets. That of the x87 unit is missing: it has a stack of its own, on which code may leave values.
const COMPUTING: [CpuidFeature; 58] = [
    CpuidFeature::INTEL8086,
    CpuidFeature::INTEL186,
    CpuidFeature::INTEL386,
    CpuidFeature::INTEL486,
    CpuidFeature::X64,
    CpuidFeature::CMOV,
    CpuidFeature::CX8,
    CpuidFeature::CMPXCHG16B,
    CpuidFeature::MULTIBYTENOP,
    CpuidFeature::PAUSE,
    CpuidFeature::CET_IBT,
    CpuidFeature::PREFETCHW,
    CpuidFeature::PREFETCHWT1,
    CpuidFeature::MOVBE,
    CpuidFeature::ADX,
    CpuidFeature::BMI1,
    CpuidFeature::BMI2,
    CpuidFeature::TBM,
    CpuidFeature::LZCNT,
    CpuidFeature::POPCNT,
    CpuidFeature::SSE,
    CpuidFeature::SSE2,
    CpuidFeature::SSE3,
    CpuidFeature::SSSE3,
    CpuidFeature::SSE4_1,
    CpuidFeature::SSE4_2,
    CpuidFeature::SSE4A,
    CpuidFeature::AES,
    CpuidFeature::PCLMULQDQ,
    CpuidFeature::SHA,
    CpuidFeature::GFNI,
    CpuidFeature::VAES,
    CpuidFeature::VPCLMULQDQ,
    CpuidFeature::AVX,
    CpuidFeature::AVX2,
    CpuidFeature::AVX_VNNI,
    CpuidFeature::FMA,
    CpuidFeature::FMA4,
    CpuidFeature::XOP,
    CpuidFeature::F16C,
    CpuidFeature::AVX512F,
    CpuidFeature::AVX512VL,
    CpuidFeature::AVX512BW,
    CpuidFeature::AVX512DQ,
    CpuidFeature::AVX512CD,
    CpuidFeature::AVX512ER,
    CpuidFeature::AVX512PF,
    CpuidFeature::AVX512_BF16,
    CpuidFeature::AVX512_BITALG,
    CpuidFeature::AVX512_FP16,
    CpuidFeature::AVX512_IFMA,
    CpuidFeature::AVX512_VBMI,
    CpuidFeature::AVX512_VBMI2,
    CpuidFeature::AVX512_VNNI,
    CpuidFeature::AVX512_VPOPCNTDQ,
    CpuidFeature::AVX512_VP2INTERSECT,
    CpuidFeature::AVX512_4FMAPS,
    CpuidFeature::AVX512_4VNNIW,
];

/// Instructions of these sets that read or change states of the processor: modes and flags of floating-point arithmetic, the
/// direction of strings, traps; or that use devices. Interrupts and far jumps are found by other properties.
const OF_THE_PROCESSOR: [Mnemonic; 24] = [
    Mnemonic::Ldmxcsr,
    Mnemonic::Stmxcsr,
    Mnemonic::Vldmxcsr,
    Mnemonic::Vstmxcsr,
    Mnemonic::Std,
    Mnemonic::Sti,
    Mnemonic::Cli,
    Mnemonic::Pushf,
    Mnemonic::Pushfd,
    Mnemonic::Pushfq,
    Mnemonic::Popf,
    Mnemonic::Popfd,
    Mnemonic::Popfq,
    Mnemonic::In,
    Mnemonic::Out,
    Mnemonic::Insb,
    Mnemonic::Insw,
    Mnemonic::Insd,
    Mnemonic::Outsb,
    Mnemonic::Outsw,
    Mnemonic::Outsd,
    Mnemonic::Retf,
    Mnemonic::Iret,
    Mnemonic::Iretq,
];

/// Others that read neither error numbers nor floating-point flags: clocks, properties of the processor, random numbers.
const SILENT: [Mnemonic; 7] = [
    Mnemonic::Rdtsc,
    Mnemonic::Rdtscp,
    Mnemonic::Rdpid,
    Mnemonic::Cpuid,
    Mnemonic::Xgetbv,
    Mnemonic::Rdrand,
    Mnemonic::Rdseed,
];

/// Instructions that read the processor's cycle counter.
const CYCLE_COUNTER: [Mnemonic; 2] = [Mnemonic::Rdtsc, Mnemonic::Rdtscp];
/// What the code of both has in common, and no other instruction needs to have.
const CYCLE_COUNTER_BYTES: [&[u8]; 2] = [&[0x0f, 0x31], &[0x0f, 0x01, 0xf9]];

/// Whether an executable or a library reads the processor's cycle counter; false for a file that is neither.
pub fn reads_cycle_counter(path: &Path) -> bool {
    let Ok(bytes) = std::fs::read(path) else {
        return false;
    };
    let Ok(file) = object::File::parse(&*bytes) else {
        return false;
    };
    if file.architecture() != Architecture::X86_64 {
        return false;
    }
    // Decoding begins where a function does: between functions there may be data.
    let mut starts: Vec<u64> = file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text)
        .map(|symbol| symbol.address())
        .collect();
    starts.sort_unstable();
    for section in file.sections() {
        if section.kind() != SectionKind::Text {
            continue;
        }
        let Ok(code) = section.data() else {
            continue;
        };
        for at in 0..code.len() {
            if !CYCLE_COUNTER_BYTES
                .iter()
                .any(|bytes| code[at..].starts_with(bytes))
            {
                continue;
            }
            let address = section.address() + at as u64;
            let before = &starts[..starts.partition_point(|&start| start <= address)];
            let start = before
                .last()
                .map_or(section.address(), |&start| start.max(section.address()));
            if is_cycle_counter(
                &code[(start - section.address()) as usize..],
                start,
                address,
            ) {
                return true;
            }
        }
    }
    false
}

/// Whether code that begins at an address reads the cycle counter at another.
fn is_cycle_counter(code: &[u8], start: u64, address: u64) -> bool {
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    while decoder.can_decode() && decoder.ip() < address {
        let _ = decoder.decode();
    }
    decoder.ip() == address && CYCLE_COUNTER.contains(&decoder.decode().mnemonic())
}

const UNCERTAIN: &str = "code that cannot be decoded with certainty";

/// A section with code.
struct Section<'a> {
    index: usize,
    address: u64,
    bytes: &'a [u8],
    /// Whether an instruction begins at each byte.
    begins: Vec<bool>,
    /// Offsets of operands that a linker replaces by the address of a symbol's entry in the table of addresses.
    table_entries: Vec<u64>,
}

impl Section<'_> {
    /// The offset of an address, its end included.
    fn offset(&self, address: u64) -> Option<usize> {
        let offset = usize::try_from(address.checked_sub(self.address)?).ok()?;
        if offset > self.bytes.len() {
            return None;
        }
        Some(offset)
    }

    /// Whether the operand of an instruction at an offset is the address of a symbol, which only the loader writes.
    fn is_of_symbol(
        &self,
        instruction: &Instruction,
        offset: usize,
        tables: &BTreeSet<u64>,
    ) -> bool {
        if !instruction.is_ip_rel_memory_operand() {
            return false;
        }
        // A linker fills in the operand, which is the last part of the instruction.
        let operand = (offset + instruction.len()) as u64 - 4;
        self.table_entries.contains(&operand)
            || tables.contains(&instruction.ip_rel_memory_address())
    }

    /// Whether an instruction begins at an address; `None` for one of another section.
    fn begins_at(&self, address: u64) -> Option<bool> {
        let offset = self.offset(address)?;
        // The end of a section: a jump whose target the linker fills in.
        Some(self.begins.get(offset).copied().unwrap_or(true))
    }
}

/// What one instruction of an object does.
pub struct InstructionFacts {
    /// The index of its section.
    pub section: usize,
    /// Its address, which is its offset in the section.
    pub start: u64,
    /// The address of the next one.
    pub end: u64,
    /// As in [`MachineCode`].
    pub instruction: Option<String>,
    /// As in [`MachineCode`].
    pub calls_addresses: bool,
    /// The address in its section to which it jumps, or which it reads, writes or computes, if no relocation replaces it.
    pub target: Option<u64>,
    /// Whether the next instruction is never executed after it, unless a jump leads there.
    pub ends: bool,
    /// Whether it is a call.
    pub is_call: bool,
    /// Whether it does nothing: compilers and assemblers fill gaps between functions with such instructions.
    pub is_padding: bool,
}

/// Reads the code of an object or shared library, and what each of its instructions does; no instructions if its code is not known.
pub fn read(file: &object::File) -> (MachineCode, Vec<InstructionFacts>) {
    let unknown = |reason: &str| (MachineCode::unknown(reason), Vec::new());
    if file.architecture() != Architecture::X86_64 {
        return unknown("instructions of an unknown processor");
    }
    let Some(mut sections) = sections(file) else {
        return unknown("code that cannot be read");
    };
    let is_linked = file.kind() == ObjectKind::Dynamic;
    let tables = match is_linked {
        true => tables_of_addresses(file),
        false => Some(BTreeSet::new()),
    };
    let Some(tables) = tables else {
        return unknown("tables of addresses that cannot be read");
    };
    let mut accesses = InstructionInfoFactory::new();
    let mut code = MachineCode::default();
    let mut facts: Vec<InstructionFacts> = Vec::new();
    let mut targets = Vec::new();
    let mut through_registers = Vec::new();
    for section in &mut sections {
        let mut decoder =
            Decoder::with_ip(64, section.bytes, section.address, DecoderOptions::NONE);
        let mut instruction = Instruction::default();
        let mut own_targets = Vec::new();
        // A register with the address of a symbol, and the instruction that loads it.
        let mut loaded: Option<(Register, u64)> = None;
        while decoder.can_decode() {
            decoder.decode_out(&mut instruction);
            let offset = (instruction.ip() - section.address) as usize;
            section.begins[offset] = true;
            if instruction.is_invalid() {
                return unknown("code that cannot be decoded");
            }
            let mut own = facts_of(section.index, &instruction);
            if !is_known(&instruction, &mut accesses) {
                code.reads_errors |= !SILENT.contains(&instruction.mnemonic());
                own.instruction = Some(described(&instruction));
            }
            let is_of_symbol = section.is_of_symbol(&instruction, offset, &tables);
            // Code that writes an entry, or computes where it is, may call what others have passed.
            own.calls_addresses = is_of_symbol && !only_reads(&instruction, &mut accesses);
            match instruction.flow_control() {
                FlowControl::IndirectBranch | FlowControl::IndirectCall => match loaded.take() {
                    Some((register, at)) if instruction.op0_register() == register => {
                        through_registers.push((at, instruction.ip()));
                    }
                    _ => own.calls_addresses |= !is_of_symbol,
                },
                _ if instruction.op_count() > 0
                    && instruction.op0_kind() == OpKind::NearBranch64 =>
                {
                    own_targets.push(instruction.near_branch_target());
                }
                _ => {}
            }
            code.calls_addresses |= own.calls_addresses;
            if code.instruction.is_none() {
                code.instruction.clone_from(&own.instruction);
            }
            if !is_linked {
                facts.push(own);
            }
            // `mov g@GOTPCREL(%rip), %rax; test %rax, %rax; je …; jmp *%rax` is a call of a symbol that may be missing.
            if instruction.mnemonic() == Mnemonic::Mov
                && is_of_symbol
                && instruction.op0_kind() == OpKind::Register
            {
                loaded = Some((instruction.op0_register(), instruction.ip()));
            } else if ![Mnemonic::Test, Mnemonic::Je].contains(&instruction.mnemonic()) {
                loaded = None;
            }
        }
        if !is_linked {
            // Addresses of an object are those of each section.
            if !own_targets
                .iter()
                .all(|&to| section.begins_at(to) == Some(true))
            {
                return unknown(UNCERTAIN);
            }
            if is_entered(&through_registers, &own_targets) {
                code.calls_addresses = true;
                // Any of these jumps may be the one.
                for own in facts.iter_mut().filter(|own| own.section == section.index) {
                    let is_one = through_registers.iter().any(|&(_, jump)| jump == own.start);
                    own.calls_addresses |= is_one;
                }
            }
            own_targets.clear();
            through_registers.clear();
        }
        targets.extend(own_targets);
    }
    code.calls_addresses |= is_entered(&through_registers, &targets);
    // Data among the code would be decoded as instructions; jumps and functions then begin where none does.
    for to in targets {
        if !is_beginning(&sections, to) {
            return unknown(UNCERTAIN);
        }
    }
    if is_linked && !functions_begin(file, &sections) {
        return unknown(UNCERTAIN);
    }
    (code, facts)
}

fn facts_of(section: usize, instruction: &Instruction) -> InstructionFacts {
    let is_jump = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::NearBranch64;
    let target = if is_jump {
        Some(instruction.near_branch_target())
    } else if instruction.is_ip_rel_memory_operand() {
        Some(instruction.ip_rel_memory_address())
    } else {
        None
    };
    InstructionFacts {
        section,
        start: instruction.ip(),
        end: instruction.next_ip(),
        instruction: None,
        calls_addresses: false,
        target,
        ends: matches!(
            instruction.flow_control(),
            FlowControl::UnconditionalBranch
                | FlowControl::IndirectBranch
                | FlowControl::Return
                | FlowControl::Exception
        ),
        is_call: instruction.flow_control() == FlowControl::Call,
        is_padding: [Mnemonic::Nop, Mnemonic::Int3].contains(&instruction.mnemonic()),
    }
}

/// Whether a jump ends between the first and the last instruction of some ranges.
fn is_entered(ranges: &[(u64, u64)], targets: &[u64]) -> bool {
    let enters = |&to: &u64| ranges.iter().any(|&(first, last)| first < to && to <= last);
    targets.iter().any(enters)
}

/// The sections with code; `None` if one cannot be read, or can be written by the code itself.
fn sections<'a>(file: &object::File<'a>) -> Option<Vec<Section<'a>>> {
    let mut found = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            return None;
        };
        if sh_flags & elf::SHF_EXECINSTR == elf::SectionFlags(0) {
            continue;
        }
        if sh_flags & elf::SHF_WRITE != elf::SectionFlags(0) {
            return None;
        }
        let bytes = section.data().ok()?;
        let mut table_entries = Vec::new();
        for (offset, relocation) in section.relocations() {
            if let RelocationFlags::Elf { r_type } = relocation.flags()
                && [
                    elf::R_X86_64_GOTPCREL,
                    elf::R_X86_64_GOTPCRELX,
                    elf::R_X86_64_REX_GOTPCRELX,
                ]
                .contains(&r_type)
            {
                table_entries.push(offset);
            }
        }
        found.push(Section {
            index: section.index().0,
            address: section.address(),
            bytes,
            begins: vec![false; bytes.len()],
            table_entries,
        });
    }
    Some(found)
}

/// The addresses at which the loader of a linked file, and nothing else, writes the address of a symbol; `None` if they cannot be
/// read. Only linkers make relocations of these kinds: the user's own data may be in sections of any name.
fn tables_of_addresses(file: &object::File) -> Option<BTreeSet<u64>> {
    /// Where the table of functions contains the address of the loader, which finds a function at its first call.
    const LOADER: u64 = 16;
    let mut found = BTreeSet::new();
    for (address, relocation) in file.dynamic_relocations().into_iter().flatten() {
        if let RelocationFlags::Elf { r_type } = relocation.flags()
            && [elf::R_X86_64_GLOB_DAT, elf::R_X86_64_JUMP_SLOT].contains(&r_type)
        {
            found.insert(address);
        }
    }
    let object::File::Elf64(linked) = file else {
        return None;
    };
    let sections = linked.elf_section_table();
    let dynamic = sections.dynamic(linked.endian(), linked.data()).ok()?;
    for entry in dynamic.map_or(&[][..], |(entries, _)| entries) {
        if entry.tag(linked.endian()) == elf::DT_PLTGOT {
            found.insert(entry.val(linked.endian()) + LOADER);
        }
    }
    Some(found)
}

/// Whether an instruction reads its operand in memory, and does nothing else with it.
fn only_reads(instruction: &Instruction, accesses: &mut InstructionInfoFactory) -> bool {
    let info = accesses.info(instruction);
    // Of a call, the other operand in memory is the stack.
    let mut own = info
        .used_memory()
        .iter()
        .filter(|memory| memory.base() != Register::RSP);
    let is_read = own.next().map(|memory| memory.access()) == Some(OpAccess::Read);
    is_read && own.next().is_none()
}

/// Whether an instruction begins at an address.
fn is_beginning(sections: &[Section], address: u64) -> bool {
    let found = sections
        .iter()
        .find_map(|section| section.begins_at(address));
    found == Some(true)
}

/// Whether each function of a shared library begins with an instruction.
fn functions_begin(file: &object::File, sections: &[Section]) -> bool {
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let is_function = symbol.kind() == SymbolKind::Text && !symbol.is_undefined();
        if is_function && !is_beginning(sections, symbol.address()) {
            return false;
        }
    }
    true
}

/// Whether an instruction only computes, reads and writes memory, jumps and calls.
fn is_known(instruction: &Instruction, accesses: &mut InstructionInfoFactory) -> bool {
    /// Where compilers keep the value that guards the stack, in the memory of the thread.
    const STACK_GUARD: u64 = 0x28;
    if instruction.is_privileged()
        || instruction.is_save_restore_instruction()
        || OF_THE_PROCESSOR.contains(&instruction.mnemonic())
    {
        return false;
    }
    let is_flow = matches!(
        instruction.flow_control(),
        FlowControl::Next
            | FlowControl::UnconditionalBranch
            | FlowControl::IndirectBranch
            | FlowControl::ConditionalBranch
            | FlowControl::Return
            | FlowControl::Call
            | FlowControl::IndirectCall
    );
    let is_far = instruction.is_call_far()
        || instruction.is_jmp_far()
        || instruction.is_call_far_indirect()
        || instruction.is_jmp_far_indirect();
    if !is_flow || is_far {
        return false;
    }
    let features = instruction.cpuid_features();
    if !features.iter().all(|feature| COMPUTING.contains(feature)) {
        return false;
    }
    for operand in 0..instruction.op_count() {
        let register = instruction.op_register(operand);
        // MMX registers are those of the other floating-point unit, whose state they change.
        if register.is_segment_register() || register.is_mm() {
            return false;
        }
    }
    // Memory of the thread.
    match instruction.segment_prefix() {
        Register::FS => {
            instruction.memory_base() == Register::None
                && instruction.memory_index() == Register::None
                && instruction.memory_displacement64() == STACK_GUARD
                && only_reads(instruction, accesses)
        }
        Register::GS => false,
        _ => true,
    }
}

fn described(instruction: &Instruction) -> String {
    let name = format!("{:?}", instruction.mnemonic()).to_ascii_lowercase();
    match instruction.segment_prefix() {
        Register::FS | Register::GS => format!("memory of the thread ({name})"),
        _ => format!("the instruction {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// What the code of an object or shared library of assembler text does.
    fn code_of(text: &str, flags: &[&str]) -> MachineCode {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.s"), text).unwrap();
        let status = Command::new("gcc")
            .current_dir(folder.path())
            .args(flags)
            .args(["a.s", "-o", "a.out"])
            .status()
            .unwrap();
        assert!(status.success());
        let bytes = std::fs::read(folder.path().join("a.out")).unwrap();
        read(&object::File::parse(&*bytes).unwrap()).0
    }

    fn instruction(text: &str) -> Option<String> {
        code_of(&format!("f: {text}\nret\n"), &["-c"]).instruction
    }

    #[test]
    fn instructions_that_only_compute_are_known() {
        for text in [
            "addsd %xmm0, %xmm1",
            "vfmadd213pd %ymm0, %ymm1, %ymm2",
            "vaddpd %zmm0, %zmm1, %zmm2{%k1}",
            "rep movsb",
            "lock xaddq %rax, (%rdi)",
            "call g",
            "jne 1f\nnop\n1:",
            "endbr64",
            "movq %fs:0x28, %rax",
            "subq %fs:0x28, %rax",
            "xorq %fs:0x28, %rax",
            "cmpq %fs:0x28, %rax",
            "nopw %cs:0(%rax,%rax,1)",
            "popcnt %rax, %rbx",
        ] {
            assert_eq!(instruction(text), None, "{text}");
        }
    }

    #[test]
    fn instructions_that_reach_the_processor_or_the_system_are_found() {
        for text in [
            "ldmxcsr (%rsp)",
            "stmxcsr (%rsp)",
            "vldmxcsr (%rsp)",
            "fldcw (%rsp)",
            "fnstcw (%rsp)",
            "fnclex",
            "fnstsw %ax",
            "fninit",
            "fldenv (%rsp)",
            "fxsave (%rsp)",
            "xsave (%rsp)",
            "rdtsc",
            "rdtscp",
            "rdrand %rax",
            "rdseed %rax",
            "syscall",
            "sysenter",
            "int $0x80",
            "cpuid",
            "xgetbv",
            "rdfsbase %rax",
            "wrfsbase %rax",
            "fldl (%rsp)\nfstpl (%rsp)",
            "fildl (%rdi)",
            "fcmove %st(1), %st",
            "movq %fs:0, %rax",
            "movq %rax, %fs:0x28(%rdx)",
            "movq %rax, %fs:0x28",
            "movq %gs:0x28, %rax",
            "std",
            "popfq",
            "lcall *(%rax)",
            "movw %ax, %ds",
            "emms",
            "ud2",
            "hlt",
            "xbegin 1f\n1:",
            "inb $1, %al",
        ] {
            assert_ne!(instruction(text), None, "{text}");
        }
        assert_eq!(
            instruction("ldmxcsr (%rsp)"),
            Some("the instruction ldmxcsr".to_string())
        );
        let reads = |text: &str| code_of(&format!("f: {text}\nret\n"), &["-c"]).reads_errors;
        assert!(!reads("rdtsc") && reads("rdtsc\nstmxcsr (%rsp)"));
        assert_eq!(
            instruction("movq %fs:0, %rax"),
            Some("memory of the thread (mov)".to_string())
        );
    }

    /// A jump into an instruction begins another one.
    #[test]
    fn hidden_instructions_are_found() {
        assert_eq!(instruction("movl $0x9090310f, %eax"), None);
        let hidden = "jmp 1f + 1\n1: movl $0x9090310f, %eax";
        assert_eq!(
            instruction(hidden),
            Some("code that cannot be decoded with certainty".to_string())
        );
        assert_ne!(instruction(".byte 0x06"), None);
    }

    /// Compilers add code of their own to a shared library.
    #[test]
    fn libraries_of_c_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let status = Command::new("sh")
            .current_dir(folder.path())
            .args([
                "-c",
                "echo 'double g(double); double f(double x) { return g(x) / 3; }' > a.c && gcc -O2 -shared -fPIC a.c -o a.so",
            ])
            .status()
            .unwrap();
        assert!(status.success());
        let bytes = std::fs::read(folder.path().join("a.so")).unwrap();
        let code = read(&object::File::parse(&*bytes).unwrap()).0;
        assert_eq!(code, MachineCode::default());
    }

    #[test]
    fn calls_of_addresses_are_distinguished_from_calls_of_symbols() {
        let calls = |text: &str, flags: &[&str]| {
            let code = code_of(&format!(".globl f\nf: {text}\nret\n"), flags);
            assert_eq!(code.instruction, None, "{text}");
            code.calls_addresses
        };
        let object = ["-c"];
        assert!(!calls("call g", &object));
        assert!(!calls("call *g@GOTPCREL(%rip)", &object));
        assert!(calls("call *%rax", &object));
        assert!(calls("jmp *(%rdi)", &object));
        let load = "movq g@GOTPCREL(%rip), %rax\n";
        let tested = format!("{load}test %rax, %rax\nje 1f\njmp *%rax\n1:");
        assert!(!calls(&tested, &object));
        assert!(calls(&format!("jmp 1f\n{load}1: jmp *%rax"), &object));
        assert!(calls(
            &format!("{load}movq (%rdi), %rax\njmp *%rax"),
            &object
        ));
        assert!(calls("call *table(%rip)", &object));
        let shared = ["-shared", "-nostdlib"];
        assert!(!calls("call g@PLT", &shared));
        assert!(!calls("call *g@GOTPCREL(%rip)", &shared));
        assert!(calls("call *%rax", &shared));
        // Data of the user are no entries of the linker, whatever their section is.
        for section in [".data", ".section .gotfp,\"aw\"", ".section .got,\"aw\""] {
            let own = format!(
                "call *table(%rip)\nret\n{section}\n.hidden table\n.globl table\ntable: .quad 0\n.text\n"
            );
            assert!(calls(&own, &shared), "{section}");
        }
        // Nor is an entry that the code itself writes.
        let written = "movq %rax, g@GOTPCREL(%rip)\ncall *g@GOTPCREL(%rip)";
        assert!(calls(written, &object) && calls(written, &shared));
        let found = "leaq g@GOTPCREL(%rip), %rax\nmovq %rdi, (%rax)\ncall g@PLT";
        assert!(calls(found, &object) && calls(found, &shared));
    }
}
