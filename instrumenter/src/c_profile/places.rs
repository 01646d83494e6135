//! What the steps of directives name in C: functions, loops, and what stands at positions.

use super::{LoopKind, Position, Step};
use crate::plan::profile::selection::{self, nth};
use frontend::c::{CCall, CFile, CFunction, CLoop, CLoopKind, CVariable};
use std::collections::BTreeSet;
use std::ops;

/// A function: its file and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FunctionId {
    pub(super) file: usize,
    index: usize,
}

/// A function, or a loop in it.
pub(super) struct Range<'a> {
    pub(super) id: FunctionId,
    pub(super) function: &'a CFunction,
    pub(super) block: Option<&'a CLoop>,
}

impl Range<'_> {
    /// The text inside.
    pub(super) fn inside(&self) -> ops::Range<usize> {
        match self.block {
            Some(block) => block.begin..block.whole.end,
            None => self.function.body.clone(),
        }
    }
}

pub(super) struct CStepResolver<'a> {
    files: &'a [CFile],
    /// Functions that may call MPI_Finalize.
    ending: BTreeSet<FunctionId>,
}

/// Whether a name is that of MPI_Finalize.
pub(super) fn is_finalize(name: &str) -> bool {
    matches!(name, "MPI_Finalize" | "PMPI_Finalize")
}

impl<'a> CStepResolver<'a> {
    pub(super) fn of(files: &'a [CFile]) -> Self {
        let mut places = Self {
            files,
            ending: BTreeSet::new(),
        };
        // A function that calls one that ends MPI may end it, too: repeated until none is added.
        loop {
            let known = places.ending.len();
            for id in places.functions().collect::<Vec<_>>() {
                let calls = &places.function(id).calls;
                if calls.iter().any(|call| places.may_finalize(id, call)) {
                    places.ending.insert(id);
                }
            }
            if places.ending.len() == known {
                return places;
            }
        }
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = FunctionId> + use<'a> {
        let files = self.files;
        (0..files.len()).flat_map(move |file| {
            (0..files[file].functions.len()).map(move |index| FunctionId { file, index })
        })
    }

    pub(super) fn function(&self, id: FunctionId) -> &'a CFunction {
        &self.files[id.file].functions[id.index]
    }

    pub(super) fn file(&self, id: FunctionId) -> &'a CFile {
        &self.files[id.file]
    }

    /// `FILE:LINE` of a byte of the file of a function.
    pub(super) fn place(&self, id: FunctionId, at: usize) -> String {
        self.file(id).place(at)
    }

    /// The function that a call executes, as far as its name says.
    pub(super) fn callee(&self, caller: FunctionId, call: &CCall) -> Option<FunctionId> {
        // A pointer of this name hides the function.
        if self
            .function(caller)
            .variable(&call.name, call.whole.start)
            .is_some()
        {
            return None;
        }
        let named: Vec<FunctionId> = self
            .functions()
            .filter(|&id| self.function(id).name == call.name)
            .collect();
        // A static function is that of its file.
        let own = named.iter().find(|id| id.file == caller.file);
        own.or(named.first()).copied()
    }

    /// Whether a call may execute MPI_Finalize.
    pub(super) fn may_finalize(&self, caller: FunctionId, call: &CCall) -> bool {
        is_finalize(&call.name)
            || self
                .callee(caller, call)
                .is_some_and(|id| self.ending.contains(&id))
    }

    /// The function of a name.
    pub(super) fn named(&self, name: &str) -> Result<FunctionId, String> {
        let found: Vec<FunctionId> = self
            .functions()
            .filter(|&id| self.function(id).name == name)
            .collect();
        if let Some(&first) = found.first()
            && found[1..].iter().all(|&other| self.is_copy(first, other))
        {
            return Ok(first);
        }
        match &found[..] {
            [] => {
                let names: Vec<&str> = self
                    .functions()
                    .map(|id| self.function(id).name.as_str())
                    .collect();
                Err(selection::no_procedure("function", name, &names))
            }
            _ => Err(selection::several_procedures("function", name, found.len())),
        }
    }

    /// Whether two functions are one definition in a header that two files include.
    fn is_copy(&self, one: FunctionId, other: FunctionId) -> bool {
        let (first, second) = (self.function(one), self.function(other));
        let text = |id: FunctionId, function: &CFunction| -> Option<&'a [u8]> {
            self.file(id).text.get(function.body.clone())
        };
        one.file != other.file
            && first.name == second.name
            && text(one, first) == text(other, second)
            && self.place(one, first.body.start) == self.place(other, second.body.start)
    }

    /// The first of the functions that are one definition.
    pub(super) fn definition(&self, id: FunctionId) -> FunctionId {
        let mut all = self.functions();
        all.find(|&other| other == id || self.is_copy(other, id))
            .unwrap_or(id)
    }

    /// A range of a function in every file that contains the function.
    pub(super) fn everywhere(
        &self,
        id: FunctionId,
        range: &ops::Range<usize>,
    ) -> Vec<(usize, ops::Range<usize>)> {
        let begin = self.function(id).body.start;
        let mut all = vec![(id.file, range.clone())];
        for copy in self.functions().filter(|&other| self.is_copy(id, other)) {
            // Their texts are equal, so their places are.
            let at = |place: usize| self.function(copy).body.start + place - begin;
            all.push((copy.file, at(range.start)..at(range.end)));
        }
        all
    }

    /// The functions that are executed in ranges, those of the ranges apart.
    pub(super) fn executed(
        &self,
        ranges: &[(FunctionId, ops::Range<usize>)],
    ) -> BTreeSet<FunctionId> {
        let mut executed = BTreeSet::new();
        for (id, inside) in ranges {
            let calls = self.function(*id).calls.iter();
            for call in calls.filter(|call| inside.contains(&call.whole.start)) {
                if let Some(callee) = self.callee(*id, call) {
                    executed.insert(self.definition(callee));
                    executed.extend(self.reached(callee));
                }
            }
        }
        executed
    }

    /// The function or loop that a step names.
    pub(super) fn range(&self, step: &Step) -> Result<Range<'a>, String> {
        let id = self.named(&step.function)?;
        let function = self.function(id);
        self.check_readable(id)?;
        let mut range = Range {
            id,
            function,
            block: None,
        };
        let Some(number) = step.block else {
            if step.kind.is_some() {
                return Err(selection::NO_BLOCK_NUMBER.into());
            }
            return Ok(range);
        };
        let loops: Vec<&CLoop> = function
            .loops
            .iter()
            .filter(|one| step.kind.is_none_or(|kind| kind == kind_of(one.kind)))
            .collect();
        let Some(chosen) = nth(&loops, number) else {
            let places: Vec<String> = loops.iter().map(|one| self.place(id, one.begin)).collect();
            return Err(selection::no_block(
                &function.name,
                number,
                step.kind,
                &places,
            ));
        };
        range.block = Some(chosen);
        Ok(range)
    }

    /// Whether the text of a function was understood.
    pub(super) fn check_readable(&self, id: FunctionId) -> Result<(), String> {
        let function = self.function(id);
        match function.unread {
            None => Ok(()),
            Some(at) => Err(format!(
                "{} is not measured, since its text at {} is not understood as C; write this statement in another way",
                function.name,
                self.place(id, at)
            )),
        }
    }

    /// The ranges of text that a step names: the one at its position, or without position all inside. Gives their numbers.
    pub(super) fn at(
        &self,
        range: &Range<'_>,
        position: Option<Position>,
        wanted: &[ops::Range<usize>],
        what: &str,
    ) -> Result<Vec<usize>, String> {
        let inside = range.inside();
        let filtered = |test: &dyn Fn(&ops::Range<usize>) -> bool| -> Vec<usize> {
            (0..wanted.len())
                .filter(|&index| test(&wanted[index]))
                .collect()
        };
        let is_inside =
            |one: &ops::Range<usize>| inside.start <= one.start && one.end <= inside.end;
        let found = match (position, range.block) {
            (None, _) => {
                let found = filtered(&is_inside);
                if !found.is_empty() {
                    return Ok(found);
                }
                found
            }
            (Some(Position::Inside(_)), _) => filtered(&is_inside),
            (Some(Position::Before(_)), Some(block)) => {
                // Counted from the loop backward: before(1) is the nearest one.
                let mut found = filtered(&|one| one.end <= block.whole.start);
                found.reverse();
                found
            }
            (Some(Position::After(_)), Some(block)) => {
                filtered(&|one| one.start >= block.whole.end)
            }
            (Some(Position::Before(_) | Position::After(_)), None) => {
                return Err(selection::NO_BLOCK_FOR_SIDE.into());
            }
        };
        if let Some(chosen) = nth(&found, selection::side(position).0) {
            return Ok(vec![chosen]);
        }
        let name = &range.function.name;
        let whole = match range.block {
            Some(block) => format!(
                "the block of {name} at {}",
                self.place(range.id, block.begin)
            ),
            None => name.clone(),
        };
        let places: Vec<String> = found
            .iter()
            .map(|&index| self.place(range.id, wanted[index].start))
            .collect();
        Err(selection::no_position(position, what, &whole, &places))
    }

    /// Whether a function is not executed in itself.
    pub(super) fn check_recursion(&self, range: &Range<'_>) -> Result<(), String> {
        if self.reached(range.id).contains(&range.id) {
            return Err(selection::calls_itself(&range.function.name));
        }
        Ok(())
    }

    /// The functions that a function calls, directly or not.
    pub(super) fn reached(&self, from: FunctionId) -> BTreeSet<FunctionId> {
        let mut reached = BTreeSet::new();
        let mut open = vec![from];
        while let Some(caller) = open.pop() {
            for call in &self.function(caller).calls {
                let Some(callee) = self.callee(caller, call) else {
                    continue;
                };
                let callee = self.definition(callee);
                if reached.insert(callee) {
                    open.push(callee);
                }
            }
        }
        reached
    }

    /// Whether a stretch of a function is entered at its beginning only.
    pub(super) fn check_entry(
        &self,
        id: FunctionId,
        stretch: &ops::Range<usize>,
    ) -> Result<(), String> {
        let function = self.function(id);
        let labels = function.labels.iter();
        for label in labels.filter(|label| stretch.contains(&label.at)) {
            let is_entered = match &label.switch {
                Some(switch) => !stretch.contains(&switch.start),
                None => function.jumps.iter().any(|(at, to)| {
                    // A computed jump may lead to every label.
                    let leads_here = to.is_none() || *to == label.name;
                    leads_here && !stretch.contains(at)
                }),
            };
            if is_entered {
                return Err(format!(
                    "the label at {} is jumped to from outside, so executions are not known by their beginning; \
                     name a block or function around it",
                    self.place(id, label.at)
                ));
            }
        }
        Ok(())
    }

    /// A variable that is known where a range begins.
    pub(super) fn variable(&self, range: &Range<'_>, name: &str) -> Result<&'a CVariable, String> {
        let function = self.function(range.id);
        let own = match range.block {
            Some(block) => function.variable(name, block.whole.start),
            // Of a function: what is known where it ends.
            None => function
                .variables
                .iter()
                .find(|one| one.name == name && one.is_outermost),
        };
        let own = own.or_else(|| self.global(range.id, name));
        if let Some(found) = own {
            return Ok(found);
        }
        if let Some(inner) = function.variables.iter().find(|one| one.name == name) {
            return Err(format!(
                "{name} ({}) is not known where the block or function ends; declare it before, or name an assignment with \
                 position",
                self.place(range.id, inner.end - 1)
            ));
        }
        Err(no_variable(&function.name, name))
    }

    /// A variable that is known at a byte of a function.
    pub(super) fn variable_at(
        &self,
        id: FunctionId,
        name: &str,
        at: usize,
    ) -> Option<&'a CVariable> {
        let own = self.function(id).variable(name, at);
        own.or_else(|| self.global(id, name))
    }

    fn global(&self, id: FunctionId, name: &str) -> Option<&'a CVariable> {
        let begin = self.function(id).body.start;
        let variables = self.file(id).variables.iter();
        let mut known = variables.filter(|one| one.name == name && one.end <= begin);
        known.next()
    }
}

/// A function has no variable of a name.
pub(super) fn no_variable(function: &str, name: &str) -> String {
    format!("{function} has no variable {name}; correct variableName")
}

fn kind_of(kind: CLoopKind) -> LoopKind {
    match kind {
        CLoopKind::For => LoopKind::For,
        CLoopKind::While => LoopKind::While,
        CLoopKind::Do => LoopKind::Do,
    }
}
