//! `cargo xtask dist`: the program, optimised as far as it goes here.
//!
//! Where `llvm-profdata` is at hand the program is built twice. The first one counts what it does while it crawls, reads
//! and searches what comes with this repository; the second is laid out by these counts. Otherwise it is built once, and
//! that is said.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::{Workspace, cargo, locked};

/// Pages that are crawled for the counts at most, hosts of the Web that is generated, and how often the labelled pages are
/// read.
const PAGES: &str = "6000";
const HOSTS: usize = 8;
const READINGS: usize = 20;

/// Builds the program and says where it lies, on a line of its own.
pub(crate) fn run(_: &[String]) -> Result<bool> {
    println!("{}", program(&Workspace::load()?)?.display());
    Ok(true)
}

/// The program.
pub(crate) fn program(workspace: &Workspace) -> Result<PathBuf> {
    let compiler = Compiler::ask()?;
    let Some(merger) = compiler.merger() else {
        eprintln!(
            "built without a profile: no llvm-profdata of LLVM {} (rustup component add llvm-tools, or the package llvm-{})",
            compiler.llvm, compiler.llvm
        );
        return build(&compiler, &workspace.target, None);
    };
    let folder = workspace.target.join("profile");
    let raw = folder.join("raw");
    let counting = build(&compiler, &folder, Some(format!("-Cprofile-generate={}", raw.display())))?;
    let profile = folder.join("gannet.profdata");
    if is_older(&profile, &counting) {
        let _ = fs::remove_dir_all(&raw);
        exercise(workspace, &counting, &folder.join("work"))?;
        let status = Command::new(merger).arg("merge").arg("-o").arg(&profile).arg(&raw).status()?;
        ensure!(status.success(), "the counts cannot be put together");
    }
    // Named by when it was made, so that cargo notices a new one.
    let made = fs::metadata(&profile)?.modified()?.duration_since(std::time::UNIX_EPOCH)?.as_secs();
    let latest = folder.join("latest");
    let named = latest.join(format!("{made}.profdata"));
    if !named.exists() {
        let _ = fs::remove_dir_all(&latest);
        fs::create_dir_all(&latest)?;
        fs::copy(&profile, &named)?;
    }
    build(&compiler, &workspace.target, Some(format!("-Cprofile-use={}", named.display())))
}

/// What builds.
struct Compiler {
    /// The kind of machine.
    host: String,
    /// The major version of the library behind it, which a profile is written for.
    llvm: String,
    root: PathBuf,
}

impl Compiler {
    fn ask() -> Result<Compiler> {
        let said = said(Command::new("rustc").arg("-vV"))?;
        let named = |name: &str| said.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let version = named("LLVM version:").context("rustc does not say its version of LLVM")?;
        Ok(Compiler {
            host: named("host:").context("rustc does not say what it builds for")?.to_owned(),
            llvm: version.split('.').next().unwrap_or_default().to_owned(),
            root: said_of_root()?,
        })
    }

    /// The program that puts counts together, if one of the right version is there.
    fn merger(&self) -> Option<PathBuf> {
        let own = self.root.join("lib/rustlib").join(&self.host).join("bin/llvm-profdata");
        let places = [own, format!("llvm-profdata-{}", self.llvm).into(), "llvm-profdata".into()];
        let is_right = |place: &PathBuf| {
            said(Command::new(place).arg("--version")).is_ok_and(|said| is_version(&said, &self.llvm))
        };
        places.into_iter().find(is_right)
    }
}

fn said_of_root() -> Result<PathBuf> {
    Ok(said(Command::new("rustc").args(["--print", "sysroot"]))?.trim().into())
}

fn said(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8(output.stdout)?)
}

/// Whether a tool says that it is of this major version of LLVM.
fn is_version(said: &str, major: &str) -> bool {
    said.split("LLVM version ").nth(1).is_some_and(|version| version.split('.').next() == Some(major))
}

/// For the named machine even where that is this one: flags then concern the program and not what helps to build it, and
/// names in both builds are the same.
fn build(compiler: &Compiler, target: &Path, flag: Option<String>) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--profile", "dist", "--package", "app"]).args(locked());
    command.args(["--target", &compiler.host]).arg("--target-dir").arg(target);
    if let Some(flag) = flag {
        let flags = [std::env::var_os("RUSTFLAGS"), Some(flag.into())];
        command.env("RUSTFLAGS", flags.into_iter().flatten().collect::<Vec<_>>().join(&OsString::from(" ")));
    }
    let status = command.status()?;
    ensure!(status.success(), "the program does not build");
    Ok(target.join(&compiler.host).join("dist").join("gannet"))
}

fn is_older(file: &Path, than: &Path) -> bool {
    let changed = |path: &Path| fs::metadata(path).and_then(|known| known.modified()).ok();
    changed(file).is_none_or(|file| changed(than).is_some_and(|than| file < than))
}

/// Has the program do what it is for: a crawl with everything on, one for links alone, a search, and the labelled pages read.
fn exercise(workspace: &Workspace, program: &Path, folder: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    let (_generated, generated) = site(program, &["--pages", PAGES, "--hosts", &HOSTS.to_string()])?;
    let (_demo, demo) = site(program, &[])?;
    let names: String = (1..=HOSTS).map(|host| format!("127.0.0.1 h{host:03}.test\n")).collect();
    let hosts = folder.join("hosts");
    fs::write(&hosts, names)?;
    // Short pages with many links, and pages as people make them, with menus, tables and classes.
    let starts = [
        ("generated", format!("http://h001.test:{generated}/"), "any"),
        ("demo", format!("http://127.0.0.1:{demo}/"), "host"),
    ];
    for (name, start, scope) in &starts {
        let crawl = |data: &str, further: &[&str]| {
            let mut command = Command::new(program);
            command.args(["crawl", start, "--scope", scope, "--allow-private", "--rate", "unlimited"]);
            command.args(["--max-pages", PAGES, "--linger", "1s", "--quiet", "--data"]);
            command.arg(folder.join(name).join(data));
            finish(command.args(further).arg("--hosts").arg(&hosts))
        };
        crawl("all", &[])?;
        crawl("near", &["--duplicates", "winnowing"])?;
        crawl("lean", &["--order", "breadth-first", "--duplicates", "off"])?;
        crawl("links", &["--order", "breadth-first", "--duplicates", "off", "--keep", "none"])?;
    }
    for words in ["page", "links between pages", "what is new"] {
        finish(Command::new(program).args(["search", words, "--data"]).arg(folder.join("generated/all")))?;
    }
    let mut pages = Vec::new();
    for entry in fs::read_dir(workspace.root.join("crates/extract/tests/pages"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "html") {
            pages.push(serde_json::json!({ "file": path, "url": "http://e.test/pages/one" }).to_string());
        }
    }
    pages.sort();
    let batch = folder.join("batch");
    fs::write(&batch, (pages.join("\n") + "\n").repeat(READINGS))?;
    let mut read = Command::new(program);
    finish(read.args(["read", "--batch"]).stdin(fs::File::open(&batch)?))?;
    let _ = fs::remove_dir_all(folder);
    Ok(())
}

/// A made-up Web, which ends with us, and its port.
fn site(program: &Path, which: &[&str]) -> Result<(Site, u16)> {
    let mut command = Command::new(program);
    command.args(["demo-site", "--port", "0"]).args(which);
    // What a server does is not what is to become quicker.
    command.env("LLVM_PROFILE_FILE", "/dev/null");
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
    let said = BufReader::new(child.stdout.take().context("the site says nothing")?);
    let site = Site(child);
    for line in said.lines() {
        let line = line?;
        let port = line.split("http://127.0.0.1:").nth(1).and_then(|rest| rest.split('/').next());
        if let Some(port) = port {
            return Ok((site, port.parse()?));
        }
    }
    bail!("the site does not say where it is")
}

struct Site(Child);

impl Drop for Site {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn finish(command: &mut Command) -> Result<()> {
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output()?;
    if !output.status.success() {
        std::io::stderr().write_all(&output.stderr)?;
        bail!("{command:?} failed");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_known_by_its_major_version() {
        assert!(is_version("Debian LLVM version 22.1.2\n  Optimized build.\n", "22"));
        assert!(is_version("LLVM (http://llvm.org/):\n  LLVM version 19.1.7\n", "19"));
        assert!(!is_version("Debian LLVM version 14.0.6\n", "22"));
        assert!(!is_version("", "22"));
    }
}
