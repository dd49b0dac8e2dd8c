/* Says in a trace of instructions where the shared variables are, by three stores. */
static void announce(void)
{
    static uint64_t announcement[3] __attribute__((aligned(64), used));
    volatile uint64_t *to = announcement;

    to[0] = MAGIC;
    to[1] = (uintptr_t)shared;
    to[2] = (uintptr_t)shared + sizeof shared;
}

static void *run(void *argument)
{
    uintptr_t thread = (uintptr_t)argument;

    for (uint64_t round = 0; round < ROUNDS; round++) {
        barrier(round + 1);
        threads[thread]((uintptr_t)shared, (uintptr_t)others, round << ROUND_SHIFT);
    }
    return NULL;
}

/* Whether a variable holds what the program wrote to it in the last round, or 0 if it never does. */
static int is_expected(uint64_t offset, uint64_t value)
{
    int is_written = 0;

    for (size_t at = 0; at < sizeof writes / sizeof *writes; at++) {
        if (writes[at].value != 0 && writes[at].offset == offset) {
            is_written = 1;
            if (value == writes[at].value + ((uint64_t)(ROUNDS - 1) << ROUND_SHIFT))
                return 1;
        }
    }
    return !is_written && value == 0;
}

int main(void)
{
    pthread_t others_of_main[THREADS];
    int status = 0;

    for (uintptr_t thread = 1; thread < THREADS; thread++) {
        if (pthread_create(&others_of_main[thread], NULL, run, (void *)thread) != 0) {
            fprintf(stderr, "thread %d cannot be created: are there %d CPUs?\n", (int)thread, THREADS);
            return 2;
        }
    }
    announce();
    run(NULL);
    for (uintptr_t thread = 1; thread < THREADS; thread++)
        pthread_join(others_of_main[thread], NULL);
    for (size_t at = 0; at < sizeof locations / sizeof *locations; at++) {
        uint64_t value = shared[locations[at] / 8];

        if (!is_expected(locations[at], value)) {
            printf("shared + %#llx holds %#llx, which the last round did not write there\n",
                   (unsigned long long)locations[at], (unsigned long long)value);
            status = 1;
        }
    }
    if (arrived != (uint64_t)ROUNDS * THREADS) {
        printf("%llu arrivals at barriers, expected %llu\n", (unsigned long long)arrived,
               (unsigned long long)ROUNDS * THREADS);
        status = 1;
    }
    if (status == 0)
        puts("final values as expected");
    return status;
}
