/* Start of the harts, without an operating system: those that the program has no thread for wait for ever. */

#define TEXT_OF_VALUE(value) #value
#define TEXT_OF(macro) TEXT_OF_VALUE(macro)
#define STACK_BITS 12

static uint8_t stacks[THREADS << STACK_BITS] __attribute__((section(".bss.stacks"), aligned(16), used));

/* In the data section: what is in memory at the start is not known where nothing sets it. */
static volatile uint64_t is_cleared __attribute__((section(".data"))) = 0;

__asm__(".section .text.start, \"ax\"\n"
        ".globl _start\n"
        "_start:\n"
        "    la t0, stop\n"
        "    csrw mtvec, t0\n"
        "    csrr a0, mhartid\n"
        "    li t0, " TEXT_OF(THREADS) "\n"
        "    bgeu a0, t0, stop\n"
        "    la sp, stacks\n"
        "    addi t0, a0, 1\n"
        "    slli t0, t0, " TEXT_OF(STACK_BITS) "\n"
        "    add sp, sp, t0\n"
        "    call start_hart\n"
        ".balign 4\n"
        "stop:\n"
        "    wfi\n"
        "    j stop\n"
        ".text\n");

/* The compiler may make a call of a loop that sets memory. */
void *memset(void *to, int byte, size_t count)
{
    volatile uint8_t *bytes = to;

    while (count-- > 0)
        bytes[count] = (uint8_t)byte;
    return to;
}

#define HAS_CLOCK 0
#define CLOCK() ((uint64_t)0)
#define YIELD()
#define SPINS 1000

static const uint64_t elapsed = 0;

static void start_time(void)
{
}

static void stop_time(void)
{
}
