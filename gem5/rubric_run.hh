/**
 * A run of a program: what its cores share.
 */
#ifndef RUBRIC_RUN_HH
#define RUBRIC_RUN_HH

#include <cstdint>
#include <string>
#include <vector>

#include "core/client.hh"
#include "core/log.hh"
#include "core/program.hh"
#include "params/RubricRun.hh"
#include "sim/sim_object.hh"

namespace gem5
{

class RubricDevice;
class RubricTester;

class RubricRun : public SimObject
{
  public:
    explicit RubricRun(const RubricRunParams &params);

    /** Registers the core of a thread. */
    void add(RubricTester *tester);

    /** Registers a DMA device. */
    void add(RubricDevice *device);

    /**
     * Makes the cores execute a program from now on. Called from the configuration script, before a simulation.
     *
     * @param text the program, as `rubric generate program` writes it
     * @param client the kind of its cores: in-order, store-buffer-N, per-location-N, early-N or early-N-buffer-N
     * @param path where the log goes
     * @param transitions whether the log has the transitions of controllers, which gem5's debug flag ProtocolTrace prints
     */
    void load(const std::string &text, const std::string &client, const std::string &path, bool transitions);

    /** A core or a device has ended its program; the simulation ends with the last one. */
    void finished();

    const rubric::Program &program() const { return current; }
    const rubric::Client &client() const { return kind; }
    rubric::Log &log() { return records; }

    /** Ends gem5 if the log cannot be written any more. */
    void checkLog() const;

  private:

    rubric::Client kind;
    rubric::Program current;
    rubric::Log records;
    std::vector<RubricTester *> testers;
    std::vector<RubricDevice *> devices;
    std::size_t running = 0;
    /** Where the log goes, for messages. */
    std::string logPath;
};

} // namespace gem5

#endif
