// A whole Handoff worker in C++17, with nlohmann/json; docs/PROTOCOL.md tells what it says and hears.
//
//   c++ -std=c++17 -O2 -o worker worker.cpp
#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

using nlohmann::json;
using std::string;
using std::string_view;

struct Response {
    int status;
    json headers;
    string content;
};

// Your part: from a request to a response. Requests come one after the other.
static Response handle(const json &request, string body) {
    json text = json::array({{"content-type", "text/plain"}});
    const string &target = request.at("target").get_ref<const string &>();
    string path = target.substr(0, target.find('?'));
    if (path == "/echo") {
        string all = request.at("headers").dump(-1, ' ', true);
        json headers = json::array({{"Echo-Method", request.at("method")}, {"Echo-Target", target}, {"Echo-Headers", all}});
        return {200, headers, std::move(body)};
    }
    return path == "/" ? Response{200, text, "hello\n"} : Response{404, text, "There is nothing here.\n"};
}

static volatile std::sig_atomic_t terminated = 0;

static string variable(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

static double now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return double(time.tv_sec) + double(time.tv_nsec) / 1e9;
}

// One connection to the core.
class Worker {
  public:
    bool draining = false;

    explicit Worker(int core) : core(core) {}

    // Goes on until the core hangs up; a broken frame is an exception.
    void serve() {
        say_hello();
        string unread, chunk(65536, '\0');
        double tick = now() + 1;
        while (write_all()) {
            pollfd readable{core, POLLIN, 0};
            if (poll(&readable, 1, std::max(0, int((tick - now()) * 1000))) > 0) {
                ssize_t count = read(core, chunk.data(), chunk.size());
                if (count == 0 || (count < 0 && errno != EINTR)) {
                    return;
                }
                unread.append(chunk, 0, count < 0 ? 0 : size_t(count));
                unread.erase(0, take_frames(unread));
            }
            if (terminated && !draining) {
                draining = true; // no new requests; the core hangs up when it has all responses
                send({{"type", "drain"}});
            }
            if (now() >= tick) {
                tick = now() + 1;
                tell_time();
            }
        }
    }

  private:
    int core;
    string out; // what the core gets next, in one write for one read: the speed
    uint64_t most_json = 0, most_body = 0;
    int64_t first_credit = 65536;
    bool streams = false;
    std::set<uint64_t> clocks;                         // event streams under way
    std::map<uint64_t, std::pair<json, string>> uploads; // requests in pieces
    std::map<uint64_t, int64_t> credit;                // the bytes that may still be sent to each clock and each WebSocket

    void say_hello() {
        string window = variable("HANDOFF_CONCURRENCY"), pool = variable("HANDOFF_POOL"), token = variable("HANDOFF_TOKEN");
        json hello{{"type", "hello"}, {"protocol", 1}, {"pid", getpid()}, {"language", "c++"}, {"streams", 1000}};
        hello["concurrency"] = window.empty() ? 64 : std::stoi(window); // 1 or 2 for a handler that waits for others
        hello["pool"] = pool.empty() ? json() : json(pool);
        hello["token"] = token.empty() ? json() : json(token);
        hello["features"] = {"streams", "websockets"};
        send(hello);
    }

    bool write_all() {
        for (size_t at = 0; at < out.size();) {
            ssize_t count = write(core, out.data() + at, out.size() - at);
            if (count < 0 && errno != EINTR) {
                return false;
            }
            at += count < 0 ? 0 : size_t(count);
        }
        out.clear();
        return true;
    }

    void send(const json &head, string_view body = {}) {
        string text = head.dump(); // throws for what is not UTF-8
        if (head["type"] == "response" && (text.size() > most_json || body.size() > most_body)) {
            throw std::length_error("the response is larger than the core takes");
        }
        uint32_t lengths[] = {htonl(uint32_t(text.size())), htonl(uint32_t(body.size()))};
        out.append(reinterpret_cast<char *>(lengths), sizeof lengths).append(text).append(body);
    }

    // How many bytes were whole frames.
    size_t take_frames(string_view unread) {
        size_t at = 0;
        while (unread.size() - at >= 8) {
            uint32_t lengths[2];
            std::memcpy(lengths, unread.data() + at, sizeof lengths);
            size_t json_bytes = ntohl(lengths[0]), body_bytes = ntohl(lengths[1]);
            if (unread.size() - at - 8 < json_bytes + body_bytes) {
                break;
            }
            string_view text = unread.substr(at + 8, json_bytes);
            take(json::parse(text), string(unread.substr(at + 8 + json_bytes, body_bytes)));
            at += 8 + json_bytes + body_bytes;
        }
        return at;
    }

    void take(json head, string body) {
        string type = head.at("type");
        uint64_t id = head.contains("id") && head["id"].is_number_unsigned() ? head["id"].get<uint64_t>() : 0;
        bool more = head.contains("more") && head["more"] == true;
        if (type == "welcome") {
            const json &limits = head.at("limits"), features = head.value("features", json::array());
            most_json = limits.at("jsonBytes"), most_body = limits.at("bodyBytes");
            first_credit = limits.value("streamBytes", first_credit);
            streams = std::find(features.begin(), features.end(), "streams") != features.end();
        } else if (type == "request" && id == 0) {
            throw std::invalid_argument("a request without an id");
        } else if (type == "request" && more) {
            uploads[id] = {std::move(head), std::move(body)};
        } else if (type == "request") {
            start(id, head, std::move(body));
        } else if (type == "data" && uploads.count(id)) {
            uploads[id].second += body;
            if (!more) {
                auto upload = uploads.extract(id);
                start(id, upload.mapped().first, std::move(upload.mapped().second));
            }
        } else if (type == "credit" && credit.count(id)) {
            credit[id] += head.at("bytes").get<int64_t>();
        } else if (type == "message") {
            spend(id, body.size() + 64, {{"type", "message"}, {"id", id}, {"text", head.value("text", false)}}, body);
        } else if (type == "close" && credit.erase(id)) {
            send({{"type", "close"}, {"id", id}});
        } else if (type == "cancel" && clocks.count(id)) {
            end_clock(id);
        } else if (type == "cancel" && uploads.erase(id)) {
            send({{"type", "failure"}, {"id", id}, {"message", "cancelled"}});
        } else if (type == "ping") {
            send({{"type", "pong"}});
        } else if (type == "drain") {
            draining = true;
        } else if (type == "refused") {
            throw std::runtime_error("refused: " + head.at("message").get<string>());
        }
    }

    void start(uint64_t id, const json &request, string body) {
        try {
            const string &target = request.at("target").get_ref<const string &>();
            json response{{"type", "response"}, {"id", id}};
            if (target == "/clock" && streams) {
                json headers = json::array({{"content-type", "text/event-stream"}, {"cache-control", "no-store"}});
                response.update({{"status", 200}, {"headers", headers}, {"more", true}});
                send(response);
                clocks.insert(id);
                credit[id] = first_credit;
            } else if (target == "/chat" && request.contains("websocket") && request["websocket"].is_array()) {
                response.update({{"status", 101}, {"more", true}});
                send(response);
                credit[id] = first_credit;
            } else {
                auto [status, headers, content] = handle(request, std::move(body));
                response.update({{"status", status}, {"headers", headers}});
                send(response, content);
            }
        } catch (const std::exception &failure) {
            send({{"type", "failure"}, {"id", id}, {"message", failure.what()}});
        }
    }

    // A client that does not read misses what is sent meanwhile.
    void spend(uint64_t id, size_t bytes, const json &head, string_view body) {
        auto left = credit.find(id);
        if (left != credit.end() && left->second > 0) {
            left->second -= int64_t(bytes);
            send(head, body);
        }
    }

    void tell_time() {
        time_t time = std::time(nullptr);
        char event[32];
        size_t size = std::strftime(event, sizeof event, "data: %H:%M:%S\n\n", std::localtime(&time));
        for (uint64_t id : clocks) {
            spend(id, size, {{"type", "data"}, {"id", id}, {"more", true}}, {event, size});
        }
        while (draining && !clocks.empty()) { // browsers connect again, and find another worker
            end_clock(*clocks.begin());
        }
    }

    void end_clock(uint64_t id) {
        clocks.erase(id);
        credit.erase(id);
        send({{"type", "data"}, {"id", id}});
    }
};

int main() {
    string path = variable("HANDOFF_SOCKET");
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
        std::cerr << "HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'\n";
        return 2;
    }
    path.copy(address.sun_path, path.size());
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGINT, SIG_IGN); // Ctrl-C reaches the core, which drains its workers
    struct sigaction term{};
    term.sa_handler = [](int signal) { terminated = signal; };
    sigaction(SIGTERM, &term, nullptr);
    std::mt19937 random(std::random_device{}());
    for (double pause = 0.1;; pause = std::min(2 * pause, 5.0)) {
        bool drained = false;
        int core = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        try {
            if (connect(core, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0) {
                throw std::runtime_error(path + ": " + std::strerror(errno));
            }
            Worker worker(core);
            worker.serve();
            drained = worker.draining;
        } catch (const std::exception &failure) {
            std::cerr << "no core, or a broken frame: " << failure.what() << "\n";
        }
        close(core);
        if (terminated || !variable("HANDOFF_TOKEN").empty()) { // a worker that the core started leaves with it
            return drained ? 0 : 1;
        }
        pause = drained ? 0.1 : pause;
        usleep(useconds_t(pause * std::uniform_int_distribution<>(500000, 1500000)(random)));
    }
}
