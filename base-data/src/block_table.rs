//! Blocks, call sites and loops of one program, with the keys that stay the same between files
//! and the spans on the user's own lines. How blocks are found is the frontend's business.

use crate::ids::{BlockId, Digest, LoopId};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Everything of a program's source that base data refer to. Ids are indices into its lists.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlockTable {
    /// The source files, in the order given by the user, then included files in order of use.
    pub files: Vec<SourceFileInfo>,
    /// The compute, communication and wait blocks.
    pub blocks: Vec<Block>,
    /// The places where MPI functions are called.
    pub call_sites: Vec<CallSite>,
    /// The loops that contain communication.
    pub loops: Vec<StructureLoop>,
}

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFileInfo {
    /// Path as the user gave it.
    pub path: String,
    /// Digest of its bytes.
    pub digest: Digest,
}

/// Kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockKind {
    /// A maximal run of statements that perform no communication.
    Compute,
    /// Starts a transfer.
    Communication,
    /// Completes a transfer.
    Wait,
}

/// The stable identity of a block: equal in two files exactly when the block's own text (after
/// INCLUDE and preprocessing, comments and blanks normalised away), its transitive callees and the
/// declared types of its names are equal. Values of PARAMETERs and shapes are not part of it: they
/// are inputs of the variant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BlockKey {
    /// Digest of text, callees and declared types.
    pub digest: Digest,
    /// Name of the procedure, lower case; the main program by its own name.
    pub procedure: String,
    /// Number among the blocks of the procedure with this digest, in source order.
    pub ordinal: u32,
}

/// The stable identity of a place where an MPI function is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CallSiteKey {
    /// In a source that was analysed.
    Source {
        /// Digest of the statement's normalised text.
        digest: Digest,
        /// Procedure, lower case.
        procedure: String,
        /// Number among the procedure's sites with this digest, in source order.
        ordinal: u32,
    },
    /// In a binary without sources.
    Object {
        /// File name of the executable or shared object, without folder.
        object: String,
        /// Offset of the return address in the object; 0 where it is not known.
        offset: u64,
    },
}

/// A place on the user's own lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SourceSpan {
    /// Index into [`BlockTable::files`].
    pub file: u32,
    /// First line, 1-based.
    pub first_line: u32,
    /// Last line, inclusive.
    pub last_line: u32,
    /// The INCLUDE lines this text came through, outermost first; empty for text of the file
    /// that was given.
    pub included_through: Vec<IncludeLine>,
    /// Byte ranges `(from, to, length)` of the file that the fixed-form rewrite moved, within this
    /// span.
    pub moved: Vec<(u32, u32, u32)>,
}

/// The place of an INCLUDE line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IncludeLine {
    /// Index into [`BlockTable::files`].
    pub file: u32,
    /// Line, 1-based.
    pub line: u32,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    /// Stable identity.
    pub key: BlockKey,
    /// Its kind.
    pub kind: BlockKind,
    /// Where it stands.
    pub span: SourceSpan,
    /// The loops with communication around it, outermost first.
    pub loop_path: Vec<LoopId>,
    /// The trip counts its time depends on, in the order of a variant's terms.
    pub work_terms: Vec<WorkTerm>,
    /// Whether its time depends on more than its terms: a trip count that depends on bulk data, or
    /// one that could not be put as a term.
    pub data_dependent: bool,
}

/// The trip count of one loop inside a compute block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkTerm {
    /// The count as an expression in the program's own language, valid at the block's entry.
    pub expression: String,
    /// The loop it counts.
    pub span: SourceSpan,
}

/// A place where an MPI function is called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallSite {
    /// Stable identity.
    pub key: CallSiteKey,
    /// Standard name, `MPI_Send`.
    pub function: String,
    /// Name of the procedure, lower case; empty where it is not known.
    pub procedure: String,
    /// Where it stands; `None` without sources.
    pub span: Option<SourceSpan>,
    /// The loops with communication around it, outermost first.
    pub loop_path: Vec<LoopId>,
}

/// A loop that contains communication.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StructureLoop {
    /// Where it stands.
    pub span: SourceSpan,
    /// Procedure, lower case.
    pub procedure: String,
    /// The loops with communication around it, outermost first, itself not included.
    pub loop_path: Vec<LoopId>,
}

impl BlockTable {
    /// The block with this key.
    pub fn find(&self, key: &BlockKey) -> Option<BlockId> {
        self.blocks
            .iter()
            .position(|block| block.key == *key)
            .map(BlockId::from_index)
    }

    /// Adds the blocks of `other` that are not here yet; gives the place here of each of its blocks.
    pub fn absorb(&mut self, other: &BlockTable) -> Vec<BlockId> {
        let first_file = self.files.len() as u32;
        let mut used_files = false;
        let mut places = Vec::with_capacity(other.blocks.len());
        for block in &other.blocks {
            let place = self.find(&block.key).unwrap_or_else(|| {
                used_files = true;
                let mut block = block.clone();
                // Loops of the other table are not taken over, so numbers of loops would have no meaning
                // here.
                block.loop_path.clear();
                // The other table's files follow the own ones, all of them, so a shift renumbers them.
                block.span.file += first_file;
                block
                    .span
                    .included_through
                    .iter_mut()
                    .for_each(|line| line.file += first_file);
                block
                    .work_terms
                    .iter_mut()
                    .for_each(|term| term.span.file += first_file);
                self.blocks.push(block);
                BlockId::from_index(self.blocks.len() - 1)
            });
            places.push(place);
        }
        // Merged measurements of one program add no block, and then no files either.
        if used_files {
            self.files.extend(other.files.iter().cloned());
        }
        places
    }

    /// `cg.f:120` or `cg.f:120-134`; words where no file is known.
    pub fn place(&self, span: &SourceSpan) -> String {
        let Some(file) = self.files.get(span.file as usize) else {
            return "source line unknown".into();
        };
        let path = &file.path;
        if span.first_line == span.last_line {
            format!("{path}:{}", span.first_line)
        } else {
            format!("{path}:{}-{}", span.first_line, span.last_line)
        }
    }

    /// Place of a call site: `cg.f:120`, or `a.out+0x1f40` without sources.
    pub fn site_place(&self, site: crate::ids::CallSiteId) -> String {
        match self.call_sites.get(site.index()) {
            None => format!("call site {site}"),
            Some(CallSite {
                span: Some(span), ..
            }) => self.place(span),
            Some(CallSite {
                key: CallSiteKey::Object { object, offset },
                ..
            }) => match offset {
                0 => object.clone(),
                offset => format!("{object}+{offset:#x}"),
            },
            // A site with a stable key and without lines: the procedure is all that is known.
            Some(CallSite { procedure, .. }) => procedure.clone(),
        }
    }
}

impl fmt::Display for BlockKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            BlockKind::Compute => "compute",
            BlockKind::Communication => "communication",
            BlockKind::Wait => "wait",
        })
    }
}
