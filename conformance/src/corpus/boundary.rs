//! The edges of the budget table: each limit at each value an operator can give it, exactly at it and one beyond.

use std::fmt;

use wit_worker::registry::LimitId;
use wit_worker::registry::limits::{LIMITS, LimitEntry};

/// One edge of one limit, as it stands in a case: `pages/lowered/over`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Boundary {
    /// The limit.
    pub limit: LimitId,
    /// The value it has.
    pub level: Level,
    /// The side of it.
    pub edge: Edge,
}

/// The value a limit has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Level {
    /// As the policy leaves it.
    Default,
    /// Below its default, by the policy.
    Lowered,
    /// At its absolute maximum, by the policy, where that is not its default.
    Maximum,
}

/// The side of the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Edge {
    /// Exactly at it, or as near below as can be measured; this passes.
    At,
    /// One more, or as little as can be measured; this does not.
    Over,
}

const LEVELS: [(Level, &str); 3] =
    [(Level::Default, "default"), (Level::Lowered, "lowered"), (Level::Maximum, "maximum")];
const EDGES: [(Edge, &str); 2] = [(Edge::At, "at"), (Edge::Over, "over")];

impl Level {
    /// Whether the limit can have such a value.
    #[must_use]
    pub const fn is_of(self, entry: &LimitEntry) -> bool {
        match self {
            Self::Default => true,
            Self::Lowered => entry.minimum < entry.default,
            Self::Maximum => entry.default < entry.maximum,
        }
    }
}

impl Boundary {
    /// Every edge there is.
    pub fn all() -> impl Iterator<Item = Self> {
        LIMITS.iter().flat_map(|entry| {
            let levels = LEVELS.into_iter().filter(|(level, _)| level.is_of(entry));
            levels.flat_map(move |(level, _)| EDGES.map(|(edge, _)| Self { limit: entry.id, level, edge }))
        })
    }

    /// Reads one, and holds the case's own policy to it.
    ///
    /// # Errors
    /// What is wrong, in one line.
    pub(super) fn parse(text: &str, policy: &toml::Table) -> Result<Self, String> {
        let mut words = text.split('/');
        let mut word = || words.next().unwrap_or_default();
        let (limit, level, edge) = (word(), word(), word());
        let entry = LIMITS.iter().find(|entry| entry.name == limit);
        let level = LEVELS.into_iter().find(|(_, name)| *name == level);
        let edge = EDGES.into_iter().find(|(_, name)| *name == edge);
        let (Some(entry), Some((level, _)), Some((edge, _)), None) = (entry, level, edge, words.next()) else {
            return Err(format!("boundary {text} is not limit/default|lowered|maximum/at|over"));
        };
        let value =
            policy.get(entry.name).and_then(toml::Value::as_integer).and_then(|value| u64::try_from(value).ok());
        let fits = match level {
            Level::Default => value.is_none(),
            Level::Lowered => value.is_some_and(|value| value < entry.default),
            Level::Maximum => value == Some(entry.maximum),
        };
        if fits && level.is_of(entry) {
            Ok(Self { limit: entry.id, level, edge })
        } else {
            Err(format!("boundary {text} does not agree with the policy of the case"))
        }
    }
}

impl fmt::Display for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = LEVELS.iter().find(|(level, _)| *level == self.level).map_or("", |(_, name)| name);
        let edge = EDGES.iter().find(|(edge, _)| *edge == self.edge).map_or("", |(_, name)| name);
        write!(f, "{}/{level}/{edge}", self.limit.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for boundary in Boundary::all() {
            let entry = boundary.limit.entry();
            let value = match boundary.level {
                Level::Default => None,
                Level::Lowered => Some(entry.default - 1),
                Level::Maximum => Some(entry.maximum),
            };
            let mut policy = toml::Table::new();
            if let Some(value) = value {
                policy.insert(entry.name.into(), toml::Value::Integer(value.try_into().expect("small")));
            }
            assert_eq!(Boundary::parse(&boundary.to_string(), &policy), Ok(boundary));
            if boundary.level != Level::Default {
                assert!(Boundary::parse(&boundary.to_string(), &toml::Table::new()).is_err(), "{boundary}");
            }
        }
        for wrong in ["pages", "pages/default", "pages/default/at/more", "page/default/at", "source_bytes/maximum/at"] {
            assert!(Boundary::parse(wrong, &toml::Table::new()).is_err(), "{wrong}");
        }
    }
}
