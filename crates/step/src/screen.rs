//! The same in a terminal: threads side by side, memory, what can be done, and the run so far.
//!
//! [`Screen`] is what is shown and how keys change it; it draws into any frame and knows no terminal, so that a
//! test can look at it. [`screen`] puts it into the terminal and gives that back as it was, whatever happens.

use std::io;

use program::Value;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, List, ListItem, ListState, Paragraph, Wrap};

use crate::command::{Command, HELP};
use crate::pipe::{Interpreter, Reply, choice, step};
use crate::{Finder, Session};

/// The keys that are always shown.
const KEYS: &str =
    " ↑↓ choose  ⏎ do  u undo  r redo  space random  w witness  e error  : command  ? help  q quit";

/// The same where there is less room.
const FEW_KEYS: &str = " ↑↓ ⏎ do  u undo  r redo  w witness  ? help  q quit";

/// A screen with fewer columns is narrow.
const NARROW: u16 = 96;

/// The colours of threads, in their order.
const COLOURS: [Color; 6] =
    [Color::Cyan, Color::Magenta, Color::Yellow, Color::Green, Color::Blue, Color::Red];

/// What is on the screen.
pub struct Screen<'a, F> {
    interpreter: Interpreter<'a, F>,
    title: String,
    chosen: ListState,
    /// What was said last, and whether it is a complaint.
    said: Option<(String, bool)>,
    /// The command that is being typed.
    typed: Option<String>,
    shows_help: bool,
}

impl<'a, F: Finder> Screen<'a, F> {
    /// A screen with this run on it.
    pub fn new(interpreter: Interpreter<'a, F>, title: &str) -> Self {
        let title = report::terminal::line(title);
        let mut chosen = ListState::default();
        chosen.select_first();
        Self { interpreter, title, chosen, said: None, typed: None, shows_help: false }
    }

    /// A key was pressed; whether that was not the end.
    pub fn press(&mut self, key: KeyEvent) -> bool {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return false;
        }
        if self.typed.is_some() {
            return self.type_on(key.code);
        }
        if self.shows_help {
            self.shows_help = false;
            return true;
        }
        self.said = None;
        let most = self.interpreter.session.menu().len();
        #[expect(clippy::wildcard_enum_match_arm, reason = "other keys mean nothing")]
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return false,
            KeyCode::Down | KeyCode::Char('j') => self.select(|at| (at + 1).min(most.max(1) - 1)),
            KeyCode::Up | KeyCode::Char('k') => self.select(|at| at.saturating_sub(1)),
            KeyCode::Home => self.select(|_| 0),
            KeyCode::End => self.select(|_| most.max(1) - 1),
            KeyCode::Enter => {
                return self.obey(&Command::Take(self.chosen.selected().unwrap_or(0) + 1, None));
            }
            KeyCode::Char(digit @ '1'..='9') => {
                let number = digit.to_digit(10).and_then(|digit| usize::try_from(digit).ok());
                return self.obey(&Command::Take(number.unwrap_or(0), None));
            }
            KeyCode::Char('u') | KeyCode::Left | KeyCode::Backspace => {
                return self.obey(&Command::Undo(1));
            }
            KeyCode::Char('r') | KeyCode::Right => return self.obey(&Command::Redo(1)),
            KeyCode::Char('0') => return self.obey(&Command::Reset),
            KeyCode::Char(' ') => return self.obey(&Command::Random(1)),
            KeyCode::Char('w') => return self.obey(&Command::Witness),
            KeyCode::Char('e') => return self.obey(&Command::Error),
            KeyCode::Char(':') => self.typed = Some(String::new()),
            KeyCode::Char('?') => self.shows_help = true,
            _ => {}
        }
        true
    }

    fn select(&mut self, to: impl Fn(usize) -> usize) {
        self.chosen.select(Some(to(self.chosen.selected().unwrap_or(0))));
    }

    fn type_on(&mut self, key: KeyCode) -> bool {
        let Some(mut typed) = self.typed.take() else { return true };
        #[expect(clippy::wildcard_enum_match_arm, reason = "other keys mean nothing")]
        match key {
            KeyCode::Enter => {
                return match Command::parse(&typed) {
                    Ok(Some(command)) => self.obey(&command),
                    Ok(None) => true,
                    Err(problem) => {
                        self.said = Some((problem, true));
                        true
                    }
                };
            }
            KeyCode::Esc => return true,
            KeyCode::Backspace => {
                typed.pop();
            }
            KeyCode::Char(c) => typed.push(c),
            _ => {}
        }
        self.typed = Some(typed);
        true
    }

    fn obey(&mut self, command: &Command) -> bool {
        if *command == Command::Help {
            self.shows_help = true;
            return true;
        }
        match self.interpreter.obey(command) {
            Reply::Quit => return false,
            Reply::Refused(problem) => self.said = Some((problem, true)),
            Reply::Done(text) => {
                let is_loaded =
                    matches!(command, Command::Witness | Command::Error | Command::Load(_));
                if is_loaded {
                    let first = text.lines().next().unwrap_or_default().trim().to_owned();
                    self.said = Some((format!("{first}. Go through it with →"), false));
                }
            }
        }
        // What is offered has changed.
        let most = self.interpreter.session.menu().len().max(1);
        let chosen = self.chosen.selected().unwrap_or(0);
        self.chosen.select(Some(chosen.min(most - 1)));
        true
    }

    /// Draws everything.
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let session = &self.interpreter.session;
        let (all, made) = session.position();
        let undone = if all > made { format!(" of {all}") } else { String::new() };
        let title = format!(" {} under {}, step {made}{undone} ", self.title, session.model());
        let rows = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(threads_height(session)),
            Constraint::Length(3),
            Constraint::Min(4),
            Constraint::Length(2),
        ]);
        let [top, threads, memory, middle, bottom] = rows.areas(frame.area());
        frame.render_widget(Paragraph::new(title.bold().reversed()), top);
        draw_threads(session, frame, threads);
        draw_memory(session, frame, memory);
        if self.shows_help {
            let help = Paragraph::new(HELP).block(Block::bordered().title(" commands, after : "));
            frame.render_widget(help, middle);
        } else {
            let halves = [Constraint::Percentage(55), Constraint::Min(0)];
            let halves = if middle.width < NARROW {
                Layout::vertical(halves)
            } else {
                Layout::horizontal(halves)
            };
            let [menu, run] = halves.areas(middle);
            self.draw_menu(frame, menu);
            self.draw_run(frame, run);
        }
        self.draw_bottom(frame, bottom);
    }

    fn draw_menu(&mut self, frame: &mut Frame<'_>, area: Rect) {
        let session = &self.interpreter.session;
        let block = Block::bordered().title(" what next? ");
        if let Some(end) = session.end() {
            let end = Paragraph::new(end.bold()).wrap(Wrap { trim: true }).block(block);
            frame.render_widget(end, area);
            return;
        }
        let menu = session.menu();
        let items = menu.iter().enumerate().map(|(number, entry)| {
            let told = report::terminal::line(&choice(session, entry));
            let style = Style::new().fg(colour(entry.thread));
            ListItem::new(Line::from(format!("{:>2} {told}", number + 1)).style(style))
        });
        let list = List::new(items)
            .block(block)
            .highlight_style(Style::new().add_modifier(Modifier::REVERSED))
            .highlight_symbol("▸");
        frame.render_stateful_widget(list, area, &mut self.chosen);
    }

    fn draw_run(&self, frame: &mut Frame<'_>, area: Rect) {
        let session = &self.interpreter.session;
        let mut lines: Vec<Line<'_>> = Vec::new();
        for (number, (thread, line, what)) in session.told().iter().enumerate() {
            let told = report::terminal::line(&step(session, *thread, line, what));
            lines.push(Line::from(vec![
                format!("{:>3} ", number + 1).dark_gray(),
                Span::styled(told, Style::new().fg(colour(*thread))),
            ]));
        }
        if let Some((thread, line, what)) = session.ahead() {
            let told = report::terminal::line(&step(session, thread, &line, &what));
            lines.push(Line::from(format!("  → {told}")).dark_gray().italic());
        }
        let room = usize::from(area.height.saturating_sub(2));
        let hidden = lines.len().saturating_sub(room);
        let block = Block::bordered().title(" the run ");
        frame.render_widget(Paragraph::new(lines.split_off(hidden)).block(block), area);
    }

    fn draw_bottom(&self, frame: &mut Frame<'_>, area: Rect) {
        let said = match (&self.typed, &self.said) {
            (Some(typed), _) => Line::from(format!(":{}▏", report::terminal::line(typed))),
            (None, Some((said, true))) => Line::from(format!(" {said}")).red(),
            (None, Some((said, false))) => Line::from(format!(" {said}")).green(),
            (None, None) => Line::default(),
        };
        let keys = if area.width < NARROW { FEW_KEYS } else { KEYS };
        frame.render_widget(Paragraph::new(vec![said, Line::from(keys).dark_gray()]), area);
    }
}

fn colour(thread: program::ThreadId) -> Color {
    use program::index::Idx;
    COLOURS[thread.index() % COLOURS.len()]
}

/// How many rows the threads take.
fn threads_height(session: &Session<'_>) -> u16 {
    let most = session.machine().threads().indices().map(|thread| {
        let seen = session.view().thread(session.state(), thread);
        1 + seen.registers.len().min(6)
    });
    // Its place, its registers, its buffer, and the border.
    u16::try_from(most.max().unwrap_or(0) + 3).unwrap_or(u16::MAX)
}

fn draw_threads(session: &Session<'_>, frame: &mut Frame<'_>, area: Rect) {
    let threads = session.machine().threads();
    let columns = Layout::horizontal(threads.iter().map(|_| Constraint::Fill(1))).split(area);
    for ((id, thread), area) in threads.enumerate().zip(columns.iter()) {
        let seen = session.view().thread(session.state(), id);
        let mut lines = vec![Line::from(report::terminal::line(&seen.at))];
        for (name, value) in seen.registers.iter().take(6) {
            lines.push(Line::from(report::terminal::line(&format!("{name} = {value}"))));
        }
        if !seen.buffer.is_empty() {
            let waiting = report::terminal::line(&seen.buffer.join(", "));
            lines.push(Line::from(vec!["waiting: ".dark_gray(), waiting.bold()]));
        }
        let name = format!(" {} ", report::terminal::line(&thread.name));
        let block = Block::bordered().title(name).border_style(Style::new().fg(colour(id)));
        frame.render_widget(Paragraph::new(lines).block(block), *area);
    }
}

fn draw_memory(session: &Session<'_>, frame: &mut Frame<'_>, area: Rect) {
    let before = session.machine().initial();
    let mut spans: Vec<Span<'_>> = Vec::new();
    let cells = session.cells();
    let initial = session.view().memory(&before, &cells);
    let now = session.view().memory(session.state(), &cells);
    for ((name, value), (_, at_first)) in now.iter().zip(&initial) {
        let told = report::terminal::line(&format!("{name} = {value}"));
        let is_changed: bool = Value::ne(value, at_first);
        spans.push(if is_changed { told.bold() } else { told.into() });
        spans.push("   ".into());
    }
    let mut block = Block::bordered().title(" memory ");
    if let Some(holder) = session.state().lock_holder() {
        block = block.title(format!(" locked by {} ", session.name(holder)));
    }
    frame.render_widget(Paragraph::new(Line::from(spans)).block(block), area);
}

/// Runs in the terminal until somebody quits.
pub fn screen<F: Finder>(interpreter: Interpreter<'_, F>, title: &str) -> io::Result<()> {
    let mut terminal = ratatui::try_init()?;
    let mut screen = Screen::new(interpreter, title);
    let ended = loop {
        if let Err(error) = terminal.draw(|frame| screen.draw(frame)) {
            break Err(error);
        }
        match event::read() {
            Ok(Event::Key(key)) if key.kind == KeyEventKind::Press => {
                if !screen.press(key) {
                    break Ok(());
                }
            }
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ratatui::try_restore()?;
    ended
}
