//! A hosts file: lines "address name…", as in `/etc/hosts`. What it names is never asked of DNS.

use std::collections::HashMap;
use std::net::IpAddr;

/// Names with their addresses, from a file.
#[derive(Clone, Debug, Default)]
pub struct Hosts(HashMap<String, Vec<IpAddr>>);

/// A line that is no "address name…".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hosts file line {line}: {problem}")]
pub struct HostsError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub problem: String,
}

impl Hosts {
    /// Reads the text of a hosts file; `#` starts a comment.
    pub fn parse(text: &str) -> Result<Hosts, HostsError> {
        let mut hosts = Hosts::default();
        for (index, line) in text.lines().enumerate() {
            let wrong = |problem| HostsError { line: index + 1, problem };
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(address) = words.next() else { continue };
            let parsed: IpAddr = address.parse().map_err(|_| wrong(format!("{address:?} is no address")))?;
            let mut named = false;
            for name in words {
                hosts.add(name, parsed);
                named = true;
            }
            if !named {
                return Err(wrong(format!("{address} has no name")));
            }
        }
        Ok(hosts)
    }

    /// Adds one address of a name.
    pub fn add(&mut self, name: &str, address: IpAddr) {
        let addresses = self.0.entry(tidy(name)).or_default();
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }

    /// The addresses of a name, if it is in the file.
    pub fn get(&self, name: &str) -> Option<&[IpAddr]> {
        self.0.get(&tidy(name)).map(Vec::as_slice)
    }
}

/// One spelling per name: lower case, no final dot.
pub(crate) fn tidy(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_all_their_addresses() {
        let text = "# test\n127.0.0.1 a.test B.test # two\n\n::1 a.test\n127.0.0.1\ta.test.\n";
        let hosts = Hosts::parse(text).unwrap();
        let addresses =
            |list: &[&str]| list.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>();
        assert_eq!(hosts.get("A.test."), Some(&addresses(&["127.0.0.1", "::1"])[..]));
        assert_eq!(hosts.get("b.test"), Some(&addresses(&["127.0.0.1"])[..]));
        assert_eq!(hosts.get("c.test"), None);
    }

    #[test]
    fn a_bad_line_is_named() {
        let error = |text| Hosts::parse(text).unwrap_err().to_string();
        assert_eq!(error("\na.test 127.0.0.1"), "hosts file line 2: \"a.test\" is no address");
        assert_eq!(error("127.0.0.1 # nobody"), "hosts file line 1: 127.0.0.1 has no name");
    }
}
