/* Linked with a program: runs its main again and again, each time in a process of its own, with its
   threads on different processors and started together. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int __real_main(int, char **, char **);
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int processors[1024], processor_count;
static int created;
static unsigned run_number;

typedef struct {
    void *(*function)(void *);
    void *argument;
    int number;
} Start;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* A thread waits a moment for those that are created right after it, then more or less. */
static void *begin(void *argument) {
    Start start = *(Start *)argument;
    free(argument);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processors[(unsigned)start.number % (unsigned)processor_count], &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
    int known = __atomic_load_n(&created, __ATOMIC_RELAXED);
    double limit = seconds() + 100e-6;
    while (seconds() < limit) {
        int now = __atomic_load_n(&created, __ATOMIC_RELAXED);
        if (now != known) {
            known = now;
            limit = seconds() + 100e-6;
        }
        sched_yield();
    }
    unsigned chance = run_number * 2654435761u ^ (unsigned)start.number * 40503u;
    for (unsigned turns = chance >> 8 & 255; turns > 0; turns--) __asm__ volatile("");
    return start.function(start.argument);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument) {
    Start *start = malloc(sizeof *start);
    if (start == NULL) return EAGAIN;
    *start = (Start){function, argument, __atomic_add_fetch(&created, 1, __ATOMIC_RELAXED)};
    return __real_pthread_create(thread, attributes, begin, start);
}

static int number_of(const char *name) {
    const char *text = getenv(name);
    return text == NULL ? 0 : atoi(text);
}

int __wrap_main(int argc, char **argv, char **environment) {
    int runs = number_of("FENCEWRIGHT_RUNS"), limit = number_of("FENCEWRIGHT_SECONDS");
    int most = number_of("FENCEWRIGHT_PROCESSORS");
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    for (int number = 0; number < CPU_SETSIZE && processor_count < most; number++) {
        if (CPU_ISSET(number, &allowed)) processors[processor_count++] = number;
    }
    /* Exit codes, then signals, then who had to be stopped. */
    static uint64_t counts[256 + 128 + 1];
    /* Who started this may be ended, and then nobody waits for it any more. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pid_t self = getpid();
    struct rlimit nothing = {0, 0};
    double started = seconds();
    int made = 0;
    for (; made < runs && seconds() - started < limit; made++) {
        run_number = (unsigned)made;
        pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() != self) _exit(1);
            setrlimit(RLIMIT_CORE, &nothing);
            int nowhere = open("/dev/null", O_RDWR);
            for (int stream = 0; stream < 3; stream++) dup2(nowhere, stream);
            alarm(2);
            exit(__real_main(argc, argv, environment));
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        if (WIFEXITED(status)) {
            counts[WEXITSTATUS(status)]++;
        } else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
            counts[384]++;
        } else if (WIFSIGNALED(status)) {
            counts[256 + (WTERMSIG(status) & 127)]++;
        }
    }
    printf("runs %d processors %d seconds %.3f\n", made, processor_count, seconds() - started);
    for (int at = 0; at < 385; at++) {
        if (counts[at] == 0) continue;
        const char *kind = at < 256 ? "exit" : at < 384 ? "signal" : "late";
        printf("%s %d %llu\n", kind, at < 256 ? at : at - 256, (unsigned long long)counts[at]);
    }
    printf("done\n");
    fflush(stdout);
    _exit(0);
}
