//! The state of a session, and the answers to its messages.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};

use anyhow::{Context, bail};
use buffer_config::editor::{self, offset_of};
use buffer_config::finding::Finding;
use buffer_config::source::SourceText;
use lsp_types::{
    CodeActionKind, CodeActionParams, CodeActionProviderCapability, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, Hover, HoverContents, HoverParams,
    HoverProviderCapability, InitializeResult, MarkupContent, MarkupKind, PublishDiagnosticsParams, Range,
    ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::convert;
use super::frame::{self, Frame};
use crate::Outcome;
use crate::commands::check::editor::Checker;

/// The largest document that is checked. `harrier check` has no such limit by default; an editor checks with every
/// change.
const MAX_DOCUMENT_BYTES: usize = 16 << 20;
/// The most repairs that are tried for one request: each checks the document again.
const MAX_REPAIRS: usize = 50;
/// The most documents that are open at once.
const MAX_DOCUMENTS: usize = 1000;

/// Error codes of JSON-RPC 2.0 and of the protocol.
mod code {
    pub(super) const PARSE: i64 = -32700;
    pub(super) const INVALID_REQUEST: i64 = -32600;
    pub(super) const UNKNOWN_METHOD: i64 = -32601;
    pub(super) const INVALID_PARAMETERS: i64 = -32602;
    pub(super) const NOT_INITIALISED: i64 = -32002;
}

/// An open document.
struct Document {
    text: String,
    version: Option<i32>,
    findings: Vec<Finding>,
    checker: Checker,
}

/// How far a session is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    New,
    Running,
    ShutDown,
}

/// What the client supports.
#[derive(Clone, Copy, Debug, Default)]
struct Client {
    /// Edits with the version of their document (`workspace.workspaceEdit.documentChanges`).
    has_versioned_edits: bool,
    /// Code actions that are no commands (`textDocument.codeAction.codeActionLiteralSupport`).
    has_actions: bool,
    /// Preferred actions (`textDocument.codeAction.isPreferredSupport`).
    has_preferred_actions: bool,
}

impl Client {
    fn new(parameters: &Value) -> Self {
        let at = |pointer: &str| parameters.pointer(pointer);
        let is = |pointer: &str| at(pointer).and_then(Value::as_bool) == Some(true);
        Self {
            has_versioned_edits: is("/capabilities/workspace/workspaceEdit/documentChanges"),
            has_actions: at("/capabilities/textDocument/codeAction/codeActionLiteralSupport")
                .is_some_and(Value::is_object),
            has_preferred_actions: is("/capabilities/textDocument/codeAction/isPreferredSupport"),
        }
    }
}

struct Server<W> {
    output: W,
    stage: Stage,
    client: Client,
    documents: BTreeMap<String, Document>,
}

/// An error that the client gets.
struct Refusal(i64, String);

/// Serves one client until it closes the session.
///
/// # Errors
/// A frame is malformed, or the client ended without `exit`.
pub(crate) fn run(input: &mut impl BufRead, output: impl Write) -> anyhow::Result<Outcome> {
    let mut server =
        Server { output, stage: Stage::New, client: Client::default(), documents: BTreeMap::new() };
    loop {
        match frame::read(input)? {
            Frame::End => bail!("the client closed the connection without `exit`"),
            Frame::TooLarge(bytes) => {
                let limit = frame::MAX_BODY_BYTES;
                let message = format!("a message has {bytes} bytes; at most {limit} are read");
                server.refuse(Value::Null, &Refusal(code::INVALID_REQUEST, message))?;
            }
            Frame::Message(body) => {
                if let Some(outcome) = server.message(&body)? {
                    return Ok(outcome);
                }
            }
        }
    }
}

/// The parameters of a request or notification.
fn parameters<T: DeserializeOwned>(value: Value) -> Result<T, Refusal> {
    serde_json::from_value(value).map_err(|error| Refusal(code::INVALID_PARAMETERS, error.to_string()))
}

fn result(value: impl Serialize) -> Result<Value, Refusal> {
    serde_json::to_value(value).map_err(|error| Refusal(code::INVALID_REQUEST, error.to_string()))
}

impl<W: Write> Server<W> {
    /// Answers a message. Returns the outcome of the session at its end.
    fn message(&mut self, body: &[u8]) -> anyhow::Result<Option<Outcome>> {
        let mut message: Value = match serde_json::from_slice(body) {
            Ok(message) => message,
            Err(error) => {
                self.refuse(Value::Null, &Refusal(code::PARSE, error.to_string()))?;
                return Ok(None);
            }
        };
        let id = message.get("id").cloned();
        let Some(method) = message.get("method").and_then(Value::as_str).map(str::to_string) else {
            // An answer to a request of the server, which sends none; anything else is invalid.
            if message.get("result").is_none() && message.get("error").is_none() {
                let refusal = Refusal(code::INVALID_REQUEST, "the message has no method".to_string());
                self.refuse(id.unwrap_or(Value::Null), &refusal)?;
            }
            return Ok(None);
        };
        if method == "exit" {
            let is_fine = self.stage == Stage::ShutDown;
            return Ok(Some(if is_fine { Outcome::Fine } else { Outcome::Findings }));
        }
        let parameters = message.get_mut("params").map(Value::take).unwrap_or(Value::Null);
        match id {
            Some(id) => match self.request(&method, parameters) {
                Ok(result) => self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}))?,
                Err(refusal) => self.refuse(id, &refusal)?,
            },
            None => self.notification(&method, parameters)?,
        }
        Ok(None)
    }

    fn request(&mut self, method: &str, parameters: Value) -> Result<Value, Refusal> {
        match (self.stage, method) {
            (Stage::New, "initialize") => {
                self.stage = Stage::Running;
                self.client = Client::new(&parameters);
                result(capabilities(self.client))
            }
            (Stage::New, _) => {
                Err(Refusal(code::NOT_INITIALISED, format!("`{method}` came before `initialize`")))
            }
            (Stage::ShutDown, _) => {
                Err(Refusal(code::INVALID_REQUEST, format!("`{method}` came after `shutdown`")))
            }
            (Stage::Running, "initialize") => {
                Err(Refusal(code::INVALID_REQUEST, "the session is initialised already".to_string()))
            }
            (Stage::Running, "shutdown") => {
                self.stage = Stage::ShutDown;
                Ok(Value::Null)
            }
            (Stage::Running, "textDocument/hover") => self.hover(parameters),
            (Stage::Running, "textDocument/codeAction") => self.actions(parameters),
            (Stage::Running, _) => {
                Err(Refusal(code::UNKNOWN_METHOD, format!("the server does not support `{method}`")))
            }
        }
    }

    /// Notifications have no answer. Invalid ones are reported on standard error.
    fn notification(&mut self, method: &str, value: Value) -> anyhow::Result<()> {
        if self.stage != Stage::Running {
            return Ok(());
        }
        let done = match method {
            "textDocument/didOpen" => parameters(value).map(|p| self.opened(p)),
            "textDocument/didChange" => parameters(value).map(|p| self.changed(p)),
            "textDocument/didClose" => parameters(value).map(|p| self.closed(p)),
            _ => return Ok(()),
        };
        match done {
            Ok(sent) => sent,
            Err(Refusal(_, message)) => {
                stderr_line!("{method}: {message}");
                Ok(())
            }
        }
    }

    fn opened(&mut self, parameters: DidOpenTextDocumentParams) -> anyhow::Result<()> {
        let document = parameters.text_document;
        self.update(&document.uri, Some(document.version), document.text)
    }

    fn changed(&mut self, parameters: DidChangeTextDocumentParams) -> anyhow::Result<()> {
        let uri = parameters.text_document.uri;
        if !self.documents.contains_key(uri.as_str()) {
            stderr_line!("textDocument/didChange: {} is not open", uri.as_str());
            return Ok(());
        }
        // The server asks for whole texts, so that the last change is the text.
        match parameters.content_changes.into_iter().next_back() {
            Some(change) => self.update(&uri, Some(parameters.text_document.version), change.text),
            None => Ok(()),
        }
    }

    fn closed(&mut self, parameters: DidCloseTextDocumentParams) -> anyhow::Result<()> {
        let uri = parameters.text_document.uri;
        self.documents.remove(uri.as_str());
        self.publish(uri, None, Vec::new())
    }

    /// Checks a text and sends its findings.
    fn update(&mut self, uri: &Uri, version: Option<i32>, text: String) -> anyhow::Result<()> {
        let path = convert::path(uri);
        let name = path.as_ref().map_or(uri.as_str().to_string(), |path| path.display().to_string());
        let is_known = self.documents.contains_key(uri.as_str());
        let (checker, findings) = if text.len() > MAX_DOCUMENT_BYTES {
            let reason = format!("the document has more than {} MiB", MAX_DOCUMENT_BYTES >> 20);
            (Checker::default(), vec![editor::not_checked(&name, &reason)])
        } else if !is_known && self.documents.len() >= MAX_DOCUMENTS {
            let reason = format!("more than {MAX_DOCUMENTS} documents are open");
            (Checker::default(), vec![editor::not_checked(&name, &reason)])
        } else {
            match Checker::new(path.as_deref()) {
                Ok(checker) => {
                    let findings = checker.check(&name, &text);
                    (checker, findings)
                }
                Err(error) => (Checker::default(), vec![editor::not_checked(&name, &format!("{error:#}"))]),
            }
        };
        let diagnostics = findings.iter().map(|finding| convert::diagnostic(&text, finding)).collect();
        if is_known || self.documents.len() < MAX_DOCUMENTS {
            let document = Document { text, version, findings, checker };
            self.documents.insert(uri.as_str().to_string(), document);
        }
        self.publish(uri.clone(), version, diagnostics)
    }

    fn publish(
        &mut self,
        uri: Uri,
        version: Option<i32>,
        diagnostics: Vec<lsp_types::Diagnostic>,
    ) -> anyhow::Result<()> {
        let parameters = PublishDiagnosticsParams { uri, diagnostics, version };
        self.send(&json!({
            "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": parameters,
        }))
    }

    fn document(&self, uri: &Uri) -> Result<&Document, Refusal> {
        self.documents
            .get(uri.as_str())
            .ok_or_else(|| Refusal(code::INVALID_PARAMETERS, format!("{} is not open", uri.as_str())))
    }

    /// The rules of the findings at a position.
    fn hover(&self, value: Value) -> Result<Value, Refusal> {
        let parameters: HoverParams = parameters(value)?;
        let at = parameters.text_document_position_params;
        let document = self.document(&at.text_document.uri)?;
        let offset = offset_of(&document.text, convert::place(at.position)) as u32;
        let found: Vec<&Finding> = document.overlapping(offset, offset).collect();
        let Some(first) = found.first() else { return Ok(Value::Null) };
        let texts: Vec<String> = found.iter().map(|finding| editor::explanation(finding)).collect();
        result(Hover {
            contents: HoverContents::Markup(MarkupContent {
                kind: MarkupKind::Markdown,
                value: texts.join("\n---\n\n"),
            }),
            range: Some(convert::range(&document.text, first.span)),
        })
    }

    /// The repairs of the findings in a range.
    fn actions(&self, value: Value) -> Result<Value, Refusal> {
        let parameters: CodeActionParams = parameters(value)?;
        let uri = parameters.text_document.uri;
        if !self.client.has_actions {
            return Ok(Value::Array(Vec::new()));
        }
        let is_wanted = |kind: &CodeActionKind| matches!(kind.as_str(), "" | "quickfix");
        if parameters.context.only.as_ref().is_some_and(|only| !only.iter().any(is_wanted)) {
            return Ok(Value::Array(Vec::new()));
        }
        let document = self.document(&uri)?;
        let Range { start, end } = parameters.range;
        let [from, to] = [start, end].map(|at| offset_of(&document.text, convert::place(at)) as u32);
        let mut actions = Vec::new();
        let has_repair = |f: &&Finding| !(f.patch.is_empty() && f.commands.is_empty());
        for finding in document.overlapping(from, to).filter(has_repair).take(MAX_REPAIRS) {
            let source = SourceText { name: &finding.file, text: &document.text };
            let Some(edit) = document.checker.repair(source, finding) else { continue };
            let edit = convert::text_edit(&document.text, edit);
            let edit = match self.client.has_versioned_edits {
                true => json!({ "documentChanges": [{
                    "textDocument": { "uri": uri, "version": document.version },
                    "edits": [edit],
                }] }),
                false => json!({ "changes": { uri.as_str(): [edit] } }),
            };
            let mut action = json!({
                "title": format!("Repair {} {}", finding.code, finding.rule),
                "kind": "quickfix",
                "diagnostics": [convert::diagnostic(&document.text, finding)],
                "edit": edit,
            });
            if let Some(members) = action.as_object_mut().filter(|_| self.client.has_preferred_actions) {
                members.insert("isPreferred".to_string(), true.into());
            }
            actions.push(action);
        }
        Ok(Value::Array(actions))
    }

    fn refuse(&mut self, id: Value, Refusal(code, message): &Refusal) -> anyhow::Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message }}))
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let body = serde_json::to_vec(message)?;
        frame::write(&mut self.output, &body).context("the client has closed the connection")
    }
}

impl Document {
    /// The findings that have a byte in common with a range, or touch it.
    fn overlapping(&self, from: u32, to: u32) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(move |f| f.span.start <= to && from <= f.span.end)
    }
}

fn capabilities(client: Client) -> InitializeResult {
    InitializeResult {
        capabilities: ServerCapabilities {
            text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            code_action_provider: Some(CodeActionProviderCapability::Simple(client.has_actions)),
            ..ServerCapabilities::default()
        },
        server_info: Some(ServerInfo {
            name: "harrier".to_string(),
            version: Some(env!("CARGO_PKG_VERSION").to_string()),
        }),
    }
}
