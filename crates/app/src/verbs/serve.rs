//! `gannet serve`: the web UI and the API on this machine.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::crawl::WallClock;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use server::{Now, Server, Site, SiteOptions};
use service::{Access, Data};
use webs::program::Options;

use crate::signals::Signals;
use crate::{Context, Exit, Failure};

/// How long answers under way may take after the end.
const FAREWELL: Duration = Duration::from_secs(2);

/// How long runs may take to end; nothing committed is lost when they take longer.
const WIND_UP: Duration = Duration::from_secs(20);

/// Where the port of the demo site is kept, so that projects find it again after a restart.
const DEMO_PORT: &str = "demo_port";

pub(super) fn command() -> Command {
    Command::new("serve")
        .about("Serve the web UI and the API on this machine until Ctrl-C")
        .after_help(
            "Prints one link that signs a browser in; \"gannet signin\" prints another. Runs that were under way \
             when it ended go on by themselves.\n\nExample:\n  gannet serve --data ./gannet-data",
        )
        .arg(
            Arg::new("bind")
                .long("bind")
                .value_name("ADDRESS:PORT")
                .value_parser(value_parser!(SocketAddr))
                .default_value("127.0.0.1:7777")
                .help("Loopback address to listen on; port 0 = any free one"),
        )
        .arg(
            Arg::new("allow-addresses")
                .long("allow-addresses")
                .value_name("ADDRESS:PORT")
                .value_parser(value_parser!(SocketAddr))
                .action(ArgAction::Append)
                .help("Ask this address although it is private; give it again for more [env: GANNET_ALLOW_ADDRESSES]"),
        )
        .arg(
            Arg::new("ui")
                .long("ui")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The web UI from this folder instead of the built-in one"),
        )
        .arg(
            Arg::new("no-demo")
                .long("no-demo")
                .action(ArgAction::SetTrue)
                .help("Without the bundled demo site"),
        )
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let served = runtime.block_on(serve(context, flags));
    runtime.shutdown_background();
    served.map(|()| Exit::Done)
}

async fn serve(context: &Context, flags: &ArgMatches) -> Result<(), Failure> {
    let clock = WallClock::start();
    let now: Now = Arc::new(move || clock.now());
    let bind = *flags.get_one::<SocketAddr>("bind").expect("it has a default");
    let data = Data::open(&context.data, Access::Create).await.map_err(Failure::from_service)?;
    let demo = match flags.get_flag("no-demo") {
        true => None,
        false => Some(demo_site(&data).await?),
    };
    let demo_address = demo.as_ref().map(|demo| demo.addr());
    let named = allowed(flags)?;
    let allow: Vec<SocketAddr> = demo_address.into_iter().chain(named.iter().copied()).collect();
    let options =
        SiteOptions { allow: named, demo: demo_address, ui: flags.get_one::<PathBuf>("ui").cloned() };
    let site = Site::bind(data.clone(), now.clone(), bind, options).await.map_err(Failure::usage)?;
    let socket = Server::bind(data.clone(), now.clone())?.with_links(site.links());
    let mut signals = Signals::listen();
    println!("gannet serves {} at http://{}/", context.data.display(), site.address());
    println!("This link signs one browser in, once (gannet signin prints another):\n{}", site.sign_in_link());
    if !site.has_ui() && !context.quiet {
        eprintln!("this program was built without its web UI; the API is there all the same");
    }
    let went_on = service::continue_runs(&data, &allow, now).await.map_err(Failure::from_service)?;
    for run in went_on.iter().filter(|_| !context.quiet) {
        eprintln!("run {} of {} goes on", run.id, run.project);
    }
    // What was crawled without a server gets its indexes now, so that nobody has to wait for them.
    let idle = data.clone();
    tokio::task::spawn_blocking(move || service::prepare_all(&idle));
    let (end, ended) = tokio::sync::watch::channel(false);
    let until_the_end = || {
        let mut ended = ended.clone();
        async move { drop(ended.wait_for(|ended| *ended).await) }
    };
    let mut socket = tokio::spawn(socket.run(until_the_end()));
    let mut site = tokio::spawn(site.run(until_the_end()));
    tokio::select! {
        () = signals.next() => {}
        served = &mut site => return Ok(served??),
        served = &mut socket => return Ok(served??),
    }
    if !context.quiet {
        eprintln!("\nending; runs under way go on at the next start");
    }
    end.send_replace(true);
    let _ = tokio::time::timeout(WIND_UP, service::shut_down(&data)).await;
    // Whoever still listens to an answer gets a moment to hear it out.
    let _ = tokio::time::timeout(FAREWELL, async { drop(tokio::join!(site, socket)) }).await;
    if let Some(demo) = demo {
        let _ = tokio::time::timeout(FAREWELL, demo.stop()).await;
    }
    Ok(())
}

/// Private addresses that the administrator allows: flags, or one a line of the environment.
fn allowed(flags: &ArgMatches) -> Result<Vec<SocketAddr>, Failure> {
    if let Some(given) = flags.get_many::<SocketAddr>("allow-addresses") {
        return Ok(given.copied().collect());
    }
    let text = std::env::var("GANNET_ALLOW_ADDRESSES").unwrap_or_default();
    let read = |line: &str| {
        let words =
            || Failure::usage(anyhow::anyhow!("GANNET_ALLOW_ADDRESSES: {line:?} is no address with a port"));
        line.trim().parse().map_err(|_| words())
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}

/// The demo site, on the port that it had before if that is free.
async fn demo_site(data: &Data) -> Result<webs::serve::Server, Failure> {
    let kept = data.catalog().note(DEMO_PORT).await?;
    let before = kept.and_then(|port| port.parse::<u16>().ok());
    let at = |port: u16| Options { addr: SocketAddr::from(([127, 0, 0, 1], port)), ..Options::default() };
    if let Some(port) = before
        && let Ok(site) = webs::program::start(&at(port)).await
    {
        return Ok(site);
    }
    let site = webs::program::start(&at(0)).await.map_err(Failure::usage)?;
    data.catalog().keep_note(DEMO_PORT, &site.addr().port().to_string()).await?;
    Ok(site)
}
