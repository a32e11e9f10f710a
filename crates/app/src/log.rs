//! Where log lines go and how many: to standard error, by `--quiet` and `-v`.

use clap::ArgMatches;
use tracing_subscriber::EnvFilter;

/// Starts logging. `GANNET_LOG` takes a filter such as `fetch=debug` and wins over the flags.
pub(crate) fn start(matches: &ArgMatches) {
    let flags = matches.subcommand().map_or(matches, |(_, flags)| flags);
    let level = match (flags.get_flag("quiet"), flags.get_count("verbose")) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "info",
        (false, 2) => "debug",
        (false, _) => "trace",
    };
    let filter = std::env::var("GANNET_LOG").ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new(level));
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // A second start, as in tests, keeps the first.
    let _ = subscriber.try_init();
}
