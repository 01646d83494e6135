//! Instructions that return random numbers, `rdrand` and `rdseed`, found in the machine code of a file.

use iced_x86::{Decoder, DecoderOptions, Mnemonic};
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

const RANDOM: [Mnemonic; 2] = [Mnemonic::Rdrand, Mnemonic::Rdseed];
/// Bytes that are read at a time.
const CHUNK: usize = 1 << 16;
/// Bytes before an instruction from which decoding begins. Wherever it begins, decoding of x86 code finds the true borders of
/// instructions within some tens of bytes.
const RUN_UP: usize = 512;
/// Beginnings that are tried, so that one that stays out of step hides no instruction.
const STARTS: usize = 8;

/// Whether a part of a file has `rdrand` or `rdseed`.
pub(crate) fn contains(path: &Path, part: Range<u64>) -> bool {
    let Ok(file) = File::open(path) else {
        return false;
    };
    let mut chunk = vec![0; CHUNK];
    let mut at = part.start;
    while at < part.end {
        let bytes = CHUNK.min((part.end - at) as usize);
        if file.read_exact_at(&mut chunk[..bytes], at).is_err() {
            return false;
        }
        // What precedes the run-up was in the chunk before.
        let first = if at == part.start { 0 } else { RUN_UP };
        if has_instruction(&chunk[..bytes], first) {
            return true;
        }
        if bytes < CHUNK {
            return false;
        }
        // Each instruction is in a chunk with all bytes from which it is decoded.
        at += (CHUNK - RUN_UP - STARTS) as u64;
    }
    false
}

/// Whether code has `rdrand` or `rdseed` from a place on. Both are `0f c7` with a register as operand and 6 or 7 in the middle. Programs of a megabyte
/// have these three bytes by chance, too, in operands or across instructions.
fn has_instruction(code: &[u8], first: usize) -> bool {
    let candidates = code
        .windows(3)
        .enumerate()
        .filter(|(_, bytes)| bytes[0] == 0x0f && bytes[1] == 0xc7 && bytes[2] >= 0xf0);
    for (at, _) in candidates {
        if at >= first && is_decoded(code, at) {
            return true;
        }
    }
    false
}

/// Whether `rdrand` or `rdseed` is decoded at a place, behind prefixes at most.
fn is_decoded(code: &[u8], at: usize) -> bool {
    let earliest = at.saturating_sub(RUN_UP + STARTS);
    let latest = at.saturating_sub(RUN_UP).max(earliest + 1).min(at + 1);
    for start in earliest..latest {
        let mut decoder = Decoder::new(64, &code[start..], DecoderOptions::NONE);
        while decoder.can_decode() && start + decoder.position() <= at {
            let instruction = decoder.decode();
            let end = start + decoder.position();
            if end == at + 3 && RANDOM.contains(&instruction.mnemonic()) {
                return true;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_number_instructions_are_detected() {
        // rdrand eax; rdseed rcx; cmpxchg16b [rdi].
        assert!(has_instruction(&[0x90, 0x0f, 0xc7, 0xf0], 0));
        assert!(has_instruction(&[0x48, 0x0f, 0xc7, 0xf9], 0));
        assert!(!has_instruction(&[0x48, 0x0f, 0xc7, 0x0f], 0));
        // Far behind the beginning, and at its end.
        let mut code = vec![0x90; 3 * RUN_UP];
        code.extend([0x0f, 0xc7, 0xf0]);
        assert!(has_instruction(&code, 0));
    }

    #[test]
    fn operands_are_no_random_number_instructions() {
        // mov eax, 0xf0c70f; behind much other code.
        let mut code: Vec<u8> = [0x48, 0x89, 0xe5].repeat(RUN_UP);
        code.extend([0xb8, 0x0f, 0xc7, 0xf0, 0x00, 0xc3]);
        assert!(!has_instruction(&code, 0));
    }
}
