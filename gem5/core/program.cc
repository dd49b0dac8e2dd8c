#include "core/program.hh"

#include <cstddef>
#include <sstream>

namespace rubric
{

namespace
{

const char *const firstLine = "rubric-program 1";
const char *const formNames[] = {"locked", "linked", "atomic", "atomic-no-return"};
const char *const kindNames[] = {"load", "fetch", "store", "rmw", "fence"};

/** The words that a step of a kind has, its think time and its name included. */
std::size_t
wordsOf(OperationKind kind)
{
    switch (kind) {
      case OperationKind::Store:
        return 5;
      case OperationKind::Rmw:
        return 6;
      case OperationKind::Fence:
        return 2;
      default:
        return 4;
    }
}

std::string
hexadecimal(std::uint64_t number)
{
    std::ostringstream text;
    text << "0x" << std::hex << number;
    return text.str();
}

void
writeStep(const Step &step, std::ostream &out)
{
    out << step.think << ' ' << kindNames[static_cast<int>(step.kind)];
    if (step.kind != OperationKind::Fence)
        out << ' ' << hexadecimal(step.bytes.address) << ' ' << step.bytes.size;
    if (step.kind == OperationKind::Store || step.kind == OperationKind::Rmw)
        out << ' ' << hexadecimal(step.value);
    if (step.kind == OperationKind::Rmw)
        out << ' ' << formNames[static_cast<int>(step.form)];
    if (!step.ordering.empty())
        out << " by " << step.ordering;
    if (!step.conditional.empty())
        out << " then " << step.conditional;
    for (std::size_t at = 0; at < step.after.size(); at++)
        out << (at == 0 ? " after " : ",") << step.after[at];
    if (step.needs)
        out << " needs " << *step.needs;
    if (step.flushes)
        out << " flush " << hexadecimal(step.flushed);
    out << '\n';
}

void
writeTransfer(const Transfer &transfer, std::ostream &out)
{
    out << transfer.think << (transfer.isWrite ? " write " : " read ")
        << hexadecimal(transfer.address) << ' ' << transfer.words;
    if (transfer.isWrite)
        out << ' ' << hexadecimal(transfer.value) << ' ' << hexadecimal(transfer.step);
    out << '\n';
}

} // namespace

bool
Bytes::overlaps(const Bytes &other) const
{
    return address < other.address + other.size && other.address < address + size;
}

bool
Bytes::covers(const Bytes &other) const
{
    return address <= other.address && other.address + other.size <= address + size;
}

std::uint64_t
Bytes::partOf(std::uint64_t value, const Bytes &part) const
{
    std::uint64_t shifted = value >> (8 * (part.address - address));
    return part.size >= 8 ? shifted : shifted & ((std::uint64_t(1) << (8 * part.size)) - 1);
}

void
Program::write(std::ostream &out) const
{
    out << firstLine << "\nname " << name << "\nseed " << seed << "\nline-bytes " << lineBytes
        << '\n';
    if (!model.empty())
        out << "model " << model << '\n';
    for (const auto &steps : threads) {
        out << "thread\n";
        for (const auto &step : steps)
            writeStep(step, out);
    }
    for (const auto &transfers : devices) {
        out << "device\n";
        for (const auto &transfer : transfers)
            writeTransfer(transfer, out);
    }
    out << "end\n";
}

ProgramReader::ProgramReader(std::istream &in, std::string file)
    : in(in), file(std::move(file))
{
}

/** Reads the next line that is neither empty nor a comment; false at the end. */
bool
ProgramReader::line(std::vector<std::string> &words)
{
    while (std::getline(in, text)) {
        count++;
        words.clear();
        std::istringstream split(text);
        for (std::string word; split >> word;)
            words.push_back(word);
        if (!words.empty() && words[0][0] != '#')
            return true;
    }
    return false;
}

bool
ProgramReader::next(Program &program)
{
    std::vector<std::string> words;
    if (!line(words))
        return false;
    if (text != firstLine)
        fail("`" + text + "`", std::string("`") + firstLine + "`, the first line of a program");
    program = Program();
    while (line(words)) {
        if (words[0] == "end" && words.size() == 1)
            return true;
        statement(words, program);
    }
    fail("the end of the file within a program", "`end`");
}

void
ProgramReader::statement(const std::vector<std::string> &words, Program &program)
{
    const std::string &first = words[0];
    bool isHead = program.threads.empty() && program.devices.empty();
    if (isHead && first == "name") {
        program.name = text.size() > 5 ? text.substr(5) : "";
    } else if (isHead && first == "seed" && words.size() == 2) {
        program.seed = number(words[1], UINT64_MAX, "a seed");
    } else if (isHead && first == "line-bytes" && words.size() == 2) {
        program.lineBytes = number(words[1], 1 << 20, "the size of a line");
        if (program.lineBytes < 8 || (program.lineBytes & (program.lineBytes - 1)) != 0)
            fail(words[1] + " bytes a line", "a power of two from 8 on");
    } else if (isHead && first == "model" && words.size() == 2) {
        program.model = words[1];
    } else if (first == "thread" && words.size() == 1 && program.devices.empty()) {
        program.threads.emplace_back();
    } else if (first == "device" && words.size() == 1) {
        program.devices.emplace_back();
    } else if (isHead || words.size() < 2) {
        fail("`" + text + "`", "name, seed, line-bytes, model, thread, device or a step behind these");
    } else if (!program.devices.empty()) {
        transfer(words, program);
    } else {
        step(words, program);
    }
}

void
ProgramReader::step(const std::vector<std::string> &words, Program &program)
{
    Step step;
    step.think = number(words[0], UINT32_MAX, "ticks of thinking");
    int kind = 0;
    while (kind < 5 && words[1] != kindNames[kind])
        kind++;
    if (kind == 5)
        fail("`" + words[1] + "`", "load, fetch, store, rmw or fence");
    step.kind = static_cast<OperationKind>(kind);
    std::size_t own = wordsOf(step.kind);
    if (words.size() < own)
        fail("`" + text + "`", "the words of a " + words[1]);
    if (step.kind != OperationKind::Fence)
        step.bytes = bytes(words, program);
    if (step.kind == OperationKind::Store || step.kind == OperationKind::Rmw)
        step.value = number(words[4], UINT64_MAX, "a value");
    if (step.kind == OperationKind::Rmw) {
        int form = 0;
        while (form < 4 && words[5] != formNames[form])
            form++;
        if (form == 4)
            fail("`" + words[5] + "`", "locked, linked, atomic or atomic-no-return");
        step.form = static_cast<RmwForm>(form);
    }
    for (std::size_t at = own; at < words.size(); at += 2)
        if (at + 1 == words.size() || !clause(words[at], words[at + 1], step, program))
            fail("`" + words[at] + "`",
                 "behind a " + words[1] + " only `by`, `then`, `after`, `needs` or `flush`, each once with a value");
    program.threads.back().push_back(step);
}

/** Reads a clause behind the words of a step; false if there is no such clause, or it was there before. */
bool
ProgramReader::clause(const std::string &name, const std::string &value, Step &step,
                      const Program &program)
{
    std::size_t earlier = program.threads.back().size();
    if (name == "by" && step.ordering.empty()) {
        step.ordering = value;
    } else if (name == "then" && step.conditional.empty()) {
        step.conditional = value;
    } else if (name == "after" && step.after.empty()) {
        after(value, step, earlier);
    } else if (name == "needs" && !step.needs && earlier > 0) {
        step.needs = number(value, earlier - 1, "an earlier step");
    } else if (name == "flush" && !step.flushes) {
        step.flushes = true;
        step.flushed = number(value, UINT64_MAX, "an address");
    } else {
        return false;
    }
    return true;
}

/** Reads the numbers of earlier steps, of which there are so many. */
void
ProgramReader::after(const std::string &value, Step &step, std::size_t most)
{
    std::istringstream split(value);
    for (std::string word; std::getline(split, word, ',');) {
        std::uint64_t before = number(word, UINT32_MAX, "an earlier step");
        if (before >= most)
            fail("`" + word + "`", "an earlier step");
        step.after.push_back(before);
    }
}

void
ProgramReader::transfer(const std::vector<std::string> &words, Program &program)
{
    Transfer transfer;
    transfer.think = number(words[0], UINT32_MAX, "ticks of thinking");
    transfer.isWrite = words[1] == "write";
    bool isKnown = (words[1] == "read" && words.size() == 4)
        || (transfer.isWrite && words.size() == 6);
    if (!isKnown)
        fail("`" + text + "`", "read ADDRESS WORDS or write ADDRESS WORDS VALUE STEP");
    transfer.address = number(words[2], UINT64_MAX, "an address");
    transfer.words = number(words[3], program.lineBytes / 8, "words of a line");
    if (transfer.isWrite) {
        transfer.value = number(words[4], UINT64_MAX, "a value");
        transfer.step = number(words[5], UINT64_MAX, "a difference");
    }
    program.devices.back().push_back(transfer);
}

Bytes
ProgramReader::bytes(const std::vector<std::string> &words, const Program &program) const
{
    Bytes bytes;
    bytes.address = number(words[2], UINT64_MAX, "an address");
    bytes.size = number(words[3], 8, "1 to 8 bytes");
    Address offset = bytes.address & (program.lineBytes - 1);
    if (bytes.size == 0 || offset + bytes.size > program.lineBytes)
        fail("`" + words[2] + " " + words[3] + "`", "1 to 8 bytes of one line");
    return bytes;
}

std::uint64_t
ProgramReader::number(const std::string &word, std::uint64_t most, const char *what) const
{
    bool isHexadecimal = word.compare(0, 2, "0x") == 0;
    std::uint64_t base = isHexadecimal ? 16 : 10, number = 0;
    std::size_t at = isHexadecimal ? 2 : 0;
    bool isNumber = at < word.size();
    for (; isNumber && at < word.size(); at++) {
        char c = word[at];
        std::uint64_t digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
        isNumber = digit < base && number <= (UINT64_MAX - digit) / base;
        number = number * base + digit;
    }
    if (!isNumber || number > most)
        fail("`" + word + "`", std::string(what) + ", at most " + std::to_string(most));
    return number;
}

void
ProgramReader::fail(const std::string &found, const std::string &expected) const
{
    throw ProgramError(file + ":" + std::to_string(count) + ": found " + found + ", expected "
                       + expected + "; `rubric generate program` writes programs");
}

} // namespace rubric
