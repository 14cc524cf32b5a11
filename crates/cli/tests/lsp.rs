//! An editor that speaks with `fencewright lsp` by its protocol.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// More states than can be searched while a test runs.
const LARGE: &str = "shared x, y, z
thread p[4] { local a, b, c, i; while i < 90 { i = i + 1; x = i; a = y; y = a + 1; b = z; z = b + 1; c = x } }
";
const SMALL: &str = "shared x\nthread p { x = 1 }\nthread q { x = 2 }\n";

/// An editor with its server.
struct Editor {
    server: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    requests: u64,
    /// Notifications that came while something else was waited for.
    heard: Vec<Value>,
}

impl Editor {
    fn start() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_fencewright"))
            .arg("lsp")
            .env("FENCEWRIGHT_CACHE", Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp-cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let to = server.stdin.take().expect("piped");
        let from = BufReader::new(server.stdout.take().expect("piped"));
        let mut editor = Self { server, to, from, requests: 0, heard: Vec::new() };
        let wishes = json!({ "timeoutSeconds": 600 });
        let answer = editor.request(
            "initialize",
            &json!({ "capabilities": {}, "processId": null, "rootUri": null, "initializationOptions": wishes }),
        );
        assert_eq!(answer["capabilities"]["hoverProvider"], true);
        editor.notify("initialized", &json!({}));
        editor
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len())
            .expect("the server listens");
        self.to.flush().expect("the server listens");
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).expect("readable") > 0, "the server has ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", number)) => length = number.parse().expect("a number"),
                Some(_) => {}
                None => break,
            }
        }
        let mut content = vec![0; length];
        self.from.read_exact(&mut content).expect("a message");
        serde_json::from_slice(&content).expect("JSON")
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The answer, or the error.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.heard.push(message);
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        let message = self.ask(method, params);
        assert!(message.get("error").is_none(), "{message}");
        message["result"].clone()
    }

    /// The next diagnostics of a document.
    fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        loop {
            let is_it = |message: &Value| {
                message["method"] == "textDocument/publishDiagnostics"
                    && message["params"]["uri"] == uri
            };
            if let Some(at) = self.heard.iter().position(is_it) {
                let message = self.heard.remove(at);
                return message["params"]["diagnostics"].as_array().expect("a list").clone();
            }
            let message = self.receive();
            self.heard.push(message);
        }
    }

    fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
    }

    fn change(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "version": 2 });
        self.notify(
            "textDocument/didChange",
            &json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    fn save(&mut self, uri: &str, text: &str) {
        self.notify(
            "textDocument/didSave",
            &json!({ "textDocument": { "uri": uri }, "text": text }),
        );
    }

    fn end(mut self) {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        assert_eq!(self.server.wait().expect("it ends").code(), Some(0));
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// A copy of a program that may be changed.
fn copy(file: &str, name: &str) -> (PathBuf, String, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lsp files");
    std::fs::create_dir_all(&folder).expect("writable");
    let path = folder.join(name);
    let text = std::fs::read_to_string(Path::new(ROOT).join(file)).expect("readable");
    std::fs::write(&path, &text).expect("writable");
    let uri = format!("file://{}", path.display().to_string().replace(' ', "%20"));
    (path, uri, text)
}

/// A text after the edits of an action.
fn edited(text: &str, edits: &Value) -> String {
    let mut text = text.to_owned();
    for edit in edits.as_array().expect("edits").iter().rev() {
        let offset = |position: &Value| {
            let number = |name: &str| {
                usize::try_from(position[name].as_u64().expect("a number")).expect("small")
            };
            let before: usize = text.split_inclusive('\n').take(number("line")).map(str::len).sum();
            // The texts here are ASCII at the places that are edited.
            before + number("character")
        };
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        text.replace_range(range, edit["newText"].as_str().expect("a text"));
    }
    text
}

/// Opens a program, has it repaired, and looks at it again.
fn is_found_shown_and_repaired(
    editor: &mut Editor,
    file: &str,
    language: &str,
    line: u64,
    fence: &str,
) {
    let name = Path::new(file).file_name().and_then(|name| name.to_str()).expect("a name");
    let (path, uri, text) = copy(file, name);
    editor.open(&uri, language, &text);
    let found = editor.diagnostics(&uri);
    // In C an error or a new final state may come before it.
    let one = found.iter().find(|one| one["code"] == "not-robust");
    let one = one.unwrap_or_else(|| panic!("{file}: {found:?}"));
    assert_eq!(one["severity"], 1);
    assert_eq!(one["range"]["start"]["line"], line);
    assert_eq!(one["relatedInformation"][0]["location"]["uri"], uri.as_str());
    let document = json!({ "uri": uri });
    let hover = editor.request(
        "textDocument/hover",
        &json!({ "textDocument": document, "position": { "line": line, "character": 6 } }),
    );
    let said = hover["contents"]["value"].as_str().expect("something is said");
    assert!(said.contains("overtakes its store"), "{said}");
    let elsewhere = json!({ "textDocument": document, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.request("textDocument/hover", &elsewhere), Value::Null);
    let context = json!({ "diagnostics": found });
    let asked = json!({ "textDocument": document, "range": one["range"], "context": context });
    let actions = editor.request("textDocument/codeAction", &asked);
    let action = editor.request("codeAction/resolve", &actions[0]);
    let repaired = edited(&text, &action["edit"]["changes"][&uri]);
    assert!(repaired.contains(fence), "{repaired}");
    editor.change(&uri, &repaired);
    std::fs::write(&path, &repaired).expect("writable");
    editor.save(&uri, &repaired);
    assert_eq!(editor.diagnostics(&uri), Vec::<Value>::new(), "{file}");
    let asked = json!({ "textDocument": document, "range": one["range"], "context": context });
    assert_eq!(editor.request("textDocument/codeAction", &asked), json!([]));
}

#[test]
fn violations_are_found_shown_and_repaired() {
    let mut editor = Editor::start();
    is_found_shown_and_repaired(&mut editor, "corpus/mutex/peterson.fw", "fw", 14, "fence");
    is_found_shown_and_repaired(
        &mut editor,
        "corpus/c/peterson.c",
        "c",
        24,
        "memory_order_seq_cst",
    );
    editor.end();
}

#[test]
fn errors_have_places_and_vanish_with_their_documents() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/wrong.fw";
    editor.open(uri, "fw", "shared x\nthread p { y = 1 }\n");
    let found = editor.diagnostics(uri);
    assert_eq!(found[0]["code"], "input");
    assert_eq!(found[0]["range"]["start"]["line"], 1);
    editor.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }));
    assert_eq!(editor.diagnostics(uri), Vec::<Value>::new());
    let refused = editor.ask("textDocument/rename", &json!({}));
    assert_eq!(refused["error"]["code"], -32601);
    editor.end();
}

#[test]
fn the_next_edit_cancels_what_is_under_way() {
    let mut editor = Editor::start();
    let uri = "file:///nowhere/model.fw";
    editor.open(uri, "fw", LARGE);
    // Nothing is heard of the large one: its search would take until the time is up.
    editor.change(uri, SMALL);
    editor.save(uri, SMALL);
    assert_eq!(editor.diagnostics(uri), Vec::<Value>::new());
    editor.end();
}
