//! Runs a case: `case A 20000`. `../instructions.py` counts its instructions.

use std::process::ExitCode;

use canaletto_benches::cases::Case;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let parsed = match &arguments[..] {
        [case, requests] => Case::named(case).zip(requests.parse().ok()),
        _ => None,
    };
    let Some((case, requests)) = parsed else {
        eprintln!("usage: case A|B|C|D|R REQUESTS");
        return ExitCode::from(2);
    };
    let outcome = case.run(requests);
    println!("{} events", outcome.events);
    ExitCode::SUCCESS
}
