//! What JavaScript calls.

use std::time::Duration;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::{Answer, Question, answer};

/// An answer, as JavaScript reads it.
#[wasm_bindgen]
pub struct Told(Answer);

#[wasm_bindgen]
impl Told {
    /// It in a word.
    #[wasm_bindgen(getter)]
    pub fn word(&self) -> String {
        self.0.word.to_owned()
    }

    /// What the command line prints.
    #[wasm_bindgen(getter)]
    pub fn text(&self) -> String {
        self.0.text.clone()
    }

    /// The document for programs.
    #[wasm_bindgen(getter)]
    pub fn json(&self) -> String {
        self.0.json.clone()
    }

    /// A page.
    #[wasm_bindgen(getter)]
    pub fn page(&self) -> Option<String> {
        self.0.page.clone()
    }

    /// The repaired program.
    #[wasm_bindgen(getter)]
    pub fn repaired(&self) -> Option<String> {
        self.0.repaired.clone()
    }
}

/// Answers a question.
#[wasm_bindgen]
pub fn ask(
    name: &str,
    text: &str,
    command: &str,
    choice: &str,
    more: &str,
    seconds: f64,
) -> Result<Told, String> {
    let question = Question::of(command, choice, more)?;
    let time = Duration::try_from_secs_f64(seconds)
        .map_err(|_| "a time limit is a number of seconds such as 20 or 0.5".to_owned())?;
    Ok(Told(answer(name, text, &question, time)))
}

/// Lets a page learn what a panic said; the instance is of no use afterwards.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| failed(&panic.to_string())));
}

#[wasm_bindgen]
extern "C" {
    /// The worker's own function.
    #[wasm_bindgen(js_name = fencewrightFailed)]
    fn failed(message: &str);
}
