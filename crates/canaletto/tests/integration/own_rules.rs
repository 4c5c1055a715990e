use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canaletto::config::design::Design;
use canaletto::config::load_design;
use canaletto::config::own::Own;
use canaletto::config::workload::Workload;
use canaletto::flash::interface::Operation;
use canaletto::ftl::reclaim::gc::policy::custom::{VictimRule, Victims};
use canaletto::ftl::steady::plane::MOST_VICTIMS;
use canaletto::measure::probe::Work;
use canaletto::scheduler::custom::{MOST_OVERTAKES, OrderRule, Turn, Waiting};
use canaletto::{Outcome, RunError, RunOptions, run};

use crate::common::{SMALL, design, simulate, synthetic};

const WRITES: &str = "requests = 4000\nread_share = 0.2\nsize = \"4KiB\"\nqueue_depth = 16";

struct Choose<F>(F);

impl<F: FnMut(&Victims) -> Result<u32, String> + Send> VictimRule for Choose<F> {
    fn choose(&mut self, victims: &Victims) -> Result<u32, String> {
        (self.0)(victims)
    }
}

struct Order<F>(F);

impl<F: FnMut(&Turn) -> Result<u64, String> + Send> OrderRule for Order<F> {
    fn choose(&mut self, turn: &Turn) -> Result<u64, String> {
        (self.0)(turn)
    }
}

fn with_policy<F>(overrides: &[&str], choose: F) -> Design
where
    F: Fn(&Victims) -> Result<u32, String> + Clone + Send + Sync + 'static,
{
    let mut design = design(SMALL, &[&["gc.policy=custom"], overrides].concat());
    design.gc.rule = Some(Own::<dyn VictimRule>::new(move || Box::new(Choose(choose.clone()))));
    design
}

fn with_order<F>(overrides: &[&str], choose: F) -> Design
where
    F: Fn(&Turn) -> Result<u64, String> + Clone + Send + Sync + 'static,
{
    let mut design = design(SMALL, &[&["scheduler.policy=custom"], overrides].concat());
    design.scheduler.rule = Some(Own::<dyn OrderRule>::new(move || Box::new(Order(choose.clone()))));
    design
}

fn report(outcome: &Outcome) -> String {
    serde_json::to_string(&outcome.report).expect("a report has a text")
}

fn why(design: &Design, workload: &Workload) -> String {
    match run(design, workload, vec![None], &RunOptions::default(), &mut |_| true) {
        Err(RunError::Own(why)) => why,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it ran"),
    }
}

fn least<T: Ord + Copy>(victims: &Victims, column: &[T]) -> Result<u32, String> {
    let place = (0..column.len()).min_by_key(|&place| column[place]).ok_or("no block")?;
    Ok(victims.blocks[place])
}

#[test]
fn policies_over_the_columns_are_those_of_the_engine() {
    for overrides in [&[][..], &["gc.scope=parallel", "ftl.write_placement=dynamic"], &["ftl.superblock=channel"]] {
        let own = simulate(&with_policy(overrides, |v| least(v, &v.valid)), &synthetic(WRITES));
        let engine = simulate(&design(SMALL, &[&["gc.policy=greedy"], overrides].concat()), &synthetic(WRITES));
        assert_eq!(report(&own), report(&engine), "{overrides:?}");
        let oldest = |v: &Victims| least(v, &v.since_opened.iter().map(|age| u64::MAX - age).collect::<Vec<_>>());
        let own = simulate(&with_policy(overrides, oldest), &synthetic(WRITES));
        let engine = simulate(&design(SMALL, &[&["gc.policy=fifo"], overrides].concat()), &synthetic(WRITES));
        assert_eq!(report(&own), report(&engine), "{overrides:?}");
    }
}

#[test]
fn drives_are_preconditioned_as_the_rule_leaves_them() {
    let keys = ["precondition.kind=steady", "geometry.pages_per_block=32", "geometry.blocks_per_plane=64"];
    let amplification =
        |design: &Design| simulate(design, &synthetic(WRITES)).report.flash.write_amplification.unwrap();
    let own = amplification(&with_policy(&keys, |v| least(v, &v.valid)));
    let worst =
        amplification(&with_policy(&keys, |v| least(v, &v.valid.iter().map(|n| u32::MAX - n).collect::<Vec<_>>())));
    let greedy = amplification(&design(SMALL, &[&["gc.policy=greedy"], &keys[..]].concat()));
    assert!((own / greedy - 1.0).abs() < 0.05, "{own}, by the closed form {greedy}");
    assert!(worst > 2.0 * greedy, "{worst}, greedily {greedy}");
    let planes = |v: &Victims| match v.plane {
        Some(_) => least(v, &v.valid),
        None if v.erases.iter().any(|&n| n > 1) && v.age.iter().any(|&age| age > 0) => Err("worn".into()),
        None => least(v, &v.valid),
    };
    let text = why(&with_policy(&keys, planes), &synthetic(WRITES));
    assert!(
        text.starts_with("gc policy, the plane that is written before the run: worn, expected one of the "),
        "{text}"
    );
}

/// A rule takes up to a millisecond per answer.
#[test]
fn a_rule_is_asked_for_few_victims_before_the_run() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = asked.clone();
    let worst = move |v: &Victims| {
        count.fetch_add(1, Ordering::Relaxed);
        assert!(v.plane.is_some() || v.blocks.len() <= 1024);
        least(v, &v.valid.iter().map(|n| u32::MAX - n).collect::<Vec<_>>())
    };
    let keys = ["precondition.kind=steady", "geometry.pages_per_block=1152", "geometry.blocks_per_plane=400"];
    let zipf =
        "requests = 1\nread_share = 0.0\nsize = \"4KiB\"\nqueue_depth = 1\naddresses = \"zipf\"\nzipf_exponent = 1.0";
    simulate(&with_policy(&keys, worst), &synthetic(zipf));
    let asked = asked.load(Ordering::Relaxed);
    // A page may take several victims with one page to reclaim.
    assert!((1000..MOST_VICTIMS + MOST_VICTIMS / 50).contains(&asked), "{asked}");
}

#[test]
fn blocks_that_cannot_be_collected_are_refused() {
    let none =
        |victims: &Victims, wanted: &dyn Fn(u32) -> bool| (0..16).find(|b| !victims.blocks.contains(b) && wanted(*b));
    type Choice = fn(&Victims) -> Result<u32, String>;
    let cases: [(Choice, &str); 3] = [
        (|_| Ok(16), "got block 16, which does not exist: there are blocks 0 to 15"),
        (|_| Ok(u32::MAX), "got block 4294967295, which does not exist"),
        (|_| Err("no idea".into()), "no idea"),
    ];
    for (rule, says) in cases {
        let text = why(&with_policy(&[], rule), &synthetic(WRITES));
        assert!(text.starts_with("gc policy, plane ") && text.contains(says), "{text}");
        assert!(
            text.contains("expected one of the ") && text.contains("blocks that are full and have a page to reclaim: ")
        );
    }
    // Blocks are opened in the order of their numbers.
    let last = why(&with_policy(&[], move |v| none(v, &|b| b == 15).ok_or("in use".into())), &synthetic(WRITES));
    assert!(last.contains("got block 15, which is free"), "{last}");
    let other =
        why(&with_policy(&[], move |v| Ok((0..16).find(|b| !v.blocks.contains(b)).unwrap())), &synthetic(WRITES));
    let reasons = ["is being filled", "has programs in flight", "has no page to reclaim", "is free"];
    assert!(reasons.iter().any(|reason| other.contains(reason)), "{other}");
}

#[test]
fn an_order_like_the_engines_gives_its_results() {
    let class = |w: &Waiting, urgent: bool| match (w.origin.work(), w.operation) {
        (Work::Gc, operation) => (if urgent { 0 } else { 3 }) + operation as u32,
        (_, Operation::Read) => 3 * u32::from(urgent),
        _ => 1 + 3 * u32::from(urgent),
    };
    let first = move |turn: &Turn| {
        let of = |w: &Waiting| (class(w, turn.gc_urgent), w.number);
        Ok(turn.ready.iter().min_by_key(|w| of(w)).unwrap().number)
    };
    for keys in [&[][..], &["geometry.dies_per_chip=2"], &["fabric.kind=venice"], &["gc.preemptible=false"]] {
        let own = simulate(&with_order(keys, first), &synthetic(WRITES));
        let engine = simulate(&design(SMALL, keys), &synthetic(WRITES));
        assert_eq!(report(&own), report(&engine), "{keys:?}");
    }
}

struct Books(std::collections::BTreeMap<u64, Waiting>);

impl OrderRule for Books {
    fn hear(&mut self, arrived: &[Waiting], gone: &[u64]) -> Result<(), String> {
        self.0.extend(arrived.iter().map(|w| (w.number, *w)));
        gone.iter().try_for_each(|number| self.0.remove(number).map(|_| ()).ok_or(format!("{number} never came")))
    }

    fn choose(&mut self, turn: &Turn) -> Result<u64, String> {
        for ready in turn.ready {
            let known = self.0.get(&ready.number).ok_or(format!("{} is not known", ready.number))?;
            let same = (known.lun, known.plane, known.queued) == (turn.lun, ready.plane, ready.queued);
            if !same || ready.queued > turn.now || ready.began > ready.queued || ready.service.0 == 0 {
                return Err(format!("{known:?} is {ready:?}"));
            }
        }
        turn.ready.last().map(|w| w.number).ok_or("nothing".into())
    }
}

#[test]
fn rules_are_told_of_everything_that_comes_and_goes() {
    for keys in [
        &[][..],
        &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes"],
        &["ftl.mapping=bast", "ftl.unwritten_reads=zeroes"],
        &["flash.suspend.operations=both"],
        &["flash.failures.program=0.05", "flash.failures.read=0.05"],
        &["ftl.mapping_unit=1KiB"],
        &["ftl.superblock=channel", "ftl.parity=die"],
        &["flash.cache_read=true", "flash.independent_plane_reads=true", "flash.cache_program=true"],
        &["mapping.cache_capacity=512B", "gc.copyback=true"],
    ] {
        let mut design = design(SMALL, &[&["scheduler.policy=custom"], keys].concat());
        design.scheduler.rule = Some(Own::<dyn OrderRule>::new(|| Box::new(Books(Default::default()))));
        let outcome = simulate(&design, &synthetic(WRITES));
        assert_eq!(outcome.report.measures.requests.completed, 4000, "{keys:?}");
    }
}

#[test]
fn answers_that_are_not_ready_are_refused() {
    let text = why(&with_order(&[], |_| Ok(u64::MAX)), &synthetic(WRITES));
    assert!(
        text.starts_with("scheduler, LUN ")
            && text.contains("got transaction 18446744073709551615, expected one of the ")
    );
    assert!(text.contains(" that can be issued: ") && text.contains(" in plane "), "{text}");
    let text = why(&with_order(&[], |_| Err("no idea".into())), &synthetic(WRITES));
    assert!(text.contains("no idea, expected one of the "), "{text}");
}

#[test]
fn a_rule_that_starves_a_transaction_ends_the_run() {
    let keys = ["geometry.channels=1", "geometry.chips_per_channel=1", "flash.multi_plane=off", "flash.read=1us"];
    let first = |turn: &Turn| Ok(turn.ready.iter().max_by_key(|w| w.number).unwrap().number);
    let reads = |requests: u64| {
        synthetic(&format!("requests = {requests}\nread_share = 1.0\nsize = \"4KiB\"\nqueue_depth = 3"))
    };
    let design = with_order(&keys, first);
    let text = why(&design, &reads(MOST_OVERTAKES + 1000));
    assert!(text.contains("has waited for LUN 0 since") && text.contains("commands went before"), "{text}");
    assert_eq!(simulate(&design, &reads(1000)).report.measures.requests.completed, 1000);
}

#[test]
fn drives_with_rules_are_not_written_down() {
    let drive = |settings: &[&str]| {
        let settings: Vec<String> = settings.iter().map(|s| (*s).to_owned()).collect();
        load_design("performance-optimized", None, &settings).expect("the drive is sound")
    };
    let mut design = drive(&["scheduler.policy=custom"]);
    let stepped = |design: &Design| {
        let options = canaletto::drive::DriveOptions::default();
        canaletto::drive::Drive::new(design, &options).expect("it begins").snapshot().map(|bytes| bytes.len())
    };
    assert!(stepped(&design).is_ok());
    design.scheduler.rule = Some(Own::<dyn OrderRule>::new(|| Box::new(Books(Default::default()))));
    assert!(stepped(&design).unwrap_err().to_string().contains("user-defined"));
}
