//! What is said about wrong input.

use super::*;

#[test]
fn all_errors_of_a_test_are_reported() {
    check_errors(
        r"X86 errors
        { x=0; itn y; x=1; 7:EAX=0; 0:EAXX=1; a[0]; int b[2]={1}; 0:EAX=zz[1]; 1:EBX=99999999999999999999; z=; }
         P0              | P1            ;
         MVO EAX,[x]     | MOV EAX,[x]   | NOP ;
         MOV [x],[y]     | MOVNTI EAX,[x] ;
         JNE nowhere     | LOCK MOV [x],$1 ;
         L: MOV $1,EAX   | L: L: INC EAX ;
         MOV EAX         ;
         MOVQ EAX,[x]    | MOV EAX,AL ;
         SHL EAX,$1      | LOCK NEG [x];
         JE L            | JP L ;
         XCHG EAX,$1     | MOV EAX,EXB ;
         ? MOV EAX,[x    | MOV EAX,[x] EBX;
        locations [q; 0:EFX;]
        exists (xx=1 /\ 5:EAX=1 /\ 0:EAX=1:EAX)",
        &expect![[r#"
            2:16: there is no type `itn` (did you mean `int`?)
            2:23: `x` is declared twice
            2:39: there is no register `EAXX` (did you mean `EAX`?)
            2:49: an array cannot have 0 elements (1 to 65536 are possible)
            2:59: `b` has 2 elements but 1 initial values
            2:76: `zz` is not an array
            2:86: `99999999999999999999` is not a number of at most 64 bits
            2:110: expected a number or a location, found `;`
            4:10: this row has more cells than there are threads (there are 2)
            4:10: unknown instruction `MVO` (did you mean `MOV`?)
            5:10: only one operand can be in memory (go through a register)
            5:28: `MOVNTI` is a non-temporal move (non-temporal stores are not ordered as TSO orders stores)
            6:14: this thread has no label `nowhere`
            6:28: this instruction cannot be locked (only a read-modify-write of memory can)
            7:13: a constant cannot be written (the destination comes first: `MOV EAX,$1`)
            7:31: label `L` is defined twice
            8:10: this row has 1 cells for 2 threads (leave a cell empty: `MFENCE | ;`)
            8:10: `MOV` has 2 operands, not 1
            9:15: this register has 32 bits, not 64 (the width of all operands must be the same)
            9:36: this register has 8 bits, not 32 (the width of all operands must be the same)
            10:10: the flags after this instruction are not modelled (compare explicitly with `cmp`)
            10:28: a locked `neg` is not modelled (use a loop with `cmpxchg`)
            11:28: the parity flag is not modelled
            12:10: these operands do not fit
            12:36: there is no register `EXB` (did you mean `EBX`?)
            13:10: unexpected character "?"
            13:22: expected `]`, found the end of the text
            13:40: expected the end of the instruction, found `EBX`
            14:25: there is no register `EFX` (did you mean `EAX`?)
            15:43: expected a constant, not another register, found `:`
        "#]],
    );
}

#[test]
fn errors_of_the_frame() {
    check_errors(
        "",
        &expect![[r#"
            1:1: a litmus test begins with its architecture (there is `X86`, `X86_64`, `AArch64`, `ARM`, `PPC`, `RISCV`, `C`)
            1:1: the test has no name (write it after the architecture: `X86 SB`)
            1:1: expected the initial state (a test without one has `{ }` before its threads)
        "#]],
    );
    check_errors(
        "X87 foo\n{ }",
        &expect![[r#"
        1:1: a litmus test begins with its architecture (did you mean `X86`?)
    "#]],
    );
    check_errors(
        "MIPS foo\n{ }\n P0;\n NOP;\n",
        &expect![[r#"
            1:1: tests for MIPS cannot be read (there is `X86`, `X86_64`, `AArch64`, `ARM`, `PPC`, `RISCV`, `C`)
        "#]],
    );
    check_errors(
        "X86 foo\nthis is no metadata\n{ }",
        &expect![[r#"
        2:1: expected the initial state
    "#]],
    );
    check_errors(
        "X86 foo\n(* open",
        &expect![[r#"
        2:1: unterminated comment (close it with `*)`)
    "#]],
    );
    check_errors(
        "X86\n\"open",
        &expect![[r#"
        1:1: the test has no name (write it after the architecture: `X86 SB`)
        2:1: unterminated description
    "#]],
    );
    check_errors(
        "X86 foo\n{ x=0; ",
        &expect![[r#"
        2:8: expected `}`, found the end of the text
        2:8: expected the names of the threads, `P0 | P1 ;`, found the end of the text
    "#]],
    );
    check_errors(
        "X86 foo\n{ }\n P0 | Q1 ;",
        &expect![[r#"
        3:7: expected the names of the threads, `P0 | P1 ;`, found `Q1`
    "#]],
    );
    check_errors(
        "X86 foo\n{ }\n P0 | P0 ;\n | ;\nexists",
        &expect![[r#"
        3:7: there are two threads 0
        5:7: expected a location or a register such as `0:EAX`, found the end of the text
    "#]],
    );
    check_errors(
        "X86 foo\n{ }\n P0 ;\n NOP ;\n",
        &expect![[r#"
        5:1: expected `exists`, `~exists` or `forall`, found the end of the text
    "#]],
    );
    check_errors(
        "X86 foo\n{ }\n P0 ;\n MOV [x],$1 \nexists x=1",
        &expect![[r#"
        5:1: expected the end of the instruction, found `exists`
        5:11: expected `;` after the row, found the end of the text
    "#]],
    );
    check_errors(
        "X86_64 foo\n{ int x; }\n P0 ;\n movq $1,(x) ;\n movl $1,(y) ;\n movb $1,(y) ;\n\
         movq (%ebx),%rax ;\n movl $1,(%rbx,%rcx,3) ;\n shl $1,%rax ;\n jc l ;\n l: ;\n\
         inc %rax ;\n ja l ;\nexists 0:ax=1 with tso: exists",
        &expect![[r#"
            7:7: an address has 64 bits, this register 32 (write `rbx`)
            8:21: a scale is 1, 2, 4 or 8
            9:2: the flags after this instruction are not modelled (compare explicitly with `cmp`)
            12:1: the flags after this instruction are not modelled (compare explicitly with `cmp`)
            14:10: `ax` is only a part of `rax` (the thread uses the whole register: name that)
        "#]],
    );
}

/// Found by fuzzing: a location with the name of a register could not be printed back.
#[test]
fn locations_do_not_have_the_names_of_registers() {
    check_errors(
        "X86_64 t\n{ rax=1; true=2; }\n P0 ;\n movq (bx),%rax ;\nexists (rax=1)\n",
        &expect![[r#"
            2:3: `rax` cannot be the name of a location (a register in the initial state needs its thread, as in `0:rax=1`)
            2:10: `true` cannot be the name of a location (a register in the initial state needs its thread, as in `0:rax=1`)
            4:8: an address has 64 bits, this register 16 (write `rbx`)
        "#]],
    );
}
