//! A hash that stays the same on every machine: 64-bit FNV-1a.

pub struct Digest(u64);

impl Digest {
    pub fn new() -> Digest {
        Digest(0xcbf2_9ce4_8422_2325)
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    pub fn column(&mut self, name: &str, numbers: &[u64]) {
        self.bytes(name.as_bytes());
        self.bytes(&(numbers.len() as u64).to_le_bytes());
        numbers.iter().for_each(|number| self.bytes(&number.to_le_bytes()));
    }

    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[test]
fn it_is_fnv_1a() {
    for (text, hash) in [("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8")] {
        let mut digest = Digest::new();
        digest.bytes(text.as_bytes());
        assert_eq!(digest.hex(), hash, "{text:?}");
    }
}
