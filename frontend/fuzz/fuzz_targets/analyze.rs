//! Arbitrary bytes as a program: the analysis neither panics nor loops, and its places are inside the text.
//! The first byte chooses the source form and whether the file includes itself.
//!
//!     cargo install cargo-fuzz
//!     cargo +nightly fuzz run --fuzz-dir frontend/fuzz analyze -- -timeout=20 -max_len=4096
//!
//! Good seeds are the sources in npb-fixtures/programs, each with a byte in front.
#![no_main]
#![forbid(unsafe_code)]

use frontend::source::Sources;
use frontend::{Options, analyze};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&first, text)) = bytes.split_first() else { return };
    let mut sources = Sources::default();
    sources.add(if first & 1 == 0 { "a.f90" } else { "a.f" }, text);
    let itself = first & 2 == 0;
    let loader = |_: &str, _: &str| itself.then(|| ("b.h".to_string(), text.to_vec()));
    let analysis = analyze(&mut sources, &Options::default(), &loader);
    for place in &analysis.source_map.statements {
        assert!(place.whole.start <= place.whole.end);
        assert!(place.whole.end as usize <= sources.file(place.whole.file).text.len());
    }
});
