//! Reads traces to their end and says how fast: `cargo run --release -p canaletto-trace --example read_speed -- FILE…`

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use canaletto_trace::{Options, TraceError, open};

fn main() -> ExitCode {
    for path in std::env::args_os().skip(1) {
        if let Err(error) = read(path.as_ref()) {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::SUCCESS
}

fn read(path: &Path) -> Result<(), TraceError> {
    let start = Instant::now();
    let mut reader = open(path, &Options::default())?;
    let (mut batch, mut requests, mut bytes) = (Vec::new(), 0, 0u128);
    loop {
        reader.read_batch(&mut batch)?;
        if batch.is_empty() {
            break;
        }
        requests += batch.len();
        bytes += batch.iter().map(|record| u128::from(record.bytes)).sum::<u128>();
    }
    let rate = requests as f64 / start.elapsed().as_secs_f64() / 1e6;
    let (path, format, packing) = (reader.path().display(), reader.format().name(), reader.compression().name());
    println!("{path}: {format}, {packing}: {requests} requests of {bytes} bytes, {rate:.1} million requests/s");
    Ok(())
}
