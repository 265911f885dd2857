#pragma once
#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// A headless Chromium, driven by chromedriver's WebDriver protocol: JSON over
/// HTTP on 127.0.0.1. It has a new profile and asks nothing of the network.
class Browser {
 public:
  /// Why there can be no browser here; empty when there can.
  static std::string why_not();

  /// @param profile  an empty folder for what the browser keeps.
  /// @throws Error when it does not start.
  explicit Browser(const std::filesystem::path& profile);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void open(const std::string& address);
  void resize(int width, int height);
  /// What a function body of JavaScript returns.
  /// @throws Error with the message of an exception in it.
  Json evaluate(const std::string& script);
  /// Moves the pointer to a place in the window.
  void point_at(int x, int y);
  /// Keys as a person presses them, on what has the focus.
  void press(const std::string& keys);
  /// Messages of the console since the last call, errors and warnings alone.
  std::vector<std::string> complaints();
  /// A picture of the window as PNG.
  void screenshot(const std::filesystem::path& file);

  /// The Tab key in press().
  static const std::string kTab;
  static const std::string kEnter;

 private:
  Json command(const std::string& method, const std::string& path,
               const Json& body = Json::object());

  pid_t driver_ = -1;
  int port_ = 0;
  std::string session_;
};

}  // namespace ordered_gnn::lab
