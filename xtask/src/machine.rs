//! The facts of a machine that a figure means nothing without.

use std::fs::read_to_string;

/// One line: processor, cores, memory, and what else is running.
pub(crate) fn facts() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let cpu = field("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let kib = field("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = kib.map_or("memory unknown".to_owned(), |kib| format!("{} GiB", kib >> 20));
    format!("machine: {cores} cores, {cpu}, {memory}, {}", load(cores))
}

/// How busy the machine is already: a figure taken under load is a lower bound.
fn load(cores: usize) -> String {
    let text = read_to_string("/proc/loadavg").unwrap_or_default();
    match text.split(' ').next().and_then(|load| load.parse::<f64>().ok()) {
        Some(load) if load > cores as f64 / 2.0 => format!("load {load}: BUSY, trust the ratios only"),
        Some(load) => format!("load {load}"),
        None => "load unknown".to_owned(),
    }
}

/// The first `name : value` of a file under `/proc`.
fn field(path: &str, name: &str) -> Option<String> {
    let text = read_to_string(path).ok()?;
    let line = text.lines().find(|line| line.starts_with(name))?;
    line.split_once(':').map(|(_, value)| value.trim().to_owned())
}
