//! `gannet demo-site`: serves the bundled demo site, or a generated web, on this machine.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use webs::generated::Generated;
use webs::program::{Choice, Options};

use crate::signals::Signals;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    let number =
        |name: &'static str| Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64));
    Command::new("demo-site")
        .about("Serve the bundled demo site on this machine until Ctrl-C")
        .after_help("Example:\n  gannet demo-site &\n  gannet crawl http://127.0.0.1:8300/ --allow-private --rate unlimited")
        .arg(
            Arg::new("address")
                .long("address")
                .value_name("ADDRESS")
                .value_parser(value_parser!(IpAddr))
                .default_value("127.0.0.1")
                .help("Loopback address to listen on"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("PORT")
                .value_parser(value_parser!(u16))
                .default_value("8300")
                .help("Port to listen on; 0 = any free one"),
        )
        .arg(number("seed").default_value("1").help("Another seed is another site; the same seed always the same"))
        .arg(number("epoch").default_value("0").help("Epoch to begin with; prices, posts and pages change with it"))
        .arg(
            Arg::new("log")
                .long("log")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write a line for each request to this file"),
        )
        .arg(number("pages").help("Instead of the demo site, a generated web with this many pages").conflicts_with("epoch"))
        .arg(
            Arg::new("hosts")
                .long("hosts")
                .value_name("N")
                .value_parser(value_parser!(u32))
                .requires("pages")
                .help("Hosts of the generated web"),
        )
        .arg(
            Arg::new("addresses")
                .long("addresses")
                .value_name("N")
                .value_parser(value_parser!(u8).range(1..))
                .default_value("1")
                .help("Listen on this many addresses, from the first on"),
        )
}

pub(super) fn run(_: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(async {
        let mut signals = Signals::listen();
        webs::program::run(options(flags), &mut std::io::stdout(), signals.next()).await
    });
    served.map_err(Failure::usage)?;
    Ok(Exit::Done)
}

fn options(flags: &ArgMatches) -> Options {
    let number = |name| flags.get_one::<u64>(name).copied();
    let fallback = Options::default();
    let address = flags.get_one::<IpAddr>("address").copied().unwrap_or(fallback.addr.ip());
    let port = flags.get_one::<u16>("port").copied().unwrap_or_default();
    let seed = number("seed").unwrap_or(1);
    let web = match number("pages") {
        Some(pages) => {
            let hosts = flags.get_one::<u32>("hosts").copied().unwrap_or(Generated::default().hosts);
            Choice::Generated(Generated { seed, pages, hosts, ..Generated::default() })
        }
        None => Choice::Demo { seed, epoch: number("epoch").unwrap_or_default() },
    };
    Options {
        addr: SocketAddr::new(address, port),
        addresses: flags.get_one::<u8>("addresses").copied().unwrap_or(1),
        web,
        log: flags.get_one::<PathBuf>("log").cloned(),
    }
}
