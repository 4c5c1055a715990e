#[derive(Clone, Debug)]
pub struct Census {
    pub classes: usize,
    /// Of a block.
    pub pages: u32,
    /// Block after block in the order of filling, the oldest first.
    pub full: Vec<u32>,
    pub ages: Vec<f32>,
    pub copies: Vec<f64>,
}

impl Census {
    pub fn write_amplification(&self) -> f64 {
        1.0 + self.copies.iter().sum::<f64>()
    }

    pub fn valid(&self) -> impl Iterator<Item = u32> {
        self.full.chunks(self.classes).map(|row| row.iter().sum())
    }
}
