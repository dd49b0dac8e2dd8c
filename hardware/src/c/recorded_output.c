/* The record of the rounds, which is described in docs/formats.md. */

/* Checksums are FNV-1a: of the characters of a line of text with 32 bits, of the words of a block with 64. */
#if TEXT
static uint32_t line_sum;

static void put_character(char character)
{
    line_sum = (line_sum ^ (uint8_t)character) * 16777619u;
    put_byte((uint8_t)character);
}

static void put_text(const char *text)
{
    while (*text)
        put_character(*text++);
}

static void put_number(uint64_t number)
{
    int shift = 60;

    while (shift > 0 && number >> shift == 0)
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        put_character("0123456789abcdef"[number >> shift & 15]);
}

static void begin_line(const char *word)
{
    line_sum = 2166136261u;
    put_text(word);
}

static void next_number(uint64_t number)
{
    put_character(' ');
    put_number(number);
}

static void end_line(void)
{
    uint32_t sum = line_sum;

    put_text(" #");
    put_number(sum);
    put_byte('\n');
}

static void write_rounds(uint64_t first, unsigned rounds)
{
    for (unsigned row = 0; row < rounds; row++) {
        begin_line("round");
        next_number(first + row);
        for (unsigned thread = 0; thread < THREADS; thread++)
            for (unsigned word = 0; word < log_words[thread]; word++)
                next_number(logs[thread][row * log_words[thread] + word]);
        end_line();
    }
}

static void write_end(uint64_t rounds, uint64_t nanoseconds, uint64_t spread)
{
    begin_line("end");
    next_number(rounds);
    next_number(nanoseconds);
    next_number(spread);
    end_line();
    flush();
}
#else
static uint64_t block_sum;

static void put_word(uint64_t word)
{
    block_sum = (block_sum ^ word) * 1099511628211u;
    for (int byte = 0; byte < 8; byte++)
        put_byte((uint8_t)(word >> 8 * byte));
}

static void begin_block(uint64_t magic)
{
    block_sum = 14695981039346656037u;
    put_word(magic);
}

static void end_block(void)
{
    uint64_t sum = block_sum;

    put_word(sum);
}

static void write_rounds(uint64_t first, unsigned rounds)
{
    for (unsigned row = 0; row < rounds; row++) {
        if (row % BLOCK_ROUNDS == 0) {
            begin_block(ROUNDS_MAGIC);
            put_word(first + row);
            put_word(rounds - row < BLOCK_ROUNDS ? rounds - row : BLOCK_ROUNDS);
        }
        for (unsigned thread = 0; thread < THREADS; thread++)
            for (unsigned word = 0; word < log_words[thread]; word++)
                put_word(logs[thread][row * log_words[thread] + word]);
        if (row % BLOCK_ROUNDS == BLOCK_ROUNDS - 1 || row == rounds - 1)
            end_block();
    }
}

static void write_end(uint64_t rounds, uint64_t nanoseconds, uint64_t spread)
{
    begin_block(END_MAGIC);
    put_word(rounds);
    put_word(nanoseconds);
    put_word(spread);
    end_block();
    flush();
}
#endif

static void write_header(void)
{
    for (unsigned at = 0; header[at]; at++)
        for (const char *text = header[at]; *text; text++)
            put_byte((uint8_t)*text);
}

/* How far apart the threads left barriers, where processors have a common clock: the latest. */
static uint64_t spreads[SPREADS], spread_count;

static uint64_t median_spread(void)
{
    unsigned count = spread_count < SPREADS ? (unsigned)spread_count : SPREADS;

    for (unsigned at = 1; at < count; at++)
        for (unsigned to = at; to > 0 && spreads[to - 1] > spreads[to]; to--) {
            uint64_t larger = spreads[to - 1];

            spreads[to - 1] = spreads[to];
            spreads[to] = larger;
        }
    return count ? spreads[count / 2] : 0;
}
