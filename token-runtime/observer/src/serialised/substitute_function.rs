//! Functions that are called instead of what the program has called: in its own binding, so that
//! its buffers, handles, statuses and special addresses can be passed on as they came.

use crate::passed_arguments::Binding;
use crate::real_functions;
use std::ffi::CString;
use std::sync::OnceLock;

/// An MPI function that the program need not have called, in all three bindings.
#[derive(Debug)]
pub struct SubstituteFunction {
    name: String,
    /// Address in each binding, if there is one.
    addresses: [OnceLock<Option<usize>>; 3],
}

impl SubstituteFunction {
    /// The function with the standard's name `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            addresses: Default::default(),
        }
    }

    /// The standard's name.
    #[cfg(test)]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the MPI library has it.
    pub fn exists(&self, binding: Binding) -> bool {
        self.address(binding).is_some()
    }

    fn address(&self, binding: Binding) -> Option<usize> {
        *self.addresses[binding as usize].get_or_init(|| {
            let symbols = symbols(&self.name, binding).into_iter();
            symbols
                .filter_map(|symbol| CString::new(symbol).ok())
                .find_map(|symbol| real_functions::find(&symbol))
        })
    }

    /// Calls it; gives its error code.
    ///
    /// # Safety
    ///
    /// It exists, and `arguments` are its own in this binding, but for Fortran's `ierror`, and stay
    /// at their addresses until the started operation is complete.
    pub unsafe fn call(&self, binding: Binding, arguments: &[usize]) -> i32 {
        let Some(address) = self.address(binding) else {
            unreachable!("{} is not there", self.name)
        };
        match binding {
            // SAFETY: the caller guarantees the arguments that the function takes.
            Binding::C => unsafe { real_functions::call(address, arguments) as i32 },
            Binding::Fortran | Binding::Fortran2008 => {
                let mut error = 0i32;
                let arguments = [arguments, &[(&raw mut error).expose_provenance()]].concat();
                // SAFETY: the caller guarantees the words of the function in this binding; Fortran passes `ierror` last.
                unsafe { real_functions::call(address, &arguments) };
                error
            }
        }
    }
}

/// As compilers spell the name in a binding.
fn symbols(name: &str, binding: Binding) -> Vec<String> {
    let lower = name.to_ascii_lowercase();
    match binding {
        Binding::C => vec![name.to_string()],
        Binding::Fortran => {
            vec![
                format!("{lower}_"),
                format!("{lower}__"),
                lower.clone(),
                lower.to_uppercase(),
            ]
        }
        Binding::Fortran2008 => vec![format!("{lower}_f08_"), format!("{lower}_f08ts_")],
    }
}
