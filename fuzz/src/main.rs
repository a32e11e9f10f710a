//! The fuzzer: libFuzzer calls the check that `GANNET_FUZZ` names. `cargo xtask ci fuzz` builds and runs it.

#![no_main]

use std::sync::OnceLock;

use fuzz::Target;

static TARGET: OnceLock<Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let target = TARGET.get_or_init(|| {
        let name = std::env::var("GANNET_FUZZ").expect("GANNET_FUZZ names a target");
        Target::named(&name).expect("GANNET_FUZZ names one of fuzz::TARGETS")
    });
    (target.check)(input);
});
