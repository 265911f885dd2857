// Makes one call of an unchanged program fail: loaded by LD_PRELOAD, it stands
// between the program and the C library and counts calls that concern files
// below a folder, and requests for 1 MiB of memory or more once such a file was
// touched, so that what libraries do at the start does not count.
//
//   OGNN_FAULT_ROOT   the folder, absolute and without links; none: no effect
//   OGNN_FAULT_LOG    gets a line per counted call, "12 write /tmp/a.json",
//                     with a "!" in front of the one that fails
//   OGNN_FAULT_AT     number of the call that fails, once; 0: none
//   OGNN_FAULT_HOW    number of the error; "short": reads and writes move one
//                     byte; "kill": SIGKILL in place of the call
//   OGNN_FAULT_KINDS  the kinds that count, "open,read"; empty: all
//
// Hooks have names of their own and those of the C library as labels, so that
// no header stands in their way. Names of one call share a hook: arguments that
// a caller adds or leaves out are not read.
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "faults/fault_plan.h"

#define ORDERED_GNN_HOOK(name) __asm__(name)
#define ORDERED_GNN_SAME(name, as) __asm__(name) __attribute__((alias(as)))

using ordered_gnn::faults::fails;
using ordered_gnn::faults::fails_at;
using ordered_gnn::faults::fails_for_memory;
using ordered_gnn::faults::granted;

namespace {

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

ssize_t moved(const char* kind, int64_t call, int file, void* data, size_t size,
              int64_t offset = 0) {
  const int64_t allowed = granted(kind, file, size);
  return allowed < 0 ? -1 : ::syscall(call, file, data, allowed, offset);
}

}  // namespace

extern "C" {

// Opening.
int hook_open(const char*, int, mode_t) ORDERED_GNN_HOOK("open");
int hook_open64(const char*, int, mode_t) ORDERED_GNN_SAME("open64", "open");
int hook_open_2(const char*, int, mode_t) ORDERED_GNN_SAME("__open_2", "open");
int hook_open64_2(const char*, int, mode_t)
    ORDERED_GNN_SAME("__open64_2", "open");
int hook_openat(int, const char*, int, mode_t) ORDERED_GNN_HOOK("openat");
int hook_openat64(int, const char*, int, mode_t)
    ORDERED_GNN_SAME("openat64", "openat");
int hook_creat(const char*, mode_t) ORDERED_GNN_HOOK("creat");
FILE* hook_fopen(const char*, const char*) ORDERED_GNN_HOOK("fopen");
FILE* hook_fopen64(const char*, const char*)
    ORDERED_GNN_SAME("fopen64", "fopen");
DIR* hook_opendir(const char*) ORDERED_GNN_HOOK("opendir");

int hook_openat(int folder, const char* path, int flags, mode_t mode) {
  if (fails_at("open", folder, path)) return -1;
  return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

int hook_open(const char* path, int flags, mode_t mode) {
  return hook_openat(AT_FDCWD, path, flags, mode);
}

int hook_creat(const char* path, mode_t mode) {
  return hook_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

FILE* hook_fopen(const char* path, const char* mode) {
  if (fails_at("open", AT_FDCWD, path)) return nullptr;
  return next<FILE*(const char*, const char*)>("fopen")(path, mode);
}

DIR* hook_opendir(const char* path) {
  if (fails_at("open", AT_FDCWD, path)) return nullptr;
  return next<DIR*(const char*)>("opendir")(path);
}

// Reading and writing.
ssize_t hook_read(int, void*, size_t) ORDERED_GNN_HOOK("read");
ssize_t hook_read_chk(int, void*, size_t)
    ORDERED_GNN_SAME("__read_chk", "read");
ssize_t hook_pread(int, void*, size_t, off_t) ORDERED_GNN_HOOK("pread");
ssize_t hook_pread64(int, void*, size_t, off_t)
    ORDERED_GNN_SAME("pread64", "pread");
ssize_t hook_pread_chk(int, void*, size_t, off_t)
    ORDERED_GNN_SAME("__pread_chk", "pread");
ssize_t hook_pread64_chk(int, void*, size_t, off_t)
    ORDERED_GNN_SAME("__pread64_chk", "pread");
ssize_t hook_write(int, void*, size_t) ORDERED_GNN_HOOK("write");
ssize_t hook_pwrite(int, void*, size_t, off_t) ORDERED_GNN_HOOK("pwrite");
ssize_t hook_pwrite64(int, void*, size_t, off_t)
    ORDERED_GNN_SAME("pwrite64", "pwrite");
ssize_t hook_writev(int, const struct iovec*, int) ORDERED_GNN_HOOK("writev");

ssize_t hook_read(int file, void* data, size_t size) {
  return moved("read", SYS_read, file, data, size);
}

ssize_t hook_pread(int file, void* data, size_t size, off_t offset) {
  return moved("read", SYS_pread64, file, data, size, offset);
}

ssize_t hook_write(int file, void* data, size_t size) {
  return moved("write", SYS_write, file, data, size);
}

ssize_t hook_pwrite(int file, void* data, size_t size, off_t offset) {
  return moved("write", SYS_pwrite64, file, data, size, offset);
}

ssize_t hook_writev(int file, const struct iovec* parts, int count) {
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  const int64_t allowed = granted("write", file, size);
  if (allowed < 0) return -1;
  if (allowed < static_cast<int64_t>(size) && parts[0].iov_len > 0) {
    return ::syscall(SYS_write, file, parts[0].iov_base, allowed);
  }
  return ::syscall(SYS_writev, file, parts, count);
}

// What changes files and folders as a whole.
int hook_fsync(int) ORDERED_GNN_HOOK("fsync");
int hook_fdatasync(int) ORDERED_GNN_HOOK("fdatasync");
int hook_rename(const char*, const char*) ORDERED_GNN_HOOK("rename");
int hook_renameat(int, const char*, int, const char*)
    ORDERED_GNN_HOOK("renameat");
int hook_renameat2(int, const char*, int, const char*, unsigned)
    ORDERED_GNN_HOOK("renameat2");
int hook_ftruncate(int, off_t) ORDERED_GNN_HOOK("ftruncate");
int hook_ftruncate64(int, off_t) ORDERED_GNN_SAME("ftruncate64", "ftruncate");
int hook_mkdir(const char*, mode_t) ORDERED_GNN_HOOK("mkdir");
int hook_unlink(const char*) ORDERED_GNN_HOOK("unlink");
int hook_remove(const char*) ORDERED_GNN_HOOK("remove");
int hook_flock(int, int) ORDERED_GNN_HOOK("flock");

int hook_fsync(int file) {
  if (fails("flush", file)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int hook_fdatasync(int file) {
  if (fails("flush", file)) return -1;
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

int hook_renameat2(int folder, const char* from, int target, const char* to,
                   unsigned flags) {
  if (fails_at("rename", target, to)) return -1;
  return static_cast<int>(
      ::syscall(SYS_renameat2, folder, from, target, to, flags));
}

int hook_renameat(int folder, const char* from, int target, const char* to) {
  return hook_renameat2(folder, from, target, to, 0);
}

int hook_rename(const char* from, const char* to) {
  return hook_renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int hook_ftruncate(int file, off_t size) {
  if (fails("truncate", file)) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}

int hook_mkdir(const char* path, mode_t mode) {
  if (fails_at("mkdir", AT_FDCWD, path)) return -1;
  return static_cast<int>(::syscall(SYS_mkdir, path, mode));
}

int hook_unlink(const char* path) {
  if (fails_at("unlink", AT_FDCWD, path)) return -1;
  return static_cast<int>(::syscall(SYS_unlink, path));
}

int hook_remove(const char* path) {
  if (fails_at("unlink", AT_FDCWD, path)) return -1;
  return next<int(const char*)>("remove")(path);
}

int hook_flock(int file, int operation) {
  if (fails("lock", file)) return -1;
  return static_cast<int>(::syscall(SYS_flock, file, operation));
}

// Memory. The C library has its own names for what is replaced here.
void* hook_mmap(void*, size_t, int, int, int, off_t) ORDERED_GNN_HOOK("mmap");
void* hook_mmap64(void*, size_t, int, int, int, off_t)
    ORDERED_GNN_SAME("mmap64", "mmap");
void* hook_malloc(size_t) ORDERED_GNN_HOOK("malloc");
void* hook_calloc(size_t, size_t) ORDERED_GNN_HOOK("calloc");
void* hook_realloc(void*, size_t) ORDERED_GNN_HOOK("realloc");
void* hook_memalign(size_t, size_t) ORDERED_GNN_HOOK("memalign");
void* hook_aligned_alloc(size_t, size_t)
    ORDERED_GNN_SAME("aligned_alloc", "memalign");
int hook_posix_memalign(void**, size_t, size_t)
    ORDERED_GNN_HOOK("posix_memalign");
void* own_malloc(size_t) ORDERED_GNN_HOOK("__libc_malloc");
void* own_calloc(size_t, size_t) ORDERED_GNN_HOOK("__libc_calloc");
void* own_realloc(void*, size_t) ORDERED_GNN_HOOK("__libc_realloc");
void* own_memalign(size_t, size_t) ORDERED_GNN_HOOK("__libc_memalign");

void* hook_mmap(void* address, size_t size, int protection, int flags, int file,
                off_t offset) {
  const bool is_memory = (flags & MAP_ANONYMOUS) != 0;
  if (is_memory ? fails_for_memory(size) : fails("mmap", file)) {
    return MAP_FAILED;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel returns an address.
  return reinterpret_cast<void*>(
      ::syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

void* hook_malloc(size_t size) {
  return fails_for_memory(size) ? nullptr : own_malloc(size);
}

void* hook_calloc(size_t count, size_t size) {
  size_t bytes = 0;
  const bool is_too_much = __builtin_mul_overflow(count, size, &bytes);
  if (!is_too_much && fails_for_memory(bytes)) return nullptr;
  return own_calloc(count, size);
}

void* hook_realloc(void* block, size_t size) {
  return fails_for_memory(size) ? nullptr : own_realloc(block, size);
}

void* hook_memalign(size_t alignment, size_t size) {
  return fails_for_memory(size) ? nullptr : own_memalign(alignment, size);
}

// Tells of a failure by what it returns, and leaves errno alone.
int hook_posix_memalign(void** block, size_t alignment, size_t size) {
  const int before = errno;
  void* const got = hook_memalign(alignment, size);
  errno = before;
  if (got == nullptr) return ENOMEM;
  *block = got;
  return 0;
}
}
