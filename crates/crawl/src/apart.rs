//! Documents that are read in a process of their own.
//!
//! A PDF is a program for a machine of many parts: a hostile one can ask for any amount of memory, or overflow the
//! stack of who reads it. So this program starts itself again for each one, with limits that the system keeps: on
//! memory and on CPU time. Whatever happens there ends as a page or as a reason, here.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use extract::Input;
use model::{Headers, Normalise, Page, PageUrl};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

/// The argument with which the program is started to read a document.
pub const ARGUMENT: &str = "read-apart";

/// Memory that reading one document may take.
const MOST_MEMORY: u64 = 768 << 20;
/// CPU time, in seconds, that reading one document may take.
const MOST_SECONDS: u64 = 10;
/// Bytes of a page on its way back.
const MOST_ANSWER: u64 = 64 << 20;

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Why a document gave no page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unread {
    /// It is broken beyond repair, or asks for a password.
    Unreadable,
    /// Reading it took too much time or memory, or ended the process that did it.
    TooMuch,
}

/// What is said about a document before its bytes.
#[derive(Serialize, Deserialize)]
struct About {
    url: PageUrl,
    drop_query: bool,
    drop_trailing_slash: bool,
    drop_www: bool,
    max_links: usize,
    agent: String,
}

impl Unread {
    /// In words.
    fn as_str(self) -> &'static str {
        match self {
            Unread::Unreadable => "broken or locked",
            Unread::TooMuch => "too much work to read",
        }
    }
}

/// Names the program that reads documents when started with [`ARGUMENT`]: the one that is running.
pub fn read_documents_by(program: PathBuf) {
    // Named once; a second name would be the same one.
    let _ = PROGRAM.set(program);
}

/// Reads a PDF in a process of its own; in this one where no program for it is named, as in tests. One that cannot be
/// read gives an empty page, and the reason.
pub fn read_document(input: &Input<'_>) -> Page {
    let mut page = try_document(input).unwrap_or_else(|unread| {
        tracing::info!(url = %input.url, why = unread.as_str(), "document not read");
        Page::unread(unread.as_str())
    });
    extract::add_headers(&mut page, input);
    page
}

fn try_document(input: &Input<'_>) -> Result<Page, Unread> {
    let Some(program) = PROGRAM.get() else {
        return extract::pdf(input).ok_or(Unread::Unreadable);
    };
    let mut child = Command::new(program)
        .arg(ARGUMENT)
        .env_clear()
        // The allocator would set aside more than the process may have.
        .env("MIMALLOC_ARENA_RESERVE", "16384")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|_| Unread::TooMuch)?;
    let about = About {
        url: input.url.clone(),
        drop_query: input.normalise.drop_query,
        drop_trailing_slash: input.normalise.drop_trailing_slash,
        drop_www: input.normalise.drop_www,
        max_links: input.max_links,
        agent: input.agent.to_owned(),
    };
    // It reads everything before it writes anything, so neither waits for the other.
    if let Some(mut to) = child.stdin.take() {
        let told = serde_json::to_vec(&about).map_err(io::Error::from).and_then(|mut line| {
            line.push(b'\n');
            to.write_all(&line)?;
            to.write_all(input.body)
        });
        // One that has ended already says why below.
        drop(told);
    }
    let mut answer = Vec::new();
    if let Some(from) = child.stdout.take() {
        let _ = from.take(MOST_ANSWER).read_to_end(&mut answer);
    }
    let ended = child.wait().map_err(|_| Unread::TooMuch)?;
    if !ended.success() {
        return Err(Unread::TooMuch);
    }
    serde_json::from_slice::<Option<Page>>(&answer).ok().flatten().ok_or(Unread::Unreadable)
}

/// What the process of its own does: one document from standard input, its page to standard output.
pub fn serve_document() -> io::Result<()> {
    let kept = |resource, most: u64| {
        let most = getrlimit(resource).maximum.map_or(most, |own| own.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    };
    kept(Resource::Core, 0)?;
    kept(Resource::Cpu, MOST_SECONDS)?;
    kept(Resource::As, MOST_MEMORY)?;
    let mut all = Vec::new();
    io::stdin().lock().read_to_end(&mut all)?;
    let end = all.iter().position(|byte| *byte == b'\n').unwrap_or(all.len());
    let about: About = serde_json::from_slice(&all[..end])?;
    let body = all.get(end + 1..).unwrap_or_default();
    let headers = Headers::default();
    let page = extract::pdf(&Input {
        url: &about.url,
        headers: &headers,
        body,
        normalise: Normalise {
            drop_query: about.drop_query,
            drop_trailing_slash: about.drop_trailing_slash,
            drop_www: about.drop_www,
        },
        max_links: about.max_links,
        agent: &about.agent,
    });
    let mut out = io::stdout().lock();
    out.write_all(&serde_json::to_vec(&page)?)?;
    out.flush()
}
