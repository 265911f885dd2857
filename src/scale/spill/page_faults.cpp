// The signal is raised by the thread's own access to its own memory, never in
// the midst of a call of the C library, so that the handler may lock and read.
#include "scale/spill/page_faults.h"

#include <signal.h>
#include <ucontext.h>

#include <cerrno>

#include "ordered_gnn/core/error.h"
#include "scale/spill/paged_memory.h"

namespace ordered_gnn::scale {
namespace {

struct sigaction earlier_action;

// Where the processor does not say, a page that is there was missed by a write.
bool is_write(const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;
  const auto* const cause = static_cast<const ucontext_t*>(context);
  return (cause->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#else
  return context != nullptr;
#endif
}

// Not ours: as if there were no handler of ours.
void pass_on(int signal, siginfo_t* info, void* context) {
  if ((earlier_action.sa_flags & SA_SIGINFO) != 0 &&
      earlier_action.sa_sigaction != nullptr) {
    earlier_action.sa_sigaction(signal, info, context);
  } else if (earlier_action.sa_handler == SIG_DFL ||
             earlier_action.sa_handler == SIG_IGN) {
    ::sigaction(SIGSEGV, &earlier_action, nullptr);
  } else {
    earlier_action.sa_handler(signal);
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const int kept_errno = errno;
  if (!PageFaults::give_page(info->si_addr, is_write(context))) {
    pass_on(signal, info, context);
  }
  errno = kept_errno;
}

}  // namespace

std::atomic<PagedMemory*> PageFaults::memory_{nullptr};

PageFaults::PageFaults(PagedMemory& memory) {
  PagedMemory* none = nullptr;
  if (!memory_.compare_exchange_strong(none, &memory)) {
    fail("one run at a time may keep its rows on a disk");
  }
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGSEGV, &action, &earlier_action);
}

PageFaults::~PageFaults() {
  ::sigaction(SIGSEGV, &earlier_action, nullptr);
  memory_ = nullptr;
}

bool PageFaults::give_page(const void* address, bool writes) {
  PagedMemory* const memory = memory_;
  return memory != nullptr && memory->touch(address, writes);
}

PagedMemory* PageFaults::memory() { return memory_; }

}  // namespace ordered_gnn::scale
