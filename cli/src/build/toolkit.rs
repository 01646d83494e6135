//! Headers, modules and the MPI library, under the names that linkers search, for compilers of programs that use mpiete's MPI in
//! place of another.

use crate::compile::ARGUMENT_MISMATCH_FLAGS;
use crate::compiler_process;
use crate::library;
use anyhow::{Context, Result, bail};
use base_data::ids::Digest;
use std::path::{Path, PathBuf};
use std::process::Command;
use token_runtime::host::TemporaryFolder;

/// Name of the archive with the objects of the modules.
pub const MODULES: &str = "mpiete_modules";
/// Name of the MPI library for linkers. It is unique, so that no folder of a build contains another library of this name.
pub const LIBRARY: &str = "mpiete_mpi";
/// Version of the layout of a toolkit's folder. It is part of the folder's name, so other versions do not use the toolkit.
const LAYOUT: &str = "2";
/// The file with the flags that the compiler accepts and needs.
const FLAGS: &str = "flags";

/// A toolkit in a folder.
#[derive(Clone, Debug)]
pub struct Toolkit {
    folder: PathBuf,
}

impl Toolkit {
    /// The toolkit that was made in `folder`.
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
        }
    }

    /// Makes a toolkit in `folder` for a Fortran compiler.
    pub fn make(folder: &Path, compiler: &[String]) -> Result<Self> {
        let toolkit = Self::at(folder);
        std::fs::create_dir_all(toolkit.include())
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        for (name, text) in token_runtime::headers::ALL {
            crate::files::write_bytes(&toolkit.include().join(name), text.as_bytes())?;
        }
        let library = library::path()?;
        token_runtime::host::library_folder(&toolkit.library(), &library)?;
        std::os::unix::fs::symlink(
            library.canonicalize()?,
            toolkit.library().join(format!("lib{LIBRARY}.so")),
        )
        .with_context(|| format!("{} cannot be written", folder.display()))?;
        // gfortran 10 and later reject calls of one procedure with arguments of different types, as
        // all MPI programs with `mpif.h` have them. Older gfortran and other compilers reject the
        // flags that permit it, so the modules are compiled once to find out.
        let lenient: Vec<&str> = ARGUMENT_MISMATCH_FLAGS.split(' ').collect();
        let is_lenient = toolkit.compile_modules(compiler, &lenient).is_ok();
        if !is_lenient {
            toolkit.compile_modules(compiler, &[])?;
        }
        let flags = if is_lenient {
            ARGUMENT_MISMATCH_FLAGS
        } else {
            ""
        };
        crate::files::write_bytes(&folder.join(FLAGS), flags.as_bytes())?;
        Ok(toolkit)
    }

    /// The toolkit of wrappers that are called outside a build. It is made once for each compiler, in the user's cache folder.
    pub fn cached(compiler: &[String]) -> Result<Self> {
        let headers = token_runtime::headers::ALL
            .iter()
            .map(|(_, text)| text.as_bytes());
        let words = compiler.iter().map(String::as_bytes);
        let library = library::path()?;
        // Everything that the contents depend on is in the name, so a new release or compiler makes
        // a new folder and never changes one in use.
        let of = Digest::of_parts(
            headers
                .chain(words)
                .chain([library.as_os_str().as_encoded_bytes(), LAYOUT.as_bytes()]),
        );
        let caches = cache_folder()?;
        let folder = caches.join(format!("wrappers-{of}"));
        if !folder.exists() {
            std::fs::create_dir_all(&caches)
                .with_context(|| format!("{} cannot be made", caches.display()))?;
            // Made under a temporary name, since parallel makes start many wrappers at once: none
            // may see a toolkit without its modules.
            let fresh = TemporaryFolder::create_in(&caches, ".new-")?;
            Self::make(fresh.path(), compiler)?;
            // The rename fails if another wrapper was faster: its toolkit is the same.
            let _ = std::fs::rename(fresh.path(), &folder);
        }
        Ok(Self::at(&folder))
    }

    /// Folder of all.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Folder of the headers and modules.
    pub fn include(&self) -> PathBuf {
        self.folder.join("include")
    }

    /// Flags with which Fortran sources must be compiled because they call MPI.
    pub fn flags(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join(FLAGS)).unwrap_or_default();
        text.split_whitespace().map(String::from).collect()
    }

    /// Folder of the libraries.
    pub fn library(&self) -> PathBuf {
        self.folder.join("lib")
    }

    /// Names of the libraries, for Fortran and for C.
    pub fn libraries(&self, fortran: bool) -> Vec<&'static str> {
        if fortran {
            vec![MODULES, LIBRARY]
        } else {
            vec![LIBRARY]
        }
    }

    /// Paths of the libraries, for Fortran and for C.
    pub fn library_files(&self, fortran: bool) -> Vec<PathBuf> {
        let mut files = Vec::new();
        // The objects of the modules call the library, so they come first on a link line.
        if fortran {
            files.push(self.library().join(format!("lib{MODULES}.a")));
        }
        files.push(self.library().join(format!("lib{LIBRARY}.so")));
        files
    }

    fn compile_modules(&self, compiler: &[String], flags: &[&str]) -> Result<()> {
        let headers = token_runtime::headers::ALL.iter().map(|(name, _)| *name);
        let names = headers.filter(|name| name.ends_with(".f90"));
        let (mut archive, include) = (Command::new("ar"), self.include());
        let path = self.library().join(format!("lib{MODULES}.a"));
        archive.arg("rcs").arg(&path);
        for name in names {
            let object = self.library().join(format!("{name}.o"));
            let mut command = Command::new(&compiler[0]);
            command
                .args(&compiler[1..])
                .args(flags)
                // Position-independent: the build may link the archive into a shared library.
                .args(["-O2", "-fPIC", "-c", name, "-o"])
                .arg(&object);
            // The module's own file is written where the compiler runs.
            run(command.current_dir(&include))?;
            archive.arg(&object);
        }
        run(&mut archive)
    }
}

fn run(command: &mut Command) -> Result<()> {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = compiler_process::output(command).with_context(|| {
        format!("'{shown}' cannot be started; install gfortran and binutils, or set MPIETE_FC")
    })?;
    if !output.status.success() {
        bail!(
            "'{shown}' cannot compile the MPI modules:\n{}",
            String::from_utf8_lossy(&output.stderr).trim_end()
        );
    }
    Ok(())
}

fn cache_folder() -> Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let caches = named.or_else(home).context(
        "neither XDG_CACHE_HOME nor HOME is set, so there is no folder for the wrappers' \
            headers",
    )?;
    Ok(caches.join("mpiete"))
}
