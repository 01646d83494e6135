//! Reads and writes of MPI calls: arguments by their roles, and the contents of messages. Other statements are in
//! [`crate::effects::effect_collector`]; which messages have a live payload is in [`crate::effects::message_levels`].

use crate::effects::effect_collector::EffectCollector;
use crate::effects::message_class::{MessageClass, Sort};
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph::Call;
use crate::ir::references;
use crate::ir::{Expression, Type};
use crate::memory::location_id::LocationId;
use base_data::mpi::{Function, FunctionKind, Role};

impl EffectCollector<'_> {
    /// A call of MPI.
    pub(crate) fn mpi(&mut self, function: &'static Function, call: &Call) {
        let class = self.collectives.class(self.program, function, call);
        self.out.class = if class == MessageClass::None {
            self.out.class
        } else {
            class
        };
        for (position, argument) in call.arguments.iter().enumerate() {
            let Some(argument) = argument else { continue };
            match function.arguments.get(position) {
                Some(row) => self.mpi_argument(function, row.role, argument, call, class),
                // Behind the arguments of the table's row: IERROR, which every MPI function writes.
                None => self.write(argument, Via::Own),
            }
        }
        // MPI_IN_PLACE: what arrives is also what leaves.
        let in_place = |argument: &&Expression| self.mpi_constant(argument) == Some("mpi_in_place");
        if call.arguments.iter().flatten().any(in_place) {
            let buffer = function
                .position(Role::BufferOut)
                .and_then(|i| call.arguments.get(i).copied().flatten());
            let parts = buffer.map_or(Vec::new(), |buffer| {
                self.buffer(function, call, buffer, class)
            });
            self.send(class, &parts);
        }
    }

    fn send(&mut self, class: MessageClass, parts: &[LocationId]) {
        for &part in parts {
            self.out.sends.push((class, part));
        }
    }

    /// The innermost locations that a message buffer covers, for data of a class. Without known datatypes a buffer that is a
    /// component covers the whole object. It stays within the component if all datatypes are MPI's own, and the component is an
    /// array or the count is 1; or if its data lie outside the object and no datatype leaves them.
    fn buffer(
        &self,
        function: &'static Function,
        call: &Call,
        buffer: &Expression,
        class: MessageClass,
    ) -> Vec<LocationId> {
        let Some(place) = self.place(buffer) else {
            return Vec::new();
        };
        let one = |count: &Expression| {
            crate::ir::constant_values::constant(self.program, count) == Some(1)
        };
        let own = self.locations.innermost(place);
        let location = self.locations.get(place);
        let is_within = location.is_array_itself || given(function, call, Role::Count).all(one);
        let is_unset = |one: &Expression| self.collectives.datatypes.is_unset(one);
        if is_within && self.has_datatypes_of_mpi(function, call)
            || location.is_separate && self.stays_inside(function, call)
            || given(function, call, Role::Datatype).any(is_unset)
        {
            return own;
        }
        let mut covered = Vec::new();
        for whole in self.locations.with_wholes(place) {
            covered.extend(self.locations.innermost(whole));
        }
        covered.sort_unstable();
        covered.dedup();
        covered.retain(|part| own.contains(part) || self.may_contain(*part, class));
        covered
    }

    /// Whether data of a class may lie in a component: MPI requires the datatype of data to be that of the variable (MPI 4.1,
    /// 3.3.1). Types of one sort are taken for each other.
    fn may_contain(&self, part: LocationId, class: MessageClass) -> bool {
        match (class.sort(), &self.locations.get(part).value_type) {
            (Some(Sort::Floating), Some(of_type)) => !matches!(
                of_type,
                Type::Integer(_) | Type::Logical(_) | Type::Character
            ),
            (Some(Sort::Whole), Some(of_type)) => {
                !matches!(of_type, Type::Real(_) | Type::Complex(_) | Type::Character)
            }
            (Some(Sort::Text) | None, _) | (_, None) => true,
        }
    }

    /// The locations that a message may contain beside its buffer: all address-taken variables if a datatype may contain addresses
    /// or the buffer is MPI_BOTTOM.
    fn beside_buffer(
        &self,
        function: &'static Function,
        call: &Call,
        buffer: &Expression,
        class: MessageClass,
    ) -> Vec<LocationId> {
        let is_bottom = self.mpi_constant(buffer) == Some("mpi_bottom");
        if !is_bottom && self.stays_inside(function, call) {
            return Vec::new();
        }
        let mut beside = self.locations.addressed.clone();
        beside.retain(|part| self.may_contain(*part, class));
        beside
    }

    /// Whether all datatypes of a call are MPI's own.
    fn has_datatypes_of_mpi(&self, function: &'static Function, call: &Call) -> bool {
        let mut datatypes = given(function, call, Role::Datatype);
        datatypes.all(|one| self.mpi_constant(one).is_some())
    }

    /// Whether no datatype of a call leaves the array, COMMON block or object of its buffer.
    fn stays_inside(&self, function: &'static Function, call: &Call) -> bool {
        let mut datatypes = given(function, call, Role::Datatype);
        datatypes.all(|one| {
            self.mpi_constant(one).is_some() || self.collectives.datatypes.is_inside(one)
        })
    }

    /// The name of the constant of MPI that an expression is, or is a part of.
    fn mpi_constant(&self, expression: &Expression) -> Option<&str> {
        self.program
            .mpi_constant(&Expression::Variable(references::base(expression)?))
    }

    fn mpi_argument(
        &mut self,
        function: &'static Function,
        role: Role,
        argument: &Expression,
        call: &Call,
        class: MessageClass,
    ) {
        self.address(argument);
        self.functions_in(argument);
        if role.is_payload() {
            if references::base(argument).is_none() {
                self.evaluate_passed(argument);
            }
            let buffer = self.buffer(function, call, argument, class);
            if role.is_read() {
                self.out
                    .sends
                    .extend(self.values(argument).into_iter().map(|l| (class, l)));
                self.send(class, &buffer);
            }
            if role.is_written() {
                for part in buffer {
                    self.define(part, false, Via::Payload(class));
                }
            }
            for place in self.beside_buffer(function, call, argument, class) {
                self.out.mentions.extend(self.locations.with_wholes(place));
                if role.is_read() {
                    self.out.sends.push((class, place));
                }
                if role.is_written() {
                    self.define(place, false, Via::Payload(class));
                }
            }
            return;
        }
        if role.is_read() {
            self.read(argument);
        }
        if role.is_written() {
            // A status that a local function writes (MPI_Status_set_elements) comes from no
            // message.
            let envelope = matches!(role, Role::Status | Role::Completion)
                && function.kind != FunctionKind::Local;
            self.write(argument, if envelope { Via::Envelope } else { Via::Own });
        }
    }
}

/// The arguments of a call that have a role.
fn given<'a>(
    function: &'static Function,
    call: &'a Call<'a>,
    role: Role,
) -> impl Iterator<Item = &'a Expression> {
    let rows = function.arguments.iter().zip(&call.arguments);
    rows.filter(move |(row, _)| row.role == role)
        .filter_map(|(_, argument)| *argument)
}
