/// State of a plane that changes no more.
#[derive(Clone, Debug)]
pub struct Census {
    pub classes: usize,
    /// Valid pages by class of each full block, block after block in the order of filling, the oldest first.
    pub full: Vec<u32>,
    /// Host writes since each of them was full, over the plane's logical pages.
    pub ages: Vec<f32>,
    pub copies: Vec<f64>,
}

impl Census {
    pub fn write_amplification(&self) -> f64 {
        1.0 + self.copies.iter().sum::<f64>()
    }

    /// Valid pages of each full block, in the order of filling.
    pub fn valid(&self) -> impl Iterator<Item = u32> {
        self.full.chunks(self.classes).map(|row| row.iter().sum())
    }
}
