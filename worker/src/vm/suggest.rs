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
    // Short words are near to too many others.
    let tolerance = if plain.len() <= 4 { 1 } else { 2 };
    let own = SYNONYMS.iter().map(|(method, _)| (*method, *method));
    let others = SYNONYMS.iter().flat_map(|(method, synonyms)| synonyms.iter().map(move |word| (*word, *method)));
    own.chain(others)
        .map(|(word, method)| (edit_distance(plain, &word.to_lowercase()), method))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= tolerance && plain.len() > distance + 1)
        .map(|(_, method)| method)
}

/// Insertions, deletions, replacements and swaps of neighbours between two short words.
fn edit_distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, r) in right.iter().enumerate() {
            let mut least = (last[j] + usize::from(l != r)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *l == right[j - 1] && left[i - 1] == *r {
                least = least.min(before_last[j - 1] + 1);
            }
            row.push(least);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[right.len()]
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
        for name in ["zz", "nope", "", "deleteRepository", "writeFile2", "\u{fffd}x"] {
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
