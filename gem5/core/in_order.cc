#include "core/in_order.hh"

namespace rubric
{

void
InOrder::advance(Tick now)
{
    while (state != State::Waiting) {
        if (atomic) {
            atomic->advance(now, thread);
            return;
        }
        const Step *step = thread.due(now);
        if (!step)
            return;
        switch (step->kind) {
          case OperationKind::Fence:
            // There is nothing that the fence waits for.
            thread.fence(now, thread.next());
            thread.finish(now + thread.unit());
            break;
          case OperationKind::Rmw:
            atomic.emplace(thread.next(), *step);
            break;
          default:
            begin(now, *step);
            return;
        }
    }
}

/** Sends a load or store. */
void
InOrder::begin(Tick now, const Step &step)
{
    RequestKind kind = step.kind == OperationKind::Load ? RequestKind::Load
        : step.kind == OperationKind::Fetch ? RequestKind::Fetch : RequestKind::Store;
    if (!thread.send(now, Request{0, kind, step.bytes, step.value}))
        return;
    thread.issue(now, thread.next());
    state = State::Waiting;
}

void
InOrder::step(Tick now)
{
    thread.ring(now);
    advance(now);
}

void
InOrder::respond(Tick now, const Response &response)
{
    bool isOver = true;
    if (atomic)
        isOver = atomic->respond(now, response, thread);
    else if (response.kind == RequestKind::Store)
        thread.complete(now, thread.next());
    else
        thread.complete(now, thread.next(), response.value);
    if (isOver) {
        atomic.reset();
        state = State::Ready;
        thread.finish(now);
    }
    advance(now);
}

} // namespace rubric
