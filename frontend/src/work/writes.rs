//! What statements write, by location: by name, or in procedures that they call.

use crate::effects::model::Model;
use crate::ir::StatementId;
use crate::memory::location_id::{LocationId, LocationSet};
use std::collections::BTreeMap;

/// What some statements write.
pub(crate) struct Writes {
    by_name: BTreeMap<LocationId, Vec<StatementId>>,
    indirectly: LocationSet,
}

impl Writes {
    /// What statements write themselves, not those inside them.
    pub(crate) fn of(model: &Model, statements: &[StatementId]) -> Self {
        let mut writes = Self::none();
        for &id in statements {
            for definition in &model.effects.of_statement(id).definitions {
                let writers = writes.by_name.entry(definition.location).or_default();
                writers.push(id);
            }
            model
                .effects
                .add_written_indirectly(id, &mut writes.indirectly);
        }
        writes
    }

    pub(crate) fn none() -> Self {
        Self {
            by_name: BTreeMap::new(),
            indirectly: LocationSet::default(),
        }
    }

    /// The statements that write a location by name, in their order; `None` if called procedures write it as well.
    pub(crate) fn writers(&self, location: LocationId) -> Option<&[StatementId]> {
        if self.indirectly.contains(location) {
            return None;
        }
        let writers = self.by_name.get(&location);
        Some(writers.map_or(&[], Vec::as_slice))
    }
}
