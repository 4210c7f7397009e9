//! The operator's policy: every limit of the registry, movable within 1…maximum by a TOML file (I12).

use wit_worker::registry::limits::{LIMITS, LimitOutOfRange};
use wit_worker::registry::{LimitId, Limits};

/// A value for every limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeModePolicy {
    values: Vec<u64>,
}

/// Why a policy is refused (`invalid_policy`). Each names the field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Outside what its row of the registry allows.
    #[error(transparent)]
    OutOfRange(#[from] LimitOutOfRange),
    /// Not a key of the registry.
    #[error("{0} is not a limit; `wit policy` lists them")]
    UnknownField(String),
    /// Not a whole number.
    #[error("{0} must be a whole number")]
    NotAnInteger(String),
    /// Not TOML.
    #[error("the policy file is not valid TOML: {0}")]
    NotToml(String),
    /// Not readable.
    #[error("the policy file cannot be read: {0}")]
    Unreadable(String),
}

impl Default for CodeModePolicy {
    fn default() -> Self {
        Self { values: LIMITS.iter().map(|row| row.default).collect() }
    }
}

impl CodeModePolicy {
    /// Reads a TOML table of `limit_name = value`, over the defaults, and validates the whole.
    ///
    /// # Errors
    /// The first field that cannot be accepted.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let table: toml::Table =
            text.parse().map_err(|e: toml::de::Error| PolicyError::NotToml(e.message().to_owned()))?;
        let mut policy = Self::default();
        for (key, value) in table {
            let Some(row) = LIMITS.iter().find(|row| row.name == key) else {
                return Err(PolicyError::UnknownField(key));
            };
            let Some(number) = value.as_integer() else { return Err(PolicyError::NotAnInteger(key)) };
            let Ok(number) = u64::try_from(number) else {
                return Err(row.out_of_range(number.into()).into());
            };
            policy.set(row.id, number)?;
        }
        policy.validate()?;
        Ok(policy)
    }

    /// The value of a limit.
    #[must_use]
    pub fn value(&self, id: LimitId) -> u64 {
        self.values.get(id as usize).copied().unwrap_or(id.entry().default)
    }

    /// Sets one limit.
    ///
    /// # Errors
    /// When the value is outside the row's range.
    pub fn set(&mut self, id: LimitId, value: u64) -> Result<(), PolicyError> {
        id.entry().check(value)?;
        if let Some(slot) = self.values.get_mut(id as usize) {
            *slot = value;
        }
        Ok(())
    }

    /// Checks every value against the absolute maxima.
    ///
    /// # Errors
    /// The first that is out of range.
    pub fn validate(&self) -> Result<(), PolicyError> {
        LIMITS.iter().try_for_each(|row| row.check(self.value(row.id)))?;
        self.worker_limits().validate()?;
        Ok(())
    }

    /// The worker's share.
    #[must_use]
    pub fn worker_limits(&self) -> Limits {
        Limits {
            source_bytes: self.value(LimitId::SourceBytes),
            wall_ms: self.value(LimitId::WallMs),
            heap_bytes: self.value(LimitId::HeapBytes),
            stack_bytes: self.value(LimitId::StackBytes),
            host_calls: self.value(LimitId::HostCalls),
            host_concurrency: self.value(LimitId::HostConcurrency),
            final_result_bytes: self.value(LimitId::FinalResultBytes),
            console_bytes: self.value(LimitId::ConsoleBytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_can_be_lowered_and_none_raised_over_its_maximum() {
        for row in LIMITS {
            let lowered = CodeModePolicy::parse(&format!("{} = {}", row.name, row.minimum));
            assert_eq!(lowered.map(|p| p.value(row.id)), Ok(row.minimum), "{}", row.name);
            for bad in [(row.maximum + 1).to_string(), "-1".into(), "\"7\"".into(), "1.5".into(), "true".into()] {
                let error = CodeModePolicy::parse(&format!("{} = {bad}", row.name));
                assert!(error.is_err_and(|e| e.to_string().contains(row.name)), "{} = {bad}", row.name);
            }
        }
        assert!(CodeModePolicy::parse("wall_ms = 0").is_err());
        assert!(CodeModePolicy::parse("wall_time = 5").is_err_and(|e| e.to_string().contains("wall_time")));
        assert!(CodeModePolicy::parse("[").is_err());
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod more_tests;
