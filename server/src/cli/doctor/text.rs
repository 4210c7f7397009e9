//! The report for people: one line a fact, aligned, words instead of colour.

use std::fmt::{self, Display, Formatter};

use super::{Check, LayerReport, Report, State};

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Reported => "reported",
            Self::NotApplicable => "not needed",
            Self::Missing => "MISSING",
        }
    }
}

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let platform = &self.platform;
        let user = if platform.root { "root" } else { "not root" };
        writeln!(f, "wit {}", self.version)?;
        writeln!(f, "engine        {}", self.engine)?;
        writeln!(f, "platform      {} {} {}, {user}", platform.system, platform.kernel, platform.architecture)?;
        let verdict = match (self.sandbox.available, self.temporary.ok) {
            (true, _) => "available",
            (false, true) => "REFUSED (sandbox_unavailable)",
            (false, false) => "REFUSED (spawn_failed)",
        };
        writeln!(f, "code mode     {verdict}")?;
        if !self.sandbox.program.is_empty() {
            writeln!(f, "worker        started from the {}", self.sandbox.program)?;
        }
        if let Some(problem) = &self.sandbox.problem {
            writeln!(f, "              {problem}")?;
        }
        let calls = &self.system_calls;
        let total = calls.unconstrained + calls.constrained;
        writeln!(
            f,
            "system calls  {total} allowed: {} with any arguments, {} with constrained ones; any other ends the worker",
            calls.unconstrained, calls.constrained
        )?;
        check(f, "temporary", &self.temporary)?;
        check(f, "cache", &self.cache)?;
        check(f, "git server", &self.github)?;
        check(f, "GitHub API", &self.api)?;
        check(f, "GitHub App", &self.app)?;
        for token in &self.tokens {
            let presence = if token.present { "set" } else { "not set" };
            writeln!(f, "{:<12}  {presence}", token.variable)?;
        }
        if !self.sandbox.layers.is_empty() {
            writeln!(f, "\nlayers of a worker started just now")?;
            layers(f, &self.sandbox.layers)?;
        }
        Ok(())
    }
}

fn check(f: &mut Formatter<'_>, name: &str, check: &Check) -> fmt::Result {
    let word = match (check.ok, check.required) {
        (true, _) => "ok",
        (false, true) => "FAILED",
        (false, false) => "warning",
    };
    if check.what.is_empty() {
        return writeln!(f, "{name:<12}  {word}: {}", check.detail);
    }
    writeln!(f, "{name:<12}  {word}: {} ({})", check.detail, check.what)
}

fn layers(f: &mut Formatter<'_>, layers: &[LayerReport]) -> fmt::Result {
    let header = ["layer", "state", "required", "kernel offers", "evidence"];
    let rows: Vec<[&str; 5]> = std::iter::once(header)
        .chain(
            layers
                .iter()
                .map(|row| [row.name, row.state.word(), row.requirement, row.offered.as_str(), row.evidence.as_str()]),
        )
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3)];
    for [name, state, requirement, offered, evidence] in rows {
        let [a, b, c, d] = widths;
        writeln!(f, "  {name:a$}  {state:b$}  {requirement:c$}  {offered:d$}  {evidence}")?;
    }
    Ok(())
}
