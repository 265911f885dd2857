#include <fmt/format.h>
#include <malloc.h>
#include <pthread.h>

#include <csignal>
#include <iostream>
#include <memory>

#include "commands.h"
#include "core/io/json_reader.h"
#include "core/io/text/text.h"
#include "data/formats/npz/dataset.h"
#include "lab/serve/api.h"
#include "lab/serve/http_server.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/non_copyable.h"
#include "ordered_gnn/core/parallel.h"
#include "shared/arguments.h"
#include "shared/command_line.h"
#include "shared/output_file.h"
#include "shared/speech.h"
#include "shared/thread_use.h"

namespace ordered_gnn::cli {
namespace {

struct ServeCommand : OutputFlags {
  std::unique_ptr<RunArguments> run;
  std::string checkpoint, data, state, token_file, cert, key;
  std::string apply, export_to;
  bool force = false;
  lab::HttpSettings http;
  lab::ApiSettings api;
  data::ChangeLimits limits;
  std::string max_body = "8M", compact_log = "64M";
  int64_t max_pending = lab::ServiceSettings().max_pending;
  int64_t read_seconds = 10, wait_seconds = 30;
  std::string threads;  // those that were taken, and why
};

// Signals come to who waits for them, whatever thread they would have met.
class AwaitedSignals : NonCopyable {
 public:
  AwaitedSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      sigaddset(&set_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~AwaitedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  int wait() const {
    int signal = 0;
    while (sigwait(&set_, &signal) != 0) {
    }
    return signal;
  }
  // From now on they end the process as they always do.
  void let_through() const { pthread_sigmask(SIG_UNBLOCK, &set_, nullptr); }

 private:
  sigset_t set_{}, before_{};
};

void check_arguments(const ServeCommand& command) {
  if (command.checkpoint.empty() || command.data.empty()) {
    throw UsageError(
        "a model and a graph are served: add --checkpoint FILE and --data "
        "FILE");
  }
  if (command.cert.empty() != command.key.empty()) {
    throw UsageError("--cert and --key are needed together");
  }
  if (!lab::is_loopback(command.http.host) && command.token_file.empty()) {
    throw UsageError(fmt::format(
        "--host {} can be reached from other machines: add --token-file FILE, "
        "as 'openssl rand -hex 32 > FILE' writes one",
        command.http.host));
  }
  if (!command.apply.empty() || !command.export_to.empty()) return;
  if (!lab::can_serve_http()) {
    fail(
        "this build has no HTTP server: cpp-httplib was not found when it was "
        "configured; install it (Debian: libcpp-httplib-dev) and build again");
  }
}

lab::ServiceSettings service_settings(ServeCommand& command) {
  RunOptions options;
  options.execution = {};
  command.run->apply(options);
  validate(options.execution);
  use_max_memory(max_memory_of(options.execution));
  use_threads(options.execution);
  lab::ServiceSettings out;
  out.checkpoint = command.checkpoint;
  out.data = command.data;
  out.state = command.state.empty() ? command.data + ".serve" : command.state;
  out.limits = command.limits;
  out.max_pending = command.max_pending;
  out.compact_bytes =
      command.compact_log == "0" ? 0 : parse_memory_size(command.compact_log);
  out.execution = options.execution;
  out.say = [](const std::string& text) { tell({text}); };
  out.before_pass = [&command, execution = options.execution](
                        const training::PassWork& work) {
    const std::string text = use_threads_for(work, execution);
    // What is said is of the start; nobody else reads it then.
    if (command.threads.empty()) command.threads = text;
  };
  return out;
}

std::string address(const ServeCommand& command, int port) {
  const std::string& host = command.http.host;
  const bool is_v6 = host.find(':') != std::string::npos;
  return fmt::format("{}://{}:{}", command.cert.empty() ? "http" : "https",
                     is_v6 ? "[" + host + "]" : host, port);
}

void say_listening(const ServeCommand& command, const lab::Service& service,
                   int port) {
  const auto version = service.version();
  const std::string where = address(command, port);
  if (command.json) {
    const Json json = {{"address", where},
                       {"port", port},
                       {"version", version->sequence},
                       {"nodes", version->graph.num_nodes()},
                       {"messages", version->graph.num_edges()},
                       {"threads", num_threads()},
                       {"state", service.settings().state.string()}};
    std::cout << json.dump() << std::endl;
  }
  if (command.quiet) return;
  const std::string whole = version->model->model.whole_because(version->graph);
  if (!whole.empty()) {
    say("every change computes all nodes, because " + whole);
  }
  say(fmt::format(
      "serving {} nodes and {} messages after {} changes on {}; {}; memory "
      "{}. Changes are kept in {}; SIGHUP reads the checkpoint again, SIGTERM "
      "or "
      "Ctrl-C stops",
      version->graph.num_nodes(), version->graph.num_edges(), version->sequence,
      where, command.threads, bytes_text(resident_memory_bytes()),
      service.settings().state.string()));
}

void reload(lab::Service& service, bool quiet) {
  try {
    service.reload();
    if (!quiet) say("the checkpoint was read again and answers now");
  } catch (const Error& error) {
    tell({fmt::format("the model goes on as it was: {}", error.what())});
  }
}

// The changes of a file, one on every line, each kept before the next begins.
int64_t apply_changes(lab::Service& service, const std::string& file) {
  int64_t count = 0;
  core::JsonRules rules;
  rules.unique_keys = true;
  core::LineReader lines(file);
  std::string_view line;
  while (lines.next(line)) {
    if (line.empty()) continue;
    try {
      service.change(lab::change_from_json(
          core::parse_json(line, "change", rules), service.version()->graph));
    } catch (const data::FieldError& error) {
      fail_at(lines.place(), error.field().empty()
                                 ? error.what()
                                 : error.field() + ": " + error.what());
    } catch (const lab::ServiceError& error) {
      fail_at(lines.place(), error.what());
    }
    ++count;
  }
  return count;
}

// Without a server: carries changes out, writes the graph.
void run_offline(ServeCommand& command) {
  if (!command.export_to.empty()) {
    require_writable(command.export_to, "PK", command.force);
  }
  lab::Service service(service_settings(command));
  const int64_t applied =
      command.apply.empty() ? 0 : apply_changes(service, command.apply);
  const lab::ServiceStatus status = service.status();
  if (!command.export_to.empty()) {
    data::write_npz_dataset(command.export_to, service.head().raw());
  }
  if (command.json) {
    std::cout << Json({{"applied", applied},
                       {"sequence", status.sequence},
                       {"export", command.export_to}})
                     .dump()
              << '\n';
  }
  if (command.quiet) return;
  say(fmt::format(
      "{} changes were applied; the graph has had {}{}", applied,
      status.sequence,
      command.export_to.empty() ? "" : " and is in " + command.export_to));
}

// States are made by one thread and replaced by another. With a heap for every
// thread what the first has freed would serve the second for nothing, and
// memory would grow to twice what is in use.
void use_one_heap() { ::mallopt(M_ARENA_MAX, 1); }

void run_serve(ServeCommand& command) {
  check_arguments(command);
  use_one_heap();
  if (!command.apply.empty() || !command.export_to.empty()) {
    run_offline(command);
    return;
  }
  command.http.cert = command.cert;
  command.http.key = command.key;
  command.http.max_body = parse_memory_size(command.max_body);
  command.http.max_read = std::chrono::seconds(command.read_seconds);
  command.http.max_write = std::chrono::seconds(command.wait_seconds);
  command.api.max_body = command.http.max_body;
  command.api.max_wait = std::chrono::seconds(command.wait_seconds);
  const lab::Access access = command.token_file.empty()
                                 ? lab::Access()
                                 : lab::Access::from_file(command.token_file);
  for (const std::string& secret : {command.token_file, command.key}) {
    const std::string note = lab::secret_note(secret);
    if (!note.empty()) tell({note});
  }
  const AwaitedSignals signals;
  lab::Service service(service_settings(command));
  lab::Api api(service, access, command.api);
  lab::HttpServer server(api, command.http);
  say_listening(command, service, server.port());
  while (signals.wait() == SIGHUP) reload(service, command.quiet);
  if (!command.quiet) say("stopping: requests that have begun are answered");
  api.retire();
  signals.let_through();
  server.stop();
}

void add_limits(CLI::App& sub, ServeCommand& command) {
  const auto count = [&](const char* name, int64_t& target, const char* help) {
    sub.add_option(name, target, help)
        ->type_name("INT")
        ->capture_default_str()
        ->check(CLI::PositiveNumber)
        ->group("Limits");
  };
  const auto size = [&](const char* name, std::string& target,
                        const char* help) {
    sub.add_option(name, target, help)
        ->type_name("SIZE")
        ->capture_default_str()
        ->group("Limits");
  };
  size("--max-body", command.max_body, "bytes of a request's body");
  count("--max-nodes", command.api.max_nodes, "ids of one prediction request");
  count("--max-change-nodes", command.limits.max_nodes,
        "nodes that one change names");
  count("--max-change-edges", command.limits.max_edges,
        "edges that one change names");
  count("--max-neighbours", command.limits.max_neighbours,
        "nodes that one node receives from");
  count("--max-pending", command.max_pending,
        "changes that wait to be written");
  count("--max-connections", command.http.max_connections,
        "connections at a time");
  count("--max-explain-visits", command.api.max_explain_visits,
        "edges that one explanation reads, layer by layer");
  count("--read-timeout", command.read_seconds,
        "seconds for a request to arrive");
  count("--wait-timeout", command.wait_seconds,
        "seconds that a request waits for its turn or a change, and its "
        "answer for who asked");
}

}  // namespace

void add_serve(CLI::App& app) {
  auto command = std::make_shared<ServeCommand>();
  command->http.port = 8080;
  CLI::App& sub = *app.add_subcommand(
      "serve",
      "Answer over HTTP with a trained model, on a graph that changes");
  const auto file = [&](const char* name, std::string& target, const char* help,
                        const char* type) {
    sub.add_option(name, target, help)->type_name(type);
  };
  file("--checkpoint", command->checkpoint,
       "model.safetensors written by 'ognn train'", "FILE");
  file("--data", command->data, "graph to begin with, as --data of predict",
       "FILE");
  file("--state", command->state,
       "folder that keeps the changes; that of --data with .serve when not "
       "given",
       "DIR");
  sub.add_option("--host", command->http.host,
                 "address to listen on; another than this machine's own needs "
                 "--token-file")
      ->type_name("ADDRESS")
      ->capture_default_str();
  sub.add_option("--port", command->http.port,
                 "port to listen on; 0 = any that is free")
      ->type_name("INT")
      ->capture_default_str()
      ->check(CLI::Range(0, 65535));
  file("--token-file", command->token_file,
       "file with the token that requests must bring", "FILE");
  file("--cert", command->cert, "certificate chain for TLS, PEM", "FILE");
  file("--key", command->key, "private key of --cert, PEM", "FILE");
  sub.add_option("--compact-log", command->compact_log,
                 "write changes into a new graph when their log has this size; "
                 "0 = never")
      ->type_name("SIZE")
      ->capture_default_str();
  sub.add_option("--apply", command->apply,
                 "carry out the changes of a file, one body of POST /v1/graph "
                 "on every line, instead of listening")
      ->type_name("FILE");
  sub.add_option("--export", command->export_to,
                 "write the graph as it now is as .npz, instead of listening")
      ->type_name("FILE");
  sub.add_flag("--force", command->force, "replace a file that is not ours");
  add_limits(sub, *command);
  command->run = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Execution"},
      std::vector<std::string>{"device", "math", "reorder", "pin", "workers",
                               "checkpoint-layers"});
  add_output_flags(sub, *command, "print where it listens as JSON",
                   "say nothing but what goes wrong");
  sub.footer(
      "POST /v1/predict, /v1/explain and /v1/graph, GET /v1/nodes/ID, "
      "/metrics,\n/healthz, /readyz and / (a page); GET /openapi.json "
      "describes them.\nWhat is promised is in docs/serve.md.\n"
      "Examples:\n"
      "  ognn serve --checkpoint model.safetensors --data g.npz\n"
      "  ognn serve --checkpoint model.safetensors --data g.npz --host 0.0.0.0 "
      "--token-file token --cert cert.pem --key key.pem\n"
      "  ognn serve --checkpoint model.safetensors --data g.npz --export "
      "now.npz\n"
      "  curl -H 'Content-Type: application/json' -d '{\"ids\": [0, 1]}' "
      "localhost:8080/v1/predict");
  call_on(sub, command, run_serve);
}

}  // namespace ordered_gnn::cli
