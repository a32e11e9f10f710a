//! Getting the robots.txt of a site: the one place where redirects are followed at once, to other hosts, too.

use std::net::IpAddr;

use model::{Cut, ErrorKind, Fetched, Normalise, PageUrl, Timestamp};
use net::Resolver;

use super::{MOST_BYTES, MOST_REDIRECTS, Reaction, Robots};
use crate::{Answer, FetchError, Fetcher, Request};

/// What asking for a robots.txt brought.
#[derive(Clone, Debug)]
pub struct RobotsFile {
    /// What it means.
    pub access: Access,
    /// Every answer on the way, the last one last.
    pub answers: Vec<Fetched>,
}

/// What a site lets us do.
#[derive(Clone, Debug)]
pub enum Access {
    /// What the file says.
    Rules(Robots),
    /// There is no file: everything.
    AllowAll,
    /// The file could not be had: nothing, for now.
    DenyAll(ErrorKind),
}

impl RobotsFile {
    /// Asks for the robots.txt at `url`, whose host has this address. Redirects are followed through the guard of
    /// the resolver, under no further rules.
    pub async fn get(
        fetcher: &impl Fetcher,
        resolver: &Resolver,
        url: PageUrl,
        address: IpAddr,
        started: Timestamp,
    ) -> RobotsFile {
        let mut answers = Vec::new();
        let access = match follow(fetcher, resolver, url, address, started, &mut answers).await {
            Ok(access) => access,
            Err(error) => Access::DenyAll(error.kind()),
        };
        RobotsFile { access, answers }
    }
}

async fn follow(
    fetcher: &impl Fetcher,
    resolver: &Resolver,
    mut url: PageUrl,
    mut address: IpAddr,
    mut started: Timestamp,
    answers: &mut Vec<Fetched>,
) -> Result<Access, FetchError> {
    for _ in 0..=MOST_REDIRECTS {
        let mut request = Request::new(url.clone(), address, started);
        // One more than is read, so that the reader sees that there was more.
        request.body_limit = MOST_BYTES as u64 + 1;
        let (Answer::Fetched(answer) | Answer::Unwanted { fetched: answer, .. }) =
            fetcher.fetch(request).await?;
        started = started + answer.timings.total;
        let reaction = Reaction::to(answer.status);
        let target = answer
            .headers
            .get("location")
            .and_then(|location| Normalise::default().join(&url, location).ok());
        let access = match reaction {
            Reaction::AllowAll => Some(Access::AllowAll),
            Reaction::DenyAll => Some(Access::DenyAll(ErrorKind::Status(answer.status))),
            // Half a file may lack the very line that forbids; only what is too long is read as far as it goes.
            Reaction::Read => Some(match answer.cut {
                None | Some(Cut::Length) => Access::Rules(Robots::parse(&answer.content)),
                Some(Cut::Time) => Access::DenyAll(ErrorKind::Timeout),
                Some(Cut::Disconnect) => Access::DenyAll(ErrorKind::Broken),
            }),
            Reaction::Follow if target.is_none() => Some(Access::DenyAll(ErrorKind::BadRedirect)),
            Reaction::Follow => None,
        };
        answers.push(answer);
        match (access, target) {
            (None, Some(target)) => url = target,
            (access, _) => return Ok(access.unwrap_or(Access::DenyAll(ErrorKind::BadRedirect))),
        }
        let host = url.host();
        let resolved = resolver.resolve(host.name(), host.port()).await?;
        let Some(first) = resolved.addresses.first() else { break };
        address = *first;
    }
    Ok(Access::DenyAll(ErrorKind::RedirectLoop))
}
