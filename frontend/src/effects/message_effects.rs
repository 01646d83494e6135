//! Reads and writes of MPI calls: arguments by their roles, and the contents of messages. Other statements are in
//! [`crate::effects::effect_collector`]; which messages have a live payload is in [`crate::effects::message_levels`].

use crate::effects::effect_collector::EffectCollector;
use crate::effects::message_levels::MessageClass;
use crate::effects::statement_effects::Via;
use crate::graphs::call_graph::Call;
use crate::ir::Expression;
use crate::ir::references;
use crate::memory::locations::LocationId;
use base_data::mpi::{Function, Kind, Role};

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
            let location = buffer.and_then(|buffer| self.buffer(function, call, buffer));
            self.send(class, location);
        }
    }

    fn send(&mut self, class: MessageClass, buffer: Option<LocationId>) {
        let parts = buffer.map_or(vec![], |place| self.locations.innermost(place));
        self.out
            .sends
            .extend(parts.into_iter().map(|part| (class, part)));
    }

    /// What a message buffer covers: of a component, the whole object, unless it is an array or the count
    /// is 1, and all datatypes are MPI's own: those of the program may reach over its neighbours.
    fn buffer(
        &self,
        function: &'static Function,
        call: &Call,
        buffer: &Expression,
    ) -> Option<LocationId> {
        let place = self.place(buffer)?;
        let one = |count: &Expression| {
            crate::ir::constant_values::constant(self.program, count) == Some(1)
        };
        let inside = self.locations.get(place).is_array_itself
            || given(function, call, Role::Count).all(one);
        match inside && self.has_datatypes_of_mpi(function, call) {
            true => Some(place),
            false => self.locations.with_wholes(place).last(),
        }
    }

    /// The locations that a message may contain beside its buffer: all address-taken variables if the datatype is derived or
    /// the buffer is MPI_BOTTOM.
    fn beside_buffer(
        &self,
        function: &'static Function,
        call: &Call,
        buffer: &Expression,
    ) -> &[LocationId] {
        let is_bottom = self.mpi_constant(buffer) == Some("mpi_bottom");
        match is_bottom || !self.has_datatypes_of_mpi(function, call) {
            true => &self.locations.addressed,
            false => &[],
        }
    }

    /// Whether all datatypes of a call are MPI's own.
    fn has_datatypes_of_mpi(&self, function: &'static Function, call: &Call) -> bool {
        let mut datatypes = given(function, call, Role::Datatype);
        datatypes.all(|one| self.mpi_constant(one).is_some())
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
            let buffer = self.buffer(function, call, argument);
            if role.is_read() {
                self.out
                    .sends
                    .extend(self.values(argument).into_iter().map(|l| (class, l)));
                self.send(class, buffer);
            }
            if let (true, Some(place)) = (role.is_written(), buffer) {
                self.define(place, false, Via::Payload(class));
            }
            let beside = self.beside_buffer(function, call, argument).to_vec();
            for place in beside {
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
            let envelope =
                matches!(role, Role::Status | Role::Completion) && function.kind != Kind::Local;
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
