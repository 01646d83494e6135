//! Entries that know where they were called from. [`entry!`](crate::entry!) defines exported C
//! functions; each leaves its return address in a word of its thread before its body runs, and
//! [`return_address`] reads that word.
//!
//! On x86-64 an exported symbol is four instructions that touch no register an argument can be in,
//! then a jump to the body, which sees the stack as its caller left it. The word is reached as
//! thread-local storage of the initial-exec kind, without a call; a library that is loaded by
//! `dlopen` gets its few bytes from the reserve the C library keeps for this. On other processors
//! the symbol is the body, and the address is 0: not known.
//!
//! A call that the compiler put at the end of a function as a jump returns to the caller's caller:
//! the place is then that of the call of the function.

#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .tbss.mpiete_return_address, \"awT\", @nobits",
    ".globl mpiete_return_address",
    ".hidden mpiete_return_address",
    ".type mpiete_return_address, @object",
    ".size mpiete_return_address, 8",
    ".p2align 3",
    "mpiete_return_address:",
    ".zero 8",
    ".popsection",
);

/// Where the entry that this thread called last returns to; 0 if that is not known. An entry reads
/// it before it calls anything that might come in through another entry.
#[inline(always)]
pub fn return_address() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let address;
        // SAFETY: the word above, which each thread has; loading it changes nothing.
        unsafe {
            std::arch::asm!(
                "mov {0}, qword ptr [rip + mpiete_return_address@GOTTPOFF]",
                "mov {0}, qword ptr fs:[{0}]",
                out(reg) address,
                options(nostack, preserves_flags, readonly),
            );
        }
        address
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Defines C functions, exported under each of the names, with one body:
///
/// ```
/// native::entry! {
///     example_send, example_psend: (count: i32, weight: f64) -> u64 {
///         native::entry::return_address()
///     }
/// }
/// ```
///
/// The body is unsafe for its callers as any C function is: it gets what the program passes.
#[macro_export]
macro_rules! entry {
    ($($symbol:ident),+: $arguments:tt $body:block) => {
        $crate::entry! { $($symbol),+: $arguments -> () $body }
    };
    ($($symbol:ident),+: $arguments:tt -> $result:ty $body:block) => {
        const _: () = {
            $crate::entry!(@body $arguments, $result, $body);
            $($crate::entry!(@symbol $symbol, $arguments, $result);)+
        };
    };
    (@body ($($name:ident: $kind:ty),* $(,)?), $result:ty, $body:block) => {
        unsafe extern "C" fn body($($name: $kind),*) -> $result $body
    };
    (@symbol $symbol:ident, ($($name:ident: $kind:ty),* $(,)?), $result:ty) => {
        #[cfg(target_arch = "x86_64")]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $symbol($($name: $kind),*) -> $result {
            // The caller's `call` has put the return address on top of the stack; r10 and r11 hold
            // no argument of any C function.
            ::std::arch::naked_asm!(
                "mov r11, qword ptr [rsp]",
                "mov r10, qword ptr [rip + mpiete_return_address@GOTTPOFF]",
                "mov qword ptr fs:[r10], r11",
                "jmp {body}",
                body = sym body,
            )
        }

        #[cfg(not(target_arch = "x86_64"))]
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        unsafe extern "C" fn $symbol($($name: $kind),*) -> $result {
            // SAFETY: `body` has the parameters of the symbol, and gets the program's arguments unchanged.
            unsafe { body($($name),*) }
        }
    };
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::*;

    crate::entry! {
        native_test_place, native_test_pplace: () -> u64 { return_address() }
    }
    crate::entry! {
        native_test_sum: (
            a: i64, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64, h: i64,
            s: f64, t: f64, u: f64, v: f64, w: f64, x: f64, y: f64, z: f64,
        ) -> f64 {
            let whole = [a, b, c, d, e, f, g, h].iter().fold(0, |sum, digit| sum * 10 + digit);
            let parts = [s, t, u, v, w, x, y, z].iter().fold(0.0, |sum, digit| sum * 10.0 + digit);
            whole as f64 * 1e8 + parts
        }
    }

    unsafe extern "C" {
        fn native_test_place() -> u64;
        fn native_test_pplace() -> u64;
        fn native_test_sum(
            a: i64,
            b: i64,
            c: i64,
            d: i64,
            e: i64,
            f: i64,
            g: i64,
            h: i64,
            s: f64,
            t: f64,
            u: f64,
            v: f64,
            w: f64,
            x: f64,
            y: f64,
            z: f64,
        ) -> f64;
    }

    #[inline(never)]
    fn caller() -> (u64, u64) {
        // SAFETY: the function is defined above with this signature.
        unsafe { (native_test_place(), native_test_pplace()) }
    }

    #[test]
    fn return_address_is_per_call_and_thread() {
        let here = caller();
        let start = caller as *const () as u64;
        assert!(
            start < here.0 && here.0 < here.1 && here.1 < start + 200,
            "{start:x} {here:x?}"
        );
        assert_eq!(
            std::thread::spawn(|| (return_address(), caller()))
                .join()
                .ok(),
            Some((0, here))
        );
        assert_eq!(return_address(), here.1);
    }

    #[test]
    fn arguments_and_result_pass_through() {
        // SAFETY: the function is defined above with this signature.
        let sum = unsafe {
            native_test_sum(
                1, 2, 3, 4, 5, 6, 7, 8, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0,
            )
        };
        assert_eq!(sum, 12_345_678.0 * 1e8 + 12_345_678.0);
    }
}
