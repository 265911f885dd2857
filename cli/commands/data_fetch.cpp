#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <set>

#include "commands/data.h"
#include "data/fetch/fetch.h"
#include "data/fetch/public_files.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "shared/status_line.h"

namespace ordered_gnn::cli {
namespace {

namespace fs = std::filesystem;

struct FetchCommand : OutputFlags {
  std::vector<std::string> names;
  std::string root;
  data::FetchOptions options;
  bool list = false;
};

/// What became of one file.
struct Outcome {
  data::PublicFile file;
  data::FetchedFile fetched;
  std::string error;  // empty: fetched
};

std::vector<data::PublicFile> files_of(const FetchCommand& command) {
  std::vector<std::string> names = command.names;
  if (names.empty()) {
    throw UsageError(
        fmt::format("say what to fetch: all, or some of {}",
                    fmt::join(data::public_dataset_names(), ", ")));
  }
  if (names == std::vector<std::string>{"all"})
    names = data::public_dataset_names();
  std::vector<data::PublicFile> files;
  std::set<std::string> seen;
  for (const std::string& name : names) {
    for (data::PublicFile& file : data::public_files(name)) {
      if (seen.insert(file.file.path).second) files.push_back(std::move(file));
    }
  }
  return files;
}

fs::path choose_root(const FetchCommand& command, StatusLine& status) {
  if (!command.root.empty()) return command.root;
  const char* const data = std::getenv("OGNN_DATA");
  if (data == nullptr || *data == '\0') return "datasets";
  if (::access(data, W_OK) == 0) return data;
  status.print(
      fmt::format("$OGNN_DATA ({}) is not writable; ./datasets is "
                  "used instead",
                  data));
  return "datasets";
}

nlohmann::ordered_json file_json(const data::PublicFile& file,
                                 const fs::path& root,
                                 const FetchCommand& command) {
  nlohmann::ordered_json row;
  row["path"] = file.file.path;
  row["url"] = data::fetch_url(file, command.options.base_url);
  row["target"] = (root / file.file.path).string();
  row["size"] = file.file.size < 0 ? Json() : Json(file.file.size);
  row["sha256"] = file.file.sha256.empty() ? Json() : Json(file.file.sha256);
  if (file.is_archive()) row["unpack_to"] = (root / file.unpack_to).string();
  return row;
}

std::string file_text(const data::PublicFile& file, const fs::path& root,
                      const FetchCommand& command) {
  std::string text =
      fmt::format("{}\n  to {}\n  {}, SHA-256 {}\n",
                  data::fetch_url(file, command.options.base_url),
                  (root / file.file.path).string(), bytes_text(file.file.size),
                  file.file.sha256.empty() ? "unknown" : file.file.sha256);
  if (file.is_archive()) {
    text += fmt::format("  unpack its folder {} as {}\n", file.unpack_from,
                        (root / file.unpack_to).string());
  }
  return text;
}

void print_list(const std::vector<data::PublicFile>& files,
                const fs::path& root, const FetchCommand& command) {
  if (command.json) {
    nlohmann::ordered_json list = Json::array();
    for (const data::PublicFile& file : files) {
      list.push_back(file_json(file, root, command));
    }
    std::cout << list.dump(2) << '\n';
    return;
  }
  for (const data::PublicFile& file : files) {
    std::cout << file_text(file, root, command);
  }
}

std::string done_text(const Outcome& outcome) {
  const data::FetchedFile& fetched = outcome.fetched;
  std::string text =
      fmt::format("{}: {}", outcome.file.file.path, to_string(fetched.state));
  if (fetched.state != data::FetchState::already_there) {
    text += ", " + bytes_text(fetched.size);
    if (!fetched.compared) {
      text +=
          fmt::format("\n  SHA-256 {}; there was nothing to compare it with",
                      fetched.sha256);
    }
  }
  return text;
}

std::string origin_of(const std::string& url) {
  return url.substr(0, url.find('/', url.find("://") + 3));
}

std::vector<Outcome> fetch_all(const std::vector<data::PublicFile>& files,
                               const fs::path& root,
                               const FetchCommand& command,
                               StatusLine& status) {
  data::FetchOptions options = command.options;
  options.progress = [&](const data::FetchProgress& progress) {
    status.show(fmt::format(
        "{}: {}{}", progress.path, bytes_text(progress.bytes),
        progress.total < 0 ? "" : " of " + bytes_text(progress.total)));
  };
  std::set<std::string> unreachable;
  std::vector<Outcome> outcomes;
  for (const data::PublicFile& file : files) {
    Outcome outcome;
    outcome.file = file;
    const std::string origin =
        origin_of(data::fetch_url(file, options.base_url));
    try {
      // A server that did not answer once is not tried for every file.
      if (unreachable.count(origin) != 0) fail("{} is unreachable", origin);
      outcome.fetched = data::fetch_file(file, root, options);
      status.print(done_text(outcome));
    } catch (const data::UnreachableError& error) {
      outcome.error = error.what();
      unreachable.insert(origin);
      status.print(outcome.error);
    } catch (const Error& error) {
      outcome.error = error.what();
      status.print(outcome.error);
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

nlohmann::ordered_json outcomes_json(const std::vector<Outcome>& outcomes,
                                     const fs::path& root,
                                     const FetchCommand& command) {
  nlohmann::ordered_json json;
  json["root"] = root.string();
  json["files"] = Json::array();
  for (const Outcome& outcome : outcomes) {
    nlohmann::ordered_json row = file_json(outcome.file, root, command);
    if (!outcome.error.empty()) {
      row["state"] = "failed";
      row["error"] = outcome.error;
    } else {
      row["state"] = to_string(outcome.fetched.state);
      row["compared"] = outcome.fetched.compared;
      if (!outcome.fetched.sha256.empty()) {
        row["sha256"] = outcome.fetched.sha256;
        row["size"] = outcome.fetched.size;
      }
    }
    json["files"].push_back(std::move(row));
  }
  return json;
}

void run_fetch(const FetchCommand& command) {
  StatusLine status(command.quiet);
  const std::vector<data::PublicFile> files = files_of(command);
  const fs::path root = choose_root(command, status);
  if (command.list) return print_list(files, root, command);
  if (!data::can_fetch()) {
    print_list(files, root, command);
    std::cout.flush();
    fail(
        "this build cannot download (no cpp-httplib): get the files above and "
        "put them where the list says");
  }
  const std::vector<Outcome> outcomes = fetch_all(files, root, command, status);
  std::vector<data::PublicFile> failed;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.error.empty()) failed.push_back(outcome.file);
  }
  if (command.json) {
    std::cout << outcomes_json(outcomes, root, command).dump(2) << '\n';
  } else {
    std::cout << fmt::format("{} of {} files are in {}\n",
                             files.size() - failed.size(), files.size(),
                             root.string());
    print_list(failed, root, command);
  }
  if (failed.empty()) return;
  std::cout.flush();
  fail(
      "{} of {} files could not be fetched; run it again to go on, or put "
      "them where the list says. The first failed with\n{}",
      failed.size(), files.size(),
      std::find_if(outcomes.begin(), outcomes.end(), [](const Outcome& o) {
        return !o.error.empty();
      })->error);
}

}  // namespace

void add_data_fetch(CLI::App& data) {
  auto command = std::make_shared<FetchCommand>();
  CLI::App& sub = *data.add_subcommand(
      "fetch", "Download the public files of named datasets");
  sub.add_option("NAME", command->names, "datasets, or all");
  sub.add_option("--data-root", command->root,
                 "where to put them; default $OGNN_DATA if writable, else "
                 "./datasets")
      ->type_name("DIR");
  sub.add_option("--base-url", command->options.base_url,
                 "mirror: files come from URL/PATH-IN-DATA-ROOT")
      ->type_name("URL");
  sub.add_flag("--list", command->list,
               "print addresses, places, sizes and checksums only");
  sub.add_flag("--force", command->options.force,
               "replace files that differ from the published ones");
  add_output_flags(sub, *command, "print JSON", "no progress");
  sub.footer(
      "An interrupted download goes on where it stopped.\n"
      "Examples:\n"
      "  ognn data fetch texas chameleon\n"
      "  ognn data fetch all --data-root ~/datasets\n"
      "  ognn data fetch cora --list");
  call_on(sub, command, run_fetch);
}

}  // namespace ordered_gnn::cli
