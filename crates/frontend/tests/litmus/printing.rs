//! How programs print.

use super::*;

#[test]
fn a_printed_test() {
    check_printed(
        r"X86_64 printed
        { int64_t a[2]={1,-1}; 0:rbx=a; int8_t c=-1; 0:rdi=0; }
         P0                    | P1              ;
         movq 8(%rbx),%rax     | xor %eax,%eax   ;
         cmpq $0,%rax          | jmp L1          ;
         jle L0x1              | mfence          ;
         lock incb (c)         | L1: movl $2,(l) ;
         ret                   | nop             ;
         L0x1: movq $a,%rcx    |                 ;
        locations [a[1]; 0:rax;]
        filter (true => ~c=0)
        forall (0:rcx=a \/ 1:eax!=0 /\ (c=0 \/ false))",
        &expect![[r#"
            X86_64 printed
            {
              int64_t a[2]={1,-1};
              int8_t c=-1;
              int l=0;
              0:rbx=a;
              0:rdi=0;
            }
             P0                | P1             ;
             movq 8(%rbx),%rax | xorl %eax,%eax ;
             cmpq $0,%rax      | jmp L1         ;
             jle L0x1          | mfence         ;
             lock incb (c)     | L1:            ;
             jmp L0            | movl $2,(l)    ;
             L0x1:             | nop            ;
             movq $a,%rcx      |                ;
             L0:               |                ;
            locations [a[1]; 0:rax;]
            filter (true => ~(c=0))
            forall (0:rcx=a \/ ~(1:rax=0) /\ (c=0 \/ false))
        "#]],
    );
}
/// Only programs with these shapes can be written as litmus tests.
fn check_print_of_fw(text: &str, expected: &Expect) {
    let mut sources = Sources::new();
    let source = sources.add("test.fw", text);
    let program = load(&sources, source, Language::Fw, &Settings::default()).expect("a program");
    expected.assert_eq(&match litmus::print(&program) {
        Ok(printed) => {
            parsed(&printed);
            printed
        }
        Err(errors) => shown(&sources, &errors),
    });
}

#[test]
fn programs_of_other_languages_are_printed() {
    check_print_of_fw(
        "shared x, y: u32 = 3, eax
         thread left[2] {
           local r, s
           r = x
           if r == 1 { y = s + 2; fence } else { store(x, 5, seq_cst); fence(release) }
           s = cmpxchg(x, r, s)
           fetch_add(x, 2)
           r = fetch_sub(eax, 3)
         }
         thread right { x = 1; fence(store_load); x = 2 }",
        &expect![[r#"
            X86 test
            {
              x=0;
              y=3;
              v_eax=0;
            }
             P0                    | P1                    | P2         ;
             MOV EBX,[x]           | MOV EBX,[x]           | MOV [x],$1 ;
             CMP EBX,$1            | CMP EBX,$1            | MFENCE     ;
             JE L1                 | JE L1                 | MOV [x],$2 ;
             MOV EDX,$5            | MOV EDX,$5            |            ;
             XCHG [x],EDX          | XCHG [x],EDX          |            ;
             JMP L0                | JMP L0                |            ;
             L1:                   | L1:                   |            ;
             MOV EDX,ECX           | MOV EDX,ECX           |            ;
             ADD EDX,$2            | ADD EDX,$2            |            ;
             MOV [y],EDX           | MOV [y],EDX           |            ;
             MFENCE                | MFENCE                |            ;
             L0:                   | L0:                   |            ;
             MOV EAX,EBX           | MOV EAX,EBX           |            ;
             MOV EDX,ECX           | MOV EDX,ECX           |            ;
             LOCK CMPXCHG [x],EDX  | LOCK CMPXCHG [x],EDX  |            ;
             MOV ECX,EAX           | MOV ECX,EAX           |            ;
             LOCK ADD [x],$2       | LOCK ADD [x],$2       |            ;
             MOV EDX,$3            | MOV EDX,$3            |            ;
             NEG EDX               | NEG EDX               |            ;
             LOCK XADD [v_eax],EDX | LOCK XADD [v_eax],EDX |            ;
             MOV EBX,EDX           | MOV EBX,EDX           |            ;
            locations [0:EBX; 0:ECX; 1:EBX; 1:ECX; x; y; v_eax;]
        "#]],
    );
    check_print_of_fw(
        "shared x: i64 = 5, y: i64
         thread t { local r: i64; r = x; y = r - 1; if r < 3 { y = 2 } }",
        &expect![[r#"
            X86_64 test
            {
              int64_t x=5;
              int64_t y=0;
            }
             P0             ;
             movq (x),%rax  ;
             movq %rax,%rbx ;
             subq $1,%rbx   ;
             movq %rbx,(y)  ;
             cmpq $3,%rax   ;
             jge L0         ;
             movq $2,(y)    ;
             L0:            ;
            locations [0:rax; x; y;]
        "#]],
    );
    check_print_of_fw(
        "shared x; thread t { x = 10000000000 }",
        &expect![[r#"
        X86_64 test
        {
          int64_t x=0;
        }
         P0                    ;
         movq $10000000000,(x) ;
        locations [x;]
    "#]],
    );
}

#[test]
fn everything_that_cannot_be_printed_is_named() {
    check_print_of_fw(
        "shared x, a[2], b: u7
         thread t[*] { skip }
         thread u {
           local r, m: u8
           assert r == 0
           either { x = 1 } or { x = 2 }
           lock_memory
           unlock_memory
           r = choose(0..3)
           await r == 1
           r = a[1]
           r = r * 2
           r = &x
           arw(x, 0, 1)
           while r < 5 { r = r + 1 }
         }",
        &expect![[r#"
            1:17: `b` has 7 bits, which no type has
            2:17: thread `t` can have any number of copies (give a count before printing it as a litmus test)
            3:17: register `m` has 8 bits, not 32 or 64
            13:12: an address that depends on the layout of memory cannot be written as a litmus test
            15:26: a litmus test cannot have loops
        "#]],
    );
    check_print_of_fw(
        "shared x, a[2]
         thread u {
           local r
           assert r == 0
           either { x = 1 } or { x = 2 }
           lock_memory
           r = choose(0..3)
           assume r == 1
           r = a[1]
           r = r * 2
           r = &x
           arw(x, 0, 1)
           r = store_exclusive(x, 1)
         }",
        &expect![[r#"
            4:12: an assertion cannot be written as a litmus test
            5:34: a nondeterministic choice cannot be written as a litmus test
            6:12: a locked section cannot be written as a litmus test
            7:12: a nondeterministic value cannot be written as a litmus test
            8:12: waiting cannot be written as a litmus test
            9:12: an access to this address cannot be written as a litmus test
            10:12: this computation cannot be written as a litmus test
            11:12: an address that depends on the layout of memory cannot be written as a litmus test
            12:12: a blocking read-write cannot be written as a litmus test
            13:12: an exclusive access cannot be written as a litmus test
        "#]],
    );
}
