/* What every test has in common, second part: runs in batches, and the count of how they end. */

/* Runs of a batch. */
#define BATCH ((size_t)(CELLS > 4096 ? 16 : CELLS > 256 ? 64 : CELLS > 16 ? 512 : 2048))

static Cell *arrived;
static Cell *beginning;
static pthread_barrier_t gate;
static int processors[1024], processor_count;
static volatile int finished;
static volatile uint32_t batch_number;
static volatile uint32_t batch_jitter;
/* A batch in which runs take long is cut short: when, and how many runs each thread has made. */
static double batch_end;
static volatile int is_cut;
static size_t made[THREADS];
static uint64_t seed;

static const uint32_t JITTERS[] = {0, 100, 300, 1000, 30, 3000};

static void pin(int number) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processors[number % processor_count], &set);
    /* Where it is not allowed, the system decides. */
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Whether all threads have come; they leave together: the last to arrive says when. Where there are more
   threads than processors they would wait for each other to get one, and walk through the runs of a batch
   side by side instead. */
static int meet(size_t run) {
    if (is_crowded) return !is_cut;
    if (arrive(&arrived[run]) == THREADS) store(&beginning[run], now() + 600);
    uint64_t moment;
    for (int turns = 1; (moment = load(&beginning[run])) == 0; turns++) {
        if (is_cut) return 0;
        pause_briefly();
        if (turns % 200 == 0) sched_yield();
    }
    wait_until(moment);
    return 1;
}

static void *work(void *argument) {
    int number = (int)(intptr_t)argument;
    Worker worker = {.random = (seed + 1) * 0x9e3779b97f4a7c15u ^ (uint64_t)(number + 1) << 32};
    for (;;) {
        pthread_barrier_wait(&gate);
        if (finished) return NULL;
        pin(number + (int)batch_number);
        worker.jitter = batch_jitter;
        size_t run = 0;
        for (; run < batch_size; run++) {
            uint64_t warm = random_bits(&worker);
            for (size_t cell = 0; cell < CELLS && cell < 32; cell++) {
                if (warm >> (2 * cell) & 1) load(cell_of_run(cell, run));
            }
            worker.deadline = 0;
            worker.turns = 0;
            if (run % 8 == 0 && run > 0 && seconds() > batch_end) is_cut = 1;
            if (!meet(run)) break;
            dither(&worker);
            threads[number](run, &worker);
        }
        made[number] = run;
        pthread_barrier_wait(&gate);
    }
}

/* How a run ended: all registers and cells, or the first fault, or less. */
typedef struct {
    uint64_t count;
    int32_t ends[THREADS];
    Value registers[REGISTERS + 1];
    uint64_t cells[CELLS + 1];
} Ending;

/* A table with so many places; more ways to end are counted together. */
static Ending *endings;
static size_t places = (size_t)1 << 16;
static uint64_t uncounted;
static size_t distinct;

static void prepare(void) {
    for (size_t run = 0; run < batch_size; run++) {
        arrived[run].content = beginning[run].content = 0;
        started[run].content = departure[run].content = 0;
    }
    for (size_t cell = 0; cell < CELLS; cell++) {
        for (size_t run = 0; run < batch_size; run++) {
            cell_of_run(cell, run)->content = initial[cell];
        }
    }
}

static void count(size_t run) {
    static Ending now_ended;
    memset(&now_ended, 0, sizeof now_ended);
    int worst = ENDED, faulty = -1;
    for (int thread = 0; thread < THREADS; thread++) {
        int end = ends[run * THREADS + (size_t)thread];
        if (end >= FAULT && faulty < 0) faulty = thread;
        if (end < FAULT && end > worst) worst = end;
    }
    if (faulty >= 0) {
        now_ended.ends[faulty] = ends[run * THREADS + (size_t)faulty];
    } else if (worst != ENDED) {
        now_ended.ends[0] = worst;
    } else {
        memcpy(now_ended.registers, &registers[run * REGISTERS], REGISTERS * sizeof(Value));
        for (size_t cell = 0; cell < CELLS; cell++) {
            now_ended.cells[cell] = cell_of_run(cell, run)->content;
        }
    }
    uint64_t hash = 0xcbf29ce484222325u;
    const unsigned char *bytes = (const unsigned char *)&now_ended;
    for (size_t at = sizeof now_ended.count; at < sizeof now_ended; at++) {
        hash = (hash ^ bytes[at]) * 0x100000001b3u;
    }
    for (size_t probe = 0; probe < places; probe++) {
        Ending *place = &endings[(hash + probe) % places];
        if (place->count == 0) {
            if (distinct > places / 2) break;
            distinct++;
            memcpy(place, &now_ended, sizeof now_ended);
            place->count = 1;
            return;
        }
        if (memcmp((char *)place + sizeof place->count, bytes + sizeof place->count,
                   sizeof now_ended - sizeof place->count) == 0) {
            place->count++;
            return;
        }
    }
    uncounted++;
}

static void *room(size_t count, size_t size) {
    size_t bytes = (count * size + 63) / 64 * 64 + 64;
    void *place = aligned_alloc(64, bytes);
    if (place == NULL) {
        fprintf(stderr, "not enough memory\n");
        exit(1);
    }
    memset(place, 0, bytes);
    return place;
}

static void tell(uint64_t runs, double elapsed) {
    printf("runs %llu processors %d seconds %.3f uncounted %llu\n", (unsigned long long)runs,
           processor_count, elapsed, (unsigned long long)uncounted);
    for (size_t at = 0; at < places; at++) {
        const Ending *ending = &endings[at];
        if (ending->count == 0) continue;
        printf("%llu", (unsigned long long)ending->count);
        for (int thread = 0; thread < THREADS; thread++) printf(" %d", ending->ends[thread]);
        for (size_t index = 0; index < REGISTERS; index++) {
            printf(" %llx:%llx", (unsigned long long)(uint64_t)((Bits)ending->registers[index] >> 64),
                   (unsigned long long)(uint64_t)ending->registers[index]);
        }
        for (size_t cell = 0; cell < CELLS; cell++) {
            printf(" %llx", (unsigned long long)ending->cells[cell]);
        }
        printf("\n");
    }
    printf("done\n");
}

/* RUNS SECONDS PROCESSORS SEED */
int main(int argc, char **argv) {
    if (argc != 5) return 2;
    /* Who started this may be ended, and then nobody waits for it any more. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    uint64_t wanted = strtoull(argv[1], NULL, 10);
    double limit = strtod(argv[2], NULL);
    int most = atoi(argv[3]);
    seed = strtoull(argv[4], NULL, 10);
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    for (int number = 0; number < CPU_SETSIZE && processor_count < most; number++) {
        if (CPU_ISSET(number, &allowed)) processors[processor_count++] = number;
    }
    batch_size = BATCH;
    memory = room(batch_size * CELLS, sizeof(Cell));
    arrived = room(batch_size, sizeof(Cell));
    beginning = room(batch_size, sizeof(Cell));
    started = room(batch_size, sizeof(Cell));
    departure = room(batch_size, sizeof(Cell));
    is_crowded = THREADS > processor_count;
    registers = room(batch_size * REGISTERS, sizeof(Value));
    ends = room(batch_size * THREADS, sizeof(int32_t));
    while (places > 64 && places * sizeof(Ending) > (size_t)1 << 28) places /= 2;
    endings = calloc(places, sizeof(Ending));
    if (endings == NULL) return 1;
    pthread_barrier_init(&gate, NULL, THREADS + 1);
    for (int thread = 0; thread < THREADS; thread++) {
        pthread_t id;
        if (pthread_create(&id, NULL, work, (void *)(intptr_t)thread) != 0) {
            fprintf(stderr, "cannot start %d threads\n", THREADS);
            return 1;
        }
    }
    double begin = seconds();
    uint64_t runs = 0;
    while (runs < wanted && seconds() - begin < limit) {
        prepare();
        batch_jitter = JITTERS[batch_number % (sizeof JITTERS / sizeof *JITTERS)];
        batch_end = seconds() + 0.2;
        is_cut = 0;
        pthread_barrier_wait(&gate);
        pthread_barrier_wait(&gate);
        batch_number++;
        size_t whole = batch_size;
        for (int thread = 0; thread < THREADS; thread++) {
            if (made[thread] < whole) whole = made[thread];
        }
        for (size_t run = 0; run < whole && runs < wanted; run++, runs++) count(run);
    }
    finished = 1;
    tell(runs, seconds() - begin);
    fflush(stdout);
    _exit(0);
}
