//! Closed forms that check the fixed points.

/// For -1/e to 0: the `w` in -1..=0 with `w e^w = x`.
pub fn lambert_w(x: f64) -> f64 {
    // Series about the branch point, then Halley's steps.
    let p = (2.0 * (1.0 + std::f64::consts::E * x)).max(0.0).sqrt();
    let mut w = -1.0 + p - p * p / 3.0;
    for _ in 0..20 {
        let (e, above) = (w.exp(), w + 1.0);
        let f = w * e - x;
        if f == 0.0 || above <= 0.0 {
            break;
        }
        w -= f / (e * above - (w + 2.0) * f / (2.0 * above));
    }
    w
}

/// First in, first out, and greedy for infinitely many pages: `A = 1 / (1 - x)` with `load = (x - 1) / ln x` (Menon and
/// Stockmeyer, as in Stoica and Ailamaki, VLDB 2013; Desnoyers, SYSTOR 2012), by Lambert's W.
pub fn fifo(load: f64) -> f64 {
    let spread = 1.0 / load;
    1.0 / (1.0 + load * lambert_w(-spread * (-spread).exp()))
}

/// Greedy (Desnoyers 2012): a victim holds `X0 - 1` valid pages, `X0 = 1/2 - load × pages × W(-a e^-a)`, `a = (1 + 1 /
/// (2 pages)) / load`. A logarithm replaces a harmonic sum, so it is approximate.
pub fn greedy(load: f64, pages: u32) -> f64 {
    let b = f64::from(pages);
    let a = (1.0 + 0.5 / b) / load;
    let x0 = 0.5 - load * b * lambert_w(-a * (-a).exp());
    b / (b - (x0 - 1.0).max(0.0))
}

/// Victims hold the average, if those without an invalid page are collected too.
pub fn random(load: f64) -> f64 {
    1.0 / (1.0 - load)
}
