//! The manifest of clients is complete: every program is in it, and argued. What `check` says of them is compared by
//! the example `clients`, which needs the registry.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{entries, read};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Clients {
    about: String,
    client: Vec<Client>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Client {
    name: String,
    feature: Option<String>,
    file: Option<String>,
    #[serde(default)]
    flags: Vec<String>,
    needs: Option<String>,
    #[serde(default)]
    assume: Vec<String>,
    expected: BTreeMap<String, String>,
    known: String,
}

#[test]
fn every_client_is_in_the_manifest() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/clients");
    let text = read(&folder.join("suite.toml"));
    let clients: Clients = toml::from_str(&text).unwrap_or_else(|error| panic!("{error}"));
    assert!(!clients.about.is_empty());
    let mut listed = BTreeSet::new();
    for client in &clients.client {
        let name = &client.name;
        assert!(!client.known.is_empty() && !client.expected.is_empty(), "{name} is not argued");
        assert!(client.assume.iter().all(|one| !one.is_empty()), "{name}");
        for (asked, verdict) in &client.expected {
            let is_asked = ["races", "errors", "final_states", "robustness"].contains(&&**asked);
            assert!(is_asked && ["holds", "violated"].contains(&&**verdict), "{name}: {asked}");
        }
        match (&client.feature, &client.file) {
            (Some(_), None) => {
                assert!(client.flags.is_empty() && client.needs.is_none(), "{name}");
                assert!(listed.insert(folder.join(format!("crates/src/bin/{name}.rs"))), "{name}");
            }
            (None, Some(file)) => {
                listed.insert(folder.join("c").join(file));
            }
            (Some(_), Some(_)) | (None, None) => panic!("{name}: a feature or a file"),
        }
    }
    let there = [entries(&folder.join("crates/src/bin")), entries(&folder.join("c"))].concat();
    assert_eq!(listed, there.into_iter().collect());
}
