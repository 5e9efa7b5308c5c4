// paced_client.py once more, for rates that Python cannot make: the same options, the same line of JSON.
//
//   cc -O2 -o paced_client paced_client.c
//   ./paced_client PORT RATE CONNECTIONS SECONDS
//
// Every request has a time at which it is meant to leave, and its latency counts from that time, whatever became of those
// before it. A request that finds no free connection waits for one. How late this process itself came to send although a
// connection was free is told apart. One thread; times in nanoseconds.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER_BYTES = 8192, EVENTS = 64 };
static const int64_t SECOND = 1000000000;
static const int64_t LAST_ANSWERS = 10 * SECOND;
static const char REQUEST[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

struct connection {
    int socket;
    bool busy;
    int64_t due;
    size_t received;
    char answer[ANSWER_BYTES + 1];
};

static int port, polled, connections;
static struct connection *all;
static int *idle, idle_first, idle_count; // a ring: the one that has been free for longest comes first
static int64_t *latencies, *lateness;
static size_t answers, sent_in_time, errors;

static void fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND + time.tv_nsec;
}

static void release(struct connection *connection) {
    connection->busy = false;
    connection->received = 0;
    idle[(idle_first + idle_count++) % connections] = (int)(connection - all);
}

static void open_socket(struct connection *connection) {
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connection->socket < 0 || connect(connection->socket, (struct sockaddr *)&server, sizeof server) != 0) fail("connect");
    int one = 1;
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (fcntl(connection->socket, F_SETFL, O_NONBLOCK) != 0) fail("fcntl");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
    if (epoll_ctl(polled, EPOLL_CTL_ADD, connection->socket, &event) != 0) fail("epoll_ctl");
}

// A server may close what it has answered; only a request that is lost with it is an error.
static void reopen(struct connection *connection) {
    close(connection->socket);
    open_socket(connection);
    if (connection->busy) {
        errors++;
        release(connection);
    }
}

// Where the answer ends, or 0 while it is not whole.
static size_t answer_end(const struct connection *connection) {
    const char *head_end = strstr(connection->answer, "\r\n\r\n");
    if (head_end == NULL) return 0;
    const char *length = strcasestr(connection->answer, "\r\ncontent-length:");
    size_t body = length != NULL && length < head_end ? strtoul(length + 17, NULL, 10) : 0;
    size_t end = (size_t)(head_end - connection->answer) + 4 + body;
    if (end > ANSWER_BYTES) {
        fprintf(stderr, "an answer of more than %d bytes\n", ANSWER_BYTES);
        exit(1);
    }
    return connection->received >= end ? end : 0;
}

static void receive(struct connection *connection) {
    char *into = connection->answer + connection->received;
    ssize_t got = recv(connection->socket, into, ANSWER_BYTES - connection->received, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
        reopen(connection);
        return;
    }
    connection->received += (size_t)got;
    connection->answer[connection->received] = '\0';
    if (!connection->busy || answer_end(connection) == 0) return;
    latencies[answers++] = now() - connection->due;
    if (strncmp(connection->answer, "HTTP/1.1 200 ", 13) != 0) errors++;
    release(connection);
}

static void ask(int64_t due) {
    struct connection *connection = &all[idle[idle_first]];
    idle_first = (idle_first + 1) % connections;
    idle_count--;
    connection->busy = true;
    connection->due = due;
    if (send(connection->socket, REQUEST, sizeof REQUEST - 1, MSG_NOSIGNAL) != sizeof REQUEST - 1) reopen(connection);
}

static void await_answers(int64_t nanoseconds) {
    struct epoll_event events[EVENTS];
    if (nanoseconds < 0) nanoseconds = 0;
    struct timespec limit = {.tv_sec = nanoseconds / SECOND, .tv_nsec = nanoseconds % SECOND};
    int ready = epoll_pwait2(polled, events, EVENTS, &limit, NULL);
    if (ready < 0 && errno != EINTR) fail("epoll_pwait2");
    for (int each = 0; each < ready; each++) receive(events[each].data.ptr);
}

static void run(double rate, size_t requests) {
    int64_t start = now();
    size_t sent = 0, scheduled = 0;
    while (scheduled < requests) {
        await_answers(start + (int64_t)((double)(scheduled + 1) / rate * SECOND) - now());
        int64_t moment = now();
        for (;;) {
            for (; sent < scheduled && idle_count > 0; sent++) ask(start + (int64_t)((double)(sent + 1) / rate * SECOND));
            int64_t due = start + (int64_t)((double)(scheduled + 1) / rate * SECOND);
            if (scheduled == requests || due > moment) break;
            if (idle_count > 0) lateness[sent_in_time++] = moment - due;
            scheduled++;
        }
    }
    int64_t deadline = now() + LAST_ANSWERS;
    while ((sent < requests || idle_count < connections) && now() < deadline) {
        await_answers(deadline - now());
        for (; sent < requests && idle_count > 0; sent++) ask(start + (int64_t)((double)(sent + 1) / rate * SECOND));
    }
    errors += requests - sent + (size_t)(connections - idle_count);
}

static int ascending(const void *one, const void *other) {
    int64_t left = *(const int64_t *)one, right = *(const int64_t *)other;
    return (left > right) - (left < right);
}

// The least value that so many of 1,000 do not exceed, in microseconds; 0 of none.
static double per_mille(const int64_t *sorted, size_t count, size_t share) {
    return count == 0 ? 0 : (double)sorted[(count * share + 999) / 1000 - 1] / 1000;
}

static void print(void) {
    qsort(latencies, answers, sizeof *latencies, ascending);
    qsort(lateness, sent_in_time, sizeof *lateness, ascending);
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    double seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
    seconds += (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    printf("{\"answers\":%zu,\"errors\":%zu,\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"most\":%.1f,"
           "\"late_p99\":%.1f,\"cpu_seconds\":%.3f}\n",
           answers, errors, per_mille(latencies, answers, 500), per_mille(latencies, answers, 900),
           per_mille(latencies, answers, 990), per_mille(latencies, answers, 999), per_mille(latencies, answers, 1000),
           per_mille(lateness, sent_in_time, 990), seconds);
}

int main(int count, char **words) {
    if (count != 5) {
        fprintf(stderr, "usage: paced_client PORT RATE CONNECTIONS SECONDS\n");
        return 2;
    }
    port = atoi(words[1]);
    double rate = atof(words[2]);
    connections = atoi(words[3]);
    size_t requests = (size_t)(rate * atof(words[4]));
    prctl(PR_SET_TIMERSLACK, 1UL); // else the system may wake it 50 microseconds late
    polled = epoll_create1(0);
    all = calloc((size_t)connections, sizeof *all);
    idle = calloc((size_t)connections, sizeof *idle);
    latencies = calloc(requests + 1, sizeof *latencies);
    lateness = calloc(requests + 1, sizeof *lateness);
    if (polled < 0 || !all || !idle || !latencies || !lateness) fail("start");
    for (int each = 0; each < connections; each++) {
        open_socket(&all[each]);
        release(&all[each]);
    }
    run(rate, requests);
    print();
    return 0;
}
