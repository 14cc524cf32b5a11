//! How programs print as tests of `AArch64`, PPC and RISC-V.

use super::*;
use frontend::litmus::{Target, print_for};

const ORDERS: &str = "
shared x, y
thread p {
  local a, b
  x = 1
  a = load(y, acquire)
  b = load(x, seq_cst)
  store(y, a ^ b, release)
  store(y, 2, seq_cst)
  fence(lightweight)
  fence(release)
  fence(store_store)
  fence(control)
  a = fetch_sub(x, b, acq_rel)
  b = cmpxchg(y, 0, 1, seq_cst)
  if a == b { x = 3 } else { y = 4 }
}
exists x == 3
";

fn check_print_for(text: &str, target: Target, expected: &Expect) {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    let program = load(&sources, source, Language::Fw, &Settings::default())
        .unwrap_or_else(|errors| panic!("{}", shown(&sources, &errors)));
    expected.assert_eq(&match print_for(&program, target) {
        Ok(printed) => {
            parsed(&printed);
            printed
        }
        Err(errors) => shown(&sources, &errors),
    });
}

#[test]
fn orders_and_fences_on_aarch64() {
    check_print_for(
        ORDERS,
        Target::AArch64,
        &expect![[r#"
        AArch64 test
        {
          x=0;
          y=0;
          0:X2=x;
          0:X3=y;
        }
         P0                 ;
         MOV W4,#1          ;
         STR W4,[X2]        ;
         LDAPR W0,[X3]      ;
         LDAR W1,[X2]       ;
         EOR W4,W0,W1       ;
         STLR W4,[X3]       ;
         MOV W4,#2          ;
         STLR W4,[X3]       ;
         DMB SY             ;
         DMB SY             ;
         DMB ST             ;
         ISB                ;
         NEG W5,W1          ;
         LDADDAL W5,W4,[X2] ;
         MOV W0,W4          ;
         MOV W4,#0          ;
         MOV W5,#1          ;
         MOV W6,W4          ;
         CASAL W6,W5,[X3]   ;
         MOV W1,W6          ;
         CMP W0,W1          ;
         B.EQ L13           ;
         MOV W4,#4          ;
         STR W4,[X3]        ;
         B L0               ;
         L13:               ;
         MOV W4,#3          ;
         STR W4,[X2]        ;
         L0:                ;
        exists (x=3)
    "#]],
    );
}

#[test]
fn orders_and_fences_on_ppc() {
    check_print_for(
        ORDERS,
        Target::Ppc,
        &expect![[r#"
            PPC test
            {
              x=0;
              y=0;
              0:r3=x;
              0:r4=y;
            }
             P0              ;
             li r5,1         ;
             stw r5,0(r3)    ;
             lwz r1,0(r4)    ;
             lwsync          ;
             sync            ;
             lwz r2,0(r3)    ;
             lwsync          ;
             xor r5,r1,r2    ;
             lwsync          ;
             stw r5,0(r4)    ;
             li r5,2         ;
             sync            ;
             stw r5,0(r4)    ;
             lwsync          ;
             lwsync          ;
             eieio           ;
             isync           ;
             lwsync          ;
             M1:             ;
             lwarx r5,r0,r3  ;
             sub r6,r5,r2    ;
             stwcx. r6,r0,r3 ;
             bne M1          ;
             isync           ;
             mr r1,r5        ;
             li r5,0         ;
             li r6,1         ;
             sync            ;
             M3:             ;
             lwarx r7,r0,r4  ;
             cmpw r7,r5      ;
             bne M4          ;
             stwcx. r6,r0,r4 ;
             bne M3          ;
             M4:             ;
             isync           ;
             mr r2,r7        ;
             cmpw r1,r2      ;
             beq L13         ;
             li r5,4         ;
             stw r5,0(r4)    ;
             b L0            ;
             L13:            ;
             li r5,3         ;
             stw r5,0(r3)    ;
             L0:             ;
            exists (x=3)
        "#]],
    );
}

#[test]
fn orders_and_fences_on_riscv() {
    check_print_for(
        ORDERS,
        Target::RiscV,
        &expect![[r#"
        RISCV test
        {
          x=0;
          y=0;
          0:x7=x;
          0:x8=y;
        }
         P0                         ;
         li x9,1                    ;
         sw x9,0(x7)                ;
         lw x5,0(x8)                ;
         fence r,rw                 ;
         fence rw,rw                ;
         lw x6,0(x7)                ;
         fence r,rw                 ;
         xor x9,x5,x6               ;
         fence rw,w                 ;
         sw x9,0(x8)                ;
         li x9,2                    ;
         fence rw,w                 ;
         sw x9,0(x8)                ;
         fence.tso                  ;
         fence rw,w                 ;
         fence w,w                  ;
         fence.i                    ;
         neg x10,x6                 ;
         amoadd.w.aq.rl x9,x10,(x7) ;
         mv x5,x9                   ;
         li x9,0                    ;
         li x10,1                   ;
         M3:                        ;
         lr.w.aq.rl x11,(x8)        ;
         bne x11,x9,M4              ;
         sc.w.rl x13,x10,(x8)       ;
         bne x13,x0,M3              ;
         M4:                        ;
         mv x6,x11                  ;
         beq x5,x6,L13              ;
         li x9,4                    ;
         sw x9,0(x8)                ;
         j L0                       ;
         L13:                       ;
         li x9,3                    ;
         sw x9,0(x7)                ;
         L0:                        ;
        exists (x=3)
    "#]],
    );
}

const DEPENDENCIES: &str = r"AArch64 dependencies
        { 0:X1=x; 0:X3=y; 0:X5=z; }
         P0                  ;
         LDR W2,[X1]         ;
         EOR W4,W2,W2        ;
         LDR W6,[X3,W4,SXTW] ;
         ADD W7,W4,#1        ;
         STR W7,[X5]         ;
         CMP W6,#1           ;
         B.NE out            ;
         LDXR W8,[X5]        ;
         STXR W9,W7,[X5]     ;
         out:                ;
        exists (0:X6=1 /\ 0:X9=0)";

#[test]
fn dependencies_survive_a_change_of_architecture() {
    let program = parsed(DEPENDENCIES);
    for (target, expected) in [
        (
            Target::AArch64,
            expect![[r#"
                AArch64 dependencies
                {
                  x=0;
                  y=0;
                  z=0;
                  0:X1=x;
                  0:X3=y;
                  0:X5=z;
                }
                 P0                  ;
                 LDR W2,[X1]         ;
                 EOR W4,W2,W2        ;
                 LDR W6,[X3,W4,SXTW] ;
                 ADD W7,W4,#1        ;
                 STR W7,[X5]         ;
                 CMP W6,#1           ;
                 B.NE L9             ;
                 LDXR W8,[X5]        ;
                 STXR W9,W7,[X5]     ;
                 L9:                 ;
                exists (0:X6=1 /\ 0:X9=0)
            "#]],
        ),
        (
            Target::Ppc,
            expect![[r#"
                PPC dependencies
                {
                  x=0;
                  y=0;
                  z=0;
                  0:r1=x;
                  0:r2=y;
                  0:r3=z;
                }
                 P0              ;
                 lwz r6,0(r1)    ;
                 xor r7,r6,r6    ;
                 lwzx r4,r7,r2   ;
                 addi r8,r7,1    ;
                 stw r8,0(r3)    ;
                 cmpwi r4,1      ;
                 bne L9          ;
                 lwarx r9,r0,r3  ;
                 stwcx. r8,r0,r3 ;
                 li r5,1         ;
                 bne M1          ;
                 li r5,0         ;
                 M1:             ;
                 L9:             ;
                exists (0:r4=1 /\ 0:r5=0)
            "#]],
        ),
        (
            Target::RiscV,
            expect![[r#"
                RISCV dependencies
                {
                  x=0;
                  y=0;
                  z=0;
                  0:x5=x;
                  0:x6=y;
                  0:x7=z;
                }
                 P0               ;
                 lw x10,0(x5)     ;
                 xor x11,x10,x10  ;
                 add x14,x6,x11   ;
                 lw x8,0(x14)     ;
                 addiw x12,x11,1  ;
                 sw x12,0(x7)     ;
                 li x14,1         ;
                 bne x8,x14,L9    ;
                 lr.w x13,(x7)    ;
                 sc.w x9,x12,(x7) ;
                 L9:              ;
                exists (0:x8=1 /\ 0:x9=0)
            "#]],
        ),
    ] {
        expected.assert_eq(&print_for(&program, target).expect("a test"));
    }
}

#[test]
fn what_the_tests_of_other_architectures_cannot_say() {
    check_print_for(
        "shared x, a[2]
        thread p {
          while x == 1 { }
        }
        thread q {
          local r, s: u64 = 1
          r = x / 2
          r = a[r]
          r = 1 << r
          if s > 3 { x = 1 }
          assert r == 1
          assume r == 1
          atomic { x = 2; r = x }
        }",
        Target::AArch64,
        &expect![[r#"
            3:17: a litmus test cannot have loops
            7:11: a division cannot be written as a litmus test
            8:11: an address that depends on the layout of memory cannot be written as a litmus test
            8:11: an index that is computed cannot be written as a litmus test
            9:11: a shift by a computed amount cannot be written as a litmus test
            10:14: a computation whose exact value may need more bits than a register has cannot be written as a litmus test
            11:11: an assertion cannot be written as a litmus test
            12:11: waiting cannot be written as a litmus test
            13:11: a locked section cannot be written as a litmus test
            13:11: a locked section cannot be written as a litmus test
        "#]],
    );
}

/// A compare-and-swap whose failure has an order of its own.
#[test]
fn orders_on_failure() {
    let text = "shared x: i32
        thread t {
          cmpxchg(x, 0, 1, acq_rel, failing(relaxed))
          cmpxchg(x, 0, 1, relaxed, failing(acquire))
        }
        exists x == 1";
    check_print_for(
        text,
        Target::Ppc,
        &expect![[r#"
        PPC test
        {
          x=0;
          0:r1=x;
        }
         P0              ;
         li r2,0         ;
         li r3,1         ;
         lwsync          ;
         M1:             ;
         lwarx r4,r0,r1  ;
         cmpw r4,r2      ;
         bne M2          ;
         stwcx. r3,r0,r1 ;
         bne M1          ;
         isync           ;
         M2:             ;
         li r2,0         ;
         li r3,1         ;
         M3:             ;
         lwarx r4,r0,r1  ;
         cmpw r4,r2      ;
         bne M4          ;
         stwcx. r3,r0,r1 ;
         bne M3          ;
         M4:             ;
         isync           ;
        exists (x=1)
    "#]],
    );
    check_print_for(
        text,
        Target::AArch64,
        &expect![[r#"
        AArch64 test
        {
          x=0;
          0:X0=x;
        }
         P0               ;
         MOV W1,#0        ;
         MOV W2,#1        ;
         MOV W3,W1        ;
         CASAL W3,W2,[X0] ;
         MOV W1,#0        ;
         MOV W2,#1        ;
         MOV W3,W1        ;
         CASA W3,W2,[X0]  ;
        exists (x=1)
    "#]],
    );
    check_print_for(
        text,
        Target::RiscV,
        &expect![[r#"
        RISCV test
        {
          x=0;
          0:x5=x;
        }
         P0                  ;
         li x6,0             ;
         li x7,1             ;
         M1:                 ;
         lr.w.aq x8,(x5)     ;
         bne x8,x6,M2        ;
         sc.w.rl x10,x7,(x5) ;
         bne x10,x0,M1       ;
         M2:                 ;
         li x6,0             ;
         li x7,1             ;
         M3:                 ;
         lr.w.aq x8,(x5)     ;
         bne x8,x6,M4        ;
         sc.w x10,x7,(x5)    ;
         bne x10,x0,M3       ;
         M4:                 ;
        exists (x=1)
    "#]],
    );
}
