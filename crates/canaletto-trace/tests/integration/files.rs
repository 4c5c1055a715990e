use std::fs::{self, OpenOptions};
use std::io::Write;

use crate::common::{self, mqsim};
use canaletto_trace::{Options, TraceReader, hash, open};

fn opened(content: &str) -> (tempfile::TempDir, std::path::PathBuf, TraceReader) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.txt");
    fs::write(&path, content).unwrap();
    let reader = open(&path, &Options::default()).unwrap();
    (folder, path, reader)
}

fn message(path: &std::path::Path) -> String {
    open(path, &Options::default()).err().expect("a refusal").to_string()
}

#[test]
fn a_file_that_is_not_there_or_is_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let told = format!("{}: cannot open the trace: No such file or directory (os error 2)", missing.display());
    assert_eq!(message(&missing), told);
    let told = format!("{}: cannot open the trace: it is a directory, not a file", folder.path().display());
    assert_eq!(message(folder.path()), told);
}

#[test]
fn a_name_may_lie_about_the_packing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.zst");
    fs::write(&path, common::gzip(mqsim(3).as_bytes())).unwrap();
    assert_eq!(open(&path, &Options::default()).unwrap().count(), 3);
}

#[test]
fn a_file_that_vanishes_is_read_to_its_end() {
    let (folder, path, reader) = opened(&mqsim(100_000));
    assert_eq!(reader.path(), path);
    fs::remove_file(&path).unwrap();
    assert_eq!(reader.filter(Result::is_ok).count(), 100_000);
    assert!(message(&path).contains("cannot open the trace"));
    drop(folder);
}

#[test]
fn a_file_that_grows_is_read_on_until_an_end_is_seen() {
    let (_folder, path, mut reader) = opened(&mqsim(100_000));
    let mut file = OpenOptions::new().append(true).open(&path).unwrap();
    assert!(reader.next().unwrap().is_ok());
    file.write_all(b"999999999 0 0 8 1\n").unwrap();
    assert_eq!(reader.by_ref().filter(Result::is_ok).count(), 100_000, "the new line too");
    file.write_all(b"999999999 0 0 8 1\n").unwrap();
    assert!(reader.next().is_none(), "an end is final");
}

#[test]
fn a_file_caught_while_a_line_is_written_is_torn() {
    let (_folder, path, reader) = opened(&mqsim(100_000));
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"999999999 0 0").unwrap();
    let error = reader.last().unwrap().unwrap_err().to_string();
    assert!(error.contains(":100001: the last line is torn"), "{error}");
}

#[test]
fn a_file_that_shrinks_is_not_taken_for_whole() {
    let (_folder, path, mut reader) = opened(&mqsim(100_000));
    let size = fs::metadata(&path).unwrap().len();
    assert!(reader.next().unwrap().is_ok());
    OpenOptions::new().write(true).open(&path).unwrap().set_len(1000).unwrap();
    let error = reader.last().unwrap().unwrap_err().to_string();
    assert!(error.contains(&format!("the file shrank from {size} to ")), "{error}");
}

#[test]
fn the_hash_is_the_one_sha256sum_prints() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("abc");
    fs::write(&path, "abc").unwrap();
    let known = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hash(&path).unwrap(), known);
    assert!(hash(folder.path().join("missing")).is_err());
    assert!(hash(folder.path()).is_err());
}
