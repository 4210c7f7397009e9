//! The parent's pure state machines under arbitrary inputs, and all findings, through the fuzz targets' own functions.
#![allow(
    clippy::expect_used,
    unreachable_pub,
    reason = "the functions are those of the fuzz crate, where a panic is the finding"
)]

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

#[path = "../../fuzz/src/operations.rs"]
mod operations;
#[path = "../../fuzz/src/parent.rs"]
mod parent;
#[path = "../../fuzz/src/seeds.rs"]
mod seeds;
#[path = "../../fuzz/src/snapshot.rs"]
mod snapshot;

/// Steps as the target reads them, weighted towards calls in order, so that budgets are reached.
fn steps() -> impl Strategy<Value = Vec<u8>> {
    let in_order = vec(0..7_u8, 0..20).prop_map(|operations| {
        let calls = operations.iter().zip(1_u8..).flat_map(|(&operation, call)| [1, call, operation, 2, 0, 9]);
        calls.collect::<Vec<u8>>()
    });
    let claim = prop_oneof![
        Just("host_calls_limit"),
        Just("host_concurrency_limit"),
        Just("deadline_exceeded"),
        Just("cancelled"),
        Just("pages_limit"),
        Just("operation_failed"),
        Just("final_result_bytes_limit"),
        Just("worker_exited"),
    ];
    let failure = claim.prop_map(|code| {
        let message = format!(
            "{{\"type\":\"result\",\"invocation\":1,\"ok\":false,\"value_present\":false,\"error\":{{\"code\":\"{code}\",\
             \"operation\":\"wit_list\",\"message\":\"x\"}},\"console\":{{\"text\":\"\",\"truncated\":false}},\
             \"usage\":{{\"javascript_us\":1,\"peak_heap_bytes\":1}}}}"
        );
        let length = u8::try_from(message.len() / 16).expect("short");
        let rest = u8::try_from(message.len() % 16).expect("a remainder");
        [&[0, length, rest], message.as_bytes()].concat()
    });
    (in_order, vec(any::<u8>(), 0..40), failure).prop_map(|(calls, noise, failure)| [calls, noise, failure].concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_worker_gets_past_the_session(input in steps()) {
        parent::session(&input);
    }

    #[test]
    fn the_budgets_are_the_models(input in vec(any::<u8>(), 0..400)) {
        parent::accounting(&input);
    }

    #[test]
    fn an_accepted_policy_is_within_the_table(name in "[a-z_]{4,22}", value in any::<i64>()) {
        parent::policy(format!("{name} = {value}\nwall_ms = {}\n", value % 20_000).as_bytes());
    }
}

#[test]
fn every_seed_passes() -> std::io::Result<()> {
    type Target = fn(&[u8]);
    let targets: [(&str, Target); 5] = [
        ("arguments", operations::arguments),
        ("cursors", operations::cursors),
        ("session", parent::session),
        ("accounting", parent::accounting),
        ("policy", parent::policy),
    ];
    let all = seeds::all(&seeds::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))?);
    for (name, target) in targets {
        let (_, seeds) = all.iter().find(|(other, _)| *other == name).expect("every target has seeds");
        assert!(seeds.len() >= 2, "{name}");
        seeds.iter().for_each(|seed| target(seed));
    }
    let snapshots = snapshot::seeds();
    assert!(snapshots.len() > 10);
    snapshots.iter().for_each(|seed| snapshot::snapshot(seed));
    Ok(())
}

/// The checks of a snapshot's file bite behind its checksums too: with these put right, most spoilt numbers are refused.
#[test]
fn the_good_snapshot_is_read_and_every_cut_is_refused() {
    let seeds = snapshot::seeds();
    let good = seeds.first().expect("the good one");
    for end in (0..good.len()).step_by(7) {
        assert!(!snapshot::is_read(&good[..end]), "cut at {end}");
    }
    assert!(snapshot::is_read(good));
}

#[test]
fn every_finding_passes() -> std::io::Result<()> {
    type Target = fn(&[u8]);
    let targets: [(&str, Target); 6] = [
        ("session", parent::session),
        ("accounting", parent::accounting),
        ("policy", parent::policy),
        ("arguments", operations::arguments),
        ("cursors", operations::cursors),
        ("snapshot", snapshot::snapshot),
    ];
    for (name, target) in targets {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/findings").join(name);
        let Ok(findings) = fs::read_dir(folder) else { continue };
        for finding in findings {
            target(&fs::read(finding?.path())?);
        }
    }
    Ok(())
}
