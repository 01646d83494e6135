//! On how many ranks blocks are sampled whose work hangs on data: no work term tells how much of it a rank
//! has, and ranks that do not measure are told by those that do.

use super::super::Job;
use base_data::compute_data::Unit;
use base_data::ids::BlockId;
use base_data::program_data::ProgramData;
use base_data::rank_recording::{MeasuredVariant, RankRecording};
use base_data::time::Time;
use std::collections::BTreeMap;
use token_runtime::representatives::executions;

/// Ranks that are sampled in any case before they are said to be alike.
pub const FEWEST: usize = 5;
/// Processor time that nobody minds, in seconds: so much may be spent however short the run is.
const CHEAP: f64 = 0.5;

/// Work of a rank, in the unit of its clock.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Work {
    all: f64,
    /// Of it, in blocks whose work hangs on data.
    of_data: f64,
}

/// Whether no further rank is to be sampled: the others are known well enough by the mean of these, or
/// one more would cost more than it may, together with what recording the program has cost.
pub fn is_enough(
    job: &Job,
    (program, recorded): (&ProgramData, Time),
    recordings: &[RankRecording],
    most: usize,
) -> bool {
    let hangs_on_data =
        |block: BlockId| job.study.table.blocks.get(block.index()).is_some_and(|block| block.data_dependent);
    let works: Vec<Work> = recordings.iter().map(|r| work(program, r, hangs_on_data)).collect();
    // Of ranks that are all alike, another may call something else.
    let may_be_another = recordings.iter().flat_map(|recording| &recording.measured);
    let may_be_another = may_be_another.map(|one| one.block).any(|b| job.study.unequal_callees.contains(&b));
    recordings.len() >= most
        || !may_be_another && are_alike(&works, job.measuring.interval)
        || !is_affordable(job, (program, recorded), recordings)
}

/// Whether one more rank may be measured for what it costs, together with what recording has cost.
pub fn is_affordable(
    job: &Job,
    (program, recorded): (&ProgramData, Time),
    recordings: &[RankRecording],
) -> bool {
    let works: Vec<Work> = recordings.iter().map(|r| work(program, r, |_| false)).collect();
    let cost: Time = recordings.iter().map(|recording| recording.cpu).sum();
    let is_time = recordings.iter().all(|recording| recording.unit == Unit::Time);
    !is_time || !costs_too_much(&works, (recorded.seconds(), cost.seconds()), job.measuring.cost)
}

/// Whether all ranks may run for what they cost if each costs what this one has, together with what recording has cost.
pub fn are_all_affordable(
    job: &Job,
    (program, recorded): (&ProgramData, Time),
    recording: &RankRecording,
) -> bool {
    let works = vec![work(program, recording, |_| false); job.ranks.saturating_sub(1) as usize];
    let cost = recording.cpu.seconds() * works.len() as f64;
    recording.unit != Unit::Time || !costs_too_much(&works, (recorded.seconds(), cost), job.measuring.cost)
}

/// Share of what a rank does that is in some blocks.
pub fn share(program: &ProgramData, recording: &RankRecording, is_asked: impl Fn(BlockId) -> bool) -> f64 {
    let work = work(program, recording, is_asked);
    if work.all > 0.0 { work.of_data / work.all } else { 0.0 }
}

/// What a rank does in all, by what it has measured.
fn work(program: &ProgramData, recording: &RankRecording, hangs_on_data: impl Fn(BlockId) -> bool) -> Work {
    let usual = |m: &MeasuredVariant| if m.warm.count > 0 { m.warm.mean } else { m.first as f64 };
    let measured: BTreeMap<(BlockId, &[i64]), f64> =
        recording.measured.iter().map(|m| ((m.block, &m.terms[..]), usual(m))).collect();
    let mut work = Work::default();
    for (variant, count) in recording.rank.map(|rank| executions(program, rank)).unwrap_or_default() {
        let variant = &program.variants[variant.index()];
        let each = measured.get(&(variant.block, &variant.terms[..])).copied().unwrap_or(0.0);
        work.all += each * count as f64;
        work.of_data += if hangs_on_data(variant.block) { each * count as f64 } else { 0.0 };
    }
    work
}

/// Whether work that hangs on data is little, or differs so little between ranks that any rank's is known:
/// two standard deviations are no more than that share of all work.
fn are_alike(works: &[Work], share: f64) -> bool {
    let count = works.len() as f64;
    let mean = |of: fn(&Work) -> f64| works.iter().map(of).sum::<f64>() / count;
    let (all, of_data) = (mean(|work| work.all), mean(|work| work.of_data));
    if of_data <= share * all {
        return true;
    }
    let squares: f64 = works.iter().map(|work| (work.of_data - of_data).powi(2)).sum();
    works.len() >= FEWEST && 2.0 * (squares / (count - 1.0)).sqrt() <= share * all
}

/// Whether one more rank would cost more than so many times what a rank of the run does.
fn costs_too_much(works: &[Work], (recorded, cost): (f64, f64), walls: f64) -> bool {
    let count = works.len() as f64;
    let rank = works.iter().map(|work| work.all).sum::<f64>() / count * 1e-12;
    recorded + cost * (count + 1.0) / count > (walls * rank).max(CHEAP)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn works(of_data: &[f64], all: f64) -> Vec<Work> {
        of_data.iter().map(|&of_data| Work { all, of_data }).collect()
    }

    #[test]
    fn little_work_that_hangs_on_data_needs_no_sampling() {
        assert!(are_alike(&works(&[1.0], 100.0), 0.02));
        assert!(!are_alike(&works(&[3.0], 100.0), 0.02));
    }

    #[test]
    fn ranks_are_alike_if_their_spread_is_small_and_five_say_so() {
        for (of_data, alike) in [
            (&[50.0, 50.0, 50.0, 50.0][..], false),
            (&[50.0, 50.0, 50.0, 50.0, 50.0], true),
            (&[50.0, 51.0, 49.0, 50.0, 50.5], true),
            (&[50.0, 53.0, 47.0, 50.0, 50.0], false),
        ] {
            assert_eq!(are_alike(&works(of_data, 100.0), 0.02), alike, "{of_data:?}");
        }
    }

    #[test]
    fn a_sample_that_costs_more_than_its_share_of_the_run_is_not_taken() {
        // A rank of the run works for 20 s.
        let two = works(&[1e13, 1e13], 2e13);
        assert!(!costs_too_much(&two, (0.0, 6.0), 0.5), "a third one makes it 9 s");
        assert!(costs_too_much(&two, (0.0, 7.0), 0.5), "a third one makes it 10.5 s");
        assert!(costs_too_much(&two, (2.0, 6.0), 0.5), "recording took 2 s before");
        assert!(!costs_too_much(&works(&[1e9, 1e9], 1e9), (0.0, 0.3), 0.5), "less than half a second");
    }
}
