/**
 * Programs, as `rubric generate program` writes them. The reader needs nothing of gem5.
 */
#ifndef RUBRIC_CORE_PROGRAM_HH
#define RUBRIC_CORE_PROGRAM_HH

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace rubric
{

using Address = std::uint64_t;

enum class OperationKind { Load, Fetch, Store, Rmw, Fence };

/** How a core makes a read-modify-write. */
enum class RmwForm {
    /** Two halves, between which the cache keeps the line locked. */
    Locked,
    /** A load-linked and a store-conditional, until the latter succeeds. */
    Linked,
    /** One request that returns the old value. */
    Atomic,
    /** One request that returns nothing: to the history, a store. */
    AtomicNoReturn
};

/** The bytes of an access: 1 to 8 of one cache line. */
struct Bytes
{
    Address address = 0;
    unsigned size = 8;

    bool overlaps(const Bytes &other) const;
    bool covers(const Bytes &other) const;
    /** What a value of these bytes has for `part`, which they cover. */
    std::uint64_t partOf(std::uint64_t value, const Bytes &part) const;
};

/** An operation of a thread, and what comes before it. */
struct Step
{
    /** Ticks of thinking before it. */
    std::uint32_t think = 0;
    OperationKind kind = OperationKind::Fence;
    Bytes bytes;
    std::uint64_t value = 0;
    RmwForm form = RmwForm::Locked;
    /** Whether the line `flushed` is flushed right before. */
    bool flushes = false;
    Address flushed = 0;
    /**
     * What orders the operation under a weak model besides its kind: its annotation, its dependencies, the kind of a fence. Of
     * a linked read-modify-write, these are those of the load-linked. No core interprets this, but the log has it.
     */
    std::string ordering;
    /** The same of the store-conditional. */
    std::string conditional;
    /** The steps that have to be performed before it. */
    std::vector<std::uint32_t> after;
    /** The step that has to have left the core before this one enters it. */
    std::optional<std::uint32_t> needs;

    bool isLoad() const { return kind == OperationKind::Load || kind == OperationKind::Fetch; }
};

/** An access of a DMA device to whole words. */
struct Transfer
{
    std::uint32_t think = 0;
    Address address = 0;
    std::uint32_t words = 0;
    bool isWrite = false;
    std::uint64_t value = 0;
    std::uint64_t step = 0;
};

struct Program
{
    std::string name;
    std::uint64_t seed = 1;
    std::uint64_t lineBytes = 64;
    /** The weak model whose cores the program is for, or nothing. */
    std::string model;
    std::vector<std::vector<Step>> threads;
    std::vector<std::vector<Transfer>> devices;

    /** Writes the program as it is read. */
    void write(std::ostream &out) const;
};

/** What is wrong with a program: the message names the file, the line, and what was expected. */
class ProgramError : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

/** Reads the programs of a stream, one after the other. */
class ProgramReader
{
  public:
    /** `file` is the name of the stream in messages. */
    ProgramReader(std::istream &in, std::string file);

    /**
     * Reads the next program.
     *
     * @return whether there was one
     * @throws ProgramError if the text breaks the rules of the format
     */
    bool next(Program &program);

  private:
    bool line(std::vector<std::string> &words);
    void statement(const std::vector<std::string> &words, Program &program);
    void step(const std::vector<std::string> &words, Program &program);
    bool clause(const std::string &name, const std::string &value, Step &step, const Program &program);
    void after(const std::string &value, Step &step, std::size_t most);
    void transfer(const std::vector<std::string> &words, Program &program);
    Bytes bytes(const std::vector<std::string> &words, const Program &program) const;
    std::uint64_t number(const std::string &word, std::uint64_t most, const char *what) const;
    [[noreturn]] void fail(const std::string &found, const std::string &expected) const;

    std::istream &in;
    std::string file;
    std::string text;
    std::uint64_t count = 0;
};

} // namespace rubric

#endif
