//! The scout packet (Venice §4.2, Fig. 6).
//!
//! ```text
//! header flit │ 0 │ mode │ destination chip    │      mode: 0 cancel, 1 reserve
//! tail flit   │ 1 │ mode │ controller │ unused │      8 bits each for 64 chips and 8 controllers
//! ```
//! The controller's number is the packet's own. With more chips or controllers the fields, and with them the flits, widen.

use crate::fabric::venice::grid::RouterId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Cancel,
    Reserve,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoutPacket {
    pub mode: Mode,
    pub destination: RouterId,
    pub controller: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoutFormat {
    pub flit_bits: u32,
    chip_bits: u32,
    controller_bits: u32,
}

fn bits(count: u32) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

const TYPE_BITS: u32 = 2;

impl ScoutFormat {
    pub fn new(chips: u32, controllers: u32) -> ScoutFormat {
        let (chip_bits, controller_bits) = (bits(chips), bits(controllers));
        let flit_bits = (TYPE_BITS + chip_bits.max(controller_bits)).next_multiple_of(8);
        ScoutFormat { flit_bits, chip_bits, controller_bits }
    }

    pub fn cycles(&self) -> u64 {
        2 * u64::from(self.flit_bits / 8)
    }

    pub fn encode(&self, packet: &ScoutPacket) -> (u32, u32) {
        let mode = match packet.mode {
            Mode::Cancel => 0,
            Mode::Reserve => 1 << (self.flit_bits - 2),
        };
        let field = self.flit_bits - TYPE_BITS;
        let header = mode | packet.destination.0 << (field - self.chip_bits);
        let tail = 1 << (self.flit_bits - 1) | mode | packet.controller << (field - self.controller_bits);
        (header, tail)
    }

    pub fn decode(&self, header: u32, tail: u32) -> Option<ScoutPacket> {
        let is_tail = |flit: u32| flit >> (self.flit_bits - 1) & 1 == 1;
        let mode = |flit: u32| if flit >> (self.flit_bits - 2) & 1 == 1 { Mode::Reserve } else { Mode::Cancel };
        if is_tail(header) || !is_tail(tail) || mode(header) != mode(tail) {
            return None;
        }
        let field = self.flit_bits - TYPE_BITS;
        let value = |flit: u32, width: u32| (flit & ((1 << field) - 1)) >> (field - width);
        Some(ScoutPacket {
            mode: mode(header),
            destination: RouterId(value(header, self.chip_bits)),
            controller: value(tail, self.controller_bits),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn figure_6_bit_by_bit() {
        let format = ScoutFormat::new(64, 8);
        let packet = ScoutPacket { mode: Mode::Reserve, destination: RouterId(0b101101), controller: 0b110 };
        assert_eq!(format.encode(&packet), (0b01_101101, 0b11_110_000));
        let cancel = ScoutPacket { mode: Mode::Cancel, ..packet };
        assert_eq!(format.encode(&cancel), (0b00_101101, 0b10_110_000));
        assert_eq!((format.flit_bits, format.cycles()), (8, 2));
        // 2 + 8 bits take two bytes per flit.
        assert_eq!(ScoutFormat::new(256, 16).cycles(), 4);
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(rows in 1u32..=256, columns in 1u32..=256, chip in 0u32..65536, controller in 0u32..256, reserve: bool) {
            let format = ScoutFormat::new(rows * columns, rows);
            let packet = ScoutPacket {
                mode: if reserve { Mode::Reserve } else { Mode::Cancel },
                destination: RouterId(chip % (rows * columns)),
                controller: controller % rows,
            };
            let (header, tail) = format.encode(&packet);
            prop_assert!(header >> format.flit_bits == 0 && tail >> format.flit_bits == 0);
            prop_assert_eq!(format.decode(header, tail), Some(packet));
            prop_assert_eq!(format.decode(tail, header), None);
        }
    }
}
