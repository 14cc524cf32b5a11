//! Makes one page of its parts. It works from anywhere, `file:` included: in it are JavaScript's side of the engine
//! (wasm-bindgen's), the engine itself (compressed, in base 64), the examples, and the grammar that editors paint
//! models with.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use wasm_bindgen_cli_support::Bindgen;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

/// Writes the page of an engine. Beside it stays a folder with what wasm-bindgen made of the engine.
pub(crate) fn bundle(engine: &Path, page: &Path) -> Result<(), Box<dyn Error>> {
    let folder = page.parent().ok_or("the page is a file in a folder")?.join("engine");
    fs::create_dir_all(&folder)?;
    let mut bindings = Bindgen::new();
    bindings.input_path(engine).typescript(false).no_modules(true)?;
    bindings.remove_name_section(true).remove_producers_section(true);
    bindings.generate(&folder)?;
    let glue = fs::read_to_string(folder.join("playground.js"))?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&fs::read(folder.join("playground_bg.wasm"))?)?;

    let part = |name: &str| fs::read_to_string(Path::new(HERE).join("page").join(name));
    let worker = format!("{glue}\n{}", part("worker.js")?);
    if worker.contains("</script") {
        return Err("the worker would end its element".into());
    }
    let parts = [
        ("style", part("page.css")?),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("examples", in_page(&examples(&part("examples.toml")?)?)),
        ("grammar", in_page(&grammar()?)),
        ("worker", worker),
        ("engine", BASE64_STANDARD.encode(packed.finish()?)),
        ("script", part("page.js")?),
    ];
    // Each part once, in the order of the page: what a part contains is no place for another.
    let (mut html, mut rest) = (String::new(), part("page.html")?);
    for (name, content) in parts {
        let place = format!("{{{{{name}}}}}");
        let (before, after) =
            rest.split_once(&place).ok_or("the page has a place for each part")?;
        html = html + before + &content;
        rest = after.to_owned();
    }
    fs::write(page, html + &rest)?;
    Ok(())
}

/// JSON that ends no element.
fn in_page(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

/// The examples with their texts.
fn examples(listed: &str) -> Result<Value, Box<dyn Error>> {
    let listed: toml::Table = listed.parse()?;
    let mut groups = Vec::new();
    for group in listed["group"].as_array().ok_or("groups")? {
        let mut examples = Vec::new();
        for example in group["examples"].as_array().ok_or("examples")? {
            let word =
                |name: &str| example.get(name).and_then(toml::Value::as_str).unwrap_or_default();
            let path = Path::new(HERE).join("../../corpus").join(word("file"));
            let name = path.file_name().ok_or("a file")?.to_string_lossy();
            examples.push(json!({
                "name": name,
                "title": word("title"),
                "text": fs::read_to_string(&path)?,
                "command": word("command"),
                "choice": word("choice"),
                "more": word("more"),
            }));
        }
        groups.push(json!({ "group": group["name"].as_str(), "examples": examples }));
    }
    Ok(Value::Array(groups))
}

/// The patterns of the grammar, each with the name of what it matches.
fn grammar() -> Result<Value, Box<dyn Error>> {
    let path = Path::new(HERE).join("../../editors/vscode/syntaxes/fw.tmLanguage.json");
    let grammar: Value = serde_json::from_str(&fs::read_to_string(path)?)?;
    let patterns = grammar["patterns"].as_array().ok_or("patterns")?.iter().map(|pattern| {
        let between = || {
            let (begin, end) = (pattern["begin"].as_str()?, pattern["end"].as_str()?);
            Some(format!("{begin}[^]*?(?:{end}|$(?![^]))"))
        };
        let pattern_text = pattern["match"].as_str().map(str::to_owned).or_else(between);
        json!({ "name": pattern["name"], "match": pattern_text })
    });
    Ok(patterns.collect())
}
