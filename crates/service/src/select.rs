//! Which project, host or outcome is meant.

use catalog::{ProjectEntry, RunId};
use model::{CrawlId, HostKey, Outcome, PageUrl, ProjectName};

use crate::data::archived_crawls;
use crate::{Data, ServiceError};

impl Data {
    /// The project of this name, or the one that ran last.
    pub fn project(&self, name: Option<&ProjectName>) -> Result<ProjectEntry, ServiceError> {
        let mut projects = self.projects()?;
        if projects.is_empty() {
            let dir = self.dir().to_owned();
            let lost = !archived_crawls(&dir)?.is_empty();
            return Err(if lost { ServiceError::ProjectsLost(dir) } else { ServiceError::NoProject(dir) });
        }
        let Some(name) = name else { return Ok(projects.swap_remove(0)) };
        match projects.iter().position(|entry| entry.project.name == *name) {
            Some(at) => Ok(projects.swap_remove(at)),
            None => {
                let known: Vec<&str> = projects.iter().map(|entry| entry.project.name.as_str()).collect();
                Err(ServiceError::UnknownProject {
                    name: name.to_string(),
                    hint: hint(name.as_str(), &known),
                })
            }
        }
    }

    /// The project of a run.
    pub fn project_of_run(&self, id: RunId) -> Result<ProjectEntry, ServiceError> {
        let run = self.wait(self.catalog().run(id))?.ok_or(ServiceError::UnknownRun(id.0))?;
        self.wait(self.catalog().project_by_id(run.project))?.ok_or(ServiceError::UnknownRun(id.0))
    }

    /// Every project, the one that ran last first.
    pub fn projects(&self) -> Result<Vec<ProjectEntry>, ServiceError> {
        Ok(self.wait(self.catalog().projects())?)
    }

    /// The crawls that projects work on now, with their projects.
    pub(crate) fn crawls(&self) -> Result<Vec<(CrawlId, ProjectEntry)>, ServiceError> {
        let mut crawls: Vec<_> = self.projects()?.into_iter().map(|entry| (entry.crawl, entry)).collect();
        crawls.sort_by_key(|(crawl, _)| *crawl);
        Ok(crawls)
    }
}

/// Refuses outcomes that do not exist, with the nearest that does.
pub(crate) fn check_outcomes(names: &[String]) -> Result<(), ServiceError> {
    match names.iter().find(|name| !Outcome::NAMES.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => {
            Err(ServiceError::UnknownOutcome { name: name.clone(), hint: hint(name, &Outcome::NAMES) })
        }
    }
}

/// The keys that a host as people write it may have: with and without its port.
pub(crate) fn host_keys(text: &str) -> Result<Vec<HostKey>, ServiceError> {
    let key =
        |scheme: &str| PageUrl::parse(&format!("{scheme}://{text}/")).map(|url| HostKey::of(&url.host()));
    let refuse = |_| ServiceError::Host(text.to_owned());
    if text.is_empty() || text.contains(['/', '?', '#', '@', '\\']) {
        return Err(ServiceError::Host(text.to_owned()));
    }
    let mut keys = vec![key("http").map_err(refuse)?, key("https").map_err(refuse)?];
    keys.dedup();
    Ok(keys)
}

/// "did you mean …", or all there is.
pub(crate) fn hint(asked: &str, known: &[&str]) -> String {
    let near = known.iter().min_by_key(|name| strsim::damerau_levenshtein(asked, name));
    match near.filter(|name| strsim::damerau_levenshtein(asked, name) <= (asked.len() / 3).max(2)) {
        Some(near) => format!("did you mean {near:?}?"),
        None => {
            let some: Vec<&str> = known.iter().take(20).copied().collect();
            format!("there is {}", some.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_outcome_gets_the_nearest_name() {
        let refused = |name: &str| check_outcomes(&[name.to_owned()]).unwrap_err().to_string();
        assert_eq!(refused("fetchd"), "there is no outcome \"fetchd\"; did you mean \"fetched\"?");
        assert!(
            refused("zzzzzz").starts_with("there is no outcome \"zzzzzz\"; there is fetched, not-modified")
        );
        assert!(check_outcomes(&["off-site".to_owned()]).is_ok());
    }

    #[test]
    fn a_host_is_found_with_and_without_its_port() {
        let key = |url: &str| HostKey::of(&PageUrl::parse(url).unwrap().host());
        assert_eq!(host_keys("E.com").unwrap(), [key("http://e.com/"), key("https://e.com/")]);
        assert_eq!(host_keys("e.com:8080").unwrap(), [key("http://e.com:8080/")]);
        assert!(host_keys("e.com/a").is_err() && host_keys("").is_err());
    }
}
