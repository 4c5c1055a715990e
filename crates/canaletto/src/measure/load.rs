//! Load of a run: what was offered, what was served, and which part is busiest.

use serde::Serialize;

use crate::JsonSchema;
use crate::engine::time::Time;
use crate::measure::series::SeriesReport;

/// Share of the execution time in which a part was in use.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Utilisation {
    /// Name of the part.
    pub part: String,
    /// Share from 0 to 1.
    pub share: f64,
}

/// Offered over served load of a saturated run.
const EXCESS: f64 = 1.05;
/// Growth of outstanding requests, from the second quarter of the arrivals to the last, of a backlog. Steady growth
/// gives 7/3.
const GROWTH: f64 = 1.5;
/// A mean this close to the most loaded part is reported instead.
const NEARLY: f64 = 0.95;

/// Parts book work when it begins. Work beyond the ends of the run counts at most as the whole run.
pub fn use_share(busy: Time, run: Time) -> f64 {
    if run > Time::ZERO { busy.min(run).0 as f64 / run.0 as f64 } else { 0.0 }
}

/// A part and the share of the run in which it was in use.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct Bottleneck {
    /// Name of the part.
    pub part: String,
    /// Share from 0 to 1.
    #[serde(rename = "use")]
    pub share: f64,
}

/// Offered and served load.
#[derive(Debug, Clone, JsonSchema, Serialize)]
pub struct LoadReport {
    /// Requests that arrive per second, if all have arrival times; none in closed loops.
    pub offered_iops: Option<f64>,
    /// Requests completed a second, over the execution time.
    pub served_iops: Option<f64>,
    /// Whether more was offered than served and the backlog grew: latencies then depend on the length of the run.
    pub saturated: bool,
    /// Outstanding requests in the last quarter of the time of arrivals, as a multiple of those in the second quarter.
    pub backlog_growth: Option<f64>,
    /// The busiest part.
    pub bottleneck: Option<Bottleneck>,
}

impl LoadReport {
    /// Of `arrivals` requests with arrival times between `first` and `last`.
    pub fn of(
        arrivals: Option<(u64, Time, Time)>,
        served_iops: Option<f64>,
        series: &SeriesReport,
        bottleneck: Option<Bottleneck>,
    ) -> LoadReport {
        let paced = arrivals.filter(|(count, first, last)| *count > 1 && last > first);
        let offered_iops = paced.map(|(count, first, last)| (count - 1) as f64 / (last - first).seconds());
        let backlog_growth = paced.and_then(|_| backlog_growth(series));
        let saturated = matches!((offered_iops, served_iops, backlog_growth), (Some(offered), Some(served), Some(growth))
            if offered > EXCESS * served && growth > GROWTH);
        LoadReport { offered_iops, served_iops, saturated, backlog_growth, bottleneck }
    }
}

fn backlog_growth(series: &SeriesReport) -> Option<f64> {
    let from = series.arrivals.iter().position(|&n| n > 0)?;
    let until = series.arrivals.iter().rposition(|&n| n > 0)?;
    let quarter = (until - from) / 4;
    let mean = |begin: usize| series.outstanding[begin..begin + quarter].iter().sum::<f64>() / quarter as f64;
    (quarter > 0).then(|| mean(until - quarter) / mean(from + quarter)).filter(|growth| growth.is_finite())
}

/// The busiest of `parts`, or of the chips, whose mean is in `parts` under `arrays`.
pub fn busiest(parts: &[Utilisation], chips: impl Iterator<Item = (String, f64)>, arrays: &str) -> Option<Bottleneck> {
    let hottest = chips.max_by(|a, b| a.1.total_cmp(&b.1));
    let mean = parts.iter().find(|part| part.part == arrays).map_or(0.0, |part| part.share);
    let chip = hottest.filter(|(_, share)| mean < NEARLY * share);
    let parts = parts.iter().map(|part| (part.part.clone(), part.share)).chain(chip);
    let (part, share) = parts.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Bottleneck { part, share })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(outstanding: Vec<f64>) -> SeriesReport {
        let arrivals = outstanding.iter().map(|_| 1).collect();
        let none = vec![0; outstanding.len()];
        SeriesReport {
            interval_us: 1.0,
            arrivals,
            completed: none,
            latency_us: outstanding.iter().map(|_| None).collect(),
            path_conflict_us: outstanding.iter().map(|_| 0.0).collect(),
            outstanding,
        }
    }

    fn load(count: u64, served: f64, outstanding: Vec<f64>) -> LoadReport {
        let arrivals = Some((count, Time::ZERO, Time::from_us(100)));
        LoadReport::of(arrivals, Some(served), &series(outstanding), None)
    }

    #[test]
    fn a_backlog_that_grows_is_saturation() {
        let growing: Vec<f64> = (0..41).map(f64::from).collect();
        let found = load(101, 0.5e6, growing.clone());
        assert_eq!(found.offered_iops, Some(1e6));
        assert!(found.saturated && (found.backlog_growth.unwrap() - 7.0 / 3.0).abs() < 0.1, "{found:?}");
        assert!(!load(101, 0.97e6, growing).saturated);
        assert!(!load(101, 0.5e6, vec![3.0; 41]).saturated);
        assert!(!LoadReport::of(None, Some(1.0), &series(vec![1.0; 8]), None).saturated);
    }

    #[test]
    fn one_hot_chip_is_named_but_not_one_of_many() {
        let parts = |mean| vec![Utilisation { part: "flash arrays".into(), share: mean }];
        let chips = || [("chip 0,0".to_owned(), 0.9), ("chip 0,1".to_owned(), 0.2)].into_iter();
        assert_eq!(busiest(&parts(0.5), chips(), "flash arrays").unwrap().part, "chip 0,0");
        assert_eq!(busiest(&parts(0.88), chips(), "flash arrays").unwrap().part, "flash arrays");
    }
}
