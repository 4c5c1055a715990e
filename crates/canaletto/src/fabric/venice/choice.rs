//! A router's choice among outputs: the 2-bit linear-feedback shift register of Algorithm 1 (Venice §4.3).

use crate::fabric::venice::grid::Port;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Register(u8);

#[derive(Clone, Copy)]
pub struct Choice {
    pub port: Port,
    pub bit: u8,
    next: Register,
}

static CHOICES: [Choice; 64] = choices();

impl Register {
    pub fn of_router(router: u32) -> Register {
        Register(((router % 3) as u8 + 1) << 4)
    }

    pub fn state(self) -> u32 {
        u32::from(self.0 >> 4)
    }

    #[inline]
    pub fn choose(&mut self, outputs: u8) -> Choice {
        debug_assert!(outputs != 0 && outputs < 16);
        let choice = CHOICES[usize::from(self.0 | outputs) % CHOICES.len()];
        *self = choice.next;
        choice
    }
}

const fn choices() -> [Choice; 64] {
    let mut all = [Choice { port: Port::Right, bit: 0, next: Register(0) }; 64];
    let mut state = 1;
    while state < 4 {
        let mut outputs = 1;
        while outputs < 16 {
            all[(state << 4 | outputs) as usize] = choice(state, outputs);
            outputs += 1;
        }
        state += 1;
    }
    all
}

/// By the register, which then takes a step. Of two, one is twice as likely, as in the hardware.
const fn choice(state: u8, outputs: u8) -> Choice {
    let (second, third) = (without_first(outputs), without_first(without_first(outputs)));
    let next = if second == 0 { state } else { (state << 1 | (state >> 1 ^ state) & 1) & 0b11 };
    let chosen = match (next, second, third) {
        (_, 0, _) | (1, _, _) | (3, _, 0) => outputs,
        (2, _, _) => second,
        _ => third,
    };
    let port = Port::numbered(chosen.trailing_zeros() as u8);
    Choice { port, bit: port.bit(), next: Register(next << 4) }
}

const fn without_first(outputs: u8) -> u8 {
    outputs & outputs.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_register_goes_through_its_states() {
        let drawn = |outputs: u8, times: usize| {
            let mut register = Register::of_router(0);
            (0..times).map(|_| register.choose(outputs).port).collect::<Vec<_>>()
        };
        assert_eq!(drawn(0b1011, 4), [Port::Down, Port::Left, Port::Right, Port::Down]);
        assert_eq!(drawn(0b0110, 4), [Port::Left, Port::Up, Port::Left, Port::Left]);
        assert_eq!(drawn(0b0100, 2), [Port::Up, Port::Up]);
        let mut register = Register::of_router(1);
        register.choose(0b1000);
        assert_eq!(register, Register::of_router(1), "a choice of one needs no random bits");
    }
}
