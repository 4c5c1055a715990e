//! Cost of a run: time, events and memory.

use std::time::Instant;

use canaletto::measure::result::Cost;

pub struct Stopwatch {
    wall: Instant,
    cpu_s: f64,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), cpu_s: thread_cpu_s() }
    }

    pub fn stop(self, events: u64, requests: u64) -> Cost {
        let cpu_s = thread_cpu_s() - self.cpu_s;
        Cost {
            wall_s: self.wall.elapsed().as_secs_f64(),
            cpu_s,
            events,
            requests_per_cpu_s: (cpu_s > 0.0).then(|| requests as f64 / cpu_s),
            peak_rss_mb: peak_rss_bytes() / 1e6,
        }
    }
}

/// On Linux the kernel's high-water mark: `getrusage` also has the peak of the process that started this one.
#[cfg(unix)]
fn peak_rss_bytes() -> f64 {
    std::fs::read_to_string("/proc/self/status").ok().as_deref().and_then(high_water_mark).unwrap_or_else(max_rss)
}

#[cfg(unix)]
fn high_water_mark(status: &str) -> Option<f64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok().map(|kib: f64| kib * 1024.0)
}

#[cfg(unix)]
fn max_rss() -> f64 {
    // SAFETY: all zeroes is a valid `rusage`, and `getrusage` only writes to the one it is given. It cannot fail for
    // RUSAGE_SELF.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    // Linux counts in KiB, macOS in bytes.
    let unit = if cfg!(target_os = "macos") { 1.0 } else { 1024.0 };
    usage.ru_maxrss as f64 * unit
}

#[cfg(not(unix))]
fn peak_rss_bytes() -> f64 {
    0.0
}

/// Windows has no such clock in the standard library: the thread computes nearly all the time.
#[cfg(not(unix))]
fn thread_cpu_s() -> f64 {
    static FIRST: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_secs_f64()
}

#[cfg(unix)]
fn thread_cpu_s() -> f64 {
    // SAFETY: all zeroes is a valid `timespec`, and `clock_gettime` only writes to the one it is given. Linux and macOS
    // both have this clock; where a system had not, it would stay at zero.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time);
        time
    };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
