//! What a policy says to whoever enforces it, and that a whole one is checked again.

use super::*;

#[test]
fn a_value_out_of_range_is_found_however_it_got_there() {
    for row in LIMITS {
        for bad in [row.minimum.checked_sub(1), row.maximum.checked_add(1)].into_iter().flatten() {
            let mut policy = CodeModePolicy::default();
            if let Some(slot) = policy.values.get_mut(row.id as usize) {
                *slot = bad;
            }
            let error = policy.validate().expect_err("a value out of range");
            assert!(error.to_string().starts_with(row.name), "{error}");
            assert!(policy.set(row.id, bad).is_err(), "{}", row.name);
        }
    }
    assert_eq!(CodeModePolicy::default().validate(), Ok(()));
}

#[test]
fn setting_one_limit_sets_that_one() {
    for row in LIMITS {
        let mut policy = CodeModePolicy::default();
        assert_eq!(policy.set(row.id, row.minimum), Ok(()), "{}", row.name);
        for other in LIMITS {
            let expected = if other.id == row.id { row.minimum } else { other.default };
            assert_eq!(policy.value(other.id), expected, "{} after {}", other.name, row.name);
        }
    }
}

#[test]
fn the_workers_share_is_the_policys() {
    let policy = CodeModePolicy::parse(
        "source_bytes = 11\nwall_ms = 12\nheap_bytes = 13\nstack_bytes = 14\nhost_calls = 5\nhost_concurrency = 3\n\
         final_result_bytes = 17\nconsole_bytes = 18\n",
    );
    let expected = Limits {
        source_bytes: 11,
        wall_ms: 12,
        heap_bytes: 13,
        stack_bytes: 14,
        host_calls: 5,
        host_concurrency: 3,
        final_result_bytes: 17,
        console_bytes: 18,
    };
    assert_eq!(policy.map(|policy| policy.worker_limits()), Ok(expected));
    assert_eq!(CodeModePolicy::default().worker_limits(), Limits::default());
}
