//! A sweep by all processes of an MPI run, with the MPI library of `mpirun` or `srun`. Process 0 is the leader. Base data and
//! results are sent as bytes. Points are distributed cyclically, so the distribution depends only on the number of processes.

use super::super::base::SweepData;
use super::super::run::PointResult;
use anyhow::{Context, Result, bail};
use base_data::format;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, Root, Source};

/// The processes of the run.
pub struct ProcessGroup {
    /// Finalizes MPI when dropped; `None` if MPI was initialized before.
    _universe: Option<Universe>,
    world: SimpleCommunicator,
}

/// Bytes that go in one message: MPI counts in 32 bits.
const MOST_BYTES: usize = 1 << 28;

impl ProcessGroup {
    /// Finds the others.
    pub fn join() -> Self {
        // Only the thread that came here talks; those that estimate do not.
        let begun = mpi::initialize_with_threading(mpi::Threading::Funneled);
        Self {
            _universe: begun.map(|(universe, _)| universe),
            world: SimpleCommunicator::world(),
        }
    }

    fn leads(&self) -> bool {
        self.world.rank() == 0
    }

    /// What every process made for itself, if all succeeded; `None` on those that need not say what failed.
    ///
    /// # Errors
    /// The first failure, on the leader.
    pub fn agree<T>(&self, made: Result<T>) -> Result<Option<T>> {
        let failure = made
            .as_ref()
            .err()
            .map(|error| format!("{error:#}"))
            .unwrap_or_default();
        let failures = self.gather_bytes(failure.into_bytes());
        let failed = failures.and_then(|all| {
            all.into_iter()
                .enumerate()
                .find(|(_, text)| !text.is_empty())
        });
        // All processes learn of a failure, so that none goes on and waits for the others.
        let any_failed = self.broadcast(vec![u8::from(failed.is_some())]) == [1];
        match (failed, made) {
            (Some((0, _)), Err(error)) => Err(error),
            (Some((process, text)), _) => {
                bail!("process {process}: {}", String::from_utf8_lossy(&text))
            }
            (None, Ok(made)) if !any_failed => Ok(Some(made)),
            (None, Ok(_) | Err(_)) => Ok(None),
        }
    }

    /// The base data of the leader, for all processes; `None` on the others if the leader failed and reports that.
    ///
    /// # Errors
    /// Those of making them, on the leader.
    pub fn base(&self, make: impl FnOnce() -> Result<SweepData>) -> Result<Option<SweepData>> {
        let made = if self.leads() { Some(make()) } else { None };
        let files = match &made {
            Some(Ok(base)) => packed(base),
            Some(Err(_)) | None => Vec::new(),
        };
        // No files mean that the leader failed: the others then end without a message of their own.
        let count = self.broadcast((files.len() as u64).to_le_bytes().into());
        let count = u64::from_le_bytes(count.try_into().unwrap_or_default()) as usize;
        let mut files = files.into_iter();
        let received: Vec<Vec<u8>> = (0..count)
            .map(|_| self.broadcast(files.next().unwrap_or_default()))
            .collect();
        match made {
            Some(made) => made.map(Some),
            None if received.is_empty() => Ok(None),
            None => unpacked(&received).map(Some),
        }
    }

    /// The numbers of the points that are this process's, of so many.
    pub fn share(&self, points: usize) -> Vec<usize> {
        (self.world.rank() as usize..points)
            .step_by(self.world.size() as usize)
            .collect()
    }

    /// The results of all points in order, for the leader; `found` are those of this process's share.
    ///
    /// # Errors
    /// Results that do not read back.
    pub fn gather(
        &self,
        found: Vec<Result<PointResult, String>>,
    ) -> Result<Option<Vec<Result<PointResult, String>>>> {
        let bytes = serde_json::to_vec(&found).context("results cannot be sent")?;
        let Some(all) = self.gather_bytes(bytes) else {
            return Ok(None);
        };
        let mut shares = Vec::with_capacity(all.len());
        for bytes in &all {
            let share: Vec<Result<PointResult, String>> = serde_json::from_slice(bytes)
                .context("results of another process cannot be read")?;
            shares.push(share.into_iter());
        }
        // Points were distributed cyclically, so the shares contribute in turn.
        let points: usize = shares.iter().map(ExactSizeIterator::len).sum();
        let processes = shares.len();
        Ok(Some(
            (0..points)
                .filter_map(|point| shares[point % processes].next())
                .collect(),
        ))
    }

    /// The leader's bytes, for all.
    fn broadcast(&self, bytes: Vec<u8>) -> Vec<u8> {
        let root = self.world.process_at_rank(0);
        let mut length = bytes.len() as u64;
        root.broadcast_into(&mut length);
        let mut bytes = bytes;
        bytes.resize(length as usize, 0);
        bytes
            .chunks_mut(MOST_BYTES)
            .for_each(|part| root.broadcast_into(part));
        bytes
    }

    /// The bytes of all processes in order, for the leader.
    fn gather_bytes(&self, bytes: Vec<u8>) -> Option<Vec<Vec<u8>>> {
        if !self.leads() {
            let root = self.world.process_at_rank(0);
            root.send(&(bytes.len() as u64));
            bytes.chunks(MOST_BYTES).for_each(|part| root.send(part));
            return None;
        }
        let others = (1..self.world.size()).map(|process| self.receive(process));
        Some(std::iter::once(bytes).chain(others).collect())
    }

    fn receive(&self, process: i32) -> Vec<u8> {
        let from = self.world.process_at_rank(process);
        let (length, _) = from.receive::<u64>();
        let mut bytes = vec![0; length as usize];
        bytes.chunks_mut(MOST_BYTES).for_each(|part| {
            from.receive_into(part);
        });
        bytes
    }
}

/// Base data as the bytes of files.
fn packed(base: &SweepData) -> Vec<Vec<u8>> {
    let programs = base.programs.values().map(format::encode);
    programs
        .chain(base.compute.iter().map(format::encode))
        .collect()
}

fn unpacked(files: &[Vec<u8>]) -> Result<SweepData> {
    let mut base = SweepData::default();
    for bytes in files {
        match format::kind_of(bytes)? {
            format::FileKind::ProgramData => {
                let program: base_data::program_data::ProgramData = format::decode(bytes)?;
                base.programs.insert(program.ranks, program);
            }
            format::FileKind::ComputeData => base.compute.push(format::decode(bytes)?),
            kind @ (format::FileKind::CommData
            | format::FileKind::Estimate
            | format::FileKind::Observation) => bail!("{kind} among the base data of a sweep"),
        }
    }
    Ok(base)
}
