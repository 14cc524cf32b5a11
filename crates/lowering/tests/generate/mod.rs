//! Random C functions of one thread, without undefined behaviour.
//!
//! Arithmetic is done without signs or in ranges that cannot overflow, shifts and divisors are masked,
//! indices too, loops have counters. Expressions have no effects; statements do.

use std::fmt::Write;

use fastrand::Rng;

/// Types that variables have.
const TYPES: [&str; 9] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "_Bool"];
const UNSIGNED: [&str; 4] = ["u8", "u16", "u32", "u64"];

/// What all functions of a text share.
const PRELUDE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long long i64; typedef unsigned long long u64;
struct inner { i8 c; u16 h; i32 n; };
struct outer { u8 tag; struct inner in; i64 wide; struct inner pair[2]; u32 *ref; };
struct small { i32 a; i16 b; u8 c; };
struct flags { u32 x : 3; u32 y : 7; i32 z : 5; };
struct node { u32 value; struct node *next; };
union word { u32 u; i32 i; };
enum kind { FIRST, SECOND = 5, THIRD };
static const u16 table[4] = { 7, 11, 13, 65535 };
static u32 add(u32 a, u32 b) { return a + b; }
static u32 sub(u32 a, u32 b) { return a - b; }
static u32 mix(u32 a, u32 b) { return (a ^ (b << 3)) + (b >> 5); }
static u32 times(u32 a, u32 b) { return a * b; }
static u32 (*const operations[4])(u32, u32) = { add, sub, mix, times };
static u32 (*chosen)(u32, u32) = mix;
static u32 fold(u32 (*f)(u32, u32), u32 a, u32 b) { return f(f(a, b), a); }
static u32 down(u32 n, u32 a) { if (n == 0) return a; return down(n - 1, a * 3 + n) ^ n; }
static int even(u32 n); static int odd(u32 n) { return n == 0 ? 0 : even(n - 1); }
static int even(u32 n) { return n == 0 ? 1 : odd(n - 1); }
static void split(u32 a, u16 *low, u16 *high) { *low = (u16)a; *high = (u16)(a >> 16); }
static void swap(i32 *a, i32 *b) { i32 t = *a; *a = *b; *b = t; }
static struct small make(i32 a, i32 b) { struct small s; s.a = a; s.b = (i16)b; s.c = (u8)(a + 0u); return s; }
static i32 total(struct small s) { return (i32)((u32)s.a + (u32)s.b * 3u + s.c); }
static struct outer shift(struct outer o) { o.tag++; o.in.h = (u16)(o.in.h + 3u); o.pair[1] = o.in; return o; }
static u64 hash(u64 h, u64 v) { return (h ^ v) * 1099511628211ull + 7; }
static u32 sum(const i32 *from, const i32 *to) { u32 s = 0; while (from != to) s += (u32)*from++; return s; }
static u32 length(const char *text) { u32 n = 0; while (text[n]) n++; return n; }
"#;

/// Writes C.
pub(crate) struct Generator {
    random: Rng,
    text: String,
    /// Variables that hold a number, with their types.
    numbers: Vec<(String, &'static str)>,
    /// The number of the function.
    function: usize,
    named: usize,
    depth: usize,
    in_loop: bool,
}

impl Generator {
    /// A text with functions `f0`, `f1`, … that put checksums into `r0`, `r1`, …, and a `main` that
    /// prints them.
    pub(crate) fn batch(seed: u64, functions: usize) -> String {
        let mut text = PRELUDE.to_owned();
        for function in 0..functions {
            let mut generator = Self {
                random: Rng::with_seed(seed * 10_007 + function as u64),
                text: String::new(),
                numbers: Vec::new(),
                function,
                named: 0,
                depth: 0,
                in_loop: false,
            };
            generator.function();
            text.push_str(&generator.text);
        }
        text.push_str("int main(void) {\n");
        for function in 0..functions {
            writeln!(text, "  f{function}(); printf(\"%lld\\n\", r{function});")
                .expect("a string takes it");
        }
        text.push_str("  return 0;\n}\n");
        text
    }

    fn line(&mut self, line: &str) {
        let indent = "  ".repeat(self.depth);
        writeln!(self.text, "{indent}{line}").expect("a string takes it");
    }

    fn chance(&mut self, of: usize) -> bool {
        self.random.usize(..of) == 0
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.named += 1;
        format!("{prefix}{}", self.named)
    }

    fn ty(&mut self) -> &'static str {
        TYPES[self.random.usize(..TYPES.len())]
    }

    fn literal(&mut self) -> String {
        let value: i64 = match self.random.usize(..6) {
            0 => self.random.i64(-3..4),
            1 => self.random.i64(-200..300),
            2 => self.random.i64(-40_000..70_000),
            3 => self.random.i64(-3_000_000_000..5_000_000_000),
            4 => 1 << self.random.u32(..62),
            _ => self.random.i64(-i64::MAX..i64::MAX),
        };
        format!("(i64)({value}ll)")
    }

    fn function(&mut self) {
        let n = self.function;
        self.line(&format!("static i64 r{n};"));
        // Numbers that are not known when the program is translated.
        for at in 0..3 {
            let (ty, value) = (self.ty(), self.literal());
            self.line(&format!("static {ty} g{n}_{at} = ({ty}){value};"));
            self.numbers.push((format!("g{n}_{at}"), ty));
        }
        self.line(&format!("static i32 a{n}[4] = {{ 1, -2, {}, 40000 }};", self.function));
        self.line(&format!("static struct outer o{n} = {{ 1, {{ -1, 2, 3 }}, -4ll, {{ {{ 5, 6, 7 }}, {{ 8, 9, -10 }} }}, 0 }};"));
        self.line(&format!(
            "static struct outer os{n}[2] = {{ {{ .wide = 77 }}, {{ .tag = 9 }} }};"
        ));
        self.line(&format!("static i32 *p{n} = &a{n}[1];"));
        self.line(&format!(
            "static u32 tick{n}(void) {{ static u32 count = 3; count += 2; return count; }}"
        ));
        self.line(&format!("static struct inner *q{n} = &o{n}.pair[1];"));
        for field in ["tag", "in.c", "in.h", "in.n", "wide"] {
            let ty = match field {
                "tag" => "u8",
                "in.c" => "i8",
                "in.h" => "u16",
                "in.n" => "i32",
                _ => "i64",
            };
            self.numbers.push((format!("o{n}.{field}"), ty));
        }
        self.numbers.push((format!("(*p{n})"), "i32"));
        self.numbers.push((format!("q{n}->h"), "u16"));
        self.line(&format!("static void f{n}(void) {{"));
        self.depth = 1;
        let known = self.numbers.len();
        for _ in 0..4 {
            self.declare();
        }
        let (local, flags, word) = ("s", "b", "w");
        self.line("struct outer s = { 3 }; struct outer *sp = &s; struct flags b = { 1, 2, -3 };");
        self.line(
            "union word w; w.u = 9; struct small t = { 1, 2, 3 }; i32 v[4] = { 4, 3, 2, 1 };",
        );
        self.line("struct small ts[2]; memset(ts, 0, sizeof ts);");
        for (name, ty) in [
            (format!("{local}.in.n"), "i32"),
            ("sp->wide".to_owned(), "i64"),
            ("sp->pair[1].c".to_owned(), "i8"),
            (format!("{flags}.x"), "u32"),
            (format!("{flags}.y"), "u32"),
            (format!("{word}.u"), "u32"),
            (format!("{word}.i"), "i32"),
            ("t.b".to_owned(), "i16"),
            ("ts[1].a".to_owned(), "i32"),
            ("v[2]".to_owned(), "i32"),
        ] {
            self.numbers.push((name, ty));
        }
        for _ in 0..self.random.usize(3..8) {
            self.statement();
        }
        self.depth = 1;
        let all: Vec<String> = self.numbers.iter().map(|(name, _)| name.clone()).collect();
        self.line("u64 h = 17;");
        for name in all {
            self.line(&format!("h = hash(h, (u64)({name}));"));
        }
        self.line(&format!("for (int i = 0; i < 4; i++) h = hash(h, (u64)(a{n}[i] + (i64)v[i]));"));
        self.line(&format!("h = hash(h, os{n}[1].tag + (u64)os{n}[0].wide + ts[0].c + (u64)b.z);"));
        self.line(&format!("r{n} = (i64)h;"));
        self.depth = 0;
        self.line("}");
        self.numbers.truncate(known);
    }

    fn declare(&mut self) {
        let (name, ty) = (self.fresh("x"), self.ty());
        let value = self.expression(2);
        self.line(&format!("{ty} {name} = ({ty})({value});"));
        self.numbers.push((name, ty));
    }

    fn variable(&mut self) -> (String, &'static str) {
        let n = self.function;
        match self.random.usize(..10) {
            0 => {
                let index = self.expression(1);
                (format!("a{n}[({index}) & 3]"), "i32")
            }
            1 => {
                let index = self.expression(1);
                (format!("os{n}[({index}) & 1].wide"), "i64")
            }
            2 => {
                let (one, two) = (self.expression(1), self.expression(1));
                (format!("os{n}[({one}) & 1].pair[({two}) & 1].h"), "u16")
            }
            3 => {
                let index = self.expression(1);
                (format!("v[({index}) & 3]"), "i32")
            }
            _ => {
                let at = self.random.usize(..self.numbers.len());
                self.numbers[at].clone()
            }
        }
    }

    /// An expression without effects.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.chance(5) {
            return if self.chance(3) {
                self.literal()
            } else {
                let at = self.random.usize(..self.numbers.len());
                self.numbers[at].0.clone()
            };
        }
        let one = self.expression(depth - 1);
        let two = self.expression(depth - 1);
        let wide = if self.random.bool() { "u32" } else { "u64" };
        let signed = if self.random.bool() { "i32" } else { "i64" };
        let width = if wide == "u32" { 31 } else { 63 };
        let ty = self.ty();
        match self.random.usize(..22) {
            0 => format!("({wide})({one}) + ({wide})({two})"),
            1 => format!("({wide})({one}) - ({wide})({two})"),
            2 => format!("({wide})({one}) * ({wide})({two})"),
            3 => format!("({wide})({one}) / ((({wide})({two}) & 15) + 1)"),
            4 => format!("({wide})({one}) % ((({wide})({two}) & 255) + 1)"),
            5 => format!("({signed})({one}) / (i32)((({wide})({two}) & 15) + 1)"),
            6 => format!("({signed})({one}) % (i32)((({wide})({two}) & 31) + 2)"),
            7 => format!("({wide})({one}) << (({two}) & {width})"),
            8 => format!("({wide})({one}) >> (({two}) & {width})"),
            9 => format!("({signed})({one}) >> (({two}) & 31)"),
            10 => format!("(({one}) & ({two}))"),
            11 => format!("(({one}) | ({two}))"),
            12 => format!("(({one}) ^ ({two}))"),
            13 => format!("(~({wide})({one}))"),
            14 => format!("(!({one}))"),
            15 => {
                let op = ["<", "<=", ">", ">=", "==", "!="][self.random.usize(..6)];
                let by = if self.random.bool() { wide } else { signed };
                format!("(({by})({one}) {op} ({by})({two}))")
            }
            16 => format!("(({one}) && ({two}))"),
            17 => format!("(({one}) || ({two}))"),
            18 => {
                let three = self.expression(depth - 1);
                format!("(({one}) ? (i64)({two}) : (i64)({three}))")
            }
            19 | 20 => format!("(({ty})({one}))"),
            _ => format!("(u32)-({wide})({one})"),
        }
        .pipe(|text| format!("({text})"))
    }

    fn block(&mut self) {
        let known = self.numbers.len();
        self.depth += 1;
        for _ in 0..self.random.usize(1..3) {
            self.statement();
        }
        self.depth -= 1;
        self.numbers.truncate(known);
    }

    fn assignment(&mut self) {
        let value = self.expression(3);
        let (name, ty) = self.variable();
        match self.random.usize(..8) {
            0 if UNSIGNED.contains(&ty) => {
                let op = ["+=", "-=", "*="][self.random.usize(..3)];
                self.line(&format!("{name} {op} (u8)({value});"));
            }
            1 => {
                let op = ["^=", "|=", "&="][self.random.usize(..3)];
                self.line(&format!("{name} {op} {value};"));
            }
            2 if UNSIGNED.contains(&ty) || ty == "i8" || ty == "i16" => {
                let step = ["++", "--"][self.random.usize(..2)];
                let text = if self.random.bool() {
                    format!("{name}{step};")
                } else {
                    format!("{step}{name};")
                };
                self.line(&text);
            }
            3 if UNSIGNED.contains(&ty) => {
                let op = [">>=", "/=", "%="][self.random.usize(..3)];
                self.line(&format!("{name} {op} (({value}) & 7) + 1;"));
            }
            _ => self.line(&format!("{name} = ({ty})({value});")),
        }
    }

    fn statement(&mut self) {
        if self.depth > 3 {
            return self.assignment();
        }
        match self.random.usize(..12) {
            0..4 => self.assignment(),
            4 => self.branch(),
            5 => self.repeat(),
            6 => self.switch(),
            7 => self.declare(),
            8..10 => self.call(),
            _ => self.memory(),
        }
    }

    fn branch(&mut self) {
        let condition = self.expression(2);
        self.line(&format!("if ({condition}) {{"));
        self.block();
        match self.random.usize(..3) {
            0 => {}
            1 => {
                self.line("} else {");
                self.block();
            }
            _ => {
                let other = self.expression(1);
                self.line(&format!("}} else if ({other}) {{"));
                self.block();
            }
        }
        self.line("}");
    }

    fn repeat(&mut self) {
        let counter = self.fresh("at");
        // Some loops run a number of times that is not known when the program is translated.
        let times = match self.random.usize(..3) {
            0 => {
                let bound = self.expression(1);
                format!("(int)(({bound}) & 3)")
            }
            1 => "2".to_owned(),
            _ => "4".to_owned(),
        };
        let form = self.random.usize(..3);
        let (limit, outer) = (self.fresh("m"), self.in_loop);
        self.line(&format!("int {counter} = 0; const int {limit} = {times};"));
        match form {
            0 => self.line(&format!("for (; {counter} < {limit}; {counter}++) {{")),
            1 => self.line(&format!("while ({counter}++ < {limit}) {{")),
            _ => self.line("do {"),
        }
        self.in_loop = true;
        let known = self.numbers.len();
        self.depth += 1;
        self.numbers.push((counter.clone(), "const"));
        self.statement_in_loop();
        if self.random.bool() {
            let condition = self.expression(1);
            let jump = if self.random.bool() { "break" } else { "continue" };
            self.line(&format!("if ({condition}) {jump};"));
        }
        self.statement_in_loop();
        self.depth -= 1;
        self.numbers.truncate(known);
        self.in_loop = outer;
        match form {
            0 | 1 => self.line("}"),
            _ => self.line(&format!("}} while (++{counter} < {limit});")),
        }
    }

    /// A statement that leaves counters alone.
    fn statement_in_loop(&mut self) {
        let counters: Vec<_> =
            self.numbers.iter().filter(|(_, ty)| *ty == "const").cloned().collect();
        // Counters are read by the condition of a branch, and nobody writes them.
        let value = self.expression(2);
        self.numbers.retain(|(_, ty)| *ty != "const");
        let (name, ty) = self.variable();
        self.line(&format!("{name} = ({ty})({value});"));
        if self.depth < 3 {
            self.statement();
        }
        self.numbers.extend(counters);
    }

    fn switch(&mut self) {
        let value = self.expression(2);
        self.line(&format!("switch ((u32)({value}) % 6) {{"));
        for case in ["FIRST", "2", "3", "SECOND"] {
            self.line(&format!("case {case}: {{"));
            self.block();
            self.line("}");
            if self.random.bool() {
                self.line("break;");
            }
        }
        if self.random.bool() {
            self.line("default: {");
            self.block();
            self.line("}");
        }
        self.line("}");
    }

    fn call(&mut self) {
        let (one, two) = (self.expression(2), self.expression(2));
        let (name, ty) = self.variable();
        let n = self.function;
        match self.random.usize(..14) {
            0 => {
                let which = self.expression(1);
                self.line(&format!(
                    "{name} = ({ty})operations[({which}) & 3]((u32)({one}), (u32)({two}));"
                ));
            }
            1 => {
                let function = ["add", "sub", "mix", "chosen"][self.random.usize(..4)];
                self.line(&format!("{name} = ({ty})fold({function}, (u32)({one}), (u32)({two}));"));
            }
            2 => self.line(&format!("{name} = ({ty})down(({one}) & 3, (u32)({two}));")),
            3 => self.line(&format!("{name} = ({ty})even(({one}) & 3);")),
            4 => {
                let (low, high) = (self.fresh("l"), self.fresh("k"));
                self.line(&format!("u16 {low}, {high}; split((u32)({one}), &{low}, &{high});"));
                self.line(&format!("{name} = ({ty})({low} ^ {high});"));
            }
            5 => self.line(&format!("swap(&v[({one}) & 3], &a{n}[({two}) & 3]);")),
            6 => self.line(&format!("t = make((i32)({one}), (i32)({two}));")),
            7 => self.line(&format!("{name} = ({ty})total(t);")),
            8 => self.line(&format!("ts[({one}) & 1] = make((i32)({two}), 7);")),
            9 => self.line(&format!("s = shift(({one}) ? o{n} : s);")),
            10 => self.line(&format!("{name} = ({ty})tick{n}();")),
            11 => self.line(&format!("{name} = ({ty})(({one}) && tick{n}() > 6);")),
            12 => self.line(&format!("{name} = ({ty})sum(a{n}, a{n} + 4);")),
            _ => self.line(&format!("{name} = ({ty})length(\"some text\" + (({one}) & 3));")),
        }
    }

    fn memory(&mut self) {
        let value = self.expression(2);
        let (name, ty) = self.variable();
        let n = self.function;
        match self.random.usize(..17) {
            0 => self.line(&format!("memcpy(v, a{n}, sizeof v);")),
            1 => {
                let byte = self.random.u8(..);
                self.line(&format!("memset(a{n}, {byte}, sizeof a{n});"));
            }
            2 => self.line(&format!("s = o{n};")),
            3 => self.line(&format!("os{n}[({value}) & 1] = s;")),
            4 => self.line(&format!("o{n}.pair[({value}) & 1] = sp->in;")),
            5 => self.line(&format!("s.in = os{n}[({value}) & 1].pair[0];")),
            6 => self.line("memset(&s, 0, sizeof s); s.ref = 0;"),
            // No more allocations than the bound allows.
            7 if !self.in_loop => {
                let (list, walk) = (self.fresh("list"), self.fresh("node"));
                let at = self.fresh("at");
                self.line(&format!("struct node *{list} = 0;"));
                self.line(&format!("for (int {at} = 0; {at} < 3; {at}++) {{ struct node *{walk} = malloc(sizeof *{walk}); {walk}->value = (u32)({value}) + (u32){at}; {walk}->next = {list}; {list} = {walk}; }}"));
                self.line(&format!("{{ u32 all = 0; for (struct node *{walk} = {list}; {walk}; {walk} = {walk}->next) all = all * 5 + {walk}->value; {name} = ({ty})all; }}"));
            }
            8 => {
                self.line(&format!("s.ref = (u32 *)&v[({value}) & 3]; *s.ref += 5; {name} = ({ty})(s.ref - (u32 *)v);"));
            }
            9 => self.line(&format!("sp = ({value}) ? &s : &os{n}[1];")),
            10 => self.line(&format!("p{n} = &a{n}[({value}) & 3];")),
            11 => {
                let pointer = self.fresh("e");
                self.line(&format!("{{ i32 *{pointer} = a{n} + (({value}) & 1); {pointer}[1] = 3; {pointer} += 2; *{pointer} ^= 9; {name} = ({ty})({pointer} - a{n}); }}"));
            }
            12 => self.line(&format!("b.z = (i32)({value}); b.x += 3; b.y ^= b.x;")),
            14 => {
                let (to, from) = (self.fresh("to"), self.fresh("from"));
                let (at, size) = (self.random.usize(..4), self.random.usize(1..5));
                let (begin, byte) = (self.random.usize(..4), self.random.u8(..));
                self.line(&format!("{{ u64 {to} = (u64)({value}), {from} = (u64){name} * 7; memcpy((char *)&{to} + {at}, (char *)&{from} + {begin}, {size}); memset((char *)&{to} + {begin}, {byte}, {at}); {name} = ({ty})({to} ^ {to} >> 32); }}"));
            }
            15 => self.line(&format!("s = shift(s); os{n}[({value}) & 1] = shift(o{n});")),
            13 => {
                let label = self.fresh("out");
                self.line(&format!("if ({value}) goto {label};"));
                self.assignment();
                self.line(&format!("{label}: ;"));
            }
            _ => {
                let table = self.fresh("d");
                self.line(&format!("{{ u8 {table}[2][3] = {{ {{ 1, 2, 3 }}, {{ 4, 5, 6 }} }}; {table}[({value}) & 1][1] += 9; {name} = ({ty})({table}[1][1] * 256u + {table}[0][1] + table[({value}) & 3]); }}"));
            }
        }
    }
}

trait Pipe: Sized {
    fn pipe<T>(self, with: impl FnOnce(Self) -> T) -> T {
        with(self)
    }
}

impl Pipe for String {}
