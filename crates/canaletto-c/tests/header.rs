//! The header that is kept is what the source says. `HEADER=write cargo test --package canaletto-c` writes it anew.

use std::path::Path;

#[test]
fn the_header_is_fresh() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::Builder::new().with_crate(folder).with_config(config).generate().unwrap().write(&mut made);
    let (made, path) = (String::from_utf8(made).unwrap(), folder.join("include/canaletto.h"));
    if std::env::var("HEADER").is_ok_and(|what| what == "write") {
        std::fs::write(&path, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "include/canaletto.h is not what src/lib.rs says; HEADER=write writes it");
}
