//! The nearest method for a name a model invented.

use crate::registry::operations::OPERATIONS;

/// The one method that is no operation.
pub(super) const HELP: &str = "help";

/// Words models use, by method.
const SYNONYMS: &[(&str, &[&str])] = &[
    (
        "findRepositories",
        &[
            "searchrepositories",
            "searchrepos",
            "findrepos",
            "findrepo",
            "listrepositories",
            "listrepos",
            "repositories",
            "repos",
            "searchrepository",
            "findrepository",
        ],
    ),
    (
        "refs",
        &[
            "branches",
            "tags",
            "listrefs",
            "getrefs",
            "listbranches",
            "listtags",
            "pulls",
            "resolveref",
            "commits",
            "ref",
        ],
    ),
    (
        "open",
        &[
            "openrepository",
            "openrepo",
            "clone",
            "checkout",
            "snapshot",
            "opensnapshot",
            "createsnapshot",
            "fetch",
            "connect",
            "repo",
        ],
    ),
    (
        "list",
        &[
            "ls",
            "tree",
            "readdir",
            "listfiles",
            "listdirectory",
            "listdir",
            "listpaths",
            "files",
            "gettree",
            "glob",
            "findfiles",
            "dir",
            "walk",
        ],
    ),
    (
        "searchCode",
        &["search", "grep", "rg", "codesearch", "find", "findcode", "searchfiles", "searchtext", "query", "greprepo"],
    ),
    (
        "read",
        &[
            "readfile",
            "cat",
            "getfile",
            "file",
            "getcontents",
            "getfilecontents",
            "readlines",
            "openfile",
            "getcontent",
            "get",
            "readtext",
            "blob",
        ],
    ),
    ("context", &["gathercontext", "getcontext", "searchcontext", "findcontext", "rank", "codecontext"]),
    (HELP, &["docs", "usage", "methods", "describe", "man", "listmethods"]),
];

/// Names are compared by their first characters only: longer ones are nobody's typing mistake.
const COMPARED_CHARACTERS: usize = 40;

/// Every method of `codemode.wit`.
pub(super) fn methods() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().map(|operation| operation.method).chain(std::iter::once(HELP))
}

/// The method a name most likely means, if any is near.
pub(super) fn nearest(name: &str) -> Option<&'static str> {
    let plain: String =
        name.chars().filter(|c| c.is_alphanumeric()).take(COMPARED_CHARACTERS).flat_map(char::to_lowercase).collect();
    let plain = plain.strip_prefix("wit").unwrap_or(&plain);
    let known =
        SYNONYMS.iter().find(|(method, synonyms)| method.eq_ignore_ascii_case(plain) || synonyms.contains(&plain));
    if let Some((method, _)) = known {
        return Some(method);
    }
    let (distance, method) = SYNONYMS
        .iter()
        .flat_map(|(method, synonyms)| synonyms.iter().chain(std::iter::once(method)).map(move |word| (word, method)))
        .map(|(word, method)| (edit_distance(plain, &word.to_lowercase()), *method))
        .min_by_key(|(distance, _)| *distance)?;
    (distance <= 2 && plain.len() > distance + 1).then_some(method)
}

/// Insertions, deletions and replacements between two short words.
fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, r) in right.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (diagonal + usize::from(l != *r)).min(above + 1).min(row[j] + 1);
            diagonal = above;
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_names_find_their_method() {
        for (name, method) in [
            ("searchRepositories", "findRepositories"),
            ("wit_search_code", "searchCode"),
            ("readFile", "read"),
            ("searchcode", "searchCode"),
            ("serchCode", "searchCode"),
            ("lst", "list"),
            ("branches", "refs"),
            ("hlep", "help"),
        ] {
            assert_eq!(nearest(name), Some(method), "{name}");
        }
        for name in ["zz", "", "deleteRepository", "writeFile2", "\u{fffd}x"] {
            assert_eq!(nearest(name), None, "{name}");
        }
        assert_eq!(nearest(&"z".repeat(30_000)), None);
    }

    #[test]
    fn every_method_has_its_row() {
        let rows: Vec<&str> = SYNONYMS.iter().map(|(method, _)| *method).collect();
        assert_eq!(rows, methods().collect::<Vec<_>>());
    }
}
