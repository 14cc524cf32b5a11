// Switches, loops, computed and asm goto, variable arrays, setjmp, variable arguments.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static jmp_buf place;

int classify(int n) {
    switch (n) {
    case 0: return 1;
    case 1: case 2: return 2;
    case 10 ... 12: return 3;
    case -5: n++;
    default: return n;
    }
}
long wide(unsigned long n) { switch (n) { case 0xffffffffffffffffUL: return 1; case 4: return 2; } return 0; }
int interpret(const unsigned char *code) {
    static void *labels[] = {&&stop, &&increment, &&decrement};
    int value = 0;
    goto *labels[*code];
increment: value++; goto *labels[*++code];
decrement: value--; goto *labels[*++code];
stop: return value;
}
int jumps(int x) {
#if defined(__x86_64__)
    asm goto("testl %0, %0; jne %l[nonzero]" : : "r"(x) : "cc", "memory" : nonzero);
#endif
    return 0;
nonzero: return 1;
}
int sum(int n, ...) {
    va_list list, again; int total = 0;
    va_start(list, n); va_copy(again, list);
    for (int i = 0; i < n; i++) total += va_arg(list, int);
    double d = va_arg(again, double);
    va_end(list); va_end(again);
    return total + (int)d;
}
int variable(int n) { int values[n]; for (int i = 0; i < n; i++) values[i] = i; return values[n - 1]; }
int risky(void) { if (setjmp(place) == 0) longjmp(place, 1); return 3; }
int loops(int n) {
    int total = 0, i = 0;
    do { if (i == 3) continue; if (i > 100) break; total += i; } while (++i < n);
    while (n-- > 0 && total) for (;;) { total--; break; }
    return n > 2 || total < 5 ? total : -total;
}
int print(const char *format, ...) {
    int (*f)(const char *, ...) = printf;
    return f(format, 1, 2.0) + printf("%s %d\n", "text", 7);
}
_Noreturn void never(void) { for (;;) __builtin_trap(); }
int choose(int a, int b) { return ({ int c = a > b ? a : b; c; }); }
