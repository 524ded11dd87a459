//! `harrier lsp` as an editor uses it: a real process, real frames over its standard input and output.

#![allow(clippy::disallowed_methods, reason = "tests run the binary and read and write files")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::support::scratch;
use serde_json::{Value, json};

const URI: &str = "untitled:config_db.json";
/// A pool with an unknown type, behind two characters that UTF-16 counts as three units.
const BAD: &str = "{\"BUFFER_POOL\": {\"ingress_lossless_pool\": {\"type\": \"in\",\n\
    \"mode\": \"dynamic\", \"size\": \"1000000\"}},\n\
    \"BUFFER_PROFILE\": {\"p\": {\"pool\": \"ingress_lossless_pool\", \"size\": \"0\", \"dynamic_th\": \"0\",\n\
    \"é😀\": \"1\", \"xof\": \"9000\"}}}\n";

/// A session with the server.
struct Client {
    server: Child,
    output: BufReader<ChildStdout>,
    next_id: u64,
    /// Notifications that came before an answer.
    notifications: Vec<Value>,
}

impl Client {
    fn new() -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_harrier"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("harrier runs");
        let output = BufReader::new(server.stdout.take().expect("standard output"));
        Self { server, output, next_id: 1, notifications: Vec::new() }
    }

    /// A client after `initialize`.
    fn initialised() -> Self {
        Self::with_capabilities(json!({
            "workspace": {"workspaceEdit": {"documentChanges": true}},
            "textDocument": {"codeAction": {
                "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
                "isPreferredSupport": true,
            }},
        }))
    }

    fn with_capabilities(capabilities: Value) -> Self {
        let mut client = Self::new();
        let parameters = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
        let answer = client.request("initialize", parameters);
        assert_eq!(answer["result"]["capabilities"]["hoverProvider"], true, "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "harrier");
        client.notify("initialized", json!({}));
        client
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.server.stdin.as_mut().expect("standard input");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The answer to a request.
    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
            self.notifications.push(message);
        }
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).expect("a header") > 0, "the server has ended");
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().expect("a number"),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// The diagnostics that the server sends next, as code and start.
    fn diagnostics(&mut self) -> Vec<Value> {
        let message = match self.notifications.is_empty() {
            true => self.read(),
            false => self.notifications.remove(0),
        };
        assert_eq!(message["method"], "textDocument/publishDiagnostics", "{message}");
        message["params"]["diagnostics"].as_array().expect("diagnostics").clone()
    }

    fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({"uri": uri, "languageId": "json", "version": 1, "text": text});
        self.notify("textDocument/didOpen", json!({"textDocument": document}));
        self.diagnostics()
    }

    fn change(&mut self, uri: &str, version: i32, text: &str) -> Vec<Value> {
        let changes = json!({
            "textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}],
        });
        self.notify("textDocument/didChange", changes);
        self.diagnostics()
    }

    fn hover(&mut self, uri: &str, line: u32, character: u32) -> Value {
        let place = json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}});
        self.request("textDocument/hover", place)
    }

    fn actions(&mut self, uri: &str, range: &Value) -> Vec<Value> {
        let parameters =
            json!({"textDocument": {"uri": uri}, "range": range, "context": {"diagnostics": []}});
        let answer = self.request("textDocument/codeAction", parameters);
        answer["result"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Waits for the end of the server. Returns its exit status and standard error.
    fn end(mut self) -> (i32, String) {
        drop(self.server.stdin.take());
        let output = self.server.wait_with_output().expect("the server ends");
        (output.status.code().expect("not killed"), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|d| d["code"].as_str().expect("a code")).collect()
}

fn with_code<'d>(diagnostics: &'d [Value], code: &str) -> &'d Value {
    let found = diagnostics.iter().find(|d| d["code"] == code);
    found.unwrap_or_else(|| panic!("no {code} in {diagnostics:#?}"))
}

/// The text after an edit of a code action.
fn edited(text: &str, action: &Value) -> String {
    let edit = &action["edit"]["documentChanges"][0]["edits"][0];
    let offset = |place: &Value| {
        let (line, character) =
            (place["line"].as_u64().expect("a line"), place["character"].as_u64().expect("a character"));
        let start: usize = text.split_inclusive('\n').take(line as usize).map(str::len).sum();
        let mut units = 0;
        let rest = &text[start..];
        start
            + rest
                .char_indices()
                .find(|(_, c)| {
                    let is_there = units >= character;
                    units += c.len_utf16() as u64;
                    is_there
                })
                .map_or(rest.len(), |(at, _)| at)
    };
    let (start, end) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
    format!("{}{}{}", &text[..start], edit["newText"].as_str().expect("a text"), &text[end..])
}

#[test]
fn a_session_lists_explains_and_repairs_findings() {
    let mut client = Client::initialised();
    let diagnostics = client.open(URI, BAD);
    let pool = with_code(&diagnostics, "BUF001");
    assert_eq!(pool["severity"], 1);
    assert_eq!(pool["range"]["start"], json!({"line": 0, "character": 51}), "{pool}");
    // The misspelt field is on a line with characters outside of the basic plane.
    let line = BAD.lines().nth(3).expect("a line");
    let column = line[..line.find("\"xof\"").expect("the field")].encode_utf16().count();
    let field = diagnostics
        .iter()
        .find(|d| d["code"] == "SRC005" && d["message"].as_str().is_some_and(|m| m.contains("xof")))
        .expect("a finding");
    let start = field["range"]["start"].as_object().expect("a position");
    assert!(start["line"] == 3 && start["character"].as_u64() >= Some(column as u64), "{field}");

    let hover = client.hover(URI, 0, 52);
    let text = hover["result"]["contents"]["value"].as_str().expect("a text");
    assert!(text.contains("BUF001 pool-type") && text.contains("Why it matters"), "{text}");
    assert_eq!(client.hover(URI, 1, 0)["result"], Value::Null);

    let actions = client.actions(URI, &field["range"]);
    let action = actions.iter().find(|a| a["title"] == "Repair SRC005 unknown-field").expect("a repair");
    assert_eq!(action["kind"], "quickfix");
    let repaired = edited(BAD, action);
    serde_json::from_str::<Value>(&repaired).expect("the repaired text is JSON");
    let left = client.change(URI, 2, &repaired);
    let count = |all: &[Value]| all.iter().filter(|d| d["code"] == "SRC005").count();
    assert_eq!(count(&left) + 1, count(&diagnostics), "{left:#?}");

    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    assert_eq!(client.diagnostics(), Vec::<Value>::new());
    let after = client.hover(URI, 0, 52);
    assert_eq!(after["error"]["code"], -32602, "{after}");
    assert_eq!(client.request("shutdown", Value::Null)["result"], Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.end().0, 0);
}

#[test]
fn a_document_with_syntax_errors_shows_only_these() {
    let mut client = Client::initialised();
    let diagnostics = client.open(URI, &BAD[..BAD.len() - 3]);
    let is_syntax = |all: &[Value]| !all.is_empty() && codes(all).iter().all(|code| *code == "SRC001");
    assert!(is_syntax(&diagnostics), "{diagnostics:#?}");
    assert!(is_syntax(&client.change(URI, 2, "")));
    let diagnostics = client.change(URI, 3, BAD);
    assert!(codes(&diagnostics).contains(&"BUF001"), "{diagnostics:#?}");
}

#[test]
fn configurations_of_other_systems_are_checked_and_repaired() {
    let text = "hostname leaf1\nqos map dscp 26 to traffic-class 3\n!\ninterface Ethernet1\n   mtu 9214\n   \
        priority-flow-control priority 3 no-drop\n!\nend\n";
    let uri = "untitled:leaf1.cfg";
    let mut client = Client::initialised();
    let diagnostics = client.open(uri, text);
    let finding = with_code(&diagnostics, "PFC016");
    assert_eq!(finding["range"]["start"]["line"], 5);
    let hover = client.hover(uri, 5, 10);
    let shown = hover["result"]["contents"]["value"].as_str().expect("a text");
    assert!(shown.contains("interface Ethernet1\n   priority-flow-control on"), "{shown}");
    let actions = client.actions(uri, &finding["range"]);
    // Turning PFC on reveals that the queue has neither ECN nor a watchdog, so there is no safe edit yet.
    assert_eq!(actions, Vec::<Value>::new());
    let text = text.replace(
        "   priority-flow-control priority",
        "   flowcontrol receive on\n   priority-flow-control on\n   priority-flow-control priority",
    );
    let diagnostics = client.change(uri, 2, &text);
    let finding = with_code(&diagnostics, "PFC017");
    let actions = client.actions(uri, &finding["range"]);
    let action = actions.iter().find(|a| a["title"] == "Repair PFC017 pause-with-pfc").expect("a repair");
    let repaired = edited(&text, action);
    assert!(
        repaired.ends_with("interface Ethernet1\n   flowcontrol receive off\n   flowcontrol send off\nend\n"),
        "{repaired}"
    );
    let left = client.change(uri, 3, &repaired);
    assert!(!codes(&left).contains(&"PFC017"), "{left:#?}");
}

#[test]
fn edits_and_actions_are_those_that_the_client_supports() {
    let literals = json!({"codeActionKind": {"valueSet": ["quickfix"]}});
    let everything = json!({"start": {"line": 0, "character": 0}, "end": {"line": 999, "character": 0}});
    let mut client = Client::with_capabilities(json!({
        "textDocument": {"codeAction": {"codeActionLiteralSupport": literals}},
    }));
    client.open(URI, BAD);
    let actions = client.actions(URI, &everything);
    assert!(!actions.is_empty());
    for action in &actions {
        assert_eq!(action["edit"]["changes"][URI].as_array().map(Vec::len), Some(1), "{action}");
        assert!(action["edit"].get("documentChanges").is_none(), "{action}");
        assert!(action.get("isPreferred").is_none(), "{action}");
    }
    let mut client = Client::with_capabilities(json!({}));
    client.open(URI, BAD);
    assert_eq!(client.actions(URI, &everything), Vec::<Value>::new());
}

#[test]
fn the_number_of_repairs_is_limited() {
    let pool = |n: usize| {
        format!("\"p{n}\": {{\"type\": \"ingress\", \"mode\": \"dynamic\", \"size\": \" 1000000\"}}")
    };
    let pools: Vec<String> = (0..80).map(pool).collect();
    let text = format!("{{\"BUFFER_POOL\": {{\n{}\n}}}}\n", pools.join(",\n"));
    let mut client = Client::initialised();
    let found = codes(&client.open(URI, &text)).iter().filter(|code| **code == "SRC004").count();
    assert_eq!(found, 80);
    let range = |first: u32, last: u32| json!({"start": {"line": first, "character": 0}, "end": {"line": last, "character": 999}});
    let all = client.actions(URI, &range(0, 999));
    assert!((1..=50).contains(&all.len()), "{}", all.len());
    // A smaller range has the others.
    assert!(!client.actions(URI, &range(80, 80)).is_empty());
}

#[test]
fn settings_of_the_repository_apply() {
    let folder = scratch("lsp settings");
    fs::create_dir(folder.join(".git")).expect("a folder");
    fs::write(
        folder.join("harrier.toml"),
        "[check]\nignore = [\"BUF001\"]\n[check.severity]\nSRC005 = \"warning\"\n",
    )
    .expect("a file");
    let uri = format!("file://{}/config_db.json", folder.display().to_string().replace(' ', "%20"));
    let mut client = Client::initialised();
    let diagnostics = client.open(&uri, BAD);
    assert!(!codes(&diagnostics).contains(&"BUF001"), "{diagnostics:#?}");
    assert_eq!(with_code(&diagnostics, "SRC005")["severity"], 2);
    fs::write(folder.join("harrier.toml"), "[check]\nignore = [\"NONE\"]\n").expect("a file");
    let diagnostics = client.change(&uri, 2, BAD);
    let message = with_code(&diagnostics, "SRC001")["message"].as_str().expect("a text").to_string();
    assert!(message.contains("harrier.toml") && message.contains("NONE"), "{message}");
}

#[test]
fn invalid_messages_are_refused_and_the_session_goes_on() {
    let mut client = Client::new();
    let early = client.request("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    drop(client);
    let mut client = Client::initialised();
    client.send_bytes(b"Content-Length: 9\r\n\r\n{\"jsonrpc");
    assert_eq!(client.read()["error"]["code"], -32700);
    client.send(&json!({"jsonrpc": "2.0", "id": 77}));
    let answer = client.read();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(77), &json!(-32600)));
    assert_eq!(client.request("textDocument/none", json!({}))["error"]["code"], -32601);
    assert_eq!(client.request("textDocument/hover", json!({"position": 1}))["error"]["code"], -32602);
    client.notify(
        "textDocument/didChange",
        json!({"textDocument": {"uri": "untitled:x", "version": 1}, "contentChanges": []}),
    );
    client.notify("$/cancelRequest", json!({"id": 1}));
    assert!(codes(&client.open(URI, BAD)).contains(&"BUF001"));
    // Without `exit`, the end of the connection is a failure.
    let (status, errors) = client.end();
    assert_eq!(status, 2);
    assert!(errors.contains("without `exit`"), "{errors}");
}

#[test]
fn malformed_frames_end_the_session() {
    for (bytes, part) in [
        ("GET / HTTP/1.1\r\n\r\n", "is no header"),
        ("Content-Length: many\r\n\r\n", "is no length"),
        ("Content-Length: 100\r\n\r\n{}", "ended inside a message"),
    ] {
        let mut client = Client::new();
        client.send_bytes(bytes.as_bytes());
        let (status, errors) = client.end();
        assert_eq!(status, 2, "{bytes:?}");
        assert!(errors.contains(part), "{bytes:?}: {errors}");
    }
}

#[test]
fn a_document_above_the_limit_is_not_checked() {
    let mut client = Client::initialised();
    let large = format!("{{\"X\": {{\"k\": {{\"f\": \"{}\"}}}}}}", "a".repeat(17 << 20));
    let diagnostics = client.open(URI, &large);
    let message = with_code(&diagnostics, "SRC001")["message"].as_str().expect("a text").to_string();
    assert!(message.contains("more than 16 MiB"), "{message}");
    assert!(codes(&client.change(URI, 2, BAD)).contains(&"BUF001"));
}

#[test]
fn the_extension_of_vs_code_packs() {
    let folder = crate::support::repository("deploy/vscode");
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("package.json")).expect("a manifest"))
            .expect("JSON");
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"), "the extension has the version of harrier");
    let package = scratch("vscode-package").join("harrier.vsix");
    let output =
        Command::new("sh").arg(crate::support::repository("scripts/vscode.sh")).arg(&package).output();
    let output = output.expect("sh runs");
    if output.status.code() == Some(3) {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read(&package).is_ok_and(|bytes| bytes.starts_with(b"PK")), "no package");
}
