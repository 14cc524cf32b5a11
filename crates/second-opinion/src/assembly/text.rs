//! Assembly text of one C file: sections, labels and data; instructions are read by [`super::mnemonic`].
//!
//! Two passes: the first finds out where everything lies, the second reads what refers to it.
//! What is not known is an error.

use std::collections::BTreeMap;

use super::operand::Symbols;
use super::{CODE, DATA, Image, mnemonic};

/// Directives that say nothing about what a program does.
const IGNORED: [&str; 13] = [
    ".file",
    ".globl",
    ".local",
    ".type",
    ".size",
    ".ident",
    ".addrsig",
    ".addrsig_sym",
    ".weak",
    ".hidden",
    ".intel_syntax",
    ".att_syntax",
    ".loc",
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Code,
    Data,
    /// Variables of which every thread has its own.
    ThreadLocal,
}

/// What the first pass finds.
#[derive(Default)]
struct Layout<'t> {
    instructions: Vec<(usize, &'t str)>,
    data: Vec<u8>,
    thread_local: Vec<u8>,
    /// Values that refer to symbols: where, how many bytes, and what.
    pending: Vec<(usize, usize, &'t str)>,
    symbols: BTreeMap<String, u64>,
    /// Offsets of thread-local variables.
    thread_symbols: BTreeMap<String, u64>,
}

/// Functions as they could be written. Compilers call the first ones where there is no call in the source. Who
/// waits on a condition variable may wake up for no reason, so it is as good as giving the mutex back for a moment;
/// a barrier counts who has ever arrived.
const LIBRARY: &str = "
    .text
memset:
    movq %rdi, %rax
.Lmemset_next:
    testq %rdx, %rdx
    je .Lmemset_end
    movb %sil, (%rdi)
    incq %rdi
    decq %rdx
    jmp .Lmemset_next
.Lmemset_end:
    ret
memcpy:
    movq %rdi, %rax
.Lmemcpy_words:
    cmpq $8, %rdx
    jb .Lmemcpy_bytes
    movq (%rsi), %rcx
    movq %rcx, (%rdi)
    addq $8, %rsi
    addq $8, %rdi
    subq $8, %rdx
    jmp .Lmemcpy_words
.Lmemcpy_bytes:
    testq %rdx, %rdx
    je .Lmemcpy_end
    movb (%rsi), %cl
    movb %cl, (%rdi)
    incq %rsi
    incq %rdi
    decq %rdx
    jmp .Lmemcpy_bytes
.Lmemcpy_end:
    ret
memmove:
    movq %rdi, %rax
    cmpq %rsi, %rdi
    jbe .Lmemcpy_words
.Lmemmove_next:
    testq %rdx, %rdx
    je .Lmemmove_end
    decq %rdx
    movb (%rsi,%rdx), %cl
    movb %cl, (%rdi,%rdx)
    jmp .Lmemmove_next
.Lmemmove_end:
    ret
pthread_once:
call_once:
    movl (%rdi), %eax
    cmpl $2, %eax
    je .Lonce_done
    movl $0, %eax
    movl $1, %ecx
    lock cmpxchgl %ecx, (%rdi)
    jne .Lonce_wait
    pushq %rdi
    call *%rsi
    popq %rdi
    movl $2, %eax
    xchgl %eax, (%rdi)
.Lonce_done:
    movl $0, %eax
    ret
.Lonce_wait:
    movl $2, %esi
    call await_at_least
    ret
pthread_barrier_init:
    movl %edx, (%rdi)
    movl $0, 8(%rdi)
    movl $0, %eax
    ret
pthread_barrier_wait:
    movl (%rdi), %ecx
    movl $1, %eax
    lock xaddl %eax, 8(%rdi)
    movl $0, %edx
    divl %ecx
    incl %edx
    incl %eax
    imull %ecx, %eax
    pushq %rdx
    pushq %rcx
    movl %eax, %esi
    addq $8, %rdi
    call await_at_least
    popq %rcx
    popq %rdx
    movl $0, %eax
    cmpl %ecx, %edx
    jne .Lbarrier_end
    movl $-1, %eax
.Lbarrier_end:
    ret
pthread_cond_wait:
    pushq %rsi
    movq %rsi, %rdi
    call pthread_mutex_unlock
    popq %rdi
    call pthread_mutex_lock
    ret
";

/// Reads a program.
pub(crate) fn parse(text: &str) -> Result<Image, String> {
    let mut layout = Layout::default();
    let mut section = Section::Code;
    for (number, line) in text.lines().chain(LIBRARY.lines()).enumerate() {
        layout
            .line(line, number, &mut section)
            .map_err(|error| format!("line {}: {error}: {line}", number + 1))?;
    }
    let Layout { instructions, mut data, mut thread_local, pending, mut symbols, thread_symbols } =
        layout;
    pad(&mut thread_local, 16);
    let size = length(&thread_local);
    for (name, offset) in thread_symbols {
        symbols.insert(name, offset.wrapping_sub(size));
    }
    for (at, bytes, expression) in pending {
        let value = Symbols(&symbols).value(expression)?;
        data[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
    let mut code = Vec::new();
    for (number, instruction) in instructions {
        let read = mnemonic::instruction(instruction, &Symbols(&symbols));
        code.push(read.map_err(|error| format!("line {}: {error}: {instruction}", number + 1))?);
    }
    Ok(Image { code, data, thread_local, symbols })
}

/// The bytes of a text with escapes.
fn unescaped(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = text.bytes().peekable();
    let mut all = Vec::new();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            all.push(byte);
            continue;
        }
        let escaped = bytes.next().ok_or("an escape is cut")?;
        all.push(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            b'"' | b'\\' => escaped,
            b'0'..=b'7' => {
                let mut value = u32::from(escaped - b'0');
                for _ in 0..2 {
                    if let Some(digit) = bytes.next_if(|byte| (b'0'..=b'7').contains(byte)) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                u8::try_from(value).map_err(|_| "an escape is too large")?
            }
            _ => return Err("unknown escape".to_owned()),
        });
    }
    Ok(all)
}

fn length<T>(of: &[T]) -> u64 {
    u64::try_from(of.len()).unwrap_or(u64::MAX)
}

fn pad(bytes: &mut Vec<u8>, alignment: usize) {
    bytes.resize(bytes.len().next_multiple_of(alignment.max(1)), 0);
}

impl<'t> Layout<'t> {
    fn line(&mut self, line: &'t str, number: usize, section: &mut Section) -> Result<(), String> {
        let mut rest = line.trim();
        if !rest.starts_with(".string") && !rest.starts_with(".asci") {
            rest = rest.split('#').next().unwrap_or("").trim();
        }
        while let Some((label, after)) = rest.split_once(':') {
            if label.contains(['%', '"', ' ', '\t']) {
                break;
            }
            self.label(label, *section);
            rest = after.trim();
        }
        if rest.is_empty() {
            return Ok(());
        }
        if !rest.starts_with('.') {
            if *section != Section::Code {
                return Err("an instruction among data".to_owned());
            }
            self.instructions.push((number, rest));
            return Ok(());
        }
        let (directive, arguments) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        self.directive(directive, arguments.trim(), section)
    }

    fn label(&mut self, name: &str, section: Section) {
        match section {
            Section::Code => {
                self.symbols.insert(name.to_owned(), CODE + length(&self.instructions));
            }
            Section::Data => {
                self.symbols.insert(name.to_owned(), DATA + length(&self.data));
            }
            Section::ThreadLocal => {
                self.thread_symbols.insert(name.to_owned(), length(&self.thread_local));
            }
        }
    }

    fn directive(
        &mut self,
        directive: &str,
        arguments: &'t str,
        section: &mut Section,
    ) -> Result<(), String> {
        match directive {
            ".text" => *section = Section::Code,
            ".data" | ".bss" => *section = Section::Data,
            ".section" => {
                let name = arguments.split(',').next().unwrap_or("");
                *section = match name {
                    ".text" => Section::Code,
                    ".tbss" | ".tdata" => Section::ThreadLocal,
                    _ => Section::Data,
                };
            }
            ".align" | ".balign" | ".p2align" => {
                let first = arguments.split(',').next().unwrap_or("");
                let number: usize = first.trim().parse().map_err(|_| "no alignment")?;
                let alignment = if directive == ".p2align" { 1 << number } else { number };
                match *section {
                    Section::Code => {}
                    Section::Data => pad(&mut self.data, alignment),
                    Section::ThreadLocal => pad(&mut self.thread_local, alignment),
                }
            }
            ".comm" | ".lcomm" => {
                let mut parts = arguments.split(',').map(str::trim);
                let name = parts.next().unwrap_or("");
                let mut number = |otherwise: usize| match parts.next() {
                    Some(text) => text.parse().map_err(|_| "no size"),
                    None => Ok(otherwise),
                };
                let (size, alignment) = (number(0)?, number(16)?);
                pad(&mut self.data, alignment);
                self.label(name, Section::Data);
                self.data.resize(self.data.len() + size, 0);
            }
            ".byte" => self.values(arguments, 1, *section)?,
            ".value" | ".short" | ".2byte" => self.values(arguments, 2, *section)?,
            ".long" | ".4byte" => self.values(arguments, 4, *section)?,
            ".quad" | ".8byte" => self.values(arguments, 8, *section)?,
            ".zero" | ".skip" => {
                let size: usize =
                    arguments.split(',').next().unwrap_or("").parse().map_err(|_| "no size")?;
                let bytes = self.bytes(*section)?;
                bytes.resize(bytes.len() + size, 0);
            }
            ".string" | ".asciz" | ".ascii" => {
                let text = arguments.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                let text = unescaped(text.ok_or("no text")?)?;
                let bytes = self.bytes(*section)?;
                bytes.extend(text);
                if directive != ".ascii" {
                    bytes.push(0);
                }
            }
            _ if IGNORED.contains(&directive) || directive.starts_with(".cfi_") => {}
            _ => return Err("unknown directive".to_owned()),
        }
        Ok(())
    }

    fn bytes(&mut self, section: Section) -> Result<&mut Vec<u8>, String> {
        match section {
            Section::Code => Err("data among instructions".to_owned()),
            Section::Data => Ok(&mut self.data),
            Section::ThreadLocal => Ok(&mut self.thread_local),
        }
    }

    fn values(&mut self, arguments: &'t str, bytes: usize, section: Section) -> Result<(), String> {
        for argument in arguments.split(',').map(str::trim) {
            let known = Symbols(&BTreeMap::new()).value(argument).ok();
            let into = self.bytes(section)?;
            let at = into.len();
            into.extend(&known.unwrap_or(0).to_le_bytes()[..bytes]);
            if known.is_none() {
                if section != Section::Data {
                    return Err("an address in a thread-local variable".to_owned());
                }
                self.pending.push((at, bytes, argument));
            }
        }
        Ok(())
    }
}
