//! `gannet simulate --revisits`: how fresh a collection stays by each policy of revisits at the same budget.

use anyhow::Context as _;
use serde_json::json;
use simulate::{Revisiting, revisit_means};

use super::table::{Table, number, text};
use crate::output::Output;
use crate::{Context, Exit, Failure};

/// Simulates by a plan; by the usual one where it is empty.
pub(super) fn run(context: &Context, plan: &str, name: &str) -> Result<Exit, Failure> {
    let plan = match plan.trim().is_empty() {
        true => Revisiting::default(),
        false => Revisiting::parse(plan).with_context(|| name.to_owned()).map_err(Failure::usage)?,
    };
    let all = plan.run();
    if context.json {
        let mut out = Output::new();
        all.iter().try_for_each(|one| out.line(json!(one)))?;
        out.done()?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&[
        text("POLICY"),
        number("FRESH"),
        number("LEAST"),
        number("MOST"),
        number("FETCHES A DAY"),
        number("RATES WITHIN"),
    ]);
    let means = revisit_means(&all);
    for mean in &means {
        let percent = |part: f64| format!("{:.1} %", part * 100.0);
        let (least, most) = mean.range;
        table.row(vec![
            mean.policy.clone(),
            percent(mean.freshness),
            percent(least),
            percent(most),
            format!("{:.1}", mean.fetches),
            format!("×{:.2}", mean.error),
        ])?;
    }
    table.end_with_gap()?;
    let mut out = Output::new();
    out.line(format_args!(
        "{} pages that change from {} to {} times a day, {} fetches a day, {} days, {} collections.",
        plan.pages,
        plan.rates.0,
        plan.rates.1,
        plan.fetches,
        plan.days,
        plan.seeds.len()
    ))?;
    out.done()?;
    Ok(Exit::Done)
}
