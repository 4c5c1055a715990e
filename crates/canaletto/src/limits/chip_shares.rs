//! Shares of requests that begin at each chip.

use crate::config::design::Design;
use crate::config::workload::{Synthetic, Workload};
use crate::flash::address::Layout;
use crate::ftl::placement::Placement;
use crate::limits::{FlowRange, Limits};

/// Each chip's share of the generated requests, if addresses are uniform but for `channel_skew` and `hot_spot`.
///
/// # Errors
/// One line on a part of the workload that does not fit the design.
pub fn chip_shares(design: &Design, workload: &Workload) -> Result<Vec<f64>, String> {
    let limits = Limits::new(design, workload)?;
    let layout = &limits.layout;
    let mut shares = vec![0.0; layout.chips() as usize];
    let generated = || workload.flow.iter().filter_map(|flow| flow.synthetic.as_ref());
    let all: f64 = generated().map(|synthetic| synthetic.requests as f64).sum();
    for (flow, range) in workload.flow.iter().zip(&limits.flows) {
        let Some(synthetic) = &flow.synthetic else { continue };
        let placement = Placement::new(layout, design.ftl.allocation, &range.positions);
        let planes = placement.planes();
        let (share, hot) = uneven(synthetic, range, layout, planes.len());
        let even = hot.len() as f64 / planes.len() as f64;
        // Of all requests.
        let moved = if even > 0.0 && even < 1.0 { (share - even) / (1.0 - even) } else { 0.0 };
        let weight = synthetic.requests as f64 / all;
        for plane in planes {
            shares[layout.chip_of_plane(*plane).index()] += weight * (1.0 - moved) / planes.len() as f64;
        }
        for turn in &hot {
            shares[layout.chip_of_plane(planes[*turn]).index()] += weight * moved / hot.len() as f64;
        }
    }
    Ok(shares)
}

fn uneven(flow: &Synthetic, range: &FlowRange, layout: &Layout, round: usize) -> (f64, Vec<usize>) {
    if let (Some(spot), Some(pages)) = (&flow.hot_spot, &range.hot) {
        return (spot.share, pages.turns.iter().map(|turn| *turn as usize).collect());
    }
    match &flow.channel_skew {
        Some(skew) if round % skew.channels as usize == 0 && skew.page.0 == layout.flash_page_bytes() => {
            (skew.share, (0..round).step_by(skew.channels as usize).collect())
        }
        _ => (0.0, Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{load_design, load_workload};

    fn shares(settings: &[&str], keys: &str) -> Vec<f64> {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        let design = load_design("performance-optimized", None, &settings).unwrap();
        let text = format!(
            "name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = 9\nread_share = 1.0\nsize = \"4KiB\"\n\
             queue_depth = 1\n{keys}\n"
        );
        chip_shares(&design, &load_workload("w.toml", Some(&text), &[]).unwrap()).unwrap()
    }

    fn are(found: &[f64], expected: impl Fn(usize) -> f64) {
        assert_eq!(found.len(), 64);
        assert!(found.iter().enumerate().all(|(chip, share)| (share - expected(chip)).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn shares_are_those_of_the_places() {
        are(&shares(&[], ""), |_| 1.0 / 64.0);
        let row = |chip| if chip < 8 { 0.5 / 8.0 } else { 0.5 / 56.0 };
        are(&shares(&[], "channel_skew = { share = 0.5, channels = 8 }"), row);
        are(&shares(&[], "hot_spot = { at = \"channel\", share = 0.5 }"), row);
        let latin = "ftl.numbering=latin";
        are(&shares(&[latin], "hot_spot = { at = \"worst-line\", share = 0.5 }"), row);
        // Row j and column 2 j, with 2 × 4 = 3 in GF(8).
        let diagonal = [0, 10, 20, 30, 35, 41, 55, 61];
        let on = |chip| if diagonal.contains(&chip) { 0.5 / 8.0 } else { 0.5 / 56.0 };
        are(&shares(&[latin], "hot_spot = { at = \"channel\", share = 0.5 }"), on);
        are(&shares(&[latin], "channel_skew = { share = 0.5, channels = 8 }"), on);
        are(
            &shares(&[], "hot_spot = { at = \"chip\", share = 0.25 }"),
            |chip| if chip == 0 { 0.25 } else { 0.75 / 63.0 },
        );
    }
}
