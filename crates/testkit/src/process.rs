//! What the system tells of this process, for benchmarks.

/// A field of `/proc/self/status` that is an amount of memory, in KiB: `RssAnon` now, `VmHWM` at its most. None where the
/// system does not tell.
pub fn process_kib(field: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let amount = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    amount.split_whitespace().next()?.parse().ok()
}

/// Nanoseconds that this thread was on a processor, as Linux counts them: others may be at work, too.
pub fn thread_nanos() -> Option<u64> {
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    times.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_holds_some_memory_and_never_held_less() {
        let now = process_kib("RssAnon").unwrap();
        assert!(now > 0 && process_kib("VmHWM").unwrap() >= now);
        assert_eq!(process_kib("Rss"), None, "no field by its beginning");
    }
}
