#include "lab/browser/webdriver.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/io/file.h"
#include "lab/browser/http_call.h"
#include "ordered_gnn/core/error.h"
#include "support/loopback_server.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kDriver = "/usr/bin/chromedriver";
constexpr const char* kChromium = "/usr/bin/chromium";

pid_t start_driver(int port) {
  const std::string argument = fmt::format("--port={}", port);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int nowhere = ::open("/dev/null", O_RDWR);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  ::setpgid(0, 0);  // so that the browser ends with it
  ::execl(kDriver, kDriver, argument.c_str(), nullptr);
  ::_exit(127);
}

Json browser_capabilities(const std::filesystem::path& profile) {
  const Json arguments = {"--headless",
                          "--no-sandbox",
                          "--disable-gpu",
                          "--disable-quic",
                          "--disable-dev-shm-usage",
                          "--no-first-run",
                          "--disable-background-networking",
                          "--disable-component-update",
                          "--disable-sync",
                          "--hide-scrollbars",
                          "--window-size=1280,900",
                          "--user-data-dir=" + profile.string()};
  return {
      {"capabilities",
       {{"alwaysMatch",
         {{"browserName", "chrome"},
          {"goog:chromeOptions", {{"binary", kChromium}, {"args", arguments}}},
          {"goog:loggingPrefs", {{"browser", "ALL"}}}}}}}};
}

std::string decoded_base64(const std::string& text) {
  const std::string digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const size_t digit = digits.find(c);
    if (digit == std::string::npos) continue;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 255u);
  }
  return out;
}

}  // namespace

const std::string Browser::kTab = "\xee\x80\x84";    // U+E004
const std::string Browser::kEnter = "\xee\x80\x87";  // U+E007

std::string Browser::why_not() {
  if (!can_call_http()) return "this build has no cpp-httplib";
  for (const char* program : {kChromium, kDriver}) {
    if (::access(program, X_OK) == 0) continue;
    return fmt::format(
        "{} is not installed; apt-get install chromium chromium-driver",
        program);
  }
  return "";
}

Browser::Browser(const std::filesystem::path& profile) : port_(closed_port()) {
  driver_ = start_driver(port_);
  if (driver_ < 0) fail("chromedriver cannot be started");
  for (int tries = 0;; ++tries) {
    try {
      if (http_call(port_, "GET", "/status", "").status == 200) break;
    } catch (const Error&) {
      if (tries > 300) throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const Json made = command("POST", "/session", browser_capabilities(profile));
  session_ = "/session/" + made.at("sessionId").get<std::string>();
}

Browser::~Browser() {
  try {
    if (!session_.empty()) command("DELETE", session_);
  } catch (const std::exception&) {
    // It ends with its driver.
  }
  ::kill(-driver_, SIGTERM);
  ::waitpid(driver_, nullptr, 0);
}

Json Browser::command(const std::string& method, const std::string& path,
                      const Json& body) {
  const HttpAnswer reply =
      http_call(port_, method, path, method == "POST" ? body.dump() : "");
  const Json answer = Json::parse(reply.body, nullptr, false);
  if (!answer.is_object() || !answer.contains("value")) {
    fail("{}: {} {}", path, reply.status, reply.body);
  }
  const Json& value = answer["value"];
  if (reply.status != 200) {
    fail("{}: {}", path, value.value("message", reply.body));
  }
  return value;
}

void Browser::open(const std::string& address) {
  command("POST", session_ + "/url", {{"url", address}});
}

void Browser::resize(int width, int height) {
  // Not the window's size: a headless window has a least width.
  command("POST", session_ + "/goog/cdp/execute",
          {{"cmd", "Emulation.setDeviceMetricsOverride"},
           {"params",
            {{"width", width},
             {"height", height},
             {"deviceScaleFactor", 1},
             {"mobile", false}}}});
}

Json Browser::evaluate(const std::string& script) {
  return command("POST", session_ + "/execute/sync",
                 {{"script", script}, {"args", Json::array()}});
}

void Browser::point_at(int x, int y) {
  const Json move = {{"type", "pointerMove"}, {"x", x}, {"y", y}};
  command("POST", session_ + "/actions",
          {{"actions",
            {{{"type", "pointer"},
              {"id", "mouse"},
              {"actions", Json::array({move})}}}}});
}

void Browser::press(const std::string& keys) {
  Json actions = Json::array();
  for (size_t begin = 0; begin < keys.size();) {
    size_t end = begin + 1;
    while (end < keys.size() && (keys[end] & 0xc0) == 0x80) ++end;
    const std::string key = keys.substr(begin, end - begin);
    actions.push_back({{"type", "keyDown"}, {"value", key}});
    actions.push_back({{"type", "keyUp"}, {"value", key}});
    begin = end;
  }
  command("POST", session_ + "/actions",
          {{"actions",
            {{{"type", "key"}, {"id", "keyboard"}, {"actions", actions}}}}});
}

std::vector<std::string> Browser::complaints() {
  std::vector<std::string> out;
  for (const Json& entry :
       command("POST", session_ + "/se/log", {{"type", "browser"}})) {
    const std::string level = entry.at("level");
    if (level == "SEVERE" || level == "WARNING") {
      out.push_back(entry.at("message"));
    }
  }
  return out;
}

void Browser::screenshot(const std::filesystem::path& file) {
  core::write_file(
      file, decoded_base64(
                command("GET", session_ + "/screenshot").get<std::string>()));
}

}  // namespace ordered_gnn::lab
