//! Estimates in executed statements, from compute data that count them: the statements that each rank executes in
//! compute blocks. No platform is involved: messages cost no statements, and no rank waits.

use crate::assemble::{checked, replayed, time_dependent};
use crate::block_times::{self, ComputeSets, Conditions};
use crate::replay::program::{MachineSide, RankSteps, Step, StepList, Steps, Target};
use crate::replay::timed::Order;
use crate::replay::{self, matching};
use crate::setup::{ChosenModel, Setup};
use crate::{EstimateError, Inputs, Options, estimate_warnings};
use base_data::BlockId;
use base_data::comm_data::LinkClass;
use base_data::compute_data::Unit;
use base_data::estimate_file::Estimate;
use base_data::provenance;
use machine::Pu;

/// See [`crate::estimate_statements`].
pub(crate) fn estimate(inputs: &Inputs<'_>, options: &Options) -> Result<Estimate, EstimateError> {
    let program = inputs.program;
    // Any platform does: it only determines messages, which cost no statements.
    let link = |_: u32, _: u32| LinkClass::BetweenNodes;
    let steps = replay::lower(
        program,
        &Target::new(&link, &machine::collective::selection::Library::default()),
    )?;
    let remarks = checked(matching::check(&steps, &program.table))?;
    let steps = computing(steps);
    let wanted = Conditions {
        unit: Unit::Statements,
        ranks_per_node: 1,
        threads: 1,
    };
    let times =
        block_times::block_times(program, &steps, &ComputeSets::given(inputs.compute), wanted)?;
    let model = ChosenModel::none();
    let ranks = steps.ranks.len();
    let machine = MachineSide {
        pus: vec![Pu(0); ranks],
        costs: Vec::new(),
        combine: Vec::new(),
    };
    let (speeds, residuals) = (vec![1.0; ranks], model.residuals());
    let setup = Setup {
        steps: &steps,
        machine: &machine,
        model: &model,
        order: Order::ByRank,
        times: &times,
        speeds: &speeds,
        residuals,
    };
    let mut estimate = replayed(&setup, program, options)?;
    estimate.unit = Unit::Statements;
    estimate
        .warnings
        .splice(0..0, remarks.into_iter().map(|finding| finding.sentence));
    estimate.warnings.extend(times.warnings.iter().cloned());
    estimate.warnings.extend(other_inputs(inputs));
    estimate.warnings.extend(time_dependent(program));
    estimate.warnings.extend(estimate_warnings::remarks(
        estimate.unit,
        &estimate_warnings::times(&estimate.cells),
        inputs,
        &times,
    ));
    estimate.unsteady_blocks = times.unsteady.keys().copied().map(BlockId).collect();
    Ok(estimate)
}

/// Another input may be another number of statements; another compiler is not.
fn other_inputs(inputs: &Inputs<'_>) -> Vec<String> {
    let made = &inputs.program.provenance;
    let differing = inputs
        .compute
        .iter()
        .flat_map(|data| provenance::mismatches(made, &data.provenance));
    let inputs = differing.filter(|mismatch| mismatch.what == "inputs");
    inputs
        .map(|mismatch| estimate_warnings::unfit_compute_data(&mismatch))
        .collect()
}

/// The steps without calls: blocks, the section's ends, the reading of clocks.
fn computing(steps: Steps) -> Steps {
    let lists = steps.lists.iter().map(|list| StepList {
        steps: without_calls(&list.steps),
        variants: list.variants,
        ..StepList::default()
    });
    let ranks = steps.ranks.iter().map(|rank| RankSteps {
        list: rank.list,
        first_channel: 0,
    });
    Steps {
        lists: lists.collect(),
        ranks: ranks.collect(),
        rank_channels: Vec::new(),
        channels: Vec::new(),
        sizes: Vec::new(),
        signatures: Vec::new(),
        local_times: Vec::new(),
        ..steps
    }
    .compiled()
}

fn without_calls(steps: &[Step]) -> Vec<Step> {
    let mut kept = Vec::new();
    let mut rest = steps;
    while let [step, after @ ..] = rest {
        rest = after;
        match step {
            Step::Repeat { count, body } => {
                let (inside, after) = rest.split_at(*body as usize);
                let inside = without_calls(inside);
                // A loop of calls alone would be repeated without effect.
                if !inside.is_empty() {
                    kept.push(Step::Repeat {
                        count: *count,
                        body: inside.len() as u32,
                    });
                    kept.extend(inside);
                }
                rest = after;
            }
            Step::Compute { .. }
            | Step::Begin
            | Step::End
            | Step::Clock { .. }
            | Step::Section { .. } => {
                kept.push(*step);
            }
            Step::Enter { .. }
            | Step::Collective { .. }
            | Step::Send { .. }
            | Step::Receive { .. }
            | Step::ReceiveAny { .. }
            | Step::Probe { .. }
            | Step::ProbeAny { .. }
            | Step::NoTransfer { .. }
            | Step::Finish { .. }
            | Step::Combine { .. }
            | Step::StartSchedule { .. }
            | Step::FinishSchedule { .. }
            | Step::Proceed => {}
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_of_calls_vanish_and_others_shrink() {
        let (call, block) = (
            Step::Enter { site: 0 },
            Step::Compute {
                block: 0,
                variant: 0,
                index: 0,
            },
        );
        let repeat = Step::repeat;
        let body = [call, repeat(3, 1), call, repeat(2, 2), call, block];
        let outer = [Step::Begin, repeat(9, body.len() as u32)];
        let steps = [&outer[..], &body, &[call, Step::End]].concat();
        assert_eq!(
            without_calls(&steps),
            [Step::Begin, repeat(9, 2), repeat(2, 1), block, Step::End]
        );
    }
}
