//! What instructions lower to.

use super::*;

#[test]
fn loads_stores_and_the_question() {
    check(
        r#"X86 SB+mfence+po
        "PodWR Fre PodWR Fre"
        Cycle=Fre PodWR Fre PodWR
        Prefetch=0:x=F,0:y=T // not a comment
        (* a comment (* inside another *) *)
        { x=0; int y=2; 1:EBX=-1; }
         P0          | P1          ; // the threads
         MOV [x],$1  | MOV [y],$1  ;
         MFENCE      | MOV EAX,[x] ;
         MOV EAX,[y] |             ;
        locations [x; 1:EBX;]
        filter 0:EAX=2 \/ true
        ~exists (0:EAX=2 /\ not 1:EAX=0 => [x]=4294967295)"#,
        &expect![[r#"
            program SB_mfence_po
            shared x: i32 at 4096
            shared y: i32 = 2 at 4112

            thread P0 {
              local EAX: i32
              x = 1
              fence
              EAX = y
            }

            thread P1 {
              local EBX: i32 = -1
              local EAX: i32
              y = 1
              EAX = x
            }

            observe x, P1.EBX
            filter P0.EAX == 2 || true
            never P0.EAX == 2 && (P1.EAX != 0 => x == -1)
            observed [Cell(4096), Register { template: tmpl1, copy: 0, register: r0 }]
            filter Or(Equals(Register { template: tmpl0, copy: 0, register: r0 }, 2), Constant(true))
            never And(Equals(Register { template: tmpl0, copy: 0, register: r0 }, 2), Implies(Not(Equals(Register { template: tmpl1, copy: 0, register: r1 }, 0)), Equals(Cell(4096), -1)))
        "#]],
    );
}

#[test]
fn read_modify_writes_with_and_without_lock() {
    check(
        r"X86 rmw
        { 0:EAX=1; }
         P0                   ;
         LOCK INC [x]         ;
         LOCK ADD [x],EAX     ;
         LOCK NOT [x]         ;
         XCHG EBX,[x]         ;
         LOCK XADD [x],EAX    ;
         LOCK CMPXCHG [x],EBX ;
         INC [x]              ;
         SUB [x],EAX          ;
         ADD EAX,[x]          ;
         NEG EBX              ;
         XCHG EAX,EBX         ;
         XADD [x],EBX         ;
         CMPXCHG [x],EBX      ;
         CMP EAX,[x]          ;
         SFENCE               ;
         LFENCE               ;
         NOP                  ;
        forall x=0",
        &expect![[r#"
            program rmw
            shared x: i32 at 4096

            thread P0 {
              local EAX: i32 = 1
              local EBX: i32
              local tmp32: i32
              fetch_add(x, 1)
              fetch_add(x, EAX)
              fetch_xor(x, -1)
              EBX = xchg(x, EBX)
              EAX = fetch_add(x, EAX)
              EAX = cmpxchg(x, EAX, EBX)
              tmp32 = x
              x = tmp32 + 1
              tmp32 = x
              x = tmp32 - EAX
              tmp32 = x
              EAX = EAX + tmp32
              EBX = -EBX
              tmp32 = EAX
              EAX = EBX
              EBX = tmp32
              tmp32 = x
              x = tmp32 + EBX
              EBX = tmp32
              tmp32 = x
              if tmp32 == EAX { goto q27 }
              EAX = tmp32
              q14: tmp32 = x
              fence(store_store)
              fence(load_load)
              skip
              stop
              q27: x = EBX; goto q14
            }

            always x == 0
            always Equals(Cell(4096), 0)
        "#]],
    );
}

#[test]
fn flags_are_computed_only_where_something_uses_them() {
    check(
        r"X86 flags
        { }
         P0               ;
         CMP EAX,$1       ;
         CMP EAX,EBX      ;
         JE out           ;
         MOV [x],$1       ;
         JB out           ;
         LOCK DEC [x]     ;
         JNE out          ;
         SUB EAX,$1       ;
         JS out           ;
         LOCK CMPXCHG [x],EBX ;
         JNE out          ;
         TEST EAX,EAX     ;
         JMP out          ;
         MOV [x],$3       ;
         out: MOV [x],$2  ;
        exists true",
        &expect![[r#"
            program flags
            shared x: i32 at 4096

            thread P0 {
              local EAX: i32
              local EBX: i32
              local flag_equal: u1
              local flag_below: u1
              local tmp32: i32
              local flag_sign: u1
              skip
              flag_equal = EAX == EBX
              flag_below = u32(EAX) < u32(EBX)
              if flag_equal { goto out }
              x = 1
              if flag_below { goto out }
              tmp32 = fetch_sub(x, 1)
              flag_equal = tmp32 == 1
              if !flag_equal { goto out }
              flag_sign = i32(EAX - 1) < 0
              EAX = EAX - 1
              if flag_sign { goto out }
              tmp32 = cmpxchg(x, EAX, EBX)
              flag_equal = EAX == tmp32
              EAX = tmp32
              if !flag_equal { goto out }
              skip
              skip
              out: x = 2
              stop
              q14: x = 3; goto out
            }

            exists true
            exists Constant(true)
        "#]],
    );
}

#[test]
fn parts_of_registers() {
    check(
        r"X86_64 parts
        { int8_t b; int64_t q=-1; 0:rax=q; 0:edx=-1; }
         P0                    | P1            ;
         movq (%rax),%rbx      | movl %eax,(l) ;
         movl (l),%ebx         | addl (l),%eax ;
         movb (b),%cl          |               ;
         movb %ch,(b)          |               ;
         addw $1,%bx           |               ;
         cmpl $-1,%ebx         |               ;
         setae %dl             |               ;
         movq 8(%rax,%rbx,4),%rsi |            ;
         cmpxchgl %ecx,(l)     |               ;
        locations [0:rax; 1:eax;]
        exists (0:rax=q /\ 1:rax=-1)",
        &expect![[r#"
            program parts
            shared b: i8 at 4096
            shared q: i64 = -1 at 4112
            shared l: i32 at 4128

            thread P0 {
              local rax: i64 = 4112
              local rdx: i32 = -1
              local rbx: i64
              local rcx: i32
              local rsi: i64
              local tmp32: i32
              local tmp8: i8
              local flag_below: u1
              rbx = load(mem[rax], bytes(8))
              tmp32 = load(l, bytes(4))
              rbx = u32(tmp32)
              tmp8 = load(b, bytes(1))
              rcx = rcx & -256 | u8(tmp8)
              store(b, rcx >> 8, bytes(1))
              rbx = rbx & -65536 | u16(i16(rbx) + 1)
              flag_below = u32(i32(rbx)) < 4294967295
              rdx = rdx & -256 | u8(!flag_below)
              rsi = load(mem[rax + rbx * 4 + 8], bytes(8))
              tmp32 = load(l, bytes(4))
              if tmp32 == i32(rax) { goto q14 }
              rax = u32(tmp32)
              q10: rax = i32(rax)
              stop
              q14: store(l, rcx, bytes(4)); goto q10
            }

            thread P1 {
              local rax: i32
              local tmp32: i32
              store(l, rax, bytes(4))
              tmp32 = load(l, bytes(4))
              rax = rax + tmp32
            }

            observe P0.rax, P1.rax
            exists P0.rax == 4112 && P1.rax == -1
            observed [Register { template: tmpl0, copy: 0, register: r0 }, Register { template: tmpl1, copy: 0, register: r0 }]
            exists And(Equals(Register { template: tmpl0, copy: 0, register: r0 }, 4112), Equals(Register { template: tmpl1, copy: 0, register: r0 }, -1))
        "#]],
    );
}
