use serde::Serialize;

use crate::config::pc::Pc;
use crate::flash::address::SECTOR;
use crate::host::attach::pc::{Job, Move, carry_out};
use crate::host::attach::service::Work;
use crate::host::attach::steps::Step;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenario {
    ReadMiss,
    ReadHit,
    Write,
    /// A victim page is written and a new page read, at the same time with two ports.
    PageFault,
    /// Blocks arrive over the network and are written, at the same time with two ports.
    NetworkDownload,
}

impl Scenario {
    pub const ALL: [Scenario; 5] =
        [Scenario::ReadMiss, Scenario::ReadHit, Scenario::Write, Scenario::PageFault, Scenario::NetworkDownload];

    pub fn name(self) -> &'static str {
        match self {
            Scenario::ReadMiss => "dma-read-miss",
            Scenario::ReadHit => "dma-read-hit",
            Scenario::Write => "dma-write",
            Scenario::PageFault => "page-fault",
            Scenario::NetworkDownload => "network-download",
        }
    }

    fn jobs(self, pc: &Pc, bytes: u64) -> Vec<(Job, Vec<usize>)> {
        let dma = |moves: &[Move]| Job::Dma(moves.to_vec(), bytes);
        let read = Move::Read(Work::Miss);
        match self {
            Scenario::ReadMiss => vec![(dma(&[read]), vec![])],
            Scenario::ReadHit => vec![(dma(&[Move::Read(Work::Hit)]), vec![])],
            Scenario::Write => vec![(dma(&[Move::Write]), vec![])],
            Scenario::PageFault if pc.attachment.kind.is_dual() => vec![(dma(&[Move::Write, read]), vec![])],
            Scenario::PageFault => vec![(dma(&[Move::Write]), vec![]), (dma(&[read]), vec![0])],
            Scenario::NetworkDownload => (0..pc.network.blocks as usize)
                .flat_map(|block| download(pc.attachment.kind.is_dual(), block, bytes))
                .collect(),
        }
    }
}

fn download(dual: bool, block: usize, bytes: u64) -> [(Job, Vec<usize>); 2] {
    let arrival = 2 * block;
    let before = |jobs: usize| arrival.checked_sub(jobs);
    if !dual {
        let write = Job::Dma(vec![Move::Write], bytes);
        return [(Job::Receive(bytes), before(1).into_iter().collect()), (write, vec![arrival])];
    }
    // Its room in memory must be free.
    let arrives_after = before(2).into_iter().chain(before(3)).collect();
    let written_after = [arrival].into_iter().chain(before(1)).collect();
    [(Job::Receive(bytes), arrives_after), (Job::Dma(vec![Move::DirectWrite], bytes), written_after)]
}

#[derive(Clone, Debug, Serialize)]
pub struct Times {
    pub total_ps: u64,
    /// The same with a drive whose inside takes no time.
    pub without_inside_ps: u64,
    pub steps_ps: serde_json::Map<String, serde_json::Value>,
}

/// Simulates a scenario with transfers of that many bytes.
///
/// # Errors
/// Sizes that are not whole sectors, or none, or too many.
pub fn simulate(pc: &Pc, scenario: Scenario, bytes: u64) -> Result<Times, String> {
    if bytes == 0 || bytes % SECTOR != 0 || bytes > MOST_BYTES {
        return Err(format!("bytes: got {bytes}, expected a multiple of 512 from 512 to {MOST_BYTES}"));
    }
    let steps = carry_out(pc, &pc.ssd, scenario.jobs(pc, bytes));
    let outside = carry_out(pc, &pc.ssd.without_inside(), scenario.jobs(pc, bytes));
    Ok(Times {
        total_ps: steps.total().0,
        without_inside_ps: outside.total().0,
        steps_ps: Step::ALL.into_iter().map(|step| (step.key().to_owned(), steps.get(step).0.into())).collect(),
    })
}

/// 16 MiB.
const MOST_BYTES: u64 = 1 << 24;
