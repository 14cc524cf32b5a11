// Integers of all widths, floating point of all kinds, vectors, conversions, built-ins.
typedef float float4 __attribute__((vector_size(16)));
typedef int int4 __attribute__((vector_size(16)));
typedef long long2 __attribute__((vector_size(16)));

float f = 1.0f, tenth = 0.1f, infinite = __builtin_inff(), nan_ = __builtin_nanf("");
double d = 3.141592653589793, huge = 1e300, tiny = 4.9e-324;
long double ld = 1.25L;
__float128 quad = 2.5;
_Complex double complex_ = 1.0;
__int128 big = ((__int128)1 << 100) + 7;
unsigned __int128 negative = -(unsigned __int128)3;
float4 vector = {1, 2, 3, 4};
_Bool yes = 1;

int arithmetic(int a, int b, unsigned c, unsigned e) {
    return a + b - a * b + a / b + a % b + (int)(c / e + c % e) + (a << 3) + (a >> 2) + (int)(c >> 1) + (a & b) + (a | b) + (a ^ b) + ~a + -b + !a;
}
double floating(double x, float y) { return -x + y * 2 - x / y + (x > y) + (x != x) + (x <= y) + (x == 1.0); }
long double extended(long double x) { return x * ld + 1; }
__float128 quadruple(__float128 x) { return x / quad; }
_Complex double rotate(_Complex double z) { return z * complex_; }
__int128 shifted(__int128 x, int n) { return (x << n) / 3 + big; }
float4 lanes(float4 a, float4 b) { float4 c = a * b + a; c[2] = 5; return __builtin_shufflevector(c, b, 0, 5, 2, 7); }
int4 compare(float4 a, float4 b) { return a < b; }
int4 splat(int x) { return (int4){x, x, x, x} + 7; }
long conversions(double x, float y, unsigned char z, long w) {
    return (long)x + (unsigned)y + z + (short)w + (long)(void *)w + (long)(double)(unsigned)w + (int)(float)x + (_Bool)w;
}
int builtins(unsigned x, long y) {
    int overflow; _Bool o = __builtin_add_overflow((int)x, (int)y, &overflow);
    return __builtin_clz(x) + __builtin_popcountl(y) + __builtin_bswap32(x) + __builtin_expect(x == 3, 0) + o + overflow;
}
