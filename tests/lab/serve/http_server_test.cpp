#include "lab/serve/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <thread>
#include <vector>

#include "lab/serve/echo.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

// A connection to a server on this machine, byte by byte.
class RawConnection {
 public:
  explicit RawConnection(int port)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    is_open_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address),
                         sizeof(address)) == 0;
    timeval most{20, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool is_open() const { return is_open_; }
  void send(const std::string& bytes) const {
    size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t sent = ::send(socket_, bytes.data() + done,
                                  bytes.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return;
      done += static_cast<size_t>(sent);
    }
  }
  // What arrives until `ending` does, or the connection is closed.
  std::string read_until(const std::string& ending) const {
    std::string out;
    char byte = 0;
    while (out.find(ending) == std::string::npos &&
           ::recv(socket_, &byte, 1, 0) == 1) {
      out += byte;
    }
    return out;
  }
  std::string read_all() const { return read_until("\n\n never"); }

 private:
  int socket_;
  bool is_open_ = false;
};

HttpSettings small_limits() {
  HttpSettings out;
  out.max_body = 1000;
  out.max_read = std::chrono::seconds(1);
  return out;
}

std::string post(const std::string& path, const std::string& body) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: x\r\nContent-Type: "
         "application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

class Served : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_serve_http()) GTEST_SKIP() << "this build has no cpp-httplib";
    server_ = std::make_unique<HttpServer>(echo_, small_limits());
  }
  Echo echo_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(Served, AnswersManyRequestsOfOneConnection) {
  const RawConnection connection(server_->port());
  for (int i = 0; i < 20; ++i) {
    connection.send("GET /a%20b HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(contains(connection.read_until("<end>"), "GET /a b <end>"));
    connection.send(post("/p", "body" + std::to_string(i)));
    EXPECT_TRUE(contains(connection.read_until("<end>"),
                         "POST /p body" + std::to_string(i)));
  }
}

TEST_F(Served, ReadsChunkedBodies) {
  const RawConnection connection(server_->port());
  connection.send(
      "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n");
  EXPECT_TRUE(contains(connection.read_until("<end>"), "POST /p abcdef"));
  connection.send(
      "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "800\r\n" +
      std::string(0x800, 'x') + "\r\n0\r\n\r\n");
  EXPECT_TRUE(contains(connection.read_all(), " 413 "));
}

// What is left of a request must not be taken for the next one.
TEST_F(Served, ClosesBehindABodyThatItDoesNotRead) {
  const RawConnection connection(server_->port());
  const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";
  connection.send(
      "POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 2000000\r\n\r\n" +
      hidden);
  const std::string said = connection.read_all();
  EXPECT_TRUE(contains(said, " 413 "));
  EXPECT_TRUE(contains(said, "Connection: close"));
  EXPECT_EQ(echo_.answers, 1);
}

TEST_F(Served, SkipsTheBodyOfARequestThatIsRefused) {
  const RawConnection connection(server_->port());
  connection.send(post("/refuse", "GET /hidden HTTP/1.1\r\n\r\n"));
  EXPECT_TRUE(contains(connection.read_until("<end>"), "POST /refuse <end>"));
  connection.send(post("/p", "next"));
  EXPECT_TRUE(contains(connection.read_until("<end>"), "POST /p next"));
  EXPECT_EQ(echo_.answers, 2);
}

TEST_F(Served, SaysThatABodyIsCutOrLate) {
  // Who ends a connection hears nothing more; who breaks off a list of chunks
  // does.
  const RawConnection cut(server_->port());
  cut.send(
      "POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\nno number\r\n");
  EXPECT_TRUE(contains(cut.read_all(), " 400 "));
  const RawConnection late(server_->port());
  late.send("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_TRUE(contains(late.read_all(), " 408 "));
}

TEST_F(Served, RefusesPathsThatAreTooLong) {
  const RawConnection connection(server_->port());
  connection.send(post("/" + std::string(5000, 'a'), "x"));
  EXPECT_TRUE(contains(connection.read_all(), " 414 "));
  const RawConnection longer(server_->port());
  longer.send("GET /" + std::string(20000, 'a') +
              " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(contains(longer.read_until("\r\n"), " 414 "));
  const RawConnection noise(server_->port());
  noise.send("no http at all\r\n\r\n");
  EXPECT_TRUE(contains(noise.read_until("\r\n"), " 400 "));
}

TEST_F(Served, TellsConnectionsThatAreTooMany) {
  HttpSettings settings = small_limits();
  settings.max_connections = 2;
  const HttpServer server(echo_, settings);
  const RawConnection first(server.port()), second(server.port());
  for (const RawConnection* one : {&first, &second}) {
    one->send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_TRUE(contains(one->read_until("<end>"), " 200 "));
  }
  const RawConnection third(server.port());
  third.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(contains(third.read_all(), " 503 "));  // and it is closed
  first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(contains(first.read_until("<end>"), " 200 "));
}

TEST_F(Served, RefusesAPortThatIsTaken) {
  HttpSettings settings = small_limits();
  settings.host = "192.0.2.1";  // of documentation, of no machine
  EXPECT_TRUE(contains(error_of([&] { HttpServer(echo_, settings); }),
                       "cannot listen on 192.0.2.1"));
  settings = small_limits();
  settings.cert = "/nonexistent/cert.pem";
  settings.key = "/nonexistent/key.pem";
  EXPECT_TRUE(
      contains(error_of([&] { HttpServer(echo_, settings); }), "cert.pem"));
}

// What a command of the shell prints.
std::string printed_by(const std::string& command) {
  std::string out;
  FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char bytes[4096];
  size_t size = 0;
  while ((size = std::fread(bytes, 1, sizeof(bytes), pipe)) > 0) {
    out.append(bytes, size);
  }
  ::pclose(pipe);
  return out;
}

TEST_F(Served, SpeaksTls) {
  const TempDir dir;
  const std::string cert = (dir / "cert.pem").string();
  const std::string key = (dir / "key.pem").string();
  printed_by(
      "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 2 "
      "-keyout " +
      key + " -out " + cert + " 2>/dev/null");
  if (!std::filesystem::exists(cert)) GTEST_SKIP() << "no openssl command";
  HttpSettings settings = small_limits();
  settings.cert = cert;
  settings.key = key;
  const HttpServer server(echo_, settings);
  const auto ask = [&](const std::string& more) {
    return printed_by(
        "printf 'GET /tls HTTP/1.1\\r\\nHost: x\\r\\nConnection: "
        "close\\r\\n\\r\\n' | timeout 20 openssl s_client -quiet "
        "-connect 127.0.0.1:" +
        std::to_string(server.port()) + " -CAfile " + cert + more +
        " 2>/dev/null");
  };
  EXPECT_TRUE(contains(ask(" -verify_return_error"), "GET /tls <end>"));
  EXPECT_FALSE(contains(ask(" -tls1_1"), "GET /tls"));
  const std::string other = (dir / "other.pem").string();
  printed_by("openssl genrsa -out " + other + " 2048 2>/dev/null");
  for (const std::string& wrong : {cert, other}) {
    settings.key = wrong;
    EXPECT_TRUE(contains(error_of([&] { HttpServer(echo_, settings); }),
                         "no private key of the certificate"))
        << wrong;
  }
  // Who does not speak TLS hears nothing, and holds up nobody.
  const RawConnection plain(server.port());
  plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_FALSE(contains(plain.read_all(), "HTTP/1.1 200"));
}

// A client that sends a byte now and then has no more time than others.
TEST_F(Served, EndsRequestsThatNeverArrive) {
  const RawConnection slow(server_->port());
  const auto start = std::chrono::steady_clock::now();
  slow.send("GET / HTTP/1.1\r\nHost: x\r\n");
  std::thread more([&] {
    for (int i = 0; i < 15; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      slow.send("X-" + std::to_string(i) + ": y\r\n");
    }
  });
  EXPECT_TRUE(contains(slow.read_all(), " 408 "));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
  more.join();
}

// Lines and headers without an end must not fill the memory.
TEST_F(Served, RefusesHeadsWithoutAnEnd) {
  const RawConnection line(server_->port());
  line.send("GET /" + std::string(200000, 'a'));
  EXPECT_TRUE(contains(line.read_all(), " 414 "));
  const RawConnection heads(server_->port());
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 20000; ++i) many += "X-Header: some value\r\n";
  heads.send(many);
  EXPECT_TRUE(contains(heads.read_all(), " 431 "));
}

TEST_F(Served, StopsWithoutWaitingForIdleConnections) {
  const RawConnection idle(server_->port());
  idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.read_until("<end>");
  const auto start = std::chrono::steady_clock::now();
  server_->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

// The socket of this process that listens on a port.
int listening_socket(int port) {
  for (int socket = 3; socket < 1024; ++socket) {
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    int listens = 0;
    socklen_t listens_size = sizeof(listens);
    if (::getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens,
                     &listens_size) == 0 &&
        listens != 0 &&
        ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) ==
            0 &&
        ntohs(address.sin_port) == port) {
      return socket;
    }
  }
  return -1;
}

TEST_F(Served, ListensAgainWhereTheSystemEndsIt) {
  const int socket = listening_socket(server_->port());
  ASSERT_GE(socket, 0);
  ::shutdown(socket, SHUT_RDWR);
  std::string said;
  for (int i = 0; i < 100 && said.empty(); ++i) {
    const RawConnection connection(server_->port());
    connection.send("GET /again HTTP/1.1\r\nHost: x\r\n\r\n");
    said = connection.read_until("<end>");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(contains(said, "GET /again"));
}

TEST(HttpServer, KnowsLoopback) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "::1", "localhost"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"0.0.0.0", "::", "example.org", "10.0.0.1"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
