//! Serves the demo site, or another web, by itself:
//! `cargo run -p webs --example demo -- [ADDR] [SEED]`, `… -- ADDR generated HOSTS PAGES`, or
//! `… -- ADDR torture [SEED]`.

use std::io::stdout;

use webs::generated::Generated;
use webs::program::{Choice, Options, run};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut options = Options::default();
    if let Some(addr) = arguments.first() {
        options.addr = addr.parse()?;
    }
    match arguments.get(1).map(String::as_str) {
        Some("generated") => {
            let hosts = arguments.get(2).map_or(Ok(50), |hosts| hosts.parse())?;
            let pages = arguments.get(3).map_or(Ok(5_000), |pages| pages.parse())?;
            options.web = Choice::Generated(Generated { hosts, pages, ..Generated::default() });
        }
        Some("torture") => {
            let seed = arguments.get(2).map_or(Ok(1), |seed| seed.parse())?;
            options.web = Choice::Torture { seed };
        }
        Some(seed) => options.web = Choice::Demo { seed: seed.parse()?, epoch: 0 },
        None => {}
    }
    let stop = async {
        let _ = tokio::signal::ctrl_c().await;
    };
    run(options, &mut stdout(), stop).await?;
    Ok(())
}
