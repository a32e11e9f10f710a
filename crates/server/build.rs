//! Finds the built web UI: `ui/dist` if it is there, else an empty folder, so that the program builds without it.

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let built = root.join("../../ui/dist");
    println!("cargo::rerun-if-changed=build.rs");
    // So that cargo notices when the UI is built later: a path that is not there would make it build this again each time.
    let _ = fs::create_dir_all(&built);
    if built.is_dir() {
        println!("cargo::rerun-if-changed={}", built.display());
    }
    let folder = match built.join("index.html").is_file() {
        true => fs::canonicalize(&built).expect("it is there"),
        false => empty(&out),
    };
    let code = format!(
        "/// The built web UI.\n#[derive(rust_embed::RustEmbed)]\n#[folder = {:?}]\nstruct Dist;\n",
        folder.display().to_string()
    );
    fs::write(out.join("dist.rs"), code).expect("cargo's folder can be written");
}

fn empty(out: &Path) -> PathBuf {
    let folder = out.join("no-ui");
    fs::create_dir_all(&folder).expect("cargo's folder can be written");
    folder
}
