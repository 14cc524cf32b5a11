//! What single instructions of litmus tests compute, and what accesses of special kinds order: small
//! tables of code with the values it must leave, each asked under the model of its architecture.

use axiomatic::{Limits, Model, outcomes};
use frontend::{Language, Settings, Words, load};
use program::{Observable, Program, Sources};

fn read(text: &str) -> Result<Program, Vec<String>> {
    let mut sources = Sources::new();
    let source = sources.add("test", text);
    let loaded = load(&sources, source, Language::Litmus, &Settings::default());
    loaded.map_err(|errors| errors.into_iter().map(|error| error.message).collect())
}

#[track_caller]
fn holds(model: Model, text: &str) -> bool {
    let program = read(text).unwrap_or_else(|errors| panic!("{errors:?} in {text}"));
    let found = outcomes(&program, model, &Limits::default()).expect("tests are small");
    assert!(!found.states.is_empty(), "no final state: {text}");
    found.answer(&program).expect("tests ask").holds
}

/// Each thread's code, initial state and what must be true at the end.
#[track_caller]
fn computes(model: Model, arch: &str, cases: &[(&str, &str, &str)]) {
    for (init, code, expected) in cases {
        let rows: Vec<String> = code.split(';').map(|line| format!(" {} ;", line.trim())).collect();
        let rows = rows.join("\n");
        let text = format!("{arch} test\n{{ {init} }}\n P0 ;\n{rows}\nforall ({expected})\n");
        assert!(holds(model, &text), "{text}");
    }
}

/// Two threads with the same initial registers, cell by cell.
fn two_threads(arch: &str, init: &str, first: &[&str], second: &[&str], exists: &str) -> String {
    let cell = |column: &[&str], row: usize| column.get(row).copied().unwrap_or("").to_owned();
    let rows: Vec<String> = (0..first.len().max(second.len()))
        .map(|row| format!(" {} | {} ;", cell(first, row), cell(second, row)))
        .collect();
    let rows = rows.join("\n");
    format!("{arch} test\n{{ {init} }}\n P0 | P1 ;\n{rows}\nexists ({exists})\n")
}

#[test]
fn flags_of_a64() {
    let after = |first: &str, asked: &[(&str, u8)]| {
        let sets: Vec<String> =
            (5..).zip(asked).map(|(n, (c, _))| format!("CSET W{n},{c}")).collect();
        let seen: Vec<String> = (5..).zip(asked).map(|(n, (_, v))| format!("0:X{n}={v}")).collect();
        (format!("{first};{}", sets.join(";")), seen.join(" /\\ "))
    };
    let cases = [
        // Carry and overflow are cleared, whatever they were.
        ("CMP W0,W0;ANDS W2,W0,W1", vec![("CS", 0), ("VS", 0), ("EQ", 0), ("LS", 1), ("MI", 0)]),
        ("CMP W0,W0;TST W0,WZR", vec![("CS", 0), ("CC", 1), ("EQ", 1), ("HI", 0), ("GE", 1)]),
        ("TST W3,W3", vec![("MI", 1), ("LT", 1), ("LE", 1), ("CS", 0)]),
        ("BICS W2,W0,W0", vec![("EQ", 1), ("CS", 0)]),
        // The carry of a sum.
        ("ADDS W2,W0,W1", vec![("CS", 0), ("EQ", 0), ("HI", 0), ("LS", 1), ("VS", 0)]),
        ("ADDS W2,W3,W1", vec![("CS", 1), ("EQ", 1), ("HI", 0), ("LS", 1), ("MI", 0)]),
        ("CMN W3,W3", vec![("CS", 1), ("MI", 1), ("HI", 1), ("VS", 0)]),
        // No borrow is a carry.
        ("SUBS W2,W0,W1", vec![("CS", 1), ("HI", 1), ("EQ", 0)]),
        ("SUBS W2,W1,W0", vec![("CS", 0), ("LS", 1), ("LT", 1), ("MI", 1)]),
        // All flags begin clear.
        ("NOP", vec![("CS", 0), ("LS", 1), ("EQ", 0), ("GE", 1), ("LE", 0)]),
        ("CMP W0,W0;ADC W2,W0,W1;CMP W2,#9", vec![("EQ", 1)]),
        ("CMP W1,W0;SBC W2,W0,W1;CMP W2,#5", vec![("EQ", 1)]),
        ("CMP W0,W1;SBC W2,W0,W1;CMP W2,#6", vec![("EQ", 1)]),
    ];
    for (first, asked) in cases {
        let (code, seen) = after(first, &asked);
        let init = "0:X0=7; 0:X1=1; 0:X3=-1;";
        computes(Model::AArch64, "AArch64", &[(init, &code, &seen)]);
    }
}

/// Words of memory, in the order of addresses.
const WORDS: &str = "uint32_t x[4]={1,2,3,4}; 0:R0=x; 0:R1=x; 0:R13=x;";

#[test]
fn several_registers_of_a32() {
    computes(
        Model::ArmV7,
        "ARM",
        &[
            (WORDS, "LDRD R2,R3,[R0,#4]", "0:R2=2 /\\ 0:R3=3"),
            (WORDS, "LDRD R0,R1,[R0]", "0:R0=1 /\\ 0:R1=2"),
            (WORDS, "LDRD R2,R3,[R0],#8;LDR R4,[R0]", "0:R2=1 /\\ 0:R3=2 /\\ 0:R4=3"),
            (
                WORDS,
                "MOV R2,#7;MOV R3,#8;STRD R2,R3,[R0,#8]!;LDR R4,[R0]",
                "x[2]=7 /\\ x[3]=8 /\\ 0:R4=7",
            ),
            (WORDS, "LDM R0,{R2-R4}", "0:R2=1 /\\ 0:R3=2 /\\ 0:R4=3"),
            (WORDS, "LDMIB R0!,{R2,R5};LDR R4,[R0]", "0:R2=2 /\\ 0:R5=3 /\\ 0:R4=3"),
            (WORDS, "ADD R0,R0,#12;LDMDA R0,{R2,R3}", "0:R2=3 /\\ 0:R3=4"),
            (WORDS, "ADD R0,R0,#12;LDMDB R0!,{R2,R3};LDR R4,[R0]", "0:R2=2 /\\ 0:R3=3 /\\ 0:R4=2"),
            (WORDS, "LDM R0,{R0,R1}", "0:R0=1 /\\ 0:R1=2"),
            (WORDS, "LDR R2,[R0];STMIB R0,{R2,R3}", "x[1]=1 /\\ x[2]=0"),
            (
                WORDS,
                "LDR R2,[R0,#4];ADD SP,SP,#8;PUSH {R2,R3};LDR R4,[SP]",
                "x[0]=2 /\\ x[1]=0 /\\ 0:R4=2",
            ),
            (WORDS, "POP {R2,R3};LDR R4,[SP]", "0:R2=1 /\\ 0:R3=2 /\\ 0:R4=3"),
            ("uint64_t y=0x500000007; 0:R0=y;", "LDREXD R2,R3,[R0]", "0:R2=7 /\\ 0:R3=5"),
            (
                "uint64_t y; 0:R0=y; 0:R2=-1; 0:R3=5;",
                "LDREXD R4,R5,[R0];STREXD R1,R2,R3,[R0]",
                "0:R1=1 \\/ 0:R1=0 /\\ y=0x5ffffffff",
            ),
            (
                "uint64_t y; 0:R0=y; 0:R2=-1;",
                "LDAEXD R2,R3,[R0];CMP R2,R3;MOVEQ R4,#1",
                "0:R2=0 /\\ 0:R4=1",
            ),
        ],
    );
}

/// Accesses to two registers are two accesses in no order, but exclusive ones are one.
#[test]
fn pairs_of_a32_may_be_torn() {
    let init = "uint32_t x[2]; 0:R0=x; 1:R0=x; 1:R2=1; 1:R3=1;";
    for (store, load) in
        [("STRD R2,R3,[R0]", "LDRD R2,R3,[R0]"), ("STM R0,{R2,R3}", "LDM R0,{R2,R3}")]
    {
        for torn in ["0:R2=1 /\\ 0:R3=0", "0:R2=0 /\\ 0:R3=1"] {
            let text = two_threads("ARM", init, &[load], &[store], torn);
            assert!(holds(Model::ArmV7, &text), "{text}");
        }
    }
    let init = "uint64_t x; 0:R0=x; 1:R0=x; 1:R2=1; 1:R3=1;";
    let store = ["LDREXD R4,R5,[R0]", "STREXD R6,R2,R3,[R0]"];
    for (seen, allowed) in
        [("0:R2=1 /\\ 0:R3=0", false), ("0:R2=0 /\\ 0:R3=1", false), ("0:R2=1 /\\ 0:R3=1", true)]
    {
        let text = two_threads("ARM", init, &["LDREXD R2,R3,[R0]"], &store, seen);
        assert_eq!(holds(Model::ArmV7, &text), allowed, "{text}");
    }
}

#[test]
fn jumps_by_bytes() {
    let cases = [
        ("0:X0=1;", "B .+8;MOV W0,#2;MOV W1,#3", "0:X0=1 /\\ 0:X1=3"),
        ("0:X0=1;", "CBZ W2,.+12;MOV W0,#2;MOV W0,#3;MOV W1,#4", "0:X0=1 /\\ 0:X1=4"),
        ("0:X0=1;", "B .+12;MOV W0,#2;B .+8;B .-8", "0:X0=2"),
        ("0:X0=1;", "CBZ W0,.+8;B L;MOV W0,#2;L: MOV W1,#1", "0:X0=1 /\\ 0:X1=1"),
        ("0:X0=1;", "B .+8;MOV W0,#2", "0:X0=1"),
    ];
    computes(Model::AArch64, "AArch64", &cases);
    computes(
        Model::ArmV7,
        "ARM",
        &[("", "CMP R0,#0;BEQ .+8;MOV R0,#2;MOV R1,#3", "0:R0=0 /\\ 0:R1=3")],
    );
    computes(
        Model::RiscV,
        "RISCV",
        &[("", "beq x5,x0,.+8;ori x5,x0,2;ori x6,x0,3", "0:x5=0 /\\ 0:x6=3")],
    );
    computes(Model::Power, "PPC", &[("", "b .+8;li r5,2;li r6,3", "0:r5=0 /\\ 0:r6=3")]);
}

#[test]
fn computations_of_a64() {
    let bytes = "0:X0=0x01020304;";
    let field = "0:X0=0xabcd; 0:X5=0xf0f0f0f;";
    let numbers = "0:X0=3; 0:X1=4; 0:X2=5; 0:X3=-7; 0:X4=2;";
    computes(
        Model::AArch64,
        "AArch64",
        &[
            (field, "UBFM W1,W0,#4,#11", "0:X1=0xbc"),
            (field, "UBFM W1,W0,#28,#7", "0:X1=0xcd0"),
            (field, "SBFM W1,W0,#0,#7", "0:X1=-51"),
            (field, "UBFX W1,W0,#8,#4", "0:X1=0xb"),
            (field, "SBFX W1,W0,#12,#4", "0:X1=-6"),
            (field, "UBFIZ W1,W0,#4,#8", "0:X1=0xcd0"),
            (field, "SBFIZ W1,W0,#4,#8", "0:X1=-816"),
            (field, "BFI W5,W0,#8,#8", "0:X5=0xf0fcd0f"),
            (field, "BFXIL W5,W0,#8,#8", "0:X5=0xf0f0fab"),
            (bytes, "REV W1,W0", "0:X1=0x04030201"),
            (bytes, "REV16 W1,W0", "0:X1=0x02010403"),
            ("uint64_t 0:X1; int64_t 0:X0=0x01020304;", "REV X1,X0", "0:X1=0x0403020100000000"),
            ("int64_t 0:X1; int64_t 0:X0=0x01020304;", "REV32 X1,X0", "0:X1=0x04030201"),
            (bytes, "EXTR W1,W0,W0,#8", "0:X1=0x04010203"),
            (bytes, "ROR W1,W0,#0", "0:X1=0x01020304"),
            (
                "0:X0=1;",
                "RBIT W1,W0;CLZ W2,W0;CLZ W3,WZR",
                "0:X1=0x80000000 /\\ 0:X2=31 /\\ 0:X3=32",
            ),
            (
                numbers,
                "MADD W6,W0,W1,W2;MSUB W7,W0,W1,W2;MNEG W8,W0,W1",
                "0:X6=17 /\\ 0:X7=-7 /\\ 0:X8=-12",
            ),
            (numbers, "ABS W6,W3;SDIV W7,W3,W4;UDIV W8,W0,WZR", "0:X6=7 /\\ 0:X7=-3 /\\ 0:X8=0"),
            (
                "int64_t 0:X6; int64_t 0:X7; 0:X3=-7; 0:X4=2;",
                "SMULL X6,W3,W4;UMULL X7,W3,W4",
                "0:X6=-14 /\\ 0:X7=8589934578",
            ),
            ("", "BL f;ADD W1,W1,#2;B out;f: MOV W1,#5;RET;out:", "0:X1=7"),
            ("", "ADR X3,there;BR X3;MOV W1,#1;there: ADD W1,W1,#4", "0:X1=4"),
            ("", "ADR X3,f;BLR X3;B out;f: MOV W1,#6;RET;out:", "0:X1=6"),
        ],
    );
}

#[test]
fn accesses_to_two_registers() {
    let two = "int64_t t[2]={3,4}; 0:X0=t; 0:X1=8; 0:X2=9; int64_t 0:X3; int64_t 0:X4;";
    let word = "uint64_t x=0x0000000200000001; 0:X0=x; 0:X5=7; 0:X6=8;";
    computes(
        Model::AArch64,
        "AArch64",
        &[
            (two, "LDP X3,X4,[X0]", "0:X3=3 /\\ 0:X4=4"),
            (two, "STP X1,X2,[X0],#8;LDR X3,[X0]", "t={8,9} /\\ 0:X3=9"),
            (two, "ADD X0,X0,#16;STNP X1,X2,[X0,#-16];LDIAPP X3,X4,[X0,#-16]", "0:X3=8 /\\ 0:X4=9"),
            (
                "int t[2]={-3,4}; 0:X0=t; int64_t 0:X3; int64_t 0:X4;",
                "LDPSW X3,X4,[X0]",
                "0:X3=-3 /\\ 0:X4=4",
            ),
            ("int t[2]={3,4}; 0:X0=t;", "LDP W0,W1,[X0]", "0:X0=3 /\\ 0:X1=4"),
            (
                word,
                "LDXP W1,W2,[X0];STXP W3,W5,W6,[X0]",
                "0:X1=1 /\\ 0:X2=2 /\\ (0:X3=1 \\/ x=0x0000000800000007)",
            ),
            (
                word,
                "MOV W1,#1;MOV W2,#2;CASPAL W1,W2,W5,W6,[X0]",
                "0:X1=1 /\\ 0:X2=2 /\\ x=0x0000000800000007",
            ),
            (
                word,
                "MOV W1,#1;MOV W2,#3;CASP W1,W2,W5,W6,[X0]",
                "0:X1=1 /\\ 0:X2=2 /\\ x=0x0000000200000001",
            ),
        ],
    );
}

/// `LDXP`, `STXP` and `CASP` of `X` registers: one access of 128 bits, to a number or to two elements.
#[test]
fn accesses_to_two_registers_of_64_bits() {
    let two = "int64_t t[2]={3,-4}; 0:X0=t; int64_t 0:X1; int64_t 0:X2; 0:X5=7; 0:X6=-8;";
    let one = "int128_t x=5; 0:X0=x; int64_t 0:X1; int64_t 0:X2; 0:X5=7; 0:X6=0;";
    computes(
        Model::AArch64,
        "AArch64",
        &[
            (
                two,
                "LDXP X1,X2,[X0];STXP W3,X5,X6,[X0]",
                "0:X1=3 /\\ 0:X2=-4 /\\ (0:X3=1 /\\ t={3,-4} \\/ 0:X3=0 /\\ t={7,-8})",
            ),
            (
                two,
                "MOV X1,#3;MOV X2,#-4;CASPAL X1,X2,X5,X6,[X0]",
                "0:X1=3 /\\ 0:X2=-4 /\\ t={7,-8}",
            ),
            (two, "MOV X1,#3;MOV X2,#4;CASP X1,X2,X5,X6,[X0]", "0:X2=-4 /\\ t={3,-4}"),
            (two, "MOV X1,#2;MOV X2,#-4;CASP X1,X2,X5,X6,[X0]", "0:X1=3 /\\ t={3,-4}"),
            (one, "LDXP X1,X2,[X0];STXP W3,X5,X6,[X0]", "0:X1=5 /\\ 0:X2=0 /\\ (x=5 \\/ x=7)"),
            (one, "LDR X1,[X0];MOV X2,#0;CASPA X1,X2,X5,X6,[X0];LDP X1,X2,[X0]", "0:X1=7 /\\ x=7"),
        ],
    );
    // Nobody sees half of it, though whoever loads the halves one by one does.
    let torn = |load: &str, seen: &str| {
        two_threads(
            "AArch64",
            "int64_t t[2]; 0:X0=t; 0:X5=1; 0:X6=1; 1:X0=t; int64_t 1:X1; int64_t 1:X2;",
            &["LDXP X1,X2,[X0]", "STXP W3,X5,X6,[X0]"],
            &[load],
            seen,
        )
    };
    for (load, seen, allowed) in [
        ("LDXP X1,X2,[X0]", "1:X1=0 /\\ 1:X2=1", false),
        ("LDXP X1,X2,[X0]", "1:X1=1 /\\ 1:X2=1", true),
        ("LDP X1,X2,[X0]", "1:X1=0 /\\ 1:X2=1", true),
        ("CASP X1,X2,X1,X2,[X0]", "1:X1=1 /\\ 1:X2=0", false),
    ] {
        assert_eq!(holds(Model::AArch64, &torn(load, seen)), allowed, "{load}: {seen}");
    }
    // Two increments of a number of 128 bits: one of the exclusive stores fails, or both count.
    let add = ["LDXP X1,X2,[X0]", "ADD X1,X1,#1", "STXP W3,X1,X2,[X0]"];
    let lost = two_threads(
        "AArch64",
        "int128_t x; 0:X0=x; 1:X0=x;",
        &add,
        &add,
        "0:X3=0 /\\ 1:X3=0 /\\ x=1",
    );
    assert!(!holds(Model::AArch64, &lost));
    let narrow =
        read("AArch64 t\n{ int64_t x; 0:X0=x; }\n P0 ;\n LDXP X1,X2,[X0] ;\nforall (true)\n");
    assert_eq!(narrow.unwrap_err(), ["this may access 16 bytes of `x`, which has 8"]);
}

#[test]
fn minima_and_maxima() {
    let cells = "x=-1; y=5; 0:X0=x; 0:X1=y; 0:X2=3;";
    computes(
        Model::AArch64,
        "AArch64",
        &[
            (cells, "LDUMAX W2,W3,[X0];LDUMINAL W2,W4,[X1]", "x=-1 /\\ y=3 /\\ 0:X3=-1 /\\ 0:X4=5"),
            (cells, "LDSMAXA W2,W3,[X0];STSMINL W2,[X1]", "x=3 /\\ y=3 /\\ 0:X3=-1"),
            (
                "int8_t b=-2; 0:X0=b; 0:X1=1;",
                "STUMAXB W1,[X0];LDUMINLB W1,W2,[X0]",
                "b=1 /\\ 0:X2=254",
            ),
            // Signed and unsigned comparisons of one width.
            (cells, "MVN W5,WZR;STUMAX W5,[X0];LDSMAX W2,W6,[X0]", "x=3 /\\ 0:X6=-1"),
            (cells, "MVN W5,WZR;CAS W5,W2,[X0];STUMAX W2,[X1];STSMIN WZR,[X1]", "x=3 /\\ y=0"),
        ],
    );
    computes(
        Model::RiscV,
        "RISCV",
        &[
            (
                "x=-1; 0:x5=x; 0:x6=3;",
                "amomaxu.w x7,x6,(x5);amominu.w.aq.rl x8,x6,(x5)",
                "0:x7=-1 /\\ 0:x8=-1 /\\ x=3",
            ),
            ("x=-1; 0:x5=x; 0:x6=3;", "amomax.w.aq x7,x6,(x5)", "0:x7=-1 /\\ x=3"),
            // Both signs in one test.
            (
                "x=-1; 0:x5=x; 0:x6=3;",
                "amomaxu.w x7,x6,(x5);amomax.w x8,x6,(x5)",
                "0:x7=-1 /\\ 0:x8=-1 /\\ x=3",
            ),
            (
                "x=3; 0:x5=x; 0:x6=-1;",
                "amomin.w x7,x6,(x5);amominu.w x8,x7,(x5)",
                "0:x7=3 /\\ 0:x8=-1 /\\ x=3",
            ),
        ],
    );
}

#[test]
fn computations_of_power() {
    let word = "0:r3=0x01020304; 0:r4=0xff;";
    computes(
        Model::Power,
        "PPC",
        &[
            (word, "rlwinm r5,r3,8,24,31", "0:r5=1"),
            (word, "rlwinm r5,r3,0,28,3", "0:r5=0x00000004"),
            (word, "rlwimi r4,r3,4,24,27", "0:r4=0x4f"),
            (word, "clrlwi r5,r3,24;rotlwi r6,r3,8", "0:r5=4 /\\ 0:r6=0x02030401"),
            (
                "int64_t 0:r3=0x0102030405060708; int64_t 0:r5;",
                "clrldi r5,r3,32",
                "0:r5=0x05060708",
            ),
            ("int64_t 0:r3=1; 0:r4=64; int64_t 0:r5;", "sld r5,r3,r4", "0:r5=0"),
            (word, "cmpwi r4,255;mfcr r5", "0:r5=0x20000000"),
            (word, "cmpwi cr1,r4,256;mfcr r5", "0:r5=0x08000000"),
            ("x=1; 0:r3=x; 0:r5=0;", "dcbf r5,r3;lwz r4,0(r3)", "0:r4=1"),
        ],
    );
}

#[test]
fn what_barriers_and_annotations_order() {
    let sb = |barrier: &str| {
        let thread = ["MOV W0,#1", "STR W0,[X1]", barrier, "LDR W3,[X2]"];
        let init = "0:X1=x; 0:X2=y; 1:X1=y; 1:X2=x;";
        two_threads("AArch64", init, &thread, &thread, "0:X3=0 /\\ 1:X3=0")
    };
    for (barrier, allowed) in [
        ("DSB ST", false),
        ("DSB ISHST", false),
        ("DSB.OSHST", false),
        ("DSB SY", false),
        ("DMB ST", true),
        ("DMB ISHST", true),
        ("DSB LD", true),
        ("DMB OSH", false),
        ("DMB NSH", true),
        ("DSB NSHST", true),
    ] {
        assert_eq!(holds(Model::AArch64, &sb(barrier)), allowed, "{barrier}");
    }
    // Both halves of a pair are there, in no order, unless it is an ordered pair.
    let init = "int64_t t[2]; 0:X0=t; 1:X0=t; 0:X1=1; 0:X2=2; int64_t 1:X3; int64_t 1:X4;";
    for (store, allowed) in [("STP X1,X2,[X0]", true), ("STILP X1,X2,[X0]", false)] {
        let reader = ["LDR X4,[X0,#8]", "DMB LD", "LDR X3,[X0]"];
        let text = two_threads("AArch64", init, &[store], &reader, "1:X4=2 /\\ 1:X3=0");
        assert_eq!(holds(Model::AArch64, &text), allowed, "{store}");
    }
    for (load, allowed) in [("LDP X3,X4,[X0]", true), ("LDIAPP X3,X4,[X0]", false)] {
        let writer = ["STR X2,[X0,#8]", "STLR X1,[X0]"];
        let text = two_threads("AArch64", init, &writer, &[load], "1:X3=1 /\\ 1:X4=0");
        assert_eq!(holds(Model::AArch64, &text), allowed, "{load}");
    }
    let sb = |store: &str, load: &str| {
        let thread =
            ["li x7,1".to_owned(), format!("{store} x7,0(x5)"), format!("{load} x8,0(x6)")];
        let thread: Vec<&str> = thread.iter().map(String::as_str).collect();
        let init = "0:x5=x; 0:x6=y; 1:x5=y; 1:x6=x;";
        two_threads("RISCV", init, &thread, &thread, "0:x8=0 /\\ 1:x8=0")
    };
    for (store, load, allowed) in [
        ("sw", "lw", true),
        ("sw.aq.rl", "lw", false),
        ("sw", "lw.aqrl", false),
        ("sw.rl", "lw.aq.rl", false),
    ] {
        assert_eq!(holds(Model::RiscV, &sb(store, load)), allowed, "{store} {load}");
    }
}

#[test]
fn values_in_the_types_that_are_declared() {
    let text = "AArch64 types
{ int8_t b=-1; uint16_t h=-2; uint64_t q=-1; 0:X0=b; 0:X1=h; uint32_t 0:X2; int8_t 0:X3; int64_t 0:X4; }
 P0 ;
 MVN W2,WZR ;
 LDRB W3,[X0] ;
 MVN W4,WZR ;
 MVN W5,WZR ;
 ADD X5,X5,#0 ;
 MOV X6,X1 ;
locations [b;h;q;0:X2;0:X3;0:X4;0:X5;0:X6;]
forall (0:X2=-1 /\\ 0:X3=255 /\\ 0:X4=0xffffffff /\\ 0:X5=-1 /\\ h=-2 /\\ q=0xffffffffffffffff)
";
    let program = read(text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let found = outcomes(&program, Model::AArch64, &Limits::default()).expect("one thread");
    assert!(found.answer(&program).expect("it asks").holds);
    let words = Words::new(&program, Language::Litmus);
    let shown: Vec<Observable> = program.question().observed.clone();
    let state = found.states.keys().next().expect("one thread ends in one way");
    let told: Vec<String> = shown
        .iter()
        .map(|seen| {
            let value = state.see(&program, &found.threads, *seen);
            format!("{}={}", words.observable(*seen), words.value(*seen, value))
        })
        .collect();
    let expected = "b=-1 h=65534 q=18446744073709551615 0:X2=4294967295 0:X3=-1 0:X4=4294967295 0:X5=-1 0:X6=h";
    assert_eq!(told.join(" "), expected);
}

#[test]
fn what_stands_around_a_test() {
    let table = " P0 ;\n mov $1,%rax ;\n clflush (x) ;\n";
    let after = [
        "exists (0:rax=1)\nwith tso: exists; sc: ~exists;\n",
        "exists (0:rax=1)\n<< anything, even `this`\n",
        "exists (0:rax=1);\nwith power: forall\n",
    ];
    for after in after {
        assert!(holds(Model::Tso, &format!("X86_64 t\n{{ }}\n{table}{after}")), "{after}");
    }
    let typed = "AArch64 t\n{ uint64_t %a=x; int x=3; }\n P0 ;\n LDR W1,[%a] ;\nexists (0:X1=3)\n";
    assert!(holds(Model::AArch64, typed));
    for (after, message) in [
        ("with tso exists\n", "expected `:`, found `exists`"),
        ("with tso: maybe\n", "expected `exists`, `~exists` or `forall`, found `maybe`"),
        ("and so on\n", "expected the end of the text, found `and`"),
    ] {
        let errors = read(&format!("X86_64 t\n{{ }}\n{table}exists (true)\n{after}")).unwrap_err();
        assert_eq!(errors, [message], "{after}");
    }
}

#[test]
fn what_is_beyond_the_model_is_refused_by_name() {
    let cases = [
        ("[PTE(x)]=(oa:PA(y)); 0:X0=x;", "LDR W1,[X0]", "true", "page tables"),
        ("0:X0=x;", "LDR W1,[X0]", "fault(P0,x)", "faults"),
        ("0:X0=x:red;", "LDR W1,[X0]", "true", "memory tags"),
        ("0:X0=P1:L0;", "NOP", "true", "addresses of code in the initial state or the condition"),
        ("ins_t 0:X0;", "NOP", "true", "code as data"),
        ("", "L: ADR X0,L ;\n ADD X1,X0,#4 ;\n LDR W2,[X1]", "true", "code as data"),
        ("0:X1=x;", "L: ADR X0,L ;\n STR X0,[X1]", "true", "code as data"),
        ("uint128_t x;", "NOP", "true", "unsigned integers of 128 bits"),
        ("", "SVC #0", "true", "an exception"),
        ("", "MRS X0,ELR_EL1", "true", "a system register"),
        ("", "TLBI VMALLE1", "true", "the maintenance of caches and translations"),
        ("", "PACDA X0,X1", "true", "the authentication of pointers"),
        ("", "STG X0,[X1]", "true", "a memory tag"),
        ("", "MOVI V0.4S,#1", "true", "a vector"),
    ];
    for (init, line, condition, what) in cases {
        let text = format!("AArch64 t\n{{ {init} }}\n P0 ;\n {line} ;\nexists ({condition})\n");
        let errors = read(&text).err().unwrap_or_else(|| panic!("read: {text}"));
        assert_eq!(errors[0], format!("{what} cannot be modelled"), "{text}");
    }
}
