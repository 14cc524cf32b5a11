/* Floating-point arithmetic of IEEE 754 in integers, rounded to nearest, as SSE2 does it: what is not a number
 * comes from the first operand that is none, and what is invalid gives the default. `float` is calculated as
 * `double` and rounded once more, which for these four operations is exact. */
typedef unsigned long u64;
typedef unsigned int u32;
#define WEAK __attribute__((weak))
#define INLINE static inline __attribute__((always_inline))

#define SIGN 0x8000000000000000ul
#define INFINITE 0x7ff0000000000000ul
#define QUIET 0x0008000000000000ul
#define INVALID 0xfff8000000000000ul

INLINE int is_nan(u64 a) { return (a & ~SIGN) > INFINITE; }

/* `significand` · 2^(`exponent` − 62) with the leading bit at most at 62; its last bit stands for all beyond. */
INLINE u64 packed(u64 sign, int exponent, u64 significand) {
    if (significand == 0) return sign;
    int shift = __builtin_clzl(significand) - 1;
    significand <<= shift;
    exponent = exponent - shift + 1023;
    if (exponent >= 2047) return sign | INFINITE;
    if (exponent <= 0) {
        int lost = 1 - exponent;
        if (lost > 62) lost = 62;
        significand = significand >> lost | ((significand & ((1ul << lost) - 1)) != 0);
        exponent = 0;
    }
    u64 rest = significand & 0x3ff;
    significand >>= 10;
    significand += (rest > 0x200) | ((rest == 0x200) & (significand & 1));
    /* The leading bit is added to the exponent: a carry does what it should. */
    if (exponent > 0) exponent -= 1;
    return sign | (((u64)exponent << 52) + significand);
}

INLINE int exponent_of(u64 a) { int e = (int)(a >> 52 & 0x7ff); return (e ? e : 1) - 1023; }
INLINE u64 significand_of(u64 a) {
    u64 fraction = a & 0x000ffffffffffffful;
    return (a >> 52 & 0x7ff) ? fraction | 0x0010000000000000ul : fraction;
}

WEAK u64 fencewright_float_add(u64 a, u64 b) {
    if (is_nan(a)) return a | QUIET;
    if (is_nan(b)) return b | QUIET;
    u64 magnitude_a = a & ~SIGN, magnitude_b = b & ~SIGN;
    if (magnitude_a == INFINITE) return magnitude_b == INFINITE && a != b ? INVALID : a;
    if (magnitude_b == INFINITE) return b;
    if (magnitude_a < magnitude_b) { u64 swapped = a; a = b; b = swapped; }
    int exponent = exponent_of(a), distance = exponent - exponent_of(b);
    /* Three bits to round by are enough; here are nine. */
    u64 larger = significand_of(a) << 9, smaller = significand_of(b) << 9;
    if (distance > 62) distance = 62;
    smaller = smaller >> distance | ((smaller & ((1ul << distance) - 1)) != 0);
    u64 sum = (a ^ b) & SIGN ? larger - smaller : larger + smaller;
    if (sum == 0) return a & b & SIGN;
    return packed(a & SIGN, exponent + 1, sum);
}

WEAK u64 fencewright_float_sub(u64 a, u64 b) {
    if (is_nan(a)) return a | QUIET;
    if (is_nan(b)) return b | QUIET;
    return fencewright_float_add(a, b ^ SIGN);
}

WEAK u64 fencewright_float_mul(u64 a, u64 b) {
    if (is_nan(a)) return a | QUIET;
    if (is_nan(b)) return b | QUIET;
    u64 sign = (a ^ b) & SIGN;
    a &= ~SIGN;
    b &= ~SIGN;
    if (a == INFINITE || b == INFINITE) return a == 0 || b == 0 ? INVALID : sign | INFINITE;
    if (a == 0 || b == 0) return sign;
    int exponent = exponent_of(a) + exponent_of(b);
    u64 x = significand_of(a), y = significand_of(b);
    int shift = __builtin_clzl(x) - 11;
    x <<= shift;
    exponent -= shift;
    shift = __builtin_clzl(y) - 11;
    y <<= shift;
    exponent -= shift;
    /* 53 · 53 bits by halves of 32. */
    u64 low = (x & 0xffffffff) * (y & 0xffffffff);
    u64 one = (x >> 32) * (y & 0xffffffff), other = (x & 0xffffffff) * (y >> 32);
    u64 middle = one + other + (low >> 32);
    u64 high = (x >> 32) * (y >> 32) + (middle >> 32);
    low = middle << 32 | (low & 0xffffffff);
    /* The product of 106 bits, 62 of them kept. */
    u64 significand = high << 20 | low >> 44 | ((low & 0xffffffffffful) != 0);
    return packed(sign, exponent + 2, significand);
}

WEAK u64 fencewright_float_div(u64 a, u64 b) {
    if (is_nan(a)) return a | QUIET;
    if (is_nan(b)) return b | QUIET;
    u64 sign = (a ^ b) & SIGN;
    a &= ~SIGN;
    b &= ~SIGN;
    if (a == INFINITE) return b == INFINITE ? INVALID : sign | INFINITE;
    if (b == INFINITE) return sign;
    if (b == 0) return a == 0 ? INVALID : sign | INFINITE;
    if (a == 0) return sign;
    int exponent = exponent_of(a) - exponent_of(b);
    u64 x = significand_of(a), y = significand_of(b);
    int shift = __builtin_clzl(x) - 11;
    x <<= shift;
    exponent -= shift;
    shift = __builtin_clzl(y) - 11;
    y <<= shift;
    exponent += shift;
    /* Ten bits of the quotient at a time. */
    u64 quotient = x / y, rest = x % y;
    for (int round = 0; round < 6; round++) {
        rest <<= 10;
        quotient = quotient << 10 | rest / y;
        rest %= y;
    }
    return packed(sign, exponent + 2, quotient | (rest != 0));
}

/* −1, 0, 1 for less, equal, greater, and 2 where they cannot be compared. */
INLINE int compared(u64 a, u64 b) {
    if (is_nan(a) || is_nan(b)) return 2;
    if (((a | b) & ~SIGN) == 0) return 0;
    /* Numbers with a sign of their own lie in the other order. */
    long x = a & SIGN ? -(long)(a & ~SIGN) : (long)a;
    long y = b & SIGN ? -(long)(b & ~SIGN) : (long)b;
    return (x > y) - (x < y);
}

/* Whether two numbers compare like one of these: 1 less, 2 equal, 4 greater, 8 not at all. */
WEAK int fencewright_float_is(u64 a, u64 b, int which) { return which >> (compared(a, b) + 1) & 1; }

WEAK u64 fencewright_float_muladd(u64 a, u64 b, u64 c) {
    return fencewright_float_add(fencewright_float_mul(a, b), c);
}

/* The other one where one is no number. */
WEAK u64 fencewright_float_minnum(u64 a, u64 b) { return is_nan(a) || compared(b, a) == -1 ? b : a; }
WEAK u64 fencewright_float_maxnum(u64 a, u64 b) { return is_nan(a) || compared(b, a) == 1 ? b : a; }

INLINE u64 packed_integer(u64 sign, u64 a) {
    return a & SIGN ? packed(sign, 63, a >> 1 | (a & 1)) : packed(sign, 62, a);
}

WEAK u64 fencewright_float_of_unsigned(u64 a) { return packed_integer(0, a); }

WEAK u64 fencewright_float_of_signed(u64 a) {
    return packed_integer(a & SIGN, a & SIGN ? -a : a);
}

/* Towards zero; what does not fit is the nearest number that does, and what is none is 0. The least and the
 * greatest number are given. */
WEAK u64 fencewright_float_to_signed(u64 a, u64 least, u64 most) {
    if (is_nan(a)) return 0;
    int exponent = exponent_of(a);
    if (exponent < 0) return 0;
    if (exponent >= 63) return a & SIGN ? least : most;
    u64 significand = significand_of(a);
    long magnitude = (long)(exponent <= 52 ? significand >> (52 - exponent) : significand << (exponent - 52));
    long value = a & SIGN ? -magnitude : magnitude;
    if (value < (long)least) return least;
    if (value > (long)most) return most;
    return (u64)value;
}

/* Of the result only the lower bits are meant, and the highest of them is the sign. */
WEAK u64 fencewright_float_to_unsigned(u64 a, u64 most, int unused) {
    if (is_nan(a) || a & SIGN) return 0;
    int exponent = exponent_of(a);
    if (exponent < 0) return 0;
    u64 significand = significand_of(a), value = most;
    if (exponent < 64) value = exponent <= 52 ? significand >> (52 - exponent) : significand << (exponent - 52);
    if (value > most) value = most;
    return (u64)((long)(value << unused) >> unused);
}

/* `float` to `double`. */
WEAK u64 fencewright_float_widen(u32 a) {
    u64 sign = (u64)(a & 0x80000000u) << 32;
    u32 magnitude = a & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return sign | INFINITE | QUIET | (u64)(magnitude & 0x007fffffu) << 29;
    if (magnitude == 0x7f800000u) return sign | INFINITE;
    int exponent = (int)(magnitude >> 23);
    u64 significand = magnitude & 0x007fffffu;
    if (exponent) significand |= 0x00800000u; else exponent = 1;
    return packed(sign, exponent - 127, significand << 39);
}

/* `significand` · 2^(`exponent` − 62) as `float`. */
INLINE u32 packed_narrow(u32 sign, int exponent, u64 significand) {
    if (significand == 0) return sign;
    int shift = __builtin_clzl(significand) - 1;
    significand <<= shift;
    exponent = exponent - shift + 127;
    if (exponent >= 255) return sign | 0x7f800000u;
    if (exponent <= 0) {
        int lost = 1 - exponent;
        if (lost > 62) lost = 62;
        significand = significand >> lost | ((significand & ((1ul << lost) - 1)) != 0);
        exponent = 0;
    }
    u64 rest = significand & 0x7ffffffffful;
    significand >>= 39;
    significand += (rest > 0x4000000000ul) | ((rest == 0x4000000000ul) & (significand & 1));
    if (exponent > 0) exponent -= 1;
    return sign | (((u32)exponent << 23) + (u32)significand);
}

/* `double` to `float`. */
WEAK u32 fencewright_float_narrow(u64 a) {
    u32 sign = (u32)(a >> 32) & 0x80000000u;
    if (is_nan(a)) return sign | 0x7fc00000u | ((u32)(a >> 29) & 0x007fffffu);
    if ((a & ~SIGN) == INFINITE) return sign | 0x7f800000u;
    return packed_narrow(sign, exponent_of(a), significand_of(a) << 10);
}

INLINE u32 packed_integer_narrow(u32 sign, u64 a) {
    return a & SIGN ? packed_narrow(sign, 63, a >> 1 | (a & 1)) : packed_narrow(sign, 62, a);
}

WEAK u32 fencewright_float_of_unsigned_narrow(u64 a) { return packed_integer_narrow(0, a); }

WEAK u32 fencewright_float_of_signed_narrow(u64 a) {
    return packed_integer_narrow(a & SIGN ? 0x80000000u : 0, a & SIGN ? -a : a);
}

/* The same of `float`. */
WEAK u32 fencewright_float_add_narrow(u32 a, u32 b) {
    return fencewright_float_narrow(fencewright_float_add(fencewright_float_widen(a), fencewright_float_widen(b)));
}
WEAK u32 fencewright_float_sub_narrow(u32 a, u32 b) {
    return fencewright_float_narrow(fencewright_float_sub(fencewright_float_widen(a), fencewright_float_widen(b)));
}
WEAK u32 fencewright_float_mul_narrow(u32 a, u32 b) {
    return fencewright_float_narrow(fencewright_float_mul(fencewright_float_widen(a), fencewright_float_widen(b)));
}
WEAK u32 fencewright_float_div_narrow(u32 a, u32 b) {
    return fencewright_float_narrow(fencewright_float_div(fencewright_float_widen(a), fencewright_float_widen(b)));
}
WEAK u32 fencewright_float_muladd_narrow(u32 a, u32 b, u32 c) {
    return fencewright_float_add_narrow(fencewright_float_mul_narrow(a, b), c);
}
WEAK u32 fencewright_float_minnum_narrow(u32 a, u32 b) {
    return fencewright_float_narrow(fencewright_float_minnum(fencewright_float_widen(a), fencewright_float_widen(b)));
}
WEAK u32 fencewright_float_maxnum_narrow(u32 a, u32 b) {
    return fencewright_float_narrow(fencewright_float_maxnum(fencewright_float_widen(a), fencewright_float_widen(b)));
}
WEAK int fencewright_float_is_narrow(u32 a, u32 b, int which) {
    return fencewright_float_is(fencewright_float_widen(a), fencewright_float_widen(b), which);
}
WEAK u64 fencewright_float_to_signed_narrow(u32 a, u64 least, u64 most) {
    return fencewright_float_to_signed(fencewright_float_widen(a), least, most);
}
WEAK u64 fencewright_float_to_unsigned_narrow(u32 a, u64 most, int unused) {
    return fencewright_float_to_unsigned(fencewright_float_widen(a), most, unused);
}
