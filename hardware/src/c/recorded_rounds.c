/* A thread of the program. */
struct worker {
    unsigned thread;
    uint64_t barriers; /* that it has passed */
    uint64_t random;
    uint64_t started; /* the time at which it left the last barrier */
} __attribute__((aligned(128)));

/* A pseudo-random number (xorshift). */
static uint64_t random_number(struct worker *me)
{
    me->random ^= me->random << 13;
    me->random ^= me->random >> 7;
    me->random ^= me->random << 17;
    return me->random;
}

static struct {
    uint64_t arrived __attribute__((aligned(128)));
    uint64_t released __attribute__((aligned(128)));
    uint64_t time; /* at which the threads leave the barrier, where processors have a common clock */
} gate __attribute__((aligned(128)));

/* Waits until all threads have come here. They leave at the same time if processors have a common clock. */
static void barrier(struct worker *me)
{
    uint64_t number = ++me->barriers;

    if (__atomic_add_fetch(&gate.arrived, 1, __ATOMIC_SEQ_CST) == number * THREADS) {
        gate.time = CLOCK() + HAS_CLOCK * RELEASE_DELAY;
        __atomic_store_n(&gate.released, number, __ATOMIC_SEQ_CST);
    } else {
        for (unsigned spins = 0; __atomic_load_n(&gate.released, __ATOMIC_ACQUIRE) < number; spins++) {
            if (spins >= SPINS) {
                YIELD();
                spins = 0;
            }
        }
    }
    while (CLOCK() < gate.time) {
    }
    me->started = CLOCK();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Sets the variables of which this thread has charge to 0. */
static void reset(uint8_t *place, unsigned thread)
{
    for (unsigned at = thread; at < LOCATIONS; at += THREADS)
        for (unsigned byte = 0; byte < locations[at].size; byte++)
            place[locations[at].offset + byte] = 0;
}

static struct worker *workers_by_thread[THREADS];

/* Notes how far apart the threads left the last barrier. */
static void note_spread(void)
{
    uint64_t first = UINT64_MAX, last = 0;

    for (unsigned thread = 0; thread < THREADS; thread++) {
        uint64_t started = workers_by_thread[thread]->started;

        first = started < first ? started : first;
        last = started > last ? started : last;
    }
    spreads[spread_count++ % SPREADS] = last - first;
}

/* Runs so many rounds, one in each place, from this row of the log on. */
static void run_rounds(struct worker *me, unsigned rounds, unsigned row)
{
    unsigned thread = me->thread;
    unsigned words = log_words[thread];

    for (unsigned at = 0; at < rounds; at++)
        reset(shared + at * PLACE_BYTES, thread);
    for (unsigned at = 0; at < rounds; at++) {
        uint64_t *log = logs[thread] + (row + at) * words;

        barrier(me);
        for (uint64_t left = OFFSET ? random_number(me) % (OFFSET + 1) : 0; left > 0; left--)
            __asm__ volatile("nop");
        threads[thread]((uintptr_t)shared + at * PLACE_BYTES, (uintptr_t)others, log);
    }
    barrier(me);
    if (thread == 0)
        note_spread();
    for (unsigned at = 0; at < rounds; at++)
        finals[thread]((uintptr_t)shared + at * PLACE_BYTES, logs[thread] + (row + at) * words);
}

/* Runs so many rounds, as many as the log has room for at a time; the first thread then writes them out. */
static void run_all(struct worker *me, uint64_t rounds)
{
    workers_by_thread[me->thread] = me;
    for (uint64_t first = 0; first < rounds;) {
        unsigned now = rounds - first < LOG_ROUNDS ? (unsigned)(rounds - first) : LOG_ROUNDS;

        barrier(me);
        if (me->thread == 0)
            start_time();
        for (unsigned row = 0; row < now; row += PLACES)
            run_rounds(me, now - row < PLACES ? now - row : PLACES, row);
        barrier(me);
        if (me->thread == 0) {
            stop_time();
            write_rounds(first, now);
        }
        first += now;
    }
    barrier(me);
}
