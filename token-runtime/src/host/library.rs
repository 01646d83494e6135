//! The folder that makes programs find this MPI library under all the names that the MPICH family
//! uses.

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Names under which programs look for an MPI library of the MPICH family, and the one the linker
/// looks for at `-lmpi`.
pub const LIBRARY_NAMES: [&str; 5] = [
    "libmpi.so.12",
    "libmpich.so.12",
    "libmpifort.so.12",
    "libmpichfort.so.12",
    "libmpi.so",
];

/// Makes `dir` (and what is missing above it) with links of all names to the shared object at
/// `library`; gives the folder. Links that lead elsewhere are replaced, each in one step: others may be using them.
pub fn library_folder(dir: &Path, library: &Path) -> io::Result<PathBuf> {
    let library = library.canonicalize()?;
    let dir = existing_folder(dir)?;
    link_names(&dir, &library)?;
    Ok(dir)
}

/// The same with links relative to `dir`: they stay valid when a folder that contains both is copied to another machine.
pub fn relative_library_folder(dir: &Path, library: &Path) -> io::Result<PathBuf> {
    let library = library.canonicalize()?;
    let dir = existing_folder(dir)?;
    link_names(&dir, &relative_path(&library, &dir))?;
    Ok(dir)
}

/// The path of `target` as seen from the folder `from`. Both are absolute and without symbolic links, since the system follows
/// `..` of a link in the folder that the link really lies in.
pub fn relative_path(target: &Path, from: &Path) -> PathBuf {
    let target_parts: Vec<Component> = target.components().collect();
    let from_parts: Vec<Component> = from.components().collect();
    let mut common = 0;
    while common < target_parts.len().min(from_parts.len())
        && target_parts[common] == from_parts[common]
    {
        common += 1;
    }
    let mut path = PathBuf::new();
    for _ in &from_parts[common..] {
        path.push("..");
    }
    path.extend(&target_parts[common..]);
    path
}

/// The folder `dir`, made if it is missing, without symbolic links in its path.
fn existing_folder(dir: &Path) -> io::Result<PathBuf> {
    remove_dead_link(dir)?;
    std::fs::create_dir_all(dir)?;
    dir.canonicalize()
}

/// Makes all names of the library lead to `target`.
fn link_names(dir: &Path, target: &Path) -> io::Result<()> {
    for name in LIBRARY_NAMES {
        let link = dir.join(name);
        if !std::fs::read_link(&link).is_ok_and(|old| old == target) {
            replace_link(target, &link)?;
        }
    }
    Ok(())
}

/// A study that was copied may have brought a link to a folder of another machine.
fn remove_dead_link(dir: &Path) -> io::Result<()> {
    if dir.is_symlink() && !dir.exists() {
        return std::fs::remove_file(dir);
    }
    Ok(())
}

/// Makes `link` lead to `target`, in one step for those who follow it meanwhile.
pub fn replace_link(target: &Path, link: &Path) -> io::Result<()> {
    // The copies of a co-run are threads of one process, and may replace the same link at the same time.
    static REPLACEMENTS: AtomicU64 = AtomicU64::new(0);
    let number = REPLACEMENTS.fetch_add(1, Ordering::Relaxed);
    let mut name = OsString::from(".");
    name.push(link.file_name().unwrap_or_default());
    name.push(format!(".{}.{number}", std::process::id()));
    let fresh = link.with_file_name(name);
    match symlink(target, &fresh) {
        // Left by a process of the same number that was killed.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(&fresh)?;
            symlink(target, &fresh)?;
        }
        made => made?,
    }
    let renamed = std::fs::rename(&fresh, link);
    if renamed.is_err() {
        // The first error is what the caller should know.
        _ = std::fs::remove_file(&fresh);
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn existing_links_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("library.so");
        std::fs::write(&library, "").unwrap();
        let links = folder.path().join("lib");
        symlink("/nowhere", &links).unwrap();
        library_folder(&links, &library).unwrap();
        std::fs::remove_file(links.join("libmpi.so")).unwrap();
        symlink("/nowhere", links.join("libmpi.so")).unwrap();
        library_folder(&links, &library).unwrap();
        for name in LIBRARY_NAMES {
            assert_eq!(
                std::fs::read_link(links.join(name)).unwrap(),
                library.canonicalize().unwrap()
            );
        }
        let entries = std::fs::read_dir(&links).unwrap();
        assert_eq!(entries.count(), LIBRARY_NAMES.len());
    }

    #[test]
    fn relative_links_outlive_a_move_of_both() {
        let folder = tempfile::tempdir().unwrap();
        let before = folder.path().join("before");
        std::fs::create_dir_all(before.join("mpiete/lib")).unwrap();
        let library = before.join("mpiete/lib/library.so");
        std::fs::write(&library, "").unwrap();
        relative_library_folder(&before.join("studies/cg/lib"), &library).unwrap();
        let after = folder.path().join("after");
        std::fs::rename(&before, &after).unwrap();
        for name in LIBRARY_NAMES {
            let link = after.join("studies/cg/lib").join(name);
            assert_eq!(
                std::fs::read_link(&link).unwrap(),
                Path::new("../../../mpiete/lib/library.so")
            );
            assert!(link.exists());
        }
    }

    #[test]
    fn threads_may_replace_one_link_at_the_same_time() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("probe");
        let replace = |target: String| {
            for _ in 0..200 {
                replace_link(Path::new(&target), &link).unwrap();
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let replace = &replace;
                scope.spawn(move || replace(format!("target-{thread}")));
            }
        });
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
