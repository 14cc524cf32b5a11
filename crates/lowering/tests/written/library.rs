//! C functions of one thread that use strings and floating-point numbers. `one` is 1, which the translation does not
//! know; what is calculated without it is known when the program is read.

/// Declarations, statements, and the expression that is the function's result.
pub(crate) const STRINGS: &[(&str, &str, &str)] = &[
    ("", "char a[8] = \"ab\"; a[one] += one;", "strcmp(a, \"ac\") + 10 * strlen(a)"),
    ("", "char a[8]; strcpy(a, \"xyz\"); strcat(a, \"uv\"); a[one] = 0;", "strlen(a) * 10 + a[3]"),
    (
        "",
        "char a[8] = \"a,b,c\"; char *found = strchr(a, ','), *last = strrchr(a, ',' + (one - 1));",
        "(found - a) * 100 + (last - a) * 10 + (strchr(a, 'q') == 0)",
    ),
    ("", "char a[6]; strncpy(a, \"abcdefgh\", 4 + one);", "a[4] * 2 + strnlen(a, 5)"),
    ("", "char a[6] = {1, 2, 3}; char *p = memchr(a, 1 + one, 6);", "p - a"),
    (
        "static const char *names6[] = {\"lifo\", \"fifo\", \"none\"};",
        "int at = 0; while (strcmp(names6[at], \"fifo\")) at += one;",
        "at",
    ),
    ("", "", "(strncmp(\"abcd\", \"abce\", 3) == 0) + 2 * (strcasecmp(\"AbC\", \"aBd\") < 0)"),
    (
        "",
        "const char *s = \"hay needle\"; char *p = strstr(s, \"need\");",
        "(p - s) * 10 + (strstr(s, \"zz\") == 0)",
    ),
    (
        "",
        "",
        "strspn(\"aabbc\", \"ab\") * 100 + strcspn(\"xyz,q\", \",;\") * 10 + (*strpbrk(\"x=1\", \"=:\") == '=')",
    ),
    ("", "char *copy = strdup(\"copy\"); copy[0] += one;", "copy[0] + 2 * strlen(copy)"),
    (
        "static int by_11(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }",
        "int a[5] = {1, 3, 5, 7, 9}, key = 6 + one; int *p = bsearch(&key, a, 5, 4, by_11);",
        "p - a",
    ),
];

/// Floating-point numbers whose sums, products and quotients are easily wrong.
const NUMBERS: &[&str] = &[
    "0.1",
    "0.2",
    "-0.0",
    "3.0",
    "1e308",
    "5e-324",
    "2.2250738585072014e-308",
    "-1.7976931348623157e308",
    "4503599627370497.5",
    "1.0000000000000002",
    "16777217.0",
    "1e-40",
];

/// Functions that calculate with each number and its neighbours, as `double` and as `float`.
pub(crate) fn floats() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    for (at, a) in NUMBERS.iter().enumerate() {
        let (b, c) = (NUMBERS[(at + 1) % NUMBERS.len()], NUMBERS[(at + 5) % NUMBERS.len()]);
        for (number, (ty, bits)) in [("double", "u64"), ("float", "u32")].into_iter().enumerate() {
            // Known when the program is read in one, and not in the other.
            let factor = if (at + number) % 2 == 0 { "" } else { " * one" };
            let mut statements = format!(
                "{ty} a = {a}{factor}, b = {b}{factor}, c = {c}{factor}, x[7]; {bits} y; \
                 u64 sum = 0; int i;"
            );
            statements.push_str(
                "x[0] = a + b; x[1] = a - c; x[2] = a * b; x[3] = b / c; x[4] = -c; \
                 x[5] = (float)(a * 3); x[6] = (long long)(b < 1e9 && b > -1e9 ? b : 7); \
                 for (i = 0; i < 7; i++) { memcpy(&y, &x[i], sizeof y); if (x[i] != x[i]) y = 1; \
                 sum = sum * 31 + y; }",
            );
            let result = "sum + (a < b) + 2 * (a == c) + 4 * (b >= c) + 8 * (x[3] != x[3])";
            all.push((String::new(), statements, result.to_owned()));
        }
    }
    let conversions = "(unsigned)(3e9 * one) + (long long)(float)(16777217 * one) \
                       + (int)(-2.75 * one) * 3 + (u64)(1.5e19 * one) + (unsigned char)(200.5 * one)";
    all.push((String::new(), String::new(), conversions.to_owned()));
    all
}
