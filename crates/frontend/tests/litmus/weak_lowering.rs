//! What the instructions of `AArch64`, ARM, PPC and RISC-V tests lower to. Dependencies are visible:
//! every register that an instruction reads occurs in the statement it becomes.

use super::*;

#[test]
fn aarch64_loads_stores_and_orders() {
    check(
        r"AArch64 orders
        { int64_t z=x; 0:X1=x; 0:X2=z; }
         P0                   ;
         LDR W3,[X1]          ;
         LDAR W3,[X1]         ;
         LDAPR W3,[X1]        ;
         LDAXR W3,[X1]        ;
         STLXR W4,W3,[X1]     ;
         STLR WZR,[X1]        ;
         LDXR WZR,[X1]        ;
         EOR W5,W3,W3         ;
         LDR W6,[X1,W5,SXTW]  ;
         LDR X7,[X2]          ;
         STR W6,[X7]          ;
         LDR W8,[X1,#16]      ;
         LDR X9,[X2],#8       ;
         STR X9,[X2,#-8]!     ;
         STR W6,[X1,X9,LSL #2];
         LDAPUR W6,[X1,#4]    ;
         STLUR W6,[X1,#-4]    ;
        exists (0:X3=1 /\ 0:X7=x)",
        &expect![[r#"
            program orders
            shared z: i64 = 4112 at 4096
            shared x: i32 at 4112

            thread P0 {
              local X1: i64 = 4112
              local X2: i64 = 4096
              local X3: i32
              local X7: i64
              local X4: i32
              local X5: i32
              local X6: i32
              local X8: i32
              local X9: i64
              local discarded: i32
              X3 = load(mem[X1], bytes(4))
              X3 = load(mem[X1], seq_cst, bytes(4))
              X3 = load(mem[X1], acquire, bytes(4))
              X3 = load(mem[X1], seq_cst, exclusive, bytes(4))
              X4 = store_exclusive(mem[X1], X3, release, bytes(4))
              store(mem[X1], 0, release, bytes(4))
              discarded = load(mem[X1], exclusive, bytes(4))
              X5 = X3 ^ X3
              X6 = load(mem[X1 + X5], bytes(4))
              X7 = load(mem[X2], bytes(8))
              store(mem[X7], X6, bytes(4))
              X8 = load(mem[X1 + 16], bytes(4))
              X9 = load(mem[X2], bytes(8))
              X2 = X2 + 8
              store(mem[X2 + -8], X9, bytes(8))
              X2 = X2 + -8
              store(mem[X1 + (X9 << 2)], X6, bytes(4))
              X6 = load(mem[X1 + 4], acquire, bytes(4))
              store(mem[X1 + -4], X6, release, bytes(4))
              X7 = i32(X7)
            }

            exists P0.X3 == 1 && P0.X7 == 4112
            exists And(Equals(Register { template: tmpl0, copy: 0, register: r2 }, 1), Equals(Register { template: tmpl0, copy: 0, register: r3 }, 4112))
        "#]],
    );
}

#[test]
fn aarch64_computation_and_branches() {
    check(
        r"AArch64 compute
        { 0:X1=x; 0:X9=-1; }
         P0                 ;
         MOV W0,#1          ;
         MOVK W0,#2,LSL #16 ;
         SXTW X2,W0         ;
         ADD X3,X1,W0,SXTW  ;
         AND W4,W0,#128     ;
         BIC W4,W0,W4       ;
         LSR W5,W0,#3       ;
         SUBS W5,W5,#1      ;
         B.LE L0            ;
         CSEL W6,W0,W5,EQ   ;
         CSINC W6,W0,WZR,HI ;
         L0: CBZ W6,L1      ;
         TBNZ W6,#4,L1      ;
         CMP X9,X2          ;
         CSET W7,NE         ;
         L1: B L2           ;
         NOP                ;
         L2:                ;
        exists (0:X6=1)",
        &expect![[r#"
            program compute
            shared x: i32 at 4096

            thread P0 {
              local X1: i64 = 4096
              local X9: i64 = -1
              local X6: i32
              local X0: i32
              local X2: i64
              local X3: i64
              local X4: i32
              local X5: i32
              local X7: i32
              local flag_equal: u1
              local flag_less_or_equal: u1
              local flag_below_or_equal: u1 = 1
              X0 = 1
              X0 = X0 & 65535 | 131072
              X2 = X0
              X3 = X1 + X0
              X4 = X0 & 128
              X4 = X0 & ~X4
              X5 = u32(X0) >> 3
              flag_equal = X5 == 1
              flag_less_or_equal = X5 <= 1
              flag_below_or_equal = u32(X5) <= 1
              X5 = X5 - 1
              if flag_less_or_equal { goto L0 }
              X6 = (flag_equal ? X0 : X5)
              X6 = (!flag_below_or_equal ? X0 : 0 + 1)
              L0: if X6 == 0 { goto L1 }
              if X6 >> 4 & 1 != 0 { goto L1 }
              flag_equal = X9 == X2
              flag_less_or_equal = X9 <= X2
              flag_below_or_equal = u64(X9) <= u64(X2)
              X7 = (!flag_equal ? 1 : 0)
              L1: skip
              L2: stop
              q15: skip; goto L2
            }

            exists P0.X6 == 1
            exists Equals(Register { template: tmpl0, copy: 0, register: r2 }, 1)
        "#]],
    );
}

#[test]
fn aarch64_atomics() {
    check(
        r"AArch64 atomics
        { 0:X1=x; }
         P0                   ;
         SWP W2,W3,[X1]       ;
         SWPAL W2,W3,[X1]     ;
         SWPA W2,WZR,[X1]     ;
         CAS W2,W3,[X1]       ;
         CASA WZR,W3,[X1]     ;
         LDADDA W2,W3,[X1]    ;
         LDCLRL W2,W3,[X1]    ;
         STSETL W2,[X1]       ;
         LDSMAX W2,W3,[X1]    ;
        exists (0:X3=1)",
        &expect![[r#"
            program atomics
            shared x: i32 at 4096

            thread P0 {
              local X1: i64 = 4096
              local X3: i32
              local X2: i32
              X3 = xchg(mem[X1], X2)
              X3 = xchg(mem[X1], X2, acq_rel)
              xchg(mem[X1], X2)
              X2 = cmpxchg(mem[X1], X2, X3)
              cmpxchg(mem[X1], 0, X3, acquire)
              X3 = fetch_add(mem[X1], X2, acquire)
              X3 = fetch_and(mem[X1], ~X2, release)
              fetch_or(mem[X1], X2, release)
              X3 = fetch_max(mem[X1], X2)
            }

            exists P0.X3 == 1
            exists Equals(Register { template: tmpl0, copy: 0, register: r1 }, 1)
        "#]],
    );
}

#[test]
fn fences_of_arm() {
    check(
        r"AArch64 fences
        { }
         P0        ;
         DMB SY    ;
         DSB ISH   ;
         DMB ISHLD ;
         DMB ST    ;
         DMB OSHST ;
         ISB       ;
        exists (true)",
        &expect![[r#"
            program fences

            thread P0 {
              fence
              fence
              fence(acquire)
              fence(store_store)
              fence(store_store)
              fence(control)
            }

            exists true
            exists Constant(true)
        "#]],
    );
}

#[test]
fn arm_symbolic_registers_and_conditional_execution() {
    check(
        r"ARM arm
        { %x=x; %y1=y; }
         P0            | P1             ;
         LDREX R0,[%x] | LDR R0,[%y1]   ;
         ADD R0,#1     | EOR R1,R0,R0   ;
         STREX R1,R0,[%x] | LDR R2,[R1,%x] ;
         CMP R1,#0     | CMP R0,R1      ;
         MOVEQ R2,#1   | BNE L0         ;
         STRNE R2,[%x] | LDAEX R3,[%x]  ;
         DMB           | STLEX R4,R3,[%x] ;
         ADDS R3,R2,R1,LSL #1 | L0: DMB ST ;
         BMI L         | ISB            ;
         MVN R3,R3     |                ;
         L:            |                ;
        exists (0:R2=1 /\ 1:R2=0)",
        &expect![[r#"
            program arm
            shared x: i32 at 4096
            shared y: i32 at 4112

            thread P0 {
              local _x: i32 = 4096
              local R2: i32
              local R0: i32
              local R1: i32
              local R3: i32
              local flag_equal: u1
              local flag_sign: u1
              R0 = load(mem[_x], exclusive)
              R0 = R0 + 1
              R1 = store_exclusive(mem[_x], R0)
              flag_equal = R1 == 0
              flag_sign = i32(R1 - 0) < 0
              R2 = (flag_equal ? 1 : R2)
              if !flag_equal { goto q12 }
              q7: fence
              flag_equal = i32(R2 + (R1 << 1)) == 0
              flag_sign = i32(R2 + (R1 << 1)) < 0
              R3 = R2 + (R1 << 1)
              if flag_sign { goto L }
              R3 = ~R3
              L: stop
              q12: mem[_x] = R2; goto q7
            }

            thread P1 {
              local _x: i32 = 4096
              local _y1: i32 = 4112
              local R2: i32
              local R0: i32
              local R1: i32
              local R3: i32
              local R4: i32
              local flag_equal: u1
              R0 = mem[_y1]
              R1 = R0 ^ R0
              R2 = mem[R1 + _x]
              flag_equal = R0 == R1
              if !flag_equal { goto L0 }
              R3 = load(mem[_x], seq_cst, exclusive)
              R4 = store_exclusive(mem[_x], R3, release)
              L0: fence(store_store)
              fence(control)
            }

            exists P0.R2 == 1 && P1.R2 == 0
            exists And(Equals(Register { template: tmpl0, copy: 0, register: r1 }, 1), Equals(Register { template: tmpl1, copy: 0, register: r2 }, 0))
        "#]],
    );
}

#[test]
fn ppc_everything() {
    check(
        r"PPC ppc
        { 0:r2=x; 0:r4=y; 1:r2=x; x=y; }
         P0              | P1             ;
         li r1,1         | ld r1,0(r2)    ;
         stw r1,0(r4)    | addi r3,r1,-1  ;
         sync            | lwz r4,0(r1)   ;
         lwz r3,4(r4)    | std r3,0(r2)   ;
         lwsync          | cmpd r3,r4     ;
         xor r5,r3,r3    | bgt- L0        ;
         lwzx r6,r5,r4   | srwi r5,r4,2   ;
         eieio           | L0:            ;
         lwarx r7,r0,r4  |                ;
         addi r7,r7,1    |                ;
         stwcx. r7,0,r4  |                ;
         bne L1          |                ;
         cmplwi cr1,r7,9 |                ;
         blt cr1,L1      |                ;
         isync           |                ;
         L1: andi. r8,r7,1 |              ;
         beq L2          |                ;
         stwu r8,4(r4)   |                ;
         L2: subf r9,r8,r7 |              ;
        exists (0:r7=1 /\ 1:r1=y)",
        &expect![[r#"
            program ppc
            shared x: i64 = 4112 at 4096
            shared y: i32 at 4112

            thread P0 {
              local r2: i32 = 4096
              local r4: i32 = 4112
              local r7: i32
              local r1: i32
              local r3: i32
              local r5: i32
              local r6: i32
              local r8: i32
              local r9: i32
              local failed: u1
              local flag_equal: u1
              local flag_less_1: u1
              r1 = 1
              store(mem[r4], r1, bytes(4))
              fence
              r3 = load(mem[r4 + 4], bytes(4))
              fence(lightweight)
              r5 = r3 ^ r3
              r6 = load(mem[r5 + r4], bytes(4))
              fence(store_store)
              r7 = load(mem[r4], exclusive, bytes(4))
              r7 = r7 + 1
              failed = store_exclusive(mem[r4], r7, bytes(4))
              flag_equal = !failed
              if !flag_equal { goto L1 }
              flag_less_1 = u32(r7) < 9
              if flag_less_1 { goto L1 }
              fence(control)
              L1: r8 = r7 & 1
              flag_equal = r8 == 0
              if flag_equal { goto L2 }
              store(mem[r4 + 4], r8, bytes(4))
              r4 = r4 + 4
              L2: r9 = r7 - r8
            }

            thread P1 {
              local r2: i64 = 4096
              local r1: i64
              local r3: i64
              local r4: i64
              local r5: i64
              local tmp32: i32
              local flag_less_or_equal: u1 = 1
              r1 = load(mem[r2], bytes(8))
              r3 = r1 + -1
              tmp32 = load(mem[r1], bytes(4))
              r4 = u32(tmp32)
              store(mem[r2], r3, bytes(8))
              flag_less_or_equal = r3 <= r4
              if !flag_less_or_equal { goto L0 }
              r5 = u32(u32(i32(r4)) >> 2)
              L0: r1 = i32(r1)
            }

            exists P0.r7 == 1 && P1.r1 == 4112
            exists And(Equals(Register { template: tmpl0, copy: 0, register: r2 }, 1), Equals(Register { template: tmpl1, copy: 0, register: r1 }, 4112))
        "#]],
    );
}

#[test]
fn riscv_everything() {
    check(
        r"RISCV riscv
        { 0:x6=x; 0:a0=y; 1:x6=x; 1:x12=z; int64_t z; }
         P0                     | P1                   ;
         ori x5,x0,1            | lw x5,0(x6)          ;
         sw x5,0(x6)            | bne x5,x0,L0         ;
         fence rw,rw            | fence.i              ;
         fence w,rw             | L0: ld x7,8(x12)     ;
         fence r,rw             | lwu x8,0(x6)         ;
         fence iorw,ow          | xor x9,x8,x8         ;
         fence.tso              | add x9,x9,x6         ;
         lr.w.aq x7,(a0)        | amoadd.w.rl x10,x8,(x9) ;
         addi x7,x7,1           | amoswap.d.aq.rl x0,x8,(x12) ;
         sc.w.aq.rl x8,x7,(a0)  | sltu x11,x8,x7       ;
         bnez x8,out            | sraiw x11,x11,1      ;
         lw.aq x9,0(x6)         | bgeu x11,x8,L1       ;
         sw.rl x9,4(x6)         | j L1                 ;
         out:                   | L1:                  ;
        exists (0:x8=0 /\ 1:x5=1 /\ 0:a0=y)",
        &expect![[r#"
            program riscv
            shared z: i64 at 4096
            shared x: i32 at 4112
            shared y: i32 at 4128

            thread P0 {
              local x6: i64 = 4112
              local x10: i64 = 4128
              local x8: i64
              local x5: i64
              local x7: i64
              local x9: i64
              x5 = 0 | 1
              store(mem[x6], x5, bytes(4))
              fence
              fence(store_store)
              fence(store_load)
              fence(acquire)
              fence(release)
              fence(lightweight)
              x7 = load(mem[x10], acquire, exclusive, bytes(4))
              x7 = x7 + 1
              x8 = store_exclusive(mem[x10], x7, acq_rel, bytes(4))
              if x8 != 0 { goto out }
              x9 = load(mem[x6], acquire, bytes(4))
              store(mem[x6 + 4], x9, release, bytes(4))
              out: stop
            }

            thread P1 {
              local x6: i64 = 4112
              local x12: i64 = 4096
              local x5: i64
              local x7: i64
              local x8: i64
              local x9: i64
              local x10: i64
              local x11: i64
              local tmp32: i32
              x5 = load(mem[x6], bytes(4))
              if x5 != 0 { goto L0 }
              fence(control)
              L0: x7 = load(mem[x12 + 8], bytes(8))
              tmp32 = load(mem[x6], bytes(4))
              x8 = u32(tmp32)
              x9 = x8 ^ x8
              x9 = x9 + x6
              x10 = fetch_add(mem[x9], i32(x8), release, bytes(4))
              xchg(mem[x12], x8, acq_rel, bytes(8))
              x11 = u64(x8) < u64(x7)
              x11 = i32(i32(x11) >> 1)
              if u64(x11) >= u64(x8) { goto L1 }
              skip
              L1: stop
            }

            exists P0.x8 == 0 && P1.x5 == 1 && P0.x10 == 4128
            exists And(And(Equals(Register { template: tmpl0, copy: 0, register: r2 }, 0), Equals(Register { template: tmpl1, copy: 0, register: r2 }, 1)), Equals(Register { template: tmpl0, copy: 0, register: r1 }, 4128))
        "#]],
    );
}

#[test]
fn symbolic_registers_of_a64_have_halves() {
    check(
        r"AArch64 symbolic
        { 0:%p=x; }
         P0             ;
         LDR W%a,[%p]   ;
         ADD W%a,W%a,#1 ;
         STR W%a,[X%p]  ;
        exists (0:%a=1)",
        &expect![[r#"
            program symbolic
            shared x: i32 at 4096

            thread P0 {
              local _p: i64 = 4096
              local _a: i32
              _a = mem[_p]
              _a = _a + 1
              mem[_p] = _a
            }

            exists P0._a == 1
            exists Equals(Register { template: tmpl0, copy: 0, register: r1 }, 1)
        "#]],
    );
}

/// Where a line could be inserted after each edge: the text before the point, and why not elsewhere.
#[test]
fn insertion_points_are_the_ends_of_instructions() {
    let text = "ARM points\n{ 0:R1=x; }\n P0 ;\n LDR R0,[R1] ;\n CMP R0,#0 ;\n BEQ L ;\n \
                STRNE R0,[R1] ;\n B L ;\n L: DMB ;\nexists (0:R0=1)";
    let program = parsed(text);
    let template = program.templates().iter().next().expect("a thread");
    let mut points = String::new();
    for edge in template.edges() {
        let span = &text[edge.span.start as usize..edge.span.end as usize];
        let point = match edge.after {
            Ok(point) if point.offset == edge.span.end => "after it".to_owned(),
            Ok(point) => format!("at {}", point.offset),
            Err(reason) => reason.to_string(),
        };
        let _ = writeln!(points, "{span}: {point}");
    }
    expect![[r#"
        LDR R0,[R1]: after it
        CMP R0,#0: after it
        BEQ L: on a path without text of its own
        BEQ L: after it
        STRNE R0,[R1]: inside an expression
        STRNE R0,[R1]: after it
        B L: on a path without text of its own
        DMB: after it
        STRNE R0,[R1]: after it
    "#]]
    .assert_eq(&points);
    let before = template.labels().iter().filter(|label| label.before.is_ok()).count();
    assert_eq!(before, 7, "one before each line and one at the end");
}
