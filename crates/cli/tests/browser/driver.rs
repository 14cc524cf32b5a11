//! A real browser, driven by the W3C `WebDriver` protocol: chromium, headless, through chromedriver.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

/// A browser with one window.
pub(crate) struct Browser {
    driver: Child,
    pub(crate) session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = ureq::delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

impl Browser {
    pub(crate) fn start() -> Self {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is installed by test.sh");
        let mut said = BufReader::new(driver.stdout.take().expect("piped"));
        let port = loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).expect("readable") > 0, "chromedriver has ended");
            if let Some((_, port)) =
                line.trim().trim_end_matches('.').rsplit_once("successfully on port ")
                && let Ok(port) = port.parse::<u16>()
            {
                break port;
            }
        };
        // Whatever else it says is of no interest, but has to go somewhere.
        std::thread::spawn(move || said.read_to_end(&mut Vec::new()));
        let options = json!({
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        } } });
        let sessions = format!("http://127.0.0.1:{port}/session");
        let made = post(&sessions, &wanted);
        let id = made["sessionId"].as_str().expect("a session").to_owned();
        Self { driver, session: format!("{sessions}/{id}") }
    }

    /// Opens a file.
    pub(crate) fn open(&self, path: &Path) {
        self.go_to(&format!("file://{}", path.display()));
    }

    /// Opens an address.
    pub(crate) fn go_to(&self, url: &str) {
        post(&format!("{}/url", self.session), &json!({ "url": url }));
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        let script = json!({ "script": format!("return ({expression});"), "args": [] });
        post(&format!("{}/execute/sync", self.session), &script)
    }

    /// The text that an element shows.
    pub(crate) fn text(&self, selector: &str) -> String {
        let selector = json!(selector);
        let found = self.value(&format!("document.querySelector({selector})?.innerText"));
        found.as_str().unwrap_or_else(|| panic!("no element {selector}")).to_owned()
    }

    /// Presses a key wherever the focus is. Special keys have the codes of the protocol.
    pub(crate) fn press(&self, key: &str) {
        let keys = json!([{ "type": "keyDown", "value": key }, { "type": "keyUp", "value": key }]);
        let actions = json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": keys }] });
        post(&format!("{}/actions", self.session), &actions);
    }

    /// Clicks on an element.
    pub(crate) fn click(&self, selector: &str) {
        let found = self.element(selector);
        let id = found.as_object().and_then(|one| one.values().next()).and_then(Value::as_str);
        let id = id.expect("an element");
        post(&format!("{}/element/{id}/click", self.session), &json!({}));
    }

    /// An element, as the protocol names it.
    pub(crate) fn element(&self, selector: &str) -> Value {
        let how = json!({ "using": "css selector", "value": selector });
        post(&format!("{}/element", self.session), &how)
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        let size = json!({ "width": width, "height": height });
        post(&format!("{}/window/rect", self.session), &size);
    }

    /// What went wrong in the page.
    pub(crate) fn errors(&self) -> Vec<String> {
        let log = post(&format!("{}/se/log", self.session), &json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        let serious = entries.iter().filter(|entry| entry["level"] != "INFO");
        serious.map(ToString::to_string).collect()
    }

    /// Puts an element at the top of the window.
    pub(crate) fn scroll_to(&self, selector: &str) {
        let selector = json!(selector);
        self.value(&format!("document.querySelector({selector}).scrollIntoView()"));
    }

    /// Writes a picture for the documentation, unless the one that is there looks the same: edges that are drawn smoothly
    /// differ in their last bits each time. The page that was open is left.
    pub(crate) fn keep(&self, file: &Path, png: &[u8]) {
        let known = std::fs::read(file).unwrap_or_default();
        if known.is_empty() || !self.look_alike(&known, png) {
            std::fs::write(file, png).expect("writable");
        }
    }

    /// Whether no colour of two pictures differs by more than nobody can see.
    fn look_alike(&self, one: &[u8], other: &[u8]) -> bool {
        const COMPARED: &str = "
            const [one, other, done] = arguments;
            const pixels = async (png) => {
              const image = new Image();
              image.src = 'data:image/png;base64,' + png;
              await image.decode();
              const canvas = new OffscreenCanvas(image.width, image.height);
              const context = canvas.getContext('2d');
              context.drawImage(image, 0, 0);
              return context.getImageData(0, 0, image.width, image.height);
            };
            Promise.all([pixels(one), pixels(other)]).then(([a, b]) => done(
              a.width === b.width && a.height === b.height && a.data.every((value, at) => Math.abs(value - b.data[at]) < 4)
            )).catch(() => done(false));";
        self.go_to("about:blank");
        let script = json!({ "script": COMPARED, "args": [base64(one), base64(other)] });
        post(&format!("{}/execute/async", self.session), &script) == json!(true)
    }

    /// A picture of the window, as PNG.
    pub(crate) fn png(&self) -> Vec<u8> {
        let (mut bytes, mut bits, mut held) = (Vec::new(), 0_u32, 0);
        for digit in self.screenshot().bytes().filter(|digit| *digit != b'=') {
            let value = match digit {
                b'A'..=b'Z' => digit - b'A',
                b'a'..=b'z' => digit - b'a' + 26,
                b'0'..=b'9' => digit - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                other => panic!("{other} is no digit of base 64"),
            };
            bits = bits << 6 | u32::from(value);
            held += 6;
            if held >= 8 {
                held -= 8;
                bytes.push(u8::try_from(bits >> held & 0xff).expect("a byte"));
            }
        }
        bytes
    }

    /// A picture of the window, as PNG in base 64.
    pub(crate) fn screenshot(&self) -> String {
        let answer = ureq::get(&format!("{}/screenshot", self.session)).call();
        let answer: Value = answer.expect("a picture").body_mut().read_json().expect("JSON");
        answer["value"].as_str().expect("base 64").to_owned()
    }
}

/// Bytes as text.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            let is_there = usize::try_from(digit).expect("a small number") <= three.len();
            text.push(if is_there { char::from(DIGITS[value as usize]) } else { '=' });
        }
    }
    text
}

pub(crate) fn post(url: &str, body: &Value) -> Value {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.post(url).send_json(body).expect("the driver answers");
    let answer: Value = answer.body_mut().read_json().expect("JSON");
    let value = answer["value"].clone();
    assert!(value.get("error").is_none(), "{url}: {value}");
    value
}
