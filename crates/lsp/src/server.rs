//! The protocol: which messages there are, and what becomes of them.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOptions, CodeActionOrCommand, CodeActionParams,
    CodeActionProviderCapability, Diagnostic, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, Hover,
    HoverContents, HoverParams, HoverProviderCapability, MarkupContent, MarkupKind, Position,
    PublishDiagnosticsParams, Range, SaveOptions, ServerCapabilities, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri, WorkspaceEdit,
};
use serde_json::{Value, json};

use crate::answers::{Findings, Patience, Subject, check, repair};
use crate::documents::Documents;
use crate::uri;

type Failure = Box<dyn Error + Send + Sync>;

/// How long one answer may take if the editor says nothing.
const PATIENCE: Duration = Duration::from_secs(10);

/// What the other thread is to do.
enum Task {
    /// Look at a document.
    Check { uri: Uri, generation: u64 },
    /// Find the repair that an action stands for.
    Repair { id: RequestId, action: Box<CodeAction>, uri: Uri },
}

/// Whoever speaks with the editor.
struct Server<'a> {
    connection: &'a Connection,
    documents: Arc<Documents>,
    tasks: Sender<Task>,
}

/// Serves one editor.
pub(crate) fn run(connection: &Connection) -> Result<(), Failure> {
    let wishes = connection.initialize(serde_json::to_value(capabilities())?)?;
    let patience = patience(&wishes["initializationOptions"]);
    let documents = Arc::new(Documents::default());
    let (tasks, to_do) = channel();
    let editor = connection.sender.clone();
    // An editor that is gone hears nothing any more; the loop that reads its messages ends everything.
    let editor = Box::new(move |message| drop(editor.send(message)));
    let worker = Worker { documents: Arc::clone(&documents), editor, patience };
    let thread = std::thread::spawn(move || worker.work(&to_do));
    let served = Server { connection, documents, tasks }.serve();
    // Without anybody who could ask, the worker ends when it has answered.
    thread.join().map_err(|_| "the worker panicked")?;
    served
}

/// Limits that the editor is configured with: `timeoutSeconds`, `maxMemoryMiB`.
fn patience(wishes: &Value) -> Patience {
    let time = wishes["timeoutSeconds"].as_u64().map_or(PATIENCE, Duration::from_secs);
    let memory = wishes["maxMemoryMiB"].as_u64().and_then(|mib| usize::try_from(mib).ok());
    Patience { time, memory: memory.and_then(|mib| mib.checked_mul(1 << 20)) }
}

fn capabilities() -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::FULL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
            include_text: Some(true),
        })),
        ..TextDocumentSyncOptions::default()
    };
    let actions = CodeActionOptions {
        code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
        resolve_provider: Some(true),
        ..CodeActionOptions::default()
    };
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(actions)),
        ..ServerCapabilities::default()
    }
}

impl Server<'_> {
    fn serve(self) -> Result<(), Failure> {
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.request(request)?;
                }
                Message::Notification(notification) => self.notification(notification)?,
                // Nothing is asked of the editor.
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn request(&self, request: Request) -> Result<(), Failure> {
        let Request { id, method, params } = request;
        let answer = match method.as_str() {
            "textDocument/hover" => {
                serde_json::from_value(params).map(|asked| json!(self.hover(&asked)))
            }
            "textDocument/codeAction" => {
                serde_json::from_value(params).map(|asked| json!(self.actions(&asked)))
            }
            "codeAction/resolve" => match serde_json::from_value::<CodeAction>(params) {
                Ok(action) => return self.resolve(id, action),
                Err(error) => Err(error),
            },
            other => {
                let error = format!("`{other}` is not served");
                return self.send(Response::new_err(id, ErrorCode::MethodNotFound as i32, error));
            }
        };
        self.send(match answer {
            Ok(answer) => Response::new_ok(id, answer),
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
        })
    }

    fn send(&self, response: Response) -> Result<(), Failure> {
        Ok(self.connection.sender.send(Message::Response(response))?)
    }

    fn notification(&self, notification: Notification) -> Result<(), Failure> {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                let opened: DidOpenTextDocumentParams = serde_json::from_value(params)?;
                self.check(&opened.text_document.uri, Some(opened.text_document.text))?;
            }
            "textDocument/didChange" => {
                let changed: DidChangeTextDocumentParams = serde_json::from_value(params)?;
                // Every change is the whole text.
                if let Some(last) = changed.content_changes.into_iter().next_back() {
                    self.documents.edit(&changed.text_document.uri, last.text);
                }
            }
            "textDocument/didSave" => {
                let saved: DidSaveTextDocumentParams = serde_json::from_value(params)?;
                self.check(&saved.text_document.uri, saved.text)?;
            }
            "textDocument/didClose" => {
                let closed: DidCloseTextDocumentParams = serde_json::from_value(params)?;
                let uri = closed.text_document.uri;
                let elsewhere = self.documents.get(&uri).unwrap_or_default().shown_elsewhere;
                self.documents.close(&uri);
                for uri in elsewhere.into_iter().chain([uri]) {
                    self.connection.sender.send(published(uri, Vec::new()))?;
                }
            }
            // Whatever else an editor tells is nothing that changes an answer.
            _ => {}
        }
        Ok(())
    }

    /// Has a document looked at.
    fn check(&self, uri: &Uri, text: Option<String>) -> Result<(), Failure> {
        let text = text.or_else(|| Some(self.documents.get(uri)?.text));
        self.documents.edit(uri, text.unwrap_or_default());
        let generation = self.documents.get(uri).map_or(0, |document| document.generation);
        Ok(self.tasks.send(Task::Check { uri: uri.clone(), generation })?)
    }

    fn hover(&self, asked: &HoverParams) -> Option<Hover> {
        let asked = &asked.text_document_position_params;
        let document = self.documents.get(&asked.text_document.uri)?;
        let mut here =
            document.hovers.into_iter().filter(|(range, _)| is_in(asked.position, range));
        let (range, value) = here.next()?;
        let contents = MarkupContent { kind: MarkupKind::Markdown, value };
        Some(Hover { contents: HoverContents::Markup(contents), range: Some(range) })
    }

    /// The repair, if there is something to repair at the place; what it changes is found out when it is chosen.
    fn actions(&self, asked: &CodeActionParams) -> Vec<CodeActionOrCommand> {
        let uri = &asked.text_document.uri;
        let ours = |one: &&Diagnostic| one.source.as_deref() == Some("fencewright");
        let about: Vec<Diagnostic> =
            asked.context.diagnostics.iter().filter(ours).cloned().collect();
        let is_repairable = self.documents.get(uri).is_some_and(|document| document.is_repairable);
        if about.is_empty() || !is_repairable {
            return Vec::new();
        }
        vec![CodeActionOrCommand::CodeAction(CodeAction {
            title: "Insert the cheapest fences that make the program robust (proven)".to_owned(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(about),
            is_preferred: Some(true),
            data: Some(json!({ "uri": uri })),
            ..CodeAction::default()
        })]
    }

    fn resolve(&self, id: RequestId, action: CodeAction) -> Result<(), Failure> {
        let uri = action.data.as_ref().map(|data| data["uri"].clone());
        match uri.and_then(|uri| serde_json::from_value(uri).ok()) {
            Some(uri) => Ok(self.tasks.send(Task::Repair { id, action: Box::new(action), uri })?),
            None => self.send(Response::new_err(
                id,
                ErrorCode::InvalidParams as i32,
                "unknown action".to_owned(),
            )),
        }
    }
}

fn is_in(position: Position, range: &Range) -> bool {
    // Pointing at the line is enough.
    (range.start.line..=range.end.line).contains(&position.line)
}

fn published(uri: Uri, diagnostics: Vec<Diagnostic>) -> Message {
    let params = PublishDiagnosticsParams { uri, diagnostics, version: None };
    Message::Notification(Notification::new("textDocument/publishDiagnostics".to_owned(), params))
}

/// Whoever answers questions.
struct Worker {
    documents: Arc<Documents>,
    /// Hands a message to the editor.
    editor: Box<dyn Fn(Message) + Send>,
    patience: Patience,
}

impl Worker {
    fn work(&self, to_do: &Receiver<Task>) {
        for task in to_do {
            match task {
                Task::Check { uri, generation } => self.check(&uri, generation),
                Task::Repair { id, action, uri } => {
                    let response = match self.repair(*action, &uri) {
                        Ok(action) => Response::new_ok(id, action),
                        Err(why) => Response::new_err(id, ErrorCode::RequestFailed as i32, why),
                    };
                    (self.editor)(Message::Response(response));
                }
            }
        }
    }

    fn check(&self, uri: &Uri, generation: u64) {
        let is_current = || self.documents.is_current(uri, generation);
        let (Some(document), Some(path)) = (self.documents.get(uri), uri::path(uri)) else {
            return;
        };
        if document.generation != generation {
            return;
        }
        let subject = Subject { uri, path: &path, text: &document.text };
        let Findings { diagnostics, hovers, is_repairable } =
            check(&subject, self.patience, &is_current);
        let mut by_document: BTreeMap<String, (Uri, Vec<Diagnostic>)> = BTreeMap::new();
        // Whoever showed something before is told that it is gone.
        for shown in document.shown_elsewhere.iter().chain([uri]) {
            by_document.insert(shown.as_str().to_owned(), (shown.clone(), Vec::new()));
        }
        for (at, diagnostic) in diagnostics {
            let entry = by_document.entry(at.as_str().to_owned());
            entry.or_insert_with(|| (at, Vec::new())).1.push(diagnostic);
        }
        let elsewhere = by_document.values().filter(|(at, all)| at != uri && !all.is_empty());
        let elsewhere: Vec<Uri> = elsewhere.map(|(at, _)| at.clone()).collect();
        let is_news = self.documents.update(uri, generation, |document| {
            document.hovers = hovers;
            document.is_repairable = is_repairable;
            document.shown_elsewhere = elsewhere;
        });
        if is_news {
            for (at, diagnostics) in by_document.into_values() {
                (self.editor)(published(at, diagnostics));
            }
        }
    }

    fn repair(&self, action: CodeAction, uri: &Uri) -> Result<CodeAction, String> {
        let closed = || "the document is not open".to_owned();
        let document = self.documents.get(uri).ok_or_else(closed)?;
        let path = uri::path(uri).ok_or_else(|| "the document is not a file".to_owned())?;
        let is_current = || self.documents.is_current(uri, document.generation);
        let subject = Subject { uri, path: &path, text: &document.text };
        let edits = repair(&subject, self.patience, &is_current)?;
        if !is_current() {
            return Err("the document has changed".to_owned());
        }
        let changes = edits.into_iter().map(|(uri, edits)| (uri.as_str().to_owned(), edits));
        let changes: BTreeMap<String, Vec<lsp_types::TextEdit>> = changes.collect();
        let edit: WorkspaceEdit = serde_json::from_value(json!({ "changes": changes }))
            .map_err(|error| error.to_string())?;
        Ok(CodeAction { edit: Some(edit), ..action })
    }
}
