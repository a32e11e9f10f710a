//! `gannet why`: the whole story of one URL.

use clap::{Arg, ArgMatches, Command};
use service::{ChangeStep, Due, Fetch, Request, Why, WhyRequest};

use super::asking::{ask, ask_for, project, project_arg};
use super::table::{moment, or_dash, plain};
use crate::output::Output;
use crate::{Context, Exit, Failure};

pub(super) fn command() -> Command {
    Command::new("why")
        .about("Explain a URL: where it was found, what each rule says, when it is due, its fetches")
        .after_help("Example:\n  gannet why https://shop.test/calendar/2031")
        .arg(Arg::new("url").value_name("URL").required(true).help("The URL, in any spelling"))
        .arg(project_arg())
}

pub(super) fn run(context: &Context, flags: &ArgMatches) -> Result<Exit, Failure> {
    let url = flags.get_one::<String>("url").cloned().unwrap_or_default();
    let request = Request::Why(WhyRequest { url, project: project(flags) });
    let mut out = Output::new();
    if context.json {
        ask(context, &request, |row| out.line(row))?;
    } else {
        ask_for(context, &request, |why: Why| {
            lines(&why).into_iter().try_for_each(|line| out.line(plain(&line)))
        })?;
    }
    out.done()?;
    Ok(Exit::Done)
}

/// A step of the cascade: what it has for both versions.
pub(super) fn step_words(step: &ChangeStep) -> String {
    let ChangeStep { step, before, after, differs } = step;
    let sign = if *differs { "→" } else { "=" };
    format!("{step:<10} {before} {sign} {after}")
}

/// The story, a fact a line.
fn lines(why: &Why) -> Vec<String> {
    let mut lines = vec![why.url.to_string(), format!("  {}", why.words)];
    let mut say = |name: &str, text: String| lines.push(format!("  {name:<10} {text}"));
    say("project", why.project.clone());
    for change in &why.canonicalised {
        say("canonical", change.clone());
    }
    if let (Some(depth), Some(found)) = (why.depth, why.found_at) {
        say("found", format!("{} at depth {depth}", moment(found)));
    }
    for (number, step) in why.path.iter().enumerate() {
        let how = match (&step.anchor, step.how.as_str()) {
            (Some(anchor), "link") => format!("link {anchor:?}"),
            (_, how) => how.to_owned(),
        };
        say(if number == 0 { "path" } else { "" }, format!("{how}: {}", step.url));
        if number == 0 && why.steps_left_out > 0 {
            say("", format!("… {} more steps …", why.steps_left_out));
        }
    }
    for (number, rule) in why.rules.iter().enumerate() {
        let verdict = rule.refusal.clone().unwrap_or_else(|| "passes".to_owned());
        say(if number == 0 { "rules" } else { "" }, format!("{}: {verdict}", rule.rule));
    }
    say("robots.txt", why.robots.words.clone());
    if let (Some(version), Some(read)) = (&why.robots.version, why.robots.read_at) {
        say("", format!("version {version}, read {}", moment(read)));
    }
    if let Some(hints) = &why.hints {
        say("hints", hints.clone());
    }
    if let Some(Due { at, because, priority, arrival, ahead }) = &why.due {
        say("due", format!("{}: {because}", moment(*at)));
        let before = ahead.map(|ahead| format!(", {ahead} URLs of its host before it")).unwrap_or_default();
        say("place", format!("priority {priority}, number {arrival}{before}"));
    }
    for (name, words) in [("topic", &why.topic), ("duplicate", &why.duplicate), ("change", &why.change)] {
        if let Some(words) = words {
            say(name, words.clone());
        }
    }
    why.change_steps.iter().for_each(|step| say("", step_words(step)));
    if let Some(words) = &why.revisit {
        say("revisit", words.clone());
    }
    for (number, fetch) in why.fetches.iter().enumerate() {
        let Fetch { at, status, error, millis, bytes, archived } = fetch;
        let mut text = format!("{}: status {}, {millis} ms, {bytes} bytes", moment(*at), or_dash(*status));
        for part in [error, archived].into_iter().flatten() {
            text = format!("{text}, {part}");
        }
        say(if number == 0 { "fetches" } else { "" }, text);
    }
    lines
}
