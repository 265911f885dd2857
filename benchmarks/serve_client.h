#pragma once
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

/// What a load is made of, bounded in count and time.
struct Load {
  int port = 8080;
  int64_t nodes = 1000;
  int64_t batch = 1, connections = 4, requests = 100000, seconds = 20;
  int64_t changes = 0, features = 0, edges = 10, stay = 0, near = 0;
  double rate = 0, change_rate = 0;  ///< a second; 0: as fast as answers come
  int64_t sample = 0, explain = 0;   ///< seconds between two; 0: none
  bool mixed = false;
  std::string token;
};

using LoadClock = std::chrono::steady_clock;

inline double seconds_after(LoadClock::time_point start) {
  return std::chrono::duration<double>(LoadClock::now() - start).count();
}

/// A connection to a server on this machine.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address),
                  sizeof(address)) != 0) {
      std::perror("no connection");
      std::exit(1);
    }
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// The status of the answer; 0 when the connection broke.
  int ask(const std::string& request) {
    size_t sent = 0;
    while (sent < request.size()) {
      const ssize_t more = ::send(socket_, request.data() + sent,
                                  request.size() - sent, MSG_NOSIGNAL);
      if (more <= 0) return 0;
      sent += static_cast<size_t>(more);
    }
    answer_.clear();
    size_t head = std::string::npos;
    while ((head = answer_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return 0;
    }
    const size_t length = answer_.find("Content-Length: ");
    if (length > head) return 0;
    const size_t end = head + 4 + std::stoul(answer_.substr(length + 16));
    while (answer_.size() < end) {
      if (!receive()) return 0;
    }
    return std::stoi(answer_.substr(9, 3));
  }
  /// The last one, with its head.
  const std::string& answer() const { return answer_; }

 private:
  bool receive() {
    char bytes[65536];
    const ssize_t size = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    answer_.append(bytes, static_cast<size_t>(size));
    return true;
  }

  int socket_;
  std::string answer_;
};

std::string get(const Load& load, const std::string& path);
std::string post(const Load& load, const std::string& path,
                 const std::string& body);
std::string prediction_body(const Load& load, std::mt19937_64& random);

/// What connections have seen together.
struct Seen {
  std::vector<float> milliseconds;
  int64_t failed = 0;
  int64_t server_errors = 0;  ///< of status 500 and above

  void add(int status, double seconds) {
    milliseconds.push_back(static_cast<float>(1000 * seconds));
    failed += status < 200 || status > 202;
    server_errors += status >= 500;
  }
  void add(const Seen& other) {
    milliseconds.insert(milliseconds.end(), other.milliseconds.begin(),
                        other.milliseconds.end());
    failed += other.failed;
    server_errors += other.server_errors;
  }
};
void report(const char* what, Seen& seen, double seconds, int64_t per_answer);

/// Predictions, changes, looks at nodes and explanations beside each other, at
/// stated rates, and the memory of the server from time to time.
void load_mixed(const Load& load);
