//! Memory of this process and of the machine.

use std::fs;

use pyo3::prelude::*;

/// In bytes, without swapping; None where the system does not report it.
#[pyfunction]
pub fn available_memory() -> Option<u64> {
    available()
}

/// The least of what the machine has, its control groups allow and the process's limits allow.
pub fn available() -> Option<u64> {
    [of_machine(), of_groups(), of_limits()].into_iter().flatten().min()
}

pub fn resident() -> Option<u64> {
    pages(1)
}

fn of_machine() -> Option<u64> {
    kilobytes(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(unix)]
fn pages(field: usize) -> Option<u64> {
    let sizes = fs::read_to_string("/proc/self/statm").ok()?;
    // SAFETY: `sysconf` only returns a number.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    sizes.split(' ').nth(field)?.parse::<u64>().ok()?.checked_mul(page)
}

/// Of the process and around it (version 2), or its own (version 1).
fn of_groups() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let unified = groups.lines().find_map(|line| line.strip_prefix("0::"));
    let own = unified
        .into_iter()
        .flat_map(|path| path.match_indices('/').map(|(end, _)| &path[..end]).chain([path.trim_end_matches('/')]));
    let second = own.map(|path| format!("/sys/fs/cgroup{path}")).filter_map(|folder| {
        left(&format!("{folder}/memory.max"), &format!("{folder}/memory.current"), &format!("{folder}/memory.stat"))
    });
    let first = "/sys/fs/cgroup/memory/memory";
    let first = left(&format!("{first}.limit_in_bytes"), &format!("{first}.usage_in_bytes"), &format!("{first}.stat"));
    second.chain(first).min()
}

/// Cached files can be dropped.
fn left(limit: &str, used: &str, statistics: &str) -> Option<u64> {
    let number = |file: &str| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok();
    let files = fs::read_to_string(statistics).ok().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("inactive_file "))?;
        line.parse::<u64>().ok()
    });
    // "max" is no number, and no limit.
    Some(number(limit)?.saturating_sub(number(used)?.saturating_sub(files.unwrap_or(0))))
}

#[cfg(not(unix))]
fn pages(_: usize) -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn of_limits() -> Option<u64> {
    None
}

/// `ulimit -v` and `ulimit -d`.
#[cfg(unix)]
fn of_limits() -> Option<u64> {
    let used = [(libc::RLIMIT_AS, pages(0)), (libc::RLIMIT_DATA, pages(5))];
    let left = used.into_iter().filter_map(|(resource, used)| {
        // SAFETY: `getrlimit` only writes to the structure, of which all zeroes is a valid one.
        let limit = unsafe {
            let mut limit: libc::rlimit = std::mem::zeroed();
            libc::getrlimit(resource, &mut limit);
            limit.rlim_cur
        };
        (limit != libc::RLIM_INFINITY).then_some(limit.saturating_sub(used?))
    });
    left.min()
}
