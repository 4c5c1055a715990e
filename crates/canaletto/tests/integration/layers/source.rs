//! Paths of the engine's own modules that its code names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub type Modules = BTreeMap<String, BTreeSet<String>>;

pub fn modules() -> Modules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let module = |file: &PathBuf| {
        let place = file.strip_prefix(&root).unwrap().with_extension("");
        let names: Vec<&str> = place.iter().map(|name| name.to_str().unwrap()).collect();
        let names = names.strip_suffix(&["mod"]).unwrap_or(&names);
        if names == ["lib"] { String::new() } else { names.join("::") }
    };
    files.iter().map(|file| (module(file), named(&module(file), &fs::read_to_string(file).unwrap()))).collect()
}

fn sources(path: &Path, found: &mut Vec<PathBuf>) {
    let is_test = |path: &Path| path.iter().any(|part| part == "tests" || part == "tests.rs");
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| sources(&entry.unwrap().path(), found));
    } else if path.extension().is_some_and(|kind| kind == "rs") && !is_test(path) {
        found.push(path.to_owned());
    }
}

fn code(text: &str) -> String {
    let mut code = String::new();
    let is_tests = |at: &usize| text[*at..].lines().nth(1).is_some_and(|line| line.ends_with("mod tests {"));
    let end = text.match_indices("#[cfg(test)]\n").map(|(at, _)| at).find(is_tests);
    let mut rest = &text[..end.unwrap_or(text.len())];
    while let Some(at) = rest.find(['/', '"']) {
        code += &rest[..at];
        rest = &rest[at..];
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with('"') && !code.ends_with('\'') {
            let mut is_escaped = false;
            let end = rest[1..].find(|c| {
                let is_end = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                is_end
            });
            rest = &rest[1 + end.expect("a text ends") + 1..];
        } else {
            code.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    code + rest
}

fn named(module: &str, text: &str) -> BTreeSet<String> {
    let code = code(text);
    let own: Vec<&str> = module.split("::").filter(|name| !name.is_empty()).collect();
    let mut found = BTreeSet::new();
    for head in ["crate::", "self::", "super::"] {
        for (at, _) in code.match_indices(head) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let mut rest = &code[at..];
            let mut base = if head == "crate::" { Vec::new() } else { own.clone() };
            while let Some(above) = rest.strip_prefix("super::") {
                (rest, _) = (above, base.pop());
            }
            let rest = rest.strip_prefix("crate::").or(rest.strip_prefix("self::")).unwrap_or(rest);
            let mut tree = String::new();
            read_tree(rest, &mut tree);
            expand(&base.join("::"), &tree, &mut found);
        }
    }
    found
}

fn read_tree(text: &str, tree: &mut String) {
    let mut depth = 0;
    for c in text.chars() {
        match c {
            '{' if tree.ends_with("::") || depth > 0 => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '*' if depth > 0 => {}
            c if c.is_whitespace() && depth > 0 => continue,
            ':' | '_' => {}
            c if c.is_alphanumeric() => {}
            _ => return,
        }
        tree.push(c);
        if depth == 0 && c == '}' {
            return;
        }
    }
}

fn expand(base: &str, tree: &str, found: &mut BTreeSet<String>) {
    let join = |name: &str| if base.is_empty() { name.to_owned() } else { format!("{base}::{name}") };
    let Some((prefix, list)) = tree.split_once('{') else {
        let name = tree.trim_end_matches(':');
        if !name.is_empty() {
            found.insert(join(name));
        }
        return;
    };
    let base = join(prefix.trim_end_matches("::")).trim_end_matches("::").to_owned();
    let (mut depth, mut from) = (0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                expand(&base, &list[from..at], found);
                from = at + 1;
            }
            _ => {}
        }
    }
}

pub fn module_of<'a>(path: &str, modules: &'a Modules) -> &'a str {
    let mut path = path;
    loop {
        if let Some((module, _)) = modules.get_key_value(path) {
            return module;
        }
        path = path.rsplit_once("::").map_or("", |(above, _)| above);
    }
}

pub fn is_below(path: &str, module: &str) -> bool {
    path == module || path.strip_prefix(module).is_some_and(|rest| rest.starts_with("::"))
}

#[test]
fn paths_are_found_wherever_they_stand() {
    let text =
        "use crate::a::{b, c::{D, e}};\n// crate::no\nfn f() { \"crate::no\"; g(crate::h::I::j(1)); super::k() }\n";
    let found = named("x::y", text);
    let expected = ["a::b", "a::c::D", "a::c::e", "h::I::j", "x::k"];
    assert_eq!(found, expected.map(str::to_owned).into());
}
