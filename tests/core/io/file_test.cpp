#include "core/io/file.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "core/affixes.h"
#include "core/io/io_support.h"

// What flushing a folder ends with; 0: as the disk has it.
static int folder_flush_error = 0;

// Stands in front of that of the C library.
extern "C" int fsync(int descriptor) {
  struct stat status {};
  if (folder_flush_error != 0 && ::fstat(descriptor, &status) == 0 &&
      S_ISDIR(status.st_mode)) {
    errno = folder_flush_error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST(ReadFile, ReadsTheBytesAsTheyAre) {
  const TempDir dir;
  const std::string content("a\0b\r\n\xff", 6);
  write_file(dir / "x", content);
  EXPECT_EQ(read_file(dir / "x"), content);
  write_file(dir / "empty", "");
  EXPECT_EQ(read_file(dir / "empty"), "");
}

TEST(ReadFile, ReadsAFileThatStatesNoSize) {
  EXPECT_MENTIONS(read_file("/proc/self/status"), "VmPeak");
}

TEST(ReadFile, RefusesMoreBytesThanAllowed) {
  const TempDir dir;
  write_file(dir / "x", "12345");
  EXPECT_EQ(read_file(dir / "x", 5), "12345");
  EXPECT_MENTIONS(error_of([&] { read_file(dir / "x", 4); }), "at most 4");
  EXPECT_MENTIONS(error_of([] { read_file("/dev/zero", 1000000); }),
                  "at most 1000000");
}

TEST(ReadFile, NamesAMissingFileAndAFolder) {
  const TempDir dir;
  EXPECT_MENTIONS(error_of([&] { read_file(dir / "none"); }),
                  "none: no such file");
  EXPECT_MENTIONS(error_of([&] { read_file(dir.path()); }), "is a folder");
}

TEST(AtomicFile, ShowsTheFileOnlyAfterCommit) {
  const TempDir dir;
  AtomicFile file(dir / "x");
  file.write("new");
  EXPECT_FALSE(fs::exists(dir / "x"));
  file.commit();
  EXPECT_EQ(read_file(dir / "x"), "new");
  EXPECT_EQ(dir.names(), Names{"x"});
}

TEST(AtomicFile, LeavesThePreviousFileWhenItIsNotCommitted) {
  const TempDir dir;
  write_file(dir / "x", "old");
  {
    AtomicFile file(dir / "x");
    file.write(std::string(1000000, 'n'));
  }
  EXPECT_EQ(read_file(dir / "x"), "old");
  EXPECT_EQ(dir.names(), Names{"x"});
}

TEST(AtomicFile, ReplacesThePreviousFile) {
  const TempDir dir;
  write_file(dir / "x", "a longer old text");
  write_file(dir / "x", "new");
  EXPECT_EQ(read_file(dir / "x"), "new");
}

TEST(AtomicFile, KeepsTheOrderOfSmallAndLargeWrites) {
  const TempDir dir;
  AtomicFile file(dir / "x");
  std::string want;
  for (const size_t size :
       {1u, 300000u, 7u, 262144u, 262143u, 2u, 0u, 50000u}) {
    const std::string piece(size, static_cast<char>('a' + want.size() % 26));
    file.write(piece);
    want += piece;
    EXPECT_EQ(file.bytes_written(), static_cast<int64_t>(want.size()));
  }
  file.commit();
  EXPECT_EQ(read_file(dir / "x"), want);
}

TEST(AtomicFile, TwoWritersOfOneTargetDoNotMix) {
  const TempDir dir;
  AtomicFile first(dir / "x"), second(dir / "x");
  first.write("first");
  second.write("second");
  second.commit();
  EXPECT_EQ(read_file(dir / "x"), "second");
  first.commit();
  EXPECT_EQ(read_file(dir / "x"), "first");
}

TEST(AtomicFile, RefusesAFolderThatIsNotThere) {
  const TempDir dir;
  const std::string message =
      error_of([&] { AtomicFile file(dir / "none/x"); });
  EXPECT_MENTIONS(message, "x: cannot be written: no folder '");
}

TEST(AtomicFile, RefusesTargetsThatAreNoFiles) {
  const TempDir dir;
  EXPECT_MENTIONS(error_of([&] { AtomicFile file(dir.path()); }),
                  "it is a folder");
  EXPECT_MENTIONS(error_of([&] { AtomicFile file(""); }), "names no file");
  EXPECT_MENTIONS(error_of([] { AtomicFile file("/dev/null"); }),
                  "not a regular file");
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", dir / "link");
  for (const char* name : {"pipe", "link"}) {
    EXPECT_MENTIONS(error_of([&] { AtomicFile file(dir / name); }),
                    "it is a pipe, socket or device");
  }
}

TEST(AtomicFile, SaysWhenTheDiskMayForgetTheName) {
  const TempDir dir;
  folder_flush_error = EIO;
  const std::string message = error_of([&] { write_file(dir / "x", "new"); });
  // File systems that cannot flush folders say one of these.
  for (const int code : {EINVAL, ENOTSUP}) {
    folder_flush_error = code;
    EXPECT_EQ(error_of([&] { write_file(dir / "y", "new"); }), "");
  }
  folder_flush_error = 0;
  EXPECT_MENTIONS(message, (dir / "x").string() + ": is written, but");
  EXPECT_MENTIONS(message, "Input/output error");
  EXPECT_EQ(read_file(dir / "x"), "new");
}

TEST(AtomicFile, WritesThroughALink) {
  const TempDir dir;
  write_file(dir / "real", "old");
  fs::create_symlink("real", dir / "link");
  write_file(dir / "link", "new");
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(read_file(dir / "real"), "new");
}

TEST(AtomicFile, TakesTheLongestNameThereIs) {
  const TempDir dir;
  const std::string name(255, 'n');
  write_file(dir / name, "x");
  EXPECT_EQ(read_file(dir / name), "x");
}

TEST(AtomicFile, RefusesToGoOnAfterCommit) {
  const TempDir dir;
  AtomicFile file(dir / "x");
  file.commit();
  EXPECT_MENTIONS(error_of([&] { file.write("y"); }), "already committed");
  EXPECT_MENTIONS(error_of([&] { file.commit(); }), "already committed");
  EXPECT_EQ(read_file(dir / "x"), "");
}

// Runs `action` in a process of its own, so that its limits and mounts end with
// it, and returns what it reports.
std::string in_child(const std::function<std::string()>& action) {
  int ends[2];
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string report;
    try {
      report = action();
    } catch (const std::exception& error) {
      report = error.what();
    }
    const bool sent = ::write(ends[1], report.data(), report.size()) ==
                      static_cast<ssize_t>(report.size());
    ::_exit(sent ? 0 : 1);
  }
  ::close(ends[1]);
  std::string report;
  char block[4096];
  for (ssize_t count; (count = ::read(ends[0], block, sizeof(block))) > 0;) {
    report.append(block, static_cast<size_t>(count));
  }
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0 ? report : report + " (the child failed)";
}

// Writes in small and large pieces until the disk is full; the report is the
// error and what is left in the folder.
std::string fill_disk(const TempDir& dir, size_t piece) {
  std::string report;
  AtomicFile file(dir / "x");
  try {
    for (size_t done = 0; done < size_t{1} << 23; done += piece) {
      file.write(std::string(piece, 'n'));
    }
    file.commit();
    return "nothing was thrown";
  } catch (const Error& error) {
    report = error.what();
  }
  for (const std::string& name : dir.names()) report += " left:" + name;
  return report + " content:" + read_file(dir / "x");
}

TEST(AtomicFile, SaysThatTheDiskIsFullAndLeavesThePreviousFile) {
  const TempDir dir;
  write_file(dir / "x", "old");
  for (const size_t piece : {100u, 1000000u}) {
    const std::string report = in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{1 << 20, 1 << 20};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return std::string("no limit");
      return fill_disk(dir, piece);
    });
    EXPECT_MENTIONS(report, (dir / "x").string() + ": writing stopped");
    EXPECT_MENTIONS(report, "the disk is full (file size limit reached)");
    EXPECT_MENTIONS(report,
                    "the previous file is unchanged left:x content:old");
  }
}

TEST(AtomicFile, SaysThatARealDiskIsFull) {
  const TempDir dir;
  const std::string report = in_child([&]() -> std::string {
    // A mount of its own needs rights; a user namespace gives them to anyone
    // where the kernel allows it.
    if (::unshare(CLONE_NEWNS) != 0 &&
        ::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      return "skip: no mount namespace";
    }
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, "size=1m") != 0) {
      return "skip: no right to mount a small tmpfs";
    }
    write_file(dir / "x", "old");
    return fill_disk(dir, 5000);
  });
  std::string_view reason = report;
  if (take_prefix(reason, "skip: ")) GTEST_SKIP() << reason;
  EXPECT_MENTIONS(report, ": the disk is full;");
  EXPECT_MENTIONS(report, "the previous file is unchanged left:x content:old");
}

TEST(RemoveTree, DeletesFoldersFilesAndLinksButNotWhatLinksPointTo) {
  const TempDir dir;
  const auto folder = dir / "folder";
  std::filesystem::create_directories(folder / "deep" / "deeper");
  write_file(folder / "deep" / "file", "x");
  write_file(dir / "kept", "kept");
  std::filesystem::create_symlink(dir / "kept", folder / "link");
  EXPECT_TRUE(remove_tree(folder));
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(read_file(dir / "kept"), "kept");
  EXPECT_TRUE(remove_tree(dir / "kept"));
  EXPECT_FALSE(std::filesystem::exists(dir / "kept"));
  EXPECT_TRUE(remove_tree(dir / "never was there"));
  EXPECT_FALSE(remove_tree("/proc/self/status"));
}

}  // namespace
}  // namespace ordered_gnn::core
