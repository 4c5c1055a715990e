//! Time as the routers' clock has it (`venice.scouts = "clocked"`): departures in slots, strobes before data.
//!
//! ```text
//! cycle       0   1   2   3   4   5        a scout takes an odd number of cycles a hop, so that those that set out where row
//! even place  s       s       s            and column add up to an even number decide at routers of one colour of the
//! odd place       s       s       s        chessboard in even cycles, at the others in odd ones
//! ```
//! Two neighbours then never decide in the same cycle, and no link is reserved from both ends at once: the hardware needs no
//! arbiter on its links.

use super::Venice;
use crate::config::design::Scouts;
use crate::engine::time::Time;
use crate::fabric::Direction;

impl Venice {
    pub(super) fn slot(&self, id: u32, now: Time) -> Time {
        if self.travel != Scouts::Clocked {
            return now;
        }
        let (row, column) = self.grid.place(self.grid.entry(id).router());
        let (period, offset) = (2 * self.cycle.0, u64::from((row + column) % 2) * self.cycle.0);
        let since = (now.0 + period - offset) % period;
        now + Time((period - since) % period)
    }

    /// Eq. 1 says once. With `clocked`, strobes must first reach the chip.
    pub(super) fn crossings(&self, direction: Direction) -> u64 {
        match (self.travel, direction) {
            (Scouts::Clocked, Direction::FromChip) => 2,
            _ => 1,
        }
    }
}
