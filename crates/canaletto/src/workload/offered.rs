use serde::Serialize;

use crate::config::workload::{Flow, Workload};

/// In 10^9 bytes per second, and requests per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Offered {
    pub read_gb_s: f64,
    pub write_gb_s: f64,
    pub iops: f64,
}

/// Of generated requests with arrival times; none where a flow waits for completions or replays a trace.
pub fn offered(workload: &Workload) -> Option<Offered> {
    if workload.inter_arrival.is_some() {
        return None;
    }
    workload.flow.iter().map(of_flow).try_fold(Offered { read_gb_s: 0.0, write_gb_s: 0.0, iops: 0.0 }, |sum, flow| {
        flow.map(|flow| Offered {
            read_gb_s: sum.read_gb_s + flow.read_gb_s,
            write_gb_s: sum.write_gb_s + flow.write_gb_s,
            iops: sum.iops + flow.iops,
        })
    })
}

fn of_flow(flow: &Flow) -> Option<Offered> {
    let synthetic = flow.synthetic.as_ref()?;
    let gap = synthetic.inter_arrival.filter(|gap| gap.0 > 0)?;
    let iops = 1.0 / gap.time().seconds();
    let rate = |share: f64, reads: bool| iops * share * synthetic.mean_bytes(reads) / 1e9;
    let with_data = (1.0 - synthetic.trim_share - synthetic.flush_share).max(0.0);
    let (read, write) = (with_data * synthetic.read_share, with_data * (1.0 - synthetic.read_share));
    Some(Offered { read_gb_s: rate(read, true), write_gb_s: rate(write, false), iops })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load_workload;

    fn of(keys: &str) -> Option<Offered> {
        let text =
            format!("name = \"w\"\n[[flow]]\nname = \"a\"\n[flow.synthetic]\nrequests = 1\nsize = \"4KiB\"\n{keys}");
        offered(&load_workload("w.toml", Some(&text), &[]).unwrap())
    }

    #[test]
    fn paced_requests_offer_a_rate() {
        let found = of("read_share = 0.75\ninter_arrival = \"1us\"\n").unwrap();
        assert!((found.iops - 1e6).abs() < 1.0);
        assert!((found.read_gb_s - 0.75 * 4.096).abs() < 1e-9 && (found.write_gb_s - 0.25 * 4.096).abs() < 1e-9);
        assert_eq!(of("read_share = 0.75\nqueue_depth = 4\n"), None);
        let found = of("read_share = 0.75\ntrim_share = 0.4\nflush_share = 0.1\ninter_arrival = \"1us\"\n").unwrap();
        assert!((found.read_gb_s - 0.375 * 4.096).abs() < 1e-9 && (found.write_gb_s - 0.125 * 4.096).abs() < 1e-9);
    }
}
