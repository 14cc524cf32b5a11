// Every form of place. `note` says that control was inside of the place in which its number stands;
// it returns its argument, or what it is told to.
#include <stdatomic.h>
#include <stdio.h>

struct pair { int first, second; unsigned bits : 3; };
enum colour { RED, GREEN };

void fenced(int place) { printf("fence %d\n", place); }
static int note(int number) { printf("note %d\n", number); return number; }
static int says(int number, int value) { note(number); return value; }
static void nothing(int number) { note(number); }
static struct pair pairs[2] = {{1, 2, 3}, {4, 5, 6}};

static int returned(int branch) {
    if (says(1, branch == 0)) return note(2);
    else if (says(3, branch == 1)) return says(4, 1) ? note(5) : note(6);
    else
        note(7);
    return note(8) + note(9);
}

static struct pair *pointer(int which) {
    if (which < 0) return 0;
    if (which > 1) return says(10, 1) ? NULL : pairs;
    return &pairs[says(11, which)];
}

static struct pair structure(int which) { return *(note(12), &pairs[which]); }
static unsigned bits(struct pair *p) { return (note(13), p)->bits; }
static char narrow(int x) { return note(14) + x + 256; }
static const char *text(void) { return says(15, 1) ? "text" : NULL; }
static _Bool truth(void) { return says(16, 256); }
static double real(void) { return says(17, 3) / 2; }

static void void_return(int x) {
    if (says(18, x)) return nothing(19);
    else return;
}

static void loops(void) {
    int i;
    for (int a = says(20, 0), b = says(21, 2); says(22, a < b); a += says(23, 1)) note(24);
    for (i = says(25, 0); says(26, i) < 2; note(27), i++) {
        if (says(28, i == 1)) continue;
        note(29);
    }
    for (struct pair *p = pairs + says(30, 0); p < pairs + 2; p++)
        for (int j = says(31, 0); j < 2; j += says(32, 1))
            if (says(33, j)) note(34);
            else note(35);
    for (;;) { if (says(36, 1)) break; }
    i = 0;
    while (says(37, i < 3) && says(38, 1)) { i++; if (i == 2) continue; note(39); }
    while (says(40, i-- > 1)) note(41);
    do i += says(42, 1); while (says(43, i < 2));
    do { note(44); } while (says(45, 0) || says(46, 0));
    if (says(47, 1)) for (int k = says(48, 0); k < 1; k++) note(49); else note(50);
}

static void switches(struct pair *p, enum colour c) {
    switch (says(51, p->first)) {
    case 1: note(52); break;
    case 2:
    case 4: note(53); note(54); /* falls through */
    default: note(55);
    }
    switch ((note(56), p->bits)) { case 3: note(57); break; case 6: note(58); }
    switch (says(59, c)) { case RED: { note(60); } break; case GREEN: note(61); }
    switch (note(62)) default: note(63);
}

static void jumps(void) {
    int count = 0;
again: count += says(64, 1);
    if (says(65, count < 3)) goto again;
    if (says(66, 1)) inner: note(67);
    if (says(68, count++ < 4)) goto inner;
}

static void nested(void) {
    int value = ({ int t = note(69); note(70); t; }) + note(71);
    value = ({ if (says(72, 1)) note(73); value + 1; });
    if (({ note(74); says(75, 1); })) note(76);
    int first = note(77), second = first + note(78); note(79); int third = note(80); // together
    (void)second; (void)third;
    note(81), note(82);
    says(83, 0) && note(84);
    { note(85); { note(86); } }
    if (says(87, 1)) { if (says(88, 0)) note(89); else note(90); }
    value = 72;
    while (says(91, value-- > 70)) while (says(92, 0)) note(93);
    int array[says(94, 2)];
    array[says(95, 0)] = says(96, 1);
    array[0] += note(97);
    __asm__ __volatile__("" :: "r"(note(98)) : "memory");
#ifdef NEVER
    note(99); // not compiled
#elif 1
    note(100);
#else
    note(101); // not compiled
#endif
    static int kept = 7;
    printf("%d %d\n", kept, says(102, 1) ? note(103) : note(104));
}

int main(void) {
    for (int i = 0; i < 3; i++) printf("= %d\n", returned(i));
    printf("= %d %d\n", pointer(2) == 0, pointer(1)->first);
    printf("= %d %u %d %s\n", structure(1).second, bits(pairs), narrow(1), text());
    printf("= %d %f\n", truth(), real());
    void_return(0);
    void_return(1);
    loops();
    switches(&pairs[0], RED);
    switches(&pairs[1], GREEN);
    jumps();
    nested();
    return note(105);
}
