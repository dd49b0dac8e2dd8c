//! Programs that record what their loads return, in the format of [`ingest::recorded`].
//!
//! Each round runs on variables that are 0, in a *place* of its own among several, so that rounds follow each other without a pause;
//! then all places are set to 0 again. Before each round there is a barrier.

use std::io::{self, Write};

use ingest::recorded::{END_MAGIC, Form, Layout, ROUNDS_MAGIC, Recording, header};
use simulate::program::{Program, ProgramSize};

use crate::c::CProgram;
use crate::fault::Fault;
use crate::host::Host;
use crate::instructions;
use crate::template::template;
use crate::threads::{Style, ThreadWriter};
use crate::variables::{Sizes, Variable, Variables};

/// How a program records itself.
#[derive(Clone, Debug)]
pub struct Record {
    /// How values are recorded.
    pub recording: Recording,
    /// How rounds are written.
    pub form: Form,
    /// The sizes that variables may have.
    pub sizes: Sizes,
    /// The most nops that a thread waits for at the beginning of a round; the number is random.
    pub offset: u32,
    /// What the program runs on.
    pub host: Host,
}

/// The memory of all places, at most.
const PLACES_BYTES: u64 = 1 << 18;
/// The most places.
const MOST_PLACES: u64 = 128;
/// The memory of a thread's log, about.
const LOG_BYTES: usize = 4 << 20;
/// The same without an operating system, where memory may be small.
const SMALL_LOG_BYTES: usize = 16 << 10;
/// The bytes of a block, about.
const BLOCK_BYTES: usize = 1 << 16;
/// How many spreads are kept.
const SPREADS: u32 = 1 << 10;
/// After how many ticks of the clock threads leave a barrier: a message between processors takes a part of it.
const RELEASE_DELAY: u32 = 1000;
/// The characters of a string in C.
const STRING: usize = 2000;

/// A program with its variables and the layout of its record.
pub(crate) struct Recorded<'a> {
    c: &'a CProgram<'a>,
    record: &'a Record,
    size: &'a ProgramSize,
    variables: Variables,
    /// The variables that the program accesses, which are the locations of its history.
    used: Vec<Variable>,
    layout: Layout,
    header: String,
}

impl<'a> Recorded<'a> {
    /// Places the variables of a program.
    ///
    /// # Errors
    /// Fails if a record cannot express the program.
    pub(crate) fn new(
        c: &'a CProgram<'a>,
        record: &'a Record,
        size: &'a ProgramSize,
        program: &Program,
    ) -> io::Result<Recorded<'a>> {
        let variables = Variables::of_sizes(size, c.stride, &record.sizes, c.isa, program);
        let history = template(program, &variables, c.isa, c.name).map_err(io::Error::other)?;
        let layout = Layout::new(&history, record.recording).map_err(io::Error::other)?;
        let header = header(&history, &layout, record.form).map_err(io::Error::other)?;
        let used = variables.used(program);
        Ok(Recorded { c, record, size, variables, used, layout, header })
    }

    /// Writes the program.
    pub(crate) fn write(&self, program: &Program, out: &mut dyn Write) -> io::Result<()> {
        self.constants(program.threads.len(), out)?;
        let Recorded { c, size, variables, .. } = self;
        for (thread, steps) in program.threads.iter().enumerate() {
            let style = Recorder {
                recording: self.record.recording,
                digits: self.layout.digits(thread),
                next: 0,
                words: 0,
            };
            let mut writer = ThreadWriter { c, variables, seed: size.seed, style };
            writer.write(thread, steps, out)?;
            self.finals(thread, program.threads.len(), writer.style, out)?;
        }
        self.tables(program.threads.len(), out)?;
        let (start, console, main) = match self.record.host {
            Host::System => {
                (include_str!("c/recorded_hosted.c"), "", include_str!("c/recorded_main.c"))
            }
            Host::Freestanding { console, .. } => (
                include_str!("c/freestanding_start.c"),
                console.code(),
                include_str!("c/freestanding_main.c"),
            ),
        };
        let [output, rounds] =
            [include_str!("c/recorded_output.c"), include_str!("c/recorded_rounds.c")];
        let parts = [start, console, output, rounds, main].into_iter().filter(|it| !it.is_empty());
        out.write_all(parts.collect::<Vec<_>>().join("\n").as_bytes())
    }

    /// The function that records the final values of which a thread has charge.
    fn finals(
        &self,
        thread: usize,
        threads: usize,
        mut style: Recorder,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        writeln!(out, "\nstatic void finals_{thread}(uint64_t variables, uint64_t *log)\n{{")?;
        writeln!(out, "    uint64_t value = 0;")?;
        writeln!(out, "{}", style.begin())?;
        let load = instructions::load(self.c.isa, history::Annotation::None);
        if style.recording == Recording::Signature {
            write!(out, "{}", style.take_up())?;
        }
        for variable in self.used.iter().skip(thread).step_by(threads) {
            let (bytes, offset) = (variable.size, variable.offset);
            writeln!(out, "    LOAD({bytes}, value, variables + {offset:#x}{load});")?;
            write!(out, "{}", style.read("value"))?;
        }
        write!(out, "{}", style.finish())?;
        writeln!(out, "    (void)variables; (void)value;\n}}")
    }

    fn constants(&self, threads: usize, out: &mut dyn Write) -> io::Result<()> {
        let CProgram { name, isa, rounds, stride, others, fault, .. } = self.c;
        let bytes = if self.record.host == Host::System { LOG_BYTES } else { SMALL_LOG_BYTES };
        let places = (PLACES_BYTES / self.variables.bytes).clamp(1, MOST_PLACES);
        let words: Vec<usize> = self.layout.words().collect();
        let largest = words.iter().copied().max().unwrap_or(0).max(1);
        let all: usize = words.iter().sum();
        let log_rounds = (bytes / 8 / largest).max(1).next_multiple_of(places as usize);
        let block_rounds = (BLOCK_BYTES / 8 / all.max(1)).max(1);
        let is_text = u8::from(self.record.form == Form::Text);
        let Record { offset, .. } = self.record;
        let locations = self.used.len();
        write!(
            out,
            "/* {name}\n\n{make}   \
             rubric check program.record */\n\n\
             {includes}\n\
             #define THREADS {threads}\n#define LOCATIONS {locations}\n#define ROUNDS {rounds}\n#define SEED {seed}\n\
             #define PLACES {places}\n#define PLACE_BYTES {place_bytes}\n#define OTHERS {others}\n#define STRIDE {stride}\n\
             #define OFFSET {offset}\n#define LOG_ROUNDS {log_rounds}\n#define LOG_WORDS {log_words}\n\
             #define BLOCK_ROUNDS {block_rounds}\n#define TEXT {is_text}\n#define ROUNDS_MAGIC {ROUNDS_MAGIC:#x}u\n\
             #define END_MAGIC {END_MAGIC:#x}u\n#define SPREADS {SPREADS}\n#define RELEASE_DELAY {RELEASE_DELAY}\n\n\
             {instructions}\n{head}",
            make = self.how_to_make(),
            includes = self.includes(),
            seed = self.size.seed,
            place_bytes = self.variables.bytes,
            others = (*others).max(1),
            log_words = log_rounds * largest,
            instructions = instructions::macros(*isa),
            head = include_str!("c/recorded_head.c"),
        )?;
        if *fault == Some(Fault::Lock) {
            write!(out, "\n{}", include_str!("c/racy_lock.c"))?;
        }
        Ok(())
    }

    /// The commands that make a record, as lines of a comment.
    fn how_to_make(&self) -> String {
        let compiler = instructions::compiler(self.c.isa);
        match self.record.host {
            Host::System => format!(
                "   {compiler} -O2 -static -pthread program.c -o program\n   ./program > program.record\n"
            ),
            Host::Freestanding { .. } => format!(
                "   {compiler} -O2 -march=rv64gc -mabi=lp64d -mcmodel=medany -ffreestanding -nostdlib -static \\\n      \
                 -Wl,--build-id=none -T program.ld program.c -o program\n"
            ),
        }
    }

    fn includes(&self) -> String {
        match self.record.host {
            Host::System => {
                let names =
                    ["errno", "pthread", "sched", "stdint", "stdio", "stdlib", "time", "unistd"];
                let lines: String =
                    names.iter().map(|name| format!("#include <{name}.h>\n")).collect();
                format!("#define _GNU_SOURCE\n{lines}")
            }
            Host::Freestanding { console, .. } => format!(
                "#include <stddef.h>\n#include <stdint.h>\n\n#define CONSOLE_ADDRESS {:#x}\n",
                console.address()
            ),
        }
    }

    fn tables(&self, threads: usize, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "\nstatic void (*const threads[THREADS])(uint64_t, uint64_t, uint64_t *) = {{"
        )?;
        (0..threads).try_for_each(|thread| writeln!(out, "    thread_{thread},"))?;
        writeln!(out, "}};\n\nstatic void (*const finals[THREADS])(uint64_t, uint64_t *) = {{")?;
        (0..threads).try_for_each(|thread| writeln!(out, "    finals_{thread},"))?;
        writeln!(out, "}};\n\n/* How many words each thread records in a round. */")?;
        let words: Vec<String> = self.layout.words().map(|count| count.to_string()).collect();
        writeln!(out, "static const unsigned log_words[THREADS] = {{ {} }};", words.join(", "))?;
        writeln!(out, "\n/* Where the variables are. */")?;
        writeln!(
            out,
            "static const struct {{ uint64_t offset; unsigned size; }} locations[] = {{"
        )?;
        for variable in &self.used {
            writeln!(out, "    {{ {:#x}, {} }},", variable.offset, variable.size)?;
        }
        writeln!(out, "}};\n\n/* The beginning of the record: the program as a history. */")?;
        writeln!(out, "static const char *const header[] = {{")?;
        for line in self.header.split_inclusive('\n') {
            let characters: Vec<char> = line.chars().collect();
            for part in characters.chunks(STRING) {
                let text: String = part.iter().collect();
                let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                writeln!(out, "    \"{text}\",")?;
            }
        }
        writeln!(out, "    0,\n}};\n")
    }
}

/// Records values of a thread, as many in its function as it reads and the others in that for final values.
struct Recorder {
    recording: Recording,
    /// By value, its radix, and whether it is the last digit of its word.
    digits: Vec<(u64, bool)>,
    next: usize,
    words: usize,
}

impl Recorder {
    /// The statements that continue the signature of the thread's function.
    fn take_up(&self) -> String {
        let last = self.digits.iter().filter(|(_, is_last)| *is_last).count();
        format!(
            "    signature = log[{at}];\n    strange = log[{last}];\n    where = log[{last} + 1] & 0xffffffff;\n    \
             count = log[{last} + 1] >> 32;\n",
            at = self.words.min(last.saturating_sub(1)),
        )
    }

    /// The statements at the end of the last function of a thread.
    fn finish(&self) -> String {
        match self.recording {
            Recording::Values => String::new(),
            Recording::Signature => format!("    END_STRANGE({});\n", self.words),
        }
    }
}

impl Style for Recorder {
    fn parameter(&self) -> &'static str {
        "uint64_t *log"
    }

    fn begin(&self) -> &'static str {
        match self.recording {
            Recording::Values => "    (void)log;\n",
            Recording::Signature => {
                "    uint64_t signature = 0, strange = 0, where = 0, count = 0;\n"
            }
        }
    }

    fn written(&self, value: u64) -> String {
        value.to_string()
    }

    fn read(&mut self, register: &str) -> String {
        let Some(&(radix, is_last)) = self.digits.get(self.next) else { return String::new() };
        self.next += 1;
        if self.recording == Recording::Values {
            return format!("    RECORD({}, {register});\n", self.next - 1);
        }
        let mut text = format!("    SIGN({}, {register}, {radix}u);\n", self.next);
        if is_last {
            text += &format!("    END_SIGNATURE({});\n", self.words);
            self.words += 1;
        }
        text
    }

    fn end(&mut self) -> String {
        if self.recording == Recording::Values {
            return String::new();
        }
        // The function for final values continues from here.
        let last = self.digits.iter().filter(|(_, is_last)| *is_last).count();
        let kept = if self.words < last {
            format!("    log[{}] = signature;\n", self.words)
        } else {
            "    (void)signature;\n".to_owned()
        };
        format!("{kept}    END_STRANGE({last});\n")
    }
}
