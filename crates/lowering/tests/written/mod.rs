//! C functions of one thread, written for what goes wrong easily: copies in parts, values that mention what
//! is written, what happens before `main`.

pub(crate) mod library;

/// Declarations, statements, and the expression that is the function's result. `one` is 1, which the
/// translation does not know.
pub(crate) const FUNCTIONS: &[(&str, &str, &str)] = &[
    // Structures that are passed by value are copies.
    (
        "struct s0 { long a[3]; }; static struct s0 g0; static long f_0(struct s0 s) { g0.a[0] = 5; return s.a[0]; }",
        "g0.a[0] = one;",
        "f_0(g0) * 10 + g0.a[0]",
    ),
    (
        "struct s1 { long a[3]; }; static long f_1(struct s1 s) { s.a[0] += 5; return s.a[0]; }",
        "struct s1 s = {{ one, 2, 3 }}; long found = f_1(s);",
        "s.a[0] * 10 + found",
    ),
    (
        "struct s2 { int n; char text[20]; }; static void f_2(struct s2 a, struct s2 b, int *out) { a.text[0] = b.text[1]; b.n = a.n; *out = a.n + b.n + a.text[0]; }",
        "struct s2 a = { one, { 2, 3 } }, b = { 4, { 5, 6 } }; int out; f_2(b, a, &out); f_2(a, b, &a.n);",
        "a.n * 10000 + a.text[0] * 1000 + b.n * 100 + out",
    ),
    (
        "struct s3 { long a[3]; }; static long f_3(int n, struct s3 s) { if (n == 0) return s.a[0]; s.a[0] += n; long inner = f_3(n - 1, s); return inner * 10 + s.a[0]; }",
        "struct s3 s = {{ one }}; long found = f_3(2, s);",
        "found * 10 + s.a[0]",
    ),
    (
        "struct s4 { long a[3]; }; static long a_4(struct s4 s) { s.a[1] += 1; return s.a[1]; } static long b_4(struct s4 s) { s.a[1] += 2; return s.a[1]; } static long (*const table_4[2])(struct s4) = { a_4, b_4 };",
        "struct s4 s = {{ 0, one }}; long found = table_4[one & 1](s) * 10 + table_4[(one + 1) & 1](s);",
        "found * 10 + s.a[1]",
    ),
    (
        "struct s5 { short a[3]; }; static struct s5 g5 = {{ 1, 2, 3 }}; static int f_5(struct s5 s) { s.a[1] += 7; return s.a[0] + 10 * s.a[1] + 100 * s.a[2]; }",
        "g5.a[0] += one; struct s5 s = g5;",
        "f_5(s) * 1000 + f_5(g5) + g5.a[1]",
    ),
    // Parts of variables are filled and copied.
    ("", "int x = one - 1; memset(&x, 0xff, 2);", "x"),
    ("", "int x = one; memset((char *)&x + 1, 0x7f, 2);", "x"),
    ("", "u64 x = one, y = 0x0102030405060708; memcpy((char *)&x + 1, (char *)&y + 2, 5);", "x"),
    ("", "u32 a[2] = { one, 0x01020304 }; memmove((char *)a + 2, a, 4);", "a[0] * 3 + a[1]"),
    (
        "static char s10[4] = { 1, 2, 3, 4 }; static int i10;",
        "s10[0] = 5; memcpy(&i10, s10, 4);",
        "i10",
    ),
    (
        "static char s11[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }; static u64 i11;",
        "s11[5] += one; memcpy(&i11, s11, 8);",
        "i11 >> 3",
    ),
    (
        "static int a12[8], b12[2];",
        "b12[0] = one; b12[1] = 7; int at = 2 * one; memcpy(&a12[at], b12, 8); memset(&a12[at + 2], 1, 8);",
        "a12[2] + 10 * a12[3] + a12[4] + a12[5]",
    ),
    // Values mention what is written.
    ("", "int x = one; int done = __sync_bool_compare_and_swap(&x, x, 5);", "done * 10 + x"),
    ("", "int x = one; int done = __sync_bool_compare_and_swap(&x, x + 1, 5);", "done * 10 + x"),
    ("", "int x = one; int old = __sync_val_compare_and_swap(&x, x, x + 7);", "old * 100 + x"),
    ("", "int x = one + 2; int old = __atomic_exchange_n(&x, x * 2 + 1, 5);", "old * 100 + x"),
    ("", "int x = one + 2; int old = __atomic_fetch_add(&x, x * 2 + 1, 5);", "old * 100 + x"),
    (
        "",
        "u32 x = one + 2, *p = &x; u32 expected = x + 1; int done = __atomic_compare_exchange_n(p, &expected, *p + 1, 0, 5, 5); done += __atomic_compare_exchange_n(p, &expected, *p + 1, 0, 5, 5) * 2;",
        "done * 100 + x * 10 + expected",
    ),
    (
        "struct p19 { int a, b; };",
        "struct p19 p = { one, 2 }; p = (struct p19){ p.b, p.a };",
        "p.a * 10 + p.b",
    ),
    (
        "",
        "int a = one, b = 2; for (int i = 0; i < 3 * one; i++) { int t = a; a = b; b = t + a; }",
        "a * 100 + b",
    ),
    // Indices of one array say nothing of another.
    (
        "static int big21[8], small21[2];",
        "int i = 5 * one; int *p = big21; if (i < 2) small21[i] = 1; else p[i] = 7;",
        "p[i] + i",
    ),
    (
        "static char t22[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };",
        "int i = 13 * one; t22[i & 7] += 9;",
        "t22[i & 7]",
    ),
    (
        "static struct { int n; int v[4]; long last; } q23;",
        "int from[4] = { one, 2, 3, 4 }; int *f = from; q23.last = 9; for (int i = 0; i < 4 * one; i++) q23.v[i] = f[i];",
        "q23.v[0] + 10 * q23.v[3] + 100 * q23.last + q23.n",
    ),
    // Tags in pointers.
    (
        "static int v24; static u64 p24;",
        "p24 = (u64)&v24 | 1ull << 63; *(int *)(p24 & ~(1ull << 63)) = 7;",
        "*(int *)(p24 & ~(1ull << 63))",
    ),
    (
        "static int v25[2]; static u64 p25;",
        "p25 = (u64)&v25[one] + (5ull << 48); *(int *)(p25 & 0xffffffffffffull) = 7;",
        "*(int *)(p25 & 0xffffffffffffull) * 100 + (p25 >> 48)",
    ),
    (
        "static long v26[2]; static u64 p26;",
        "p26 = (u64)&v26[one] ^ 3; *(long *)(p26 & ~7ull) = 7;",
        "v26[1] * 10 + (p26 & 7)",
    ),
    (
        "static int v27; static u64 p27;",
        "p27 = (u64)&v27; __atomic_fetch_or(&p27, 1ull << 63, 0); *(int *)(p27 & ~(1ull << 63)) = 7; __atomic_fetch_and(&p27, ~(1ull << 63), 0);",
        "*(int *)p27",
    ),
    (
        "static char v28[2000000];",
        "char *p = one ? v28 : v28 + 8; *(p + 0x100040) = 7; *(p + 1999998) = 3;",
        "*(p + 0x100040) + *(p + 1999998)",
    ),
    // Floating-point numbers as they lie in memory.
    ("static float g27 = 1.5f; static u32 u27;", "memcpy(&u27, &g27, 4);", "u27"),
    ("static union { float f; u32 u; } x28 = { 1.0f };", "", "x28.u"),
    (
        "static union { float f[2]; u32 u[2]; } x29 = { { 0.1f, -3.0e30f } };",
        "",
        "x29.u[0] ^ x29.u[1]",
    ),
    ("static union { double f; u64 u; } x30 = { 0.1 };", "", "x30.u >> 5"),
    ("static union { float f; u32 u; } x31 = { 1.0e-42f };", "", "x31.u"),
    (
        "static union { long double f; u64 u[2]; } x32 = { -1.5L };",
        "",
        "(x32.u[0] >> 3) ^ (x32.u[1] & 0xffff)",
    ),
    (
        "static union { __float128 f; u64 u[2]; } x33 = { -1.1 };",
        "",
        "(x33.u[0] >> 3) ^ (x33.u[1] >> 5)",
    ),
    // What runs before the program.
    (
        "static int x34; __attribute__((constructor)) static void init34(void) { x34 = 5; }",
        "",
        "x34",
    ),
    (
        "static int x35; __attribute__((constructor(201))) static void late35(void) { x35 = x35 * 10 + 2; } __attribute__((constructor(101))) static void early35(void) { x35 = x35 * 10 + 1; } __attribute__((constructor)) static void last35(void) { int i; for (i = 0; i < 2; i++) x35 = x35 * 10 + 3; }",
        "",
        "x35",
    ),
];
