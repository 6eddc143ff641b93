//! What has this process used so far?
//!
//! Read from `/proc`; on systems without it nothing is claimed.

use std::fs;

/// Processor time and memory of this process.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Usage {
    /// Time of all processors together since the process began, in seconds.
    pub cpu_s: Option<f64>,
    /// The most memory held at any time, in bytes.
    pub peak_rss_bytes: Option<u64>,
}

/// Linux gives processor times in hundredths of a second to programs, whatever its own clock
/// (`USER_HZ`, proc(5)).
const TICKS_PER_SECOND: f64 = 100.0;

impl Usage {
    /// What this process has used up to now.
    pub fn now() -> Self {
        let read = |path: &str| fs::read_to_string(path).ok();
        Usage {
            cpu_s: read("/proc/self/stat").and_then(|stat| cpu_seconds(&stat)),
            peak_rss_bytes: read("/proc/self/status")
                .and_then(|status| kibibytes(&status, "VmHWM:")),
        }
    }

    /// The use since `earlier`; the peak of memory is that of the whole process.
    pub fn since(self, earlier: Usage) -> Usage {
        Usage {
            cpu_s: self.cpu_s.zip(earlier.cpu_s).map(|(now, then)| now - then),
            peak_rss_bytes: self.peak_rss_bytes,
        }
    }
}

/// How much memory this machine has, in bytes; `None` where the system does not tell.
pub fn memory_bytes() -> Option<u64> {
    fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| kibibytes(&text, "MemTotal:"))
}

/// How much memory this process has at this moment, in bytes; `None` where the system does not tell.
pub fn resident_bytes() -> Option<u64> {
    fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|text| kibibytes(&text, "VmRSS:"))
}

/// Fields 14 and 15 of proc_pid_stat(5): user and system time. The second field, the program's name,
/// may hold spaces and brackets, so fields are counted from its last bracket on.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut times = after_name
        .split_whitespace()
        .skip(11)
        .map(str::parse::<u64>);
    let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
    Some((user + system) as f64 / TICKS_PER_SECOND)
}

/// The figure after `name`, which the system gives in kibibytes, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_are_found_even_behind_an_odd_name() {
        let stat = "42 (a) b ) R 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20";
        assert_eq!(cpu_seconds(stat), Some(3.0));
        assert_eq!(cpu_seconds("42 (a"), None);
        assert_eq!(
            kibibytes("Name: x\nVmHWM:\t  12 kB\n", "VmHWM:"),
            Some(12_288)
        );
        assert_eq!(kibibytes("Name: x\n", "VmHWM:"), None);
    }

    #[test]
    fn this_process_has_used_memory_where_the_system_tells() {
        let usage = Usage::now();
        if cfg!(target_os = "linux") {
            assert!(usage.peak_rss_bytes.unwrap() > 100_000);
            assert!(usage.cpu_s.unwrap() >= 0.0);
        }
    }
}
