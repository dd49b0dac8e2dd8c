/**
 * The log of a run: binary records with ticks, which rubric reads (docs/formats.md).
 *
 * Each record is handed to the system whole as soon as it is there, so that nothing is lost if the simulator aborts, and
 * another program may read the log from a pipe.
 */
#ifndef RUBRIC_CORE_LOG_HH
#define RUBRIC_CORE_LOG_HH

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/program.hh"
#include "core/transition.hh"

namespace rubric
{

class Log
{
  public:
    Log() = default;
    ~Log();
    Log(const Log &) = delete;
    Log &operator=(const Log &) = delete;

    /**
     * Creates the file, or continues a pipe.
     *
     * @return an empty text, or what went wrong
     */
    std::string open(const std::string &path);

    bool isOpen() const { return descriptor >= 0; }

    /** Begins a run. `client` is the kind of core. */
    void begin(const Program &program, const std::string &client);

    /** Ends a run. */
    void end(std::uint64_t tick, bool isComplete);

    /** An operation is issued. One that a core records as a store is one. */
    void issue(std::uint64_t tick, unsigned thread, unsigned index, const Step &step);

    /** A half of a linked read-modify-write is issued: its load-linked, or its store-conditional. */
    void issueHalf(std::uint64_t tick, unsigned thread, unsigned index, const Step &step, bool isStore);

    /** What orders the operation that is issued next, as the program says. */
    void order(std::uint64_t tick, unsigned thread, unsigned index, const std::string &ordering);

    /** An operation that does not read has completed. */
    void complete(std::uint64_t tick, unsigned thread, unsigned index);

    /** An operation that reads has completed. */
    void complete(std::uint64_t tick, unsigned thread, unsigned index, std::uint64_t read);

    /** A controller took a transition. Those outside of runs are left out. */
    void take(const Transition &transition);

    /** What went wrong with writing, if anything did. */
    const std::string &failure() const { return failed; }

  private:
    void number(std::uint64_t number);
    void text(const std::string &text);
    void which(unsigned char kind, std::uint64_t tick, unsigned thread, unsigned index);
    void after(std::uint64_t tick);
    void send();
    std::uint64_t numberOf(std::string_view name);

    int descriptor = -1;
    std::string record;
    std::string failed;
    bool isRunning = false;
    std::uint64_t last = 0;
    /** The names of the run, by which transitions are written, with their numbers. */
    std::unordered_map<std::string, std::uint64_t> names;
};

} // namespace rubric

#endif
