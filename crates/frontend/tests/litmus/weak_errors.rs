//! What is said about wrong tests of `AArch64`, ARM, PPC and RISC-V.

use super::*;

#[test]
fn errors_in_aarch64_tests() {
    check_errors(
        r"AArch64 errors
        { 0:X1=x; 0:X31=y; 0:XZR=1; X2=1; 0:X1=y; %q=x; }
         P0                  ;
         MVO W0,#1           ;
         LDR W0,[W1]         ;
         LDR W0,[X1,W2]      ;
         LDR W0,[X1          ;
         LDR W0 [X1]         ;
         ADD W0,X1,W2        ;
         ADD W0,W1,X2        ;
         LDXP X0,W2,[X1]     ;
         LDP W0,W0,[X1]      ;
         LDAR W0,[X1,#4]     ;
         CSEL W0,W1,W2,QQ    ;
         DMB XY              ;
         CBZ W0              ;
         B.EQ nowhere        ;
         LDR X1,[X1],#8      ;
         LSL W0,W1,#32       ;
         MOV W0,#1 W1        ;
         MOV W0,W31          ;
         MOV W0,#99999999999999999999 ;
        exists (%q=1 /\ 0:Y1=1)",
        &expect![[r#"
            2:21: there is no register `X31` (did you mean `X1`?)
            2:30: `XZR` is always zero (leave it out)
            2:37: `X2` cannot be the name of a location (a register in the initial state needs its thread, as in `0:X1=1`)
            2:45: `X1` is set twice
            2:51: no thread mentions the register `%q` (name its thread, as in `0:%x0=x`, or leave it out)
            4:10: unknown instruction `MVO` (did you mean `MOV`?)
            5:18: an address is in a register of 64 bits
            6:23: expected `,SXTW` or `,UXTW` after a register of 32 bits, found `]`
            7:20: expected `,` or `]`, found the end of the instruction
            8:17: expected `,`, found `[`
            9:17: this register has 64 bits, not 32 (the width of all operands must be the same)
            10:20: this register has not 32 bits (the width of all operands must be the same; `,SXTW` extends a `W` register)
            11:18: this register has 32 bits, not 64 (the width of all operands must be the same)
            12:10: these registers cannot be loaded together (load other registers than that of the address, each once)
            13:22: 4 is out of range (only 0 is possible)
            14:24: expected a condition such as `EQ`, found `QQ`
            15:14: expected what the barrier orders, such as `SY`, `LD` or `ST`, found `XY`
            16:16: expected `,`, found the end of the instruction
            17:15: this thread has no label `nowhere`
            18:10: a register of an address that is written back is loaded (load another register)
            19:20: 32 is out of range (0 to 31 are possible)
            20:20: expected the end of the instruction, found `W1`
            21:17: there is no register `W31` (did you mean `W1`?)
            22:18: `99999999999999999999` is not a number of at most 64 bits
            23:17: a register needs its thread here (write `0:%q`)
            23:27: there is no register `Y1` (did you mean `X1`?)
        "#]],
    );
}

#[test]
fn errors_in_arm_tests() {
    check_errors(
        r"ARM errors
        { 0:R1=x; }
         P0              ;
         LDRR R0,[R1]    ;
         CLREX           ;
         LDRD R1,R1,[R2] ;
         LDM R1!,{R1,R2} ;
         LDM R1,{R3,R2}  ;
         B .+6           ;
         BNE .+400       ;
         MOV R15,#1      ;
         TST R0,#1       ;
         BHI L           ;
         BX R1           ;
         L: STRX R0,[R1] ;
        exists (0:R0=1)",
        &expect![[r#"
            4:10: unknown instruction `LDRR` (did you mean `LDR`?)
            5:10: giving up a reservation cannot be modelled (leave the exclusive load out)
            6:10: these registers cannot be loaded together (load other registers than that of the address, each once)
            7:10: these registers cannot be loaded together (load other registers than that of the address, each once)
            8:10: these registers are not in ascending order
            9:12: there is no instruction at `.+6` (an instruction has 4 bytes: `.+8` is the second one after this)
            10:14: there is no instruction at `.+400` (an instruction has 4 bytes: `.+8` is the second one after this)
            11:14: there is no register `R15` (did you mean `R1`?)
            12:10: this does not set the carry and the overflow (test for `EQ`, `NE`, `MI` or `PL`, or compare with `CMP`)
            14:13: expected `BX LR`, the end of the thread, found `R1`
            15:13: unknown instruction `STRX` (did you mean `STR`?)
        "#]],
    );
}

#[test]
fn errors_in_ppc_tests() {
    check_errors(
        r"PPC errors
        { r1=1; 0:r2=x; }
         P0               ;
         lwx r1,0(r2)     ;
         lwz r1,r2        ;
         lwz r1,0(r32)    ;
         stwcx r1,0,r2    ;
         lwzu r2,4(r2)    ;
         cmpw cr8,r1,r2   ;
         lmw r1,0(r2)     ;
         slwi r1,r1,32    ;
         lwzx r1,1,r2     ;
        exists (0:r1=1)",
        &expect![[r#"
            2:11: `r1` cannot be the name of a location (a register in the initial state needs its thread, as in `0:r1=1`)
            4:10: unknown instruction `lwx` (did you mean `lwz`?)
            5:17: expected a number, found `r2`
            6:19: there is no register `r32` (did you mean `r2`?)
            7:10: unknown instruction `stwcx` (did you mean `stwcx.`?)
            8:10: this base register cannot be updated (use another register)
            9:15: there is no register `cr8` (did you mean `r8`?)
            10:10: an access to several registers at once cannot be modelled (write single accesses instead)
            11:21: 32 is out of range (0 to 31 are possible)
            12:18: 1 is out of range (only 0 is possible)
        "#]],
    );
}

#[test]
fn errors_in_riscv_tests() {
    check_errors(
        r"RISCV errors
        { 0:x5=x; 0:x0=1; }
         P0                  ;
         lw x5,0(x32)        ;
         lw.rl x5,0(x6)      ;
         sw.aq x5,0(x6)      ;
         amomaxu.b x5,x6,(x7);
         fence rx,w          ;
         fence rw            ;
         jal x1,L            ;
         amoad.w x5,x6,(x7)  ;
         beq x5,L            ;
         L: addi x5,x6       ;
        exists (0:x5=1)",
        &expect![[r#"
            2:21: `x0` is always zero (leave it out)
            4:18: there is no register `x32` (did you mean `x2`?)
            5:10: a load of order release cannot be modelled (`.rl` is for stores)
            6:10: a store of order acquire cannot be modelled (`.aq` is for loads)
            7:10: unknown instruction `amomaxu.b`
            8:16: expected a set of accesses such as `rw`, found `rx`
            9:18: expected `,`, found the end of the instruction
            10:10: a call cannot be modelled (jump with `j`)
            11:10: unknown instruction `amoad.w` (did you mean `amoadd.w`?)
            12:17: there is no register `L`
            13:23: expected `,`, found the end of the instruction
        "#]],
    );
}

/// A location is divided where an access may be of another width, and an access may not be wider than what
/// it hits. Power has either byte first, so there nothing is divided.
#[test]
fn an_access_of_another_width_divides_what_it_may_hit() {
    let test = |arch: &str, access: &str| {
        format!(
            "{arch} widths\n{{ int8_t x; int y; int64_t p=y; 0:X1=x; 0:X2=y; 0:X3=p; }}\n P0 ;\n \
             LDRB W0,[X1] ;\n LDRSB W4,[X1] ;\n LDR X5,[X3] ;\n ADD X6,X5,#0 ;\n {access} ;\n\
             exists (0:X0=0)"
        )
    };
    let divided = |access: &str| {
        let program = parsed(&test("AArch64", access));
        let locations = program.memory().locations().iter();
        let parts: Vec<(String, u8)> =
            locations.map(|one| (one.name.clone(), one.parts)).filter(|one| one.1 > 1).collect();
        parts
    };
    for fits in ["LDR W7,[X2]", "LDR W7,[X6]", "STR W7,[X5]", "LDRB W7,[X1]", "LDR X7,[X3]"] {
        assert_eq!(divided(fits), [], "{fits}");
    }
    for (other, name, parts) in [
        ("LDRH W7,[X2]", "y", 2),
        ("LDRB W7,[X6]", "y", 4),
        ("STRB W7,[X5,#3]", "y", 4),
        ("LDR W7,[X3,#4]", "p", 2),
    ] {
        assert_eq!(divided(other), [(name.to_owned(), parts)], "{other}");
    }
    for (wider, bytes, name, there) in [("STR X7,[X5]", 8, "y", 4), ("LDR W7,[X1]", 4, "x", 1)] {
        let (sources, errors) = parse(&test("AArch64", wider)).expect_err(wider);
        let told = shown(&sources, &errors);
        let expected =
            format!("8:2: this may access {bytes} bytes of `{name}`, which has {there} (declare");
        assert!(told.starts_with(&expected), "{wider}: {told}");
    }
    let power = "PPC widths\n{ int64_t x; 0:r1=x; }\n P0 ;\n lwz r2,0(r1) ;\nexists (0:r2=0)";
    let (sources, errors) = parse(power).expect_err("Power");
    let told = shown(&sources, &errors);
    assert!(told.starts_with("4:2: this may access `x` with another width than it has"), "{told}");
}
