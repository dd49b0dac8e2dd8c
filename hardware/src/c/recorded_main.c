static uint64_t rounds = ROUNDS, seed = SEED;
static cpu_set_t allowed;

/* Lets a thread run on a processor of its own, if there are enough. */
static void pin(unsigned thread)
{
    cpu_set_t one;
    int count = CPU_COUNT(&allowed), wanted = count ? (int)(thread % (unsigned)count) : 0;

    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed) && wanted-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            sched_setaffinity(0, sizeof one, &one);
        }
}

static struct worker workers[THREADS];

static void *run(void *argument)
{
    struct worker *me = argument;

    pin(me->thread);
    run_all(me, rounds);
    return NULL;
}

/* Arguments: the number of rounds and the seed of the offsets, if they differ from those that the program was made with. */
int main(int arguments, char **argument)
{
    pthread_t handles[THREADS];

    if (arguments > 1)
        rounds = strtoull(argument[1], NULL, 10);
    if (arguments > 2)
        seed = strtoull(argument[2], NULL, 10);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_ZERO(&allowed);
    write_header();
    for (unsigned thread = 0; thread < THREADS; thread++) {
        workers[thread].thread = thread;
        workers[thread].random = (seed + 1) * 0x9e3779b97f4a7c15u ^ (thread + 1) * 0xbf58476d1ce4e5b9u;
        if (workers[thread].random == 0)
            workers[thread].random = 1;
    }
    for (unsigned thread = 1; thread < THREADS; thread++)
        if (pthread_create(&handles[thread], NULL, run, &workers[thread]) != 0) {
            fprintf(stderr, "thread %u cannot be created\n", thread);
            return 2;
        }
    run(&workers[0]);
    for (unsigned thread = 1; thread < THREADS; thread++)
        pthread_join(handles[thread], NULL);
    write_end(rounds, elapsed, median_spread());
    return 0;
}
