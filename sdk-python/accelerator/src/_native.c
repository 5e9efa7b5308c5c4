/*
 * The fast way of three things that the SDK does for each request: find requests in what was read, make a scope or an
 * environ of a request's JSON, and write the head of its response.
 *
 * It takes what the core usually writes, and what applications usually answer. It leaves everything else to the Python
 * of handoff-worker by returning None, and says no more: which frames are wrong, and why, is decided there alone. Where
 * it does answer, the Python would have answered the same.
 *
 * The bytes come from clients. Each read is checked against the end of the input first, and nothing is looked at twice.
 * It keeps nothing between two calls but the names below, so any thread may call it.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <string.h>

/* What a step comes to. UNUSUAL leaves the request to the Python; with FAILED an exception is set. */
typedef enum { FAILED = -1, UNUSUAL = 0, DONE = 1 } Outcome;

/* ---- Names that are made once ---- */

#define NAMES(NAME)                                                                                             \
    NAME(asgi, "asgi") NAME(http_version, "http_version") NAME(method, "method") NAME(scheme, "scheme")         \
    NAME(path, "path") NAME(raw_path, "raw_path") NAME(query_string, "query_string")                            \
    NAME(root_path, "root_path") NAME(headers, "headers") NAME(client, "client") NAME(server, "server")         \
    NAME(state, "state") NAME(extensions, "extensions") NAME(handoff, "handoff") NAME(request_id, "request_id") \
    NAME(deadline, "deadline") NAME(request_method, "REQUEST_METHOD") NAME(script_name, "SCRIPT_NAME")          \
    NAME(path_info, "PATH_INFO") NAME(query, "QUERY_STRING") NAME(raw_uri, "RAW_URI")                           \
    NAME(request_uri, "REQUEST_URI") NAME(url_scheme, "wsgi.url_scheme")                                        \
    NAME(server_protocol, "SERVER_PROTOCOL") NAME(remote_address, "REMOTE_ADDR")                                \
    NAME(remote_port, "REMOTE_PORT") NAME(handoff_request_id, "handoff.request_id")                             \
    NAME(handoff_deadline, "handoff.deadline") NAME(server_name, "SERVER_NAME")                                 \
    NAME(server_port, "SERVER_PORT") NAME(http_host, "HTTP_HOST") NAME(localhost, "localhost") NAME(get, "GET") \
    NAME(http, "http") NAME(https, "https") NAME(version_1_0, "1.0") NAME(version_1_1, "1.1")                   \
    NAME(protocol_1_0, "HTTP/1.0") NAME(protocol_1_1, "HTTP/1.1")

typedef struct {
#define MEMBER(name, text) PyObject *name;
    NAMES(MEMBER)
#undef MEMBER
} Names;

static Names *names_of(PyObject *module) { return PyModule_GetState(module); }

/* ---- Reading JSON as the core writes it ---- */

typedef struct {
    const char *at;
    const char *end;
} Input;

/* Characters that are ASCII. They belong to the input, or to the scratch of whoever asked for them. */
typedef struct {
    const char *at;
    Py_ssize_t size;
} Text;

enum {
    MOST_DIGITS = 16,          /* as many as 2^53 has, the largest number of the protocol; they fit into 64 bits */
    MOST_ESCAPED_BYTES = 1024, /* of a value with escapes; it is copied */
    MOST_HEAD_BYTES = 4096     /* of a response; it is copied too */
};

static inline Py_ssize_t left(const Input *in) { return in->end - in->at; }

static inline int skip(Input *in, const char *text, size_t size) {
    if ((size_t)left(in) < size || memcmp(in->at, text, size) != 0) {
        return 0;
    }
    in->at += size;
    return 1;
}

#define SKIP(in, literal) skip(in, literal, sizeof(literal) - 1)

static inline int is(Text text, const char *literal, size_t size) {
    return (size_t)text.size == size && memcmp(text.at, literal, size) == 0;
}

#define IS(text, literal) is(text, literal, sizeof(literal) - 1)

/* Digits without a leading zero, as JSON has them. */
static int number(Input *in, long long *value) {
    const char *first = in->at;
    long long sum = 0;
    while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
        if (in->at - first == MOST_DIGITS) {
            return 0;
        }
        sum = sum * 10 + (*in->at - '0');
        in->at++;
    }
    *value = sum;
    return in->at > first && (*first != '0' || in->at - first == 1);
}

/* In a string of JSON these stand for themselves, and for one octet each. */
static inline int is_plain(char character) {
    unsigned char octet = (unsigned char)character;
    return octet >= 0x20 && octet < 0x80 && octet != '"' && octet != '\\';
}

/*
 * Whether all of eight octets are plain. In a subtraction that has no borrow from the octet below, the highest bit of an
 * octet is set where that octet is one that is looked for, or is no ASCII. A borrow comes only from one that was found.
 */
static inline int are_plain(const char *eight) {
    const uint64_t ones = 0x0101010101010101U;
    uint64_t octets;
    memcpy(&octets, eight, sizeof octets);
    uint64_t quotes = (octets ^ (ones * '"')) - ones;
    uint64_t backslashes = (octets ^ (ones * '\\')) - ones;
    uint64_t controls = octets - ones * 0x20;
    return ((octets | quotes | backslashes | controls) & (ones * 0x80)) == 0;
}

static inline void skip_plain(Input *in) {
    while (left(in) >= 8 && are_plain(in->at)) {
        in->at += 8;
    }
    while (in->at < in->end && is_plain(*in->at)) {
        in->at++;
    }
}

/* A string without escapes. */
static int string(Input *in, Text *text) {
    if (!SKIP(in, "\"")) {
        return 0;
    }
    text->at = in->at;
    skip_plain(in);
    text->size = in->at - text->at;
    return SKIP(in, "\"");
}

/* A string that may have quotes and backslashes, which are escaped. Then the scratch holds it. */
static int string_or_escaped(Input *in, Text *text, char *scratch) {
    text->at = NULL;
    if (string(in, text)) {
        return 1;
    }
    const char *first = text->at;
    size_t size = 0;
    while (first != NULL) {
        size_t more = (size_t)(in->at - first);
        if (more >= MOST_ESCAPED_BYTES - size) { /* one is for what was escaped */
            return 0;
        }
        memcpy(scratch + size, first, more);
        size += more;
        if (SKIP(in, "\"")) {
            *text = (Text){scratch, (Py_ssize_t)size};
            return 1;
        }
        if (left(in) < 2 || in->at[0] != '\\' || (in->at[1] != '"' && in->at[1] != '\\')) {
            return 0;
        }
        scratch[size++] = in->at[1];
        in->at += 2;
        first = in->at;
        skip_plain(in);
    }
    return 0;
}

/* ---- The head of a request ---- */

typedef struct {
    Text method;
    Text target;
    Text path; /* of the target, before its question mark */
    Text query;
    Text client;
    Text prefix;
    Text request_id;
    int has_request_id;
    int is_1_1;
    int is_https;
    char scratch[MOST_ESCAPED_BYTES];
} Head;

static int has_percent(Text text) { return memchr(text.at, '%', (size_t)text.size) != NULL; }

/* Up to the first field. */
static int begin_head(Input *in, Head *head) {
    long long ignored;
    Text version;
    if (!SKIP(in, "{\"type\":\"request\",\"id\":") || !number(in, &ignored) || !SKIP(in, ",\"timeoutMillis\":") ||
        !number(in, &ignored) || !SKIP(in, ",\"method\":") || !string(in, &head->method) || !SKIP(in, ",\"target\":") ||
        !string(in, &head->target) || !SKIP(in, ",\"version\":") || !string(in, &version) ||
        !SKIP(in, ",\"headers\":[")) {
        return 0;
    }
    head->is_1_1 = IS(version, "1.1");
    if ((!head->is_1_1 && !IS(version, "1.0")) || head->target.size == 0 || head->target.at[0] != '/') {
        return 0;
    }
    const char *mark = memchr(head->target.at, '?', (size_t)head->target.size);
    const char *end = head->target.at + head->target.size;
    head->path = (Text){head->target.at, (mark != NULL ? mark : end) - head->target.at};
    head->query = mark != NULL ? (Text){mark + 1, end - mark - 1} : (Text){end, 0};
    return !has_percent(head->path);
}

/* A field, from its bracket on. What it gives is good until the next one. */
static int field(Input *in, Head *head, Text *name, Text *value) {
    return SKIP(in, "[") && string(in, name) && SKIP(in, ",") && string_or_escaped(in, value, head->scratch) &&
           SKIP(in, "]");
}

/* Behind the last field, to the end of the frame. */
static int end_head(Input *in, Head *head) {
    Text scheme = {"http", 4};
    head->prefix = (Text){"", 0};
    if (!SKIP(in, "],\"client\":") || !string(in, &head->client)) {
        return 0;
    }
    if (SKIP(in, ",\"scheme\":") && !string(in, &scheme)) {
        return 0;
    }
    head->is_https = IS(scheme, "https");
    if (!head->is_https && !IS(scheme, "http")) {
        return 0;
    }
    if (SKIP(in, ",\"prefix\":") && (!string(in, &head->prefix) || has_percent(head->prefix))) {
        return 0;
    }
    head->has_request_id = SKIP(in, ",\"requestId\":");
    if (head->has_request_id && !string(in, &head->request_id)) {
        return 0;
    }
    return SKIP(in, "}") && left(in) == 0;
}

/* ---- Making objects: each of these returns NULL with an exception where there is no memory ---- */

static PyObject *shared(PyObject *object) {
    Py_INCREF(object);
    return object;
}

static PyObject *str_of(Text text) { return PyUnicode_DecodeASCII(text.at, text.size, NULL); }

static PyObject *bytes_of(Text text) { return PyBytes_FromStringAndSize(text.at, text.size); }

static PyObject *method_of(const Head *head, const Names *names) {
    return IS(head->method, "GET") ? shared(names->get) : str_of(head->method);
}

static PyObject *scheme_of(const Head *head, const Names *names) {
    return shared(head->is_https ? names->https : names->http);
}

static PyObject *request_id_of(const Head *head) {
    return head->has_request_id ? str_of(head->request_id) : shared(Py_None);
}

/* What a dictionary of the Python has for a key, or computes for it. To ask first what it has takes half of the time. */
static PyObject *looked_up(PyObject *dict, PyObject *key) {
    PyObject *value = PyDict_GetItemWithError(dict, key);
    if (value != NULL) {
        return shared(value);
    }
    return PyErr_Occurred() ? NULL : PyObject_GetItem(dict, key);
}

static PyObject *said_of(PyObject *dict, Text text) {
    PyObject *key = str_of(text);
    if (key == NULL) {
        return NULL;
    }
    PyObject *value = looked_up(dict, key);
    Py_DECREF(key);
    return value;
}

/* One of the two servers of a pair, the first for http and the second for https. Takes the reference to the pair. */
static PyObject *server_of(PyObject *either, const Head *head) {
    PyObject *server = either != NULL ? PyTuple_GetItem(either, head->is_https) : NULL;
    Py_XINCREF(server);
    Py_XDECREF(either);
    return server;
}

/* Takes the reference to the value, also where it fails; fails for no value. */
static int put(PyObject *dict, PyObject *key, PyObject *value) {
    if (value == NULL) {
        return 0;
    }
    int status = PyDict_SetItem(dict, key, value);
    Py_DECREF(value);
    return status == 0;
}

/* Puts both members of a pair, and takes the reference to it. */
static int put_pair(PyObject *dict, PyObject *first_key, PyObject *second_key, PyObject *pair) {
    PyObject *first = pair != NULL ? PyTuple_GetItem(pair, 0) : NULL;
    PyObject *second = first != NULL ? PyTuple_GetItem(pair, 1) : NULL;
    int has_put = second != NULL && PyDict_SetItem(dict, first_key, first) == 0 &&
                  PyDict_SetItem(dict, second_key, second) == 0;
    Py_XDECREF(pair);
    return has_put;
}

static PyObject *none_or_null(Outcome outcome) {
    if (outcome == FAILED) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static int input_of(PyObject *json, Input *in) {
    char *at;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(json, &at, &size) < 0) {
        return 0;
    }
    in->at = at;
    in->end = at + size;
    return 1;
}

static int takes(Py_ssize_t given, Py_ssize_t wanted) {
    if (given != wanted) {
        PyErr_Format(PyExc_TypeError, "%zd arguments were given, and %zd are taken", given, wanted);
    }
    return given == wanted;
}

/* ---- make_scope(json, deadline, state, model, version, clients, servers) ---- */

static PyObject *pair_of(Text first, Text second) {
    PyObject *parts[] = {bytes_of(first), bytes_of(second)};
    PyObject *pair = parts[0] != NULL && parts[1] != NULL ? PyTuple_Pack(2, parts[0], parts[1]) : NULL;
    Py_XDECREF(parts[0]);
    Py_XDECREF(parts[1]);
    return pair;
}

/* Appends the fields as pairs of bytes. `host` gets the value of the first Host. */
static Outcome put_fields(Input *in, Head *head, PyObject *fields, Text *host) {
    if (in->at < in->end && *in->at == ']') {
        return DONE;
    }
    do {
        Text name, value;
        if (!field(in, head, &name, &value)) {
            return UNUSUAL;
        }
        if (host->at == NULL && IS(name, "host")) {
            if (value.at == head->scratch) {
                return UNUSUAL; /* it would be written over */
            }
            *host = value;
        }
        PyObject *pair = pair_of(name, value);
        if (pair == NULL) {
            return FAILED;
        }
        int status = PyList_Append(fields, pair);
        Py_DECREF(pair);
        if (status < 0) {
            return FAILED;
        }
    } while (SKIP(in, ","));
    return DONE;
}

/* {"handoff": {"request_id": ..., "deadline": ...}} */
static PyObject *extensions_of(const Head *head, PyObject *deadline, const Names *names) {
    PyObject *ours = PyDict_New(), *extensions = PyDict_New();
    int has_all = ours != NULL && extensions != NULL && put(ours, names->request_id, request_id_of(head)) &&
                  put(ours, names->deadline, shared(deadline)) &&
                  PyDict_SetItem(extensions, names->handoff, ours) == 0;
    Py_XDECREF(ours);
    if (!has_all) {
        Py_CLEAR(extensions);
    }
    return extensions;
}

PyDoc_STRVAR(make_scope_doc, "make_scope(json, deadline, state, model, version, clients, servers)\n--\n\n"
                             "The ASGI scope of a request, a copy of the model; None where the Python has to make it.");

static PyObject *make_scope(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    Input in;
    if (!takes(count, 7) || !input_of(args[0], &in)) {
        return NULL;
    }
    PyObject *deadline = args[1], *state = args[2], *model = args[3], *version = args[4];
    PyObject *clients = args[5], *servers = args[6];
    const Names *names = names_of(module);
    Head head;
    Text host = {NULL, 0};
    if (!begin_head(&in, &head)) {
        Py_RETURN_NONE;
    }
    PyObject *fields = PyList_New(0);
    if (fields == NULL) {
        return NULL;
    }
    Outcome outcome = put_fields(&in, &head, fields, &host);
    if (outcome != DONE || !end_head(&in, &head)) {
        Py_DECREF(fields);
        return none_or_null(outcome);
    }
    PyObject *made = PyDict_Copy(model);
    if (made == NULL) {
        Py_DECREF(fields);
        return NULL;
    }
    if (!put(made, names->headers, fields) || /* from here on the scope has the fields */
        !put(made, names->asgi, PyDict_Copy(version)) ||
        !put(made, names->http_version, shared(head.is_1_1 ? names->version_1_1 : names->version_1_0)) ||
        !put(made, names->method, method_of(&head, names)) || !put(made, names->scheme, scheme_of(&head, names)) ||
        !put(made, names->path, str_of(head.path)) || !put(made, names->raw_path, bytes_of(head.path)) ||
        !put(made, names->query_string, bytes_of(head.query)) ||
        !put(made, names->root_path, str_of(head.prefix)) ||
        !put(made, names->client, said_of(clients, head.client)) ||
        !put(made, names->server, host.at == NULL ? shared(Py_None) : server_of(said_of(servers, host), &head)) ||
        !put(made, names->state, PyDict_Copy(state)) ||
        !put(made, names->extensions, extensions_of(&head, deadline, names))) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}

/* ---- make_environ(json, deadline, model, keys, clients, servers) ---- */

/* Puts the fields under the keys that the Python has for their names. UNUSUAL where two have the same key. */
static Outcome put_variables(Input *in, Head *head, PyObject *environ, PyObject *keys) {
    if (in->at < in->end && *in->at == ']') {
        return DONE;
    }
    Py_ssize_t size = PyDict_Size(environ);
    do {
        Text name, value;
        if (!field(in, head, &name, &value)) {
            return UNUSUAL;
        }
        PyObject *key = said_of(keys, name);
        if (key == NULL) {
            return FAILED;
        }
        if (key != Py_None) {
            int has_put = put(environ, key, str_of(value));
            size++;
            if (!has_put) {
                Py_DECREF(key);
                return FAILED;
            }
        }
        Py_DECREF(key);
    } while (SKIP(in, ","));
    return PyDict_Size(environ) == size ? DONE : UNUSUAL;
}

static int put_server(PyObject *environ, const Head *head, PyObject *servers, const Names *names) {
    PyObject *host = PyDict_GetItemWithError(environ, names->http_host);
    if (host == NULL && PyErr_Occurred()) {
        return 0;
    }
    PyObject *either = looked_up(servers, host != NULL ? host : names->localhost);
    return put_pair(environ, names->server_name, names->server_port, server_of(either, head));
}

/* Both names of the target have the same text. */
static int put_target(PyObject *environ, const Head *head, const Names *names) {
    PyObject *target = str_of(head->target);
    int has_put = target != NULL && PyDict_SetItem(environ, names->raw_uri, target) == 0 &&
                  PyDict_SetItem(environ, names->request_uri, target) == 0;
    Py_XDECREF(target);
    return has_put;
}

PyDoc_STRVAR(make_environ_doc, "make_environ(json, deadline, model, keys, clients, servers)\n--\n\n"
                          "The WSGI environ of a request, a copy of the model, but for its input; None where the Python "
                          "has to make it.");

static PyObject *make_environ(PyObject *module, PyObject *const *args, Py_ssize_t count) {
    Input in;
    if (!takes(count, 6) || !input_of(args[0], &in)) {
        return NULL;
    }
    PyObject *deadline = args[1], *model = args[2], *keys = args[3], *clients = args[4], *servers = args[5];
    const Names *names = names_of(module);
    Head head;
    if (!begin_head(&in, &head)) {
        Py_RETURN_NONE;
    }
    PyObject *made = PyDict_Copy(model);
    if (made == NULL) {
        return NULL;
    }
    Outcome outcome = put_variables(&in, &head, made, keys);
    if (outcome != DONE || !end_head(&in, &head) || head.prefix.size > head.path.size) {
        Py_DECREF(made);
        return none_or_null(outcome);
    }
    Text below = {head.path.at + head.prefix.size, head.path.size - head.prefix.size};
    if (!put(made, names->request_method, method_of(&head, names)) ||
        !put(made, names->script_name, str_of(head.prefix)) || !put(made, names->path_info, str_of(below)) ||
        !put(made, names->query, str_of(head.query)) || !put_target(made, &head, names) ||
        !put(made, names->url_scheme, scheme_of(&head, names)) ||
        !put(made, names->server_protocol, shared(head.is_1_1 ? names->protocol_1_1 : names->protocol_1_0)) ||
        !put_pair(made, names->remote_address, names->remote_port, said_of(clients, head.client)) ||
        !put(made, names->handoff_request_id, request_id_of(&head)) ||
        !put(made, names->handoff_deadline, shared(deadline)) || !put_server(made, &head, servers, names)) {
        Py_DECREF(made);
        return NULL;
    }
    return made;
}

/* ---- read_requests(data, start, messages, json_limit, body_limit) ---- */

enum { PREFIX_BYTES = 8 };

static uint32_t length_at(const char *at) {
    const unsigned char *octets = (const unsigned char *)at;
    return (uint32_t)octets[0] << 24 | (uint32_t)octets[1] << 16 | (uint32_t)octets[2] << 8 | octets[3];
}

/* Whether the JSON has the key `more` somewhere, or text that looks so. */
static int may_have_more(const char *at, size_t size) {
    static const char key[] = "\"more\":";
    const char *end = at + size;
    while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
        if ((size_t)(end - at) >= sizeof key - 1 && memcmp(at, key, sizeof key - 1) == 0) {
            return 1;
        }
        at++;
    }
    return 0;
}

/* (id, milliseconds, JSON, body); None for a frame that is no whole request as the core usually writes one. */
static PyObject *request_of(const char *json, size_t json_bytes, size_t body_bytes) {
    Input in = {json, json + json_bytes};
    long long id, millis;
    if (!SKIP(&in, "{\"type\":\"request\",\"id\":") || !number(&in, &id) || id == 0 ||
        !SKIP(&in, ",\"timeoutMillis\":") || !number(&in, &millis) || !SKIP(&in, ",\"")) {
        Py_RETURN_NONE;
    }
    /* The core writes `more` last, where a whole request has a quote. So one without a body is looked at no further. */
    if ((body_bytes != 0 || json[json_bytes - 2] != '"') && may_have_more(json, json_bytes)) {
        Py_RETURN_NONE;
    }
    PyObject *parts[] = {PyLong_FromLongLong(id), PyLong_FromLongLong(millis),
                         PyBytes_FromStringAndSize(json, (Py_ssize_t)json_bytes),
                         PyBytes_FromStringAndSize(json + json_bytes, (Py_ssize_t)body_bytes)};
    int has_all = parts[0] != NULL && parts[1] != NULL && parts[2] != NULL && parts[3] != NULL;
    PyObject *request = has_all ? PyTuple_Pack(4, parts[0], parts[1], parts[2], parts[3]) : NULL;
    for (size_t i = 0; i < 4; i++) {
        Py_XDECREF(parts[i]);
    }
    return request;
}

PyDoc_STRVAR(read_requests_doc, "read_requests(data, start, messages, json_limit, body_limit)\n--\n\n"
                           "Appends the requests from `start` on to `messages`, up to the first frame that the Python "
                           "has to read. Returns where that begins.");

static PyObject *read_requests(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    Input in;
    if (!takes(count, 5) || !input_of(args[0], &in)) {
        return NULL;
    }
    const char *first = in.at;
    Py_ssize_t start = PyLong_AsSsize_t(args[1]);
    long long json_limit = PyLong_AsLongLong(args[3]), body_limit = PyLong_AsLongLong(args[4]);
    if (PyErr_Occurred()) {
        return NULL;
    }
    if (start < 0 || start > left(&in)) {
        PyErr_SetString(PyExc_ValueError, "the start is not within the data");
        return NULL;
    }
    in.at += start;
    while (left(&in) >= PREFIX_BYTES) {
        uint32_t json_bytes = length_at(in.at), body_bytes = length_at(in.at + 4);
        uint64_t frame_bytes = (uint64_t)PREFIX_BYTES + json_bytes + body_bytes;
        if (json_bytes < 2 || json_bytes > json_limit || body_bytes > body_limit ||
            frame_bytes > (uint64_t)left(&in)) {
            break;
        }
        PyObject *request = request_of(in.at + PREFIX_BYTES, json_bytes, body_bytes);
        if (request == Py_None) {
            Py_DECREF(request);
            break;
        }
        if (request == NULL) {
            return NULL;
        }
        int status = PyList_Append(args[2], request);
        Py_DECREF(request);
        if (status < 0) {
            return NULL;
        }
        in.at += frame_bytes;
    }
    return PyLong_FromSsize_t(in.at - first);
}

/* ---- write_response_head(id, status, headers, body_bytes) ---- */

typedef struct {
    char octets[MOST_HEAD_BYTES];
    size_t size;
} Output;

static int add(Output *out, const char *octets, size_t size) {
    if (size > MOST_HEAD_BYTES - out->size) {
        return 0;
    }
    memcpy(out->octets + out->size, octets, size);
    out->size += size;
    return 1;
}

#define ADD(out, literal) add(out, literal, sizeof(literal) - 1)

static int add_number(Output *out, unsigned long long value) {
    char digits[20]; /* of 2^64 */
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    return add(out, digits + first, sizeof digits - first);
}

static void put_length(Output *out, size_t place, uint32_t length) {
    for (size_t i = 0; i < 4; i++) {
        out->octets[place + i] = (char)(length >> (24 - 8 * i) & 0xff);
    }
}

/* Characters of most names. Those of any other token are looked at by the Python. */
static int is_usual_name(Text name) {
    for (Py_ssize_t i = 0; i < name.size; i++) {
        char c = name.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-')) {
            return 0;
        }
    }
    return name.size > 0;
}

/* Visible ASCII and blanks, as a string of JSON without its quotes. */
static int add_value(Output *out, Text value) {
    Input in = {value.at, value.at + value.size};
    for (;;) {
        const char *first = in.at;
        skip_plain(&in);
        size_t size = (size_t)(in.at - first);
        if (memchr(first, 0x7f, size) != NULL || !add(out, first, size)) {
            return 0;
        }
        if (left(&in) == 0) {
            return 1;
        }
        if ((*in.at != '"' && *in.at != '\\') || !ADD(out, "\\") || !add(out, in.at, 1)) {
            return 0;
        }
        in.at++;
    }
}

static Outcome text_of(PyObject *object, Text *text) {
    if (!PyUnicode_CheckExact(object)) {
        return UNUSUAL;
    }
    text->at = PyUnicode_AsUTF8AndSize(object, &text->size);
    if (text->at == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeError)) {
            return FAILED;
        }
        PyErr_Clear(); /* a surrogate */
        return UNUSUAL;
    }
    return DONE;
}

static Outcome add_field(Output *out, PyObject *pair) {
    if (!PyTuple_CheckExact(pair) || PyTuple_Size(pair) != 2) {
        return UNUSUAL;
    }
    Text name, value;
    Outcome outcome = text_of(PyTuple_GetItem(pair, 0), &name);
    if (outcome == DONE) {
        outcome = text_of(PyTuple_GetItem(pair, 1), &value);
    }
    if (outcome != DONE) {
        return outcome;
    }
    int has_added = is_usual_name(name) && ADD(out, "[\"") && add(out, name.at, (size_t)name.size) &&
                    ADD(out, "\",\"") && add_value(out, value) && ADD(out, "\"]");
    return has_added ? DONE : UNUSUAL;
}

static Outcome add_fields(Output *out, PyObject *headers) {
    Py_ssize_t count = PyTuple_Size(headers);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!(i == 0 ? ADD(out, ",\"headers\":[") : ADD(out, ","))) {
            return UNUSUAL;
        }
        Outcome outcome = add_field(out, PyTuple_GetItem(headers, i));
        if (outcome != DONE) {
            return outcome;
        }
    }
    return count == 0 || ADD(out, "]") ? DONE : UNUSUAL;
}

/* A number that is an int and no bool, within bounds. */
static int number_of(PyObject *object, long long least, long long most, long long *value) {
    if (!PyLong_CheckExact(object)) {
        return 0;
    }
    int overflow;
    *value = PyLong_AsLongLongAndOverflow(object, &overflow);
    return overflow == 0 && *value >= least && *value <= most;
}

PyDoc_STRVAR(write_response_head_doc, "write_response_head(id, status, headers, body_bytes)\n--\n\n"
                                "Lengths and JSON of a whole response; None where the Python has to write them.");

static PyObject *write_response_head(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t count) {
    if (!takes(count, 4)) {
        return NULL;
    }
    long long id, status, body_bytes;
    if (!number_of(args[0], 0, INT64_MAX, &id) || !number_of(args[1], 200, 599, &status) ||
        !PyTuple_CheckExact(args[2]) || !number_of(args[3], 0, UINT32_MAX, &body_bytes)) {
        Py_RETURN_NONE;
    }
    Output out;
    out.size = PREFIX_BYTES;
    if (!ADD(&out, "{\"type\":\"response\",\"id\":") || !add_number(&out, (unsigned long long)id) ||
        !ADD(&out, ",\"status\":") || !add_number(&out, (unsigned long long)status)) {
        Py_RETURN_NONE;
    }
    Outcome outcome = add_fields(&out, args[2]);
    if (outcome != DONE || !ADD(&out, "}")) {
        return none_or_null(outcome);
    }
    put_length(&out, 0, (uint32_t)(out.size - PREFIX_BYTES));
    put_length(&out, 4, (uint32_t)body_bytes);
    return PyBytes_FromStringAndSize(out.octets, (Py_ssize_t)out.size);
}

/* ---- The module ---- */

static int begin_module(PyObject *module) {
    Names *names = names_of(module);
#define INTERN(name, text)                          \
    names->name = PyUnicode_InternFromString(text); \
    if (names->name == NULL) {                      \
        return -1;                                  \
    }
    NAMES(INTERN)
#undef INTERN
    return 0;
}

/* The names are strings, so there is no circle to be found through them. */
static void free_module(void *module) {
    Names *names = names_of(module);
#define CLEAR(name, text) Py_CLEAR(names->name);
    NAMES(CLEAR)
#undef CLEAR
}

/* Python's type for a function is that of two arguments, whatever the flag beside it says. */
#define FUNCTION(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef methods[] = {
    {"read_requests", FUNCTION(read_requests), METH_FASTCALL, read_requests_doc},
    {"make_scope", FUNCTION(make_scope), METH_FASTCALL, make_scope_doc},
    {"make_environ", FUNCTION(make_environ), METH_FASTCALL, make_environ_doc},
    {"write_response_head", FUNCTION(write_response_head), METH_FASTCALL, write_response_head_doc},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, begin_module},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", NULL, sizeof(Names), methods, slots, NULL, NULL, free_module,
};

PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&definition); }
