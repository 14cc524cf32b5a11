//! Programs to be changed: our own corpus, in every language that can express it; the shared one,
//! where it is there; and texts that are laid out in other ways than those.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use frontend::{Language, litmus, print};

use super::parse;

pub(super) const EVERYTHING: &str = "
shared x, y, a[3]
thread p[i in 0..2] {
  local r, s = 2
  x = 1 ; y = 2
  r = x + a[y] // a comment
  if r == 1 { x = 2 } else if x == 1 && y == 2 { y = 1; r = 3 } else { r = 2 }
  if x == 1 || y == 1 { }
  while x == 1 { r = r - 1 }
  while r == 1 { if x == 2 { break }; if y == 2 { continue } }
  again: loop {
    r = x
    if r == 1 { break }
    either { x = 1 } or { r = 5; y = 1 } or { } or { goto again }
  }
  for k in 0..s { x = k; if x == 1 { continue } }
  for k in r..=3 { if y == 1 { break } }
  loop { inner: y = 1; if y == 2 { break } }
  await x == 1 && y == 2
  await x == 1
  atomic { x = x + 1; r = x }
  r = cas(x, 0, 1)
  xchg(x, 2)
  r = x && y
  r = r ? x : y
  assert x == 1
  assume r == 1
  either { while x == 2 { } } or { await y == 1 } or { skip } or { stop }
  goto last
  x = 7
  one: two: y = 3
  if x == 1 { goto two }
  quiet: if 0 { x = 1 }
  last: fence
  local t = x, u = y
  t = 1
}
thread q { loop { } }
thread e { }
";

const LAYOUT: &str = "shared x, y, a[3] // shared
thread p {//thread
\tlocal r /* local */
\tx = 1; fence; y = 2;// first
/* before */ a[r] /* the place */ = /* the value */ x +
\t\t\ty // over two lines
\tfence // alone
\tfence; // with a semicolon
\tfence(acquire) /* a block
\t comment */
waiting l: m: fence /* labelled */; x = 2 /* more
\t*/; y = 3 /* last */ }
thread q{x = 1
y = 2;;
  if x == 1 {fence}
  if x == 1 { fence; x = 1 } else { x = 1 ; fence }
  either { fence } or { x = 1; fence; } or { /* nothing */ } or {
  }
  loop { // endless
    // a line
    fence; goto n }
n:
  store(x, 1, // why
    relaxed)
  store(x, 1); store(a[1], 2, volatile, bytes(4))
  atomic { y = 1 /* unlocks */ }
}
";

const TABLE: &str = "X86 layout
(* a test with (* nested *) comments *)
{ int x = 1; }
(* the threads *)
P0|P1(* a name *)|P2 | P3;
MOV [x],$1|L0: (* label *) MOV [y],$1|| ; (* the first
row *) MFENCE (* stays *)|L1: L2:|mov eax,[x] | ;MOV EAX,[y]|MFENCE|| ; // the last
| L3: SFENCE || ;
(* a fence *)
MFENCE | | | ; (* gone *)
JMP L9 | | LFENCE | ;
 | JNE L1 | | ;
L9: | MOV EAX, [x] | MOV [x], EAX | ;
exists (0:EAX=0 /\\ 1:EAX=0)
";

const TRANSITIONS: &str = "# a comment
memory_size 5 thread a initial q0 # a thread
transition q0 q1 write 1 0 transition q1 q2 mfence # two on a line
  transition q1 fence1 # broken
    read r 1
\ttransition q2 q0 mfence
transition q2 q2 noop
transition q2 q3 lock # begin
transition q3 q4 write 2 0 # write
transition q4 q5 unlock # end
end thread b initial q transition q q2 write 1 1 end";

const ESOP13: &str = "program layout // a comment
thread t regs r = 5 init a begin
  a: mem[x] <- 1; goto b; // first
    a: mfence; goto a // second
  b: r <- mem[y]; goto fence1 fence1: mfence; goto a;
  c: assert r == // broken
     1; goto b
end thread u init a begin a: mfence; goto a end
";

const ESOP15: &str = "program layout vars x, y procs // a comment
process t regs $r init a begin
  a: x = 1; goto b; // first
    a: fn; goto a // second
  b: $r = y; goto fence1 fence1: fence; goto a;
  c: arw(x, // broken
     1, $r); goto b
end process u init a begin a: fence; goto a end
";

const RMM: &str = "/* not laid out well */ forbidden
  CS * /* any */ ;  * CS // the rest
macro wait(v) read: x = v endmacro
data x = 0 : [0:2] y = 0, z = 0 : [-1:1]
process data flag = 0 : [0:1] registers $r = 0 : [0:1], $s = 0
text
  L0: write: flag[my] := 1 ; fence; /* two on a line */ read: $s := y;
  fence; // alone
  if $s = 1 then write: x := 1 else { read: $r := flag[0]; fence };
  if $s != 0 && not [$s < 3 || true] then
    goto CS;
  while $s > 0 do $s := $s - 1;
  while $r = 1 do { read: $r := flag[0]; $r := $r + 1 };
  either { write: z := $s or fence; write: z := $s + 1
    or L1: goto L0 };
  locked write: y := 2; cas(z, 0, $s); write: z := $s;
  { wait(2) ; assume: $s >= 1 }; fence;
  locked { read: $s := y; write: y := $s + 1 };
  locked { read: z = 1; write: z := 0 or write: y := 5 };
  CS: nop;
  last: fence
process data flag = 1 : [0:1] text CS: fence; write: x := 2; read: flag[0] = 0; goto CS
";

const REMMEX: &str = "int x = 0, y; // shared
bool a[2] = {false, true};
proctype p /* a name */ {
  int r, s = 2; bool b;
  do // a loop
  :: true -> store(x, 1); mfence; r = loadval(y);
    mfence; // alone
  :: r == 1 && load(y, 2) -> break; mfence
  :: load(x, 1) || load(x, 2) || load(a[r], 1) -> skip
  :: else -> again: store(a[s - 1], b); b = load(x, 2); if :: !load(y, 0) -> goto again
    :: s <= 1; -> mfence; LOCK r = loadval(x) ; store(x, r + 1); UNLOCK fi
  od ;
  last: mfence
}
proctype q { do :: store(y, 2); :: mfence; od; }
proctype q { skip }
";

/// A small text of a language, not laid out well.
pub(super) const fn layout(language: Language) -> &'static str {
    match language {
        Language::Fw => LAYOUT,
        Language::Litmus => TABLE,
        Language::Trencher => TRANSITIONS,
        Language::Esop13 => ESOP13,
        Language::Esop15 => ESOP15,
        Language::Rmm => RMM,
        Language::Remmex => REMMEX,
    }
}

/// The programs of a language.
pub(super) fn texts(language: Language) -> Vec<String> {
    let mut texts = match language {
        Language::Fw => {
            let windows = LAYOUT.replace('\n', "\r\n");
            let mut texts = vec![EVERYTHING.to_owned(), LAYOUT.to_owned(), windows];
            texts.extend(corpus("../../corpus", "fw"));
            texts
        }
        Language::Litmus => {
            let mut texts = vec![TABLE.to_owned()];
            texts.extend(corpus("../../corpus", "litmus"));
            texts.extend(corpus("../../../shared/corpus/litmus-x86", "litmus"));
            texts
        }
        Language::Trencher => {
            let mut texts = vec![TRANSITIONS.to_owned()];
            texts.extend(translations(language));
            texts.extend(corpus("../../../shared/corpus/trencher", "txt"));
            texts
        }
        Language::Esop13 => {
            std::iter::once(ESOP13.to_owned()).chain(translations(language)).collect()
        }
        Language::Esop15 => {
            std::iter::once(ESOP15.to_owned()).chain(translations(language)).collect()
        }
        Language::Rmm => {
            let mut texts = vec![RMM.to_owned(), RMM.replace('\n', "\r\n")];
            texts.extend(translations(language));
            texts
        }
        Language::Remmex => vec![REMMEX.to_owned()],
    };
    let commented: Vec<String> = texts.iter().map(|text| commented(language, text)).collect();
    texts.extend(commented);
    texts
}

/// A small text of each language, and a litmus test of each architecture.
pub(super) fn one_of_each() -> Vec<(Language, String)> {
    let mut texts: Vec<(Language, String)> = Language::ALL
        .into_iter()
        .filter(|language| *language != Language::Litmus)
        .map(|language| (language, layout(language).to_owned()))
        .collect();
    let tests = corpus("../../corpus", "litmus");
    for arch in ["X86", "X86_64", "AArch64", "ARM", "PPC", "RISCV"] {
        let is_it = |text: &&String| text.split_whitespace().next() == Some(arch);
        let found = tests.iter().find(is_it).unwrap_or_else(|| panic!("no test for {arch}"));
        texts.push((Language::Litmus, found.clone()));
    }
    texts
}

/// Our own programs that the language can express.
fn translations(language: Language) -> Vec<String> {
    let programs = corpus("../../corpus", "fw");
    programs.iter().filter_map(|text| print(&parse(Language::Fw, text), language).ok()).collect()
}

fn corpus(folder: &str, extension: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = Vec::new();
    collect(&folder, &mut files);
    files.sort();
    files.retain(|file| file.extension().is_some_and(|it| it == extension));
    files.iter().map(|file| std::fs::read_to_string(file).expect("a readable program")).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

/// The text with a comment at the end of each line that can have one.
fn commented(language: Language, text: &str) -> String {
    let mut result = String::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        result.push_str(line);
        // A block comment may go on in the next line.
        let code = match language {
            Language::Litmus => line.trim_end().ends_with(';'),
            Language::Fw
            | Language::Trencher
            | Language::Esop13
            | Language::Esop15
            | Language::Rmm
            | Language::Remmex => !line.contains("/*") && !line.contains("*/"),
        };
        inside |= language != Language::Litmus || line.contains('|');
        if code && inside {
            let (open, close) = match language {
                Language::Trencher => (" #", ""),
                Language::Litmus => ("(*", "*)"),
                Language::Fw
                | Language::Esop13
                | Language::Esop15
                | Language::Rmm
                | Language::Remmex => ("//", ""),
            };
            let _ = write!(result, "{open} line {number}{close}");
        }
        result.push('\n');
    }
    result
}

/// All comments, sorted.
pub(super) fn comments(language: Language, text: &str) -> Vec<String> {
    let (line, block) = match language {
        Language::Fw | Language::Rmm | Language::Remmex => ("//", Some(("/*", "*/"))),
        Language::Litmus => ("//", Some(("(*", "*)"))),
        Language::Trencher => ("#", None),
        Language::Esop13 | Language::Esop15 => ("//", None),
    };
    assert!(language != Language::Litmus || litmus::looks_like(text), "{text}");
    let mut comments = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match block {
            Some((open, close)) if rest.starts_with(open) => {
                rest.find(close).map_or(rest.len(), |end| end + close.len())
            }
            _ if rest.starts_with(line) => rest.find('\n').unwrap_or(rest.len()),
            _ => {
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        comments.push(rest[..length].trim_end().to_owned());
        rest = &rest[length..];
    }
    comments.sort();
    comments
}
