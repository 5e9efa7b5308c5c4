// A whole Handoff worker in C, with Jansson for JSON; docs/PROTOCOL.md tells what it says and hears.
//
//   cc -O2 -o worker worker.c -ljansson
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 65536, WINDOW = 64 };

struct response {
    int status;
    json_t *headers; // an array of [name, value]
    const void *content;
    size_t size;
};

static json_t *text(void) { return json_pack("[[ss]]", "content-type", "text/plain"); }

static bool is(const char *target, const char *path) {
    return strcspn(target, "?") == strlen(path) && strncmp(target, path, strlen(path)) == 0;
}

// Your part: from a request to a response. Requests come one after the other.
static struct response handle(const char *method, const char *target, json_t *headers, const char *body, size_t size) {
    if (is(target, "/")) {
        return (struct response){200, text(), "hello\n", 6};
    }
    if (is(target, "/echo")) {
        char *all = json_dumps(headers, JSON_ENSURE_ASCII);
        json_t *echo = json_pack("[[ss][ss][ss]]", "Echo-Method", method, "Echo-Target", target, "Echo-Headers", all);
        free(all);
        return (struct response){200, echo, body, size};
    }
    return (struct response){404, text(), "There is nothing here.\n", 23};
}

struct buffer {
    char *bytes;
    size_t size, room;
};

static char *grow(struct buffer *buffer, size_t more) {
    if (buffer->room - buffer->size < more) {
        buffer->room = 2 * buffer->size + more;
        buffer->bytes = realloc(buffer->bytes, buffer->room);
        if (!buffer->bytes) {
            abort();
        }
    }
    return buffer->bytes + buffer->size;
}

static void append(struct buffer *buffer, const void *bytes, size_t size) {
    if (size) {
        memcpy(grow(buffer, size), bytes, size);
        buffer->size += size;
    }
}

static volatile sig_atomic_t terminated;
static struct buffer out; // what the core gets next, in one write for one read: the speed
static size_t most_json, most_body;
static bool draining;

// Takes the head.
static void put(json_t *head, const void *body, size_t size) {
    char *json = json_dumps(head, JSON_COMPACT);
    json_t *id = json_object_get(head, "id");
    bool is_response = strcmp(json_string_value(json_object_get(head, "type")), "response") == 0;
    if (is_response && (strlen(json) > most_json || size > most_body)) {
        const char *why = "the response is larger than the core takes";
        put(json_pack("{ss sO ss}", "type", "failure", "id", id, "message", why), NULL, 0);
    } else {
        uint32_t lengths[] = {htonl(strlen(json)), htonl(size)};
        append(&out, lengths, sizeof lengths);
        append(&out, json, strlen(json));
        append(&out, body, size);
    }
    free(json);
    json_decref(head);
}

// False for a frame that breaks a rule.
static bool take(json_t *head, const char *body, size_t size) {
    const char *type = json_string_value(json_object_get(head, "type"));
    if (!type) {
        return false;
    }
    if (strcmp(type, "request") == 0) {
        json_int_t id;
        json_t *headers;
        const char *method, *target;
        if (json_unpack(head, "{sI ss ss so}", "id", &id, "method", &method, "target", &target, "headers", &headers)) {
            return false;
        }
        struct response made = handle(method, target, headers, body, size);
        json_t *answer = json_pack("{ss sI si so}", "type", "response", "id", id, "status", made.status, "headers", made.headers);
        if (!answer) {
            answer = json_pack("{ss sI ss}", "type", "failure", "id", id, "message", "a header is not UTF-8");
        }
        put(answer, made.content, made.size);
    } else if (strcmp(type, "welcome") == 0) {
        json_t *limits = json_object_get(head, "limits");
        most_json = json_integer_value(json_object_get(limits, "jsonBytes"));
        most_body = json_integer_value(json_object_get(limits, "bodyBytes"));
    } else if (strcmp(type, "ping") == 0) {
        put(json_pack("{ss}", "type", "pong"), NULL, 0);
    } else if (strcmp(type, "drain") == 0) {
        draining = true;
    } else if (strcmp(type, "refused") == 0) {
        fprintf(stderr, "refused: %s\n", json_string_value(json_object_get(head, "message")));
        return false;
    }
    return true;
}

// How many bytes were whole frames, or -1.
static ssize_t take_frames(const char *bytes, size_t size) {
    size_t at = 0;
    while (size - at >= 8) {
        uint32_t lengths[2];
        memcpy(lengths, bytes + at, sizeof lengths);
        size_t json_bytes = ntohl(lengths[0]), body_bytes = ntohl(lengths[1]);
        if (size - at - 8 < json_bytes + body_bytes) {
            break;
        }
        json_error_t error;
        json_t *head = json_loadb(bytes + at + 8, json_bytes, JSON_ALLOW_NUL, &error);
        if (!head) {
            fprintf(stderr, "the core sent a broken frame: %s\n", error.text);
        }
        bool good = head && take(head, bytes + at + 8 + json_bytes, body_bytes);
        json_decref(head);
        if (!good) {
            return -1;
        }
        at += 8 + json_bytes + body_bytes;
    }
    return at;
}

static bool write_all(int core) {
    for (size_t at = 0; at < out.size;) {
        ssize_t count = write(core, out.bytes + at, out.size - at);
        if (count < 0 && errno != EINTR) {
            return false;
        }
        at += count < 0 ? 0 : count;
    }
    out.size = 0;
    return true;
}

static void say_hello(void) {
    const char *window = getenv("HANDOFF_CONCURRENCY");
    int concurrency = window && atoi(window) > 0 ? atoi(window) : WINDOW; // 1 or 2 for a handler that waits for others
    json_t *hello = json_pack("{ss si si si}", "type", "hello", "protocol", 1, "concurrency", concurrency, "pid", getpid());
    const char *pool = getenv("HANDOFF_POOL"), *token = getenv("HANDOFF_TOKEN");
    json_object_set_new(hello, "pool", pool && *pool ? json_string(pool) : json_null());
    json_object_set_new(hello, "token", token && *token ? json_string(token) : json_null());
    put(hello, NULL, 0);
}

// Goes on until the core hangs up, or until a frame breaks a rule.
static void serve(int core) {
    struct buffer unread = {0};
    out.size = 0;
    draining = false;
    say_hello();
    while (write_all(core)) {
        struct pollfd readable = {core, POLLIN, 0};
        if (poll(&readable, 1, 1000) > 0) {
            ssize_t count = read(core, grow(&unread, CHUNK), CHUNK);
            if (count == 0 || (count < 0 && errno != EINTR)) {
                break;
            }
            unread.size += count < 0 ? 0 : count;
            ssize_t taken = take_frames(unread.bytes, unread.size);
            if (taken < 0) {
                draining = false;
                break;
            }
            unread.size -= taken;
            memmove(unread.bytes, unread.bytes + taken, unread.size);
        }
        if (terminated && !draining) { // the core hangs up when it has all responses
            draining = true;
            put(json_pack("{ss}", "type", "drain"), NULL, 0);
        }
    }
    free(unread.bytes);
}

static void on_term(int signal) { terminated = signal; }

int main(void) {
    const char *path = getenv("HANDOFF_SOCKET"), *token = getenv("HANDOFF_TOKEN");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || !*path || strlen(path) >= sizeof address.sun_path) {
        fputs("HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'\n", stderr);
        return 2;
    }
    strcpy(address.sun_path, path);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGINT, SIG_IGN); // Ctrl-C reaches the core, which drains its workers
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_term}, NULL);
    srand(getpid());
    for (double pause = 0.1;; pause = pause > 2.5 ? 5 : 2 * pause) {
        int core = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        draining = false;
        if (connect(core, (struct sockaddr *)&address, sizeof address) == 0) {
            serve(core);
        } else {
            perror(path);
        }
        close(core);
        if (terminated || (token && *token)) { // a worker that the core started leaves with it
            return draining ? 0 : 1;
        }
        pause = draining ? 0.1 : pause;
        usleep(pause * (500000 + rand() % 1000000));
    }
}
