/// A whole Handoff worker in D, with the standard library alone; docs/PROTOCOL.md tells what it says and hears.
import core.atomic : atomicLoad, atomicStore;
import core.stdc.signal : SIG_IGN, signal, SIGINT, SIGTERM;
import core.thread : Thread;
import core.time : Duration, MonoTime, msecs, seconds;
import std.algorithm : canFind, max, min;
import std.array : split;
import std.bitmanip : bigEndianToNative, nativeToBigEndian;
import std.conv : to;
import std.datetime.systime : Clock;
import std.exception : enforce;
import std.format : format;
import std.json : JSONOptions, JSONType, JSONValue, parseJSON;
import std.process : environment, thisProcessID;
import std.random : uniform;
import std.socket : AddressFamily, Socket, SocketSet, SocketType, UnixAddress;
import std.stdio : stderr;

struct Response {
    int status;
    string[][] headers;
    const(ubyte)[] content;
}

/// Your part: from a request to a response. Requests come one after the other.
Response handle(JSONValue request, const(ubyte)[] body) {
    auto text = [["content-type", "text/plain"]];
    auto target = request["target"].str;
    switch (target.split("?")[0]) {
    case "/":
        return Response(200, text, cast(const(ubyte)[]) "hello\n");
    case "/echo":
        auto all = request["headers"].toString(JSONOptions.escapeNonAsciiChars | JSONOptions.doNotEscapeSlashes);
        return Response(200, [["Echo-Method", request["method"].str], ["Echo-Target", target], ["Echo-Headers", all]], body);
    default:
        return Response(404, text, cast(const(ubyte)[]) "There is nothing here.\n");
    }
}

shared bool terminated;

extern (C) void terminate(int) nothrow @nogc {
    terminated.atomicStore(true);
}

/// Null where there is no such key, or no object.
JSONValue key(JSONValue head, string name) {
    auto found = head.type == JSONType.object ? name in head : null;
    return found ? *found : JSONValue(null);
}

long number(JSONValue value, long otherwise = 0) {
    return value.type == JSONType.integer ? value.integer : otherwise;
}

/// One connection to the core.
final class Worker {
    bool draining;
    private Socket core;
    private ubyte[] output; // what the core gets next, in one write for one read: the speed
    private JSONValue limits;
    private bool streams;
    private bool[long] clocks; // event streams under way
    private Upload[long] uploads; // requests in pieces
    private long[long] credit; // the bytes that may still be sent to each clock and each WebSocket

    private static struct Upload {
        JSONValue head;
        ubyte[] content;
    }

    this(Socket core) {
        this.core = core;
    }

    /// Goes on until the core hangs up, which is no fault.
    void serve() {
        auto window = environment.get("HANDOFF_CONCURRENCY", "");
        auto hello = JSONValue(["type": "hello", "language": "d"]);
        hello["protocol"] = 1;
        hello["concurrency"] = window == "" ? 64 : window.to!int; // 1 or 2 for a handler that waits for others
        hello["pid"] = thisProcessID;
        hello["features"] = ["streams", "websockets"];
        hello["streams"] = 1000;
        foreach (name; ["pool", "token"]) {
            auto value = environment.get(name == "pool" ? "HANDOFF_POOL" : "HANDOFF_TOKEN", "");
            if (value != "") hello[name] = value;
        }
        send(hello);
        ubyte[] unread;
        auto chunk = new ubyte[65_536];
        auto tick = MonoTime.currTime + 1.seconds;
        auto ready = new SocketSet;
        while (true) {
            write();
            ready.reset();
            ready.add(core);
            if (Socket.select(ready, null, null, max(tick - MonoTime.currTime, Duration.zero)) > 0) {
                auto count = core.receive(chunk);
                enforce(count >= 0, core.getErrorText);
                if (count == 0) return;
                unread ~= chunk[0 .. count];
                unread = unread[takeFrames(unread) .. $];
            }
            if (terminated.atomicLoad && !draining) {
                draining = true; // no new requests; the core hangs up when it has all responses
                send(JSONValue(["type": "drain"]));
                endClocks();
            }
            if (MonoTime.currTime >= tick) {
                tick = MonoTime.currTime + 1.seconds;
                tickClocks();
            }
        }
    }

    private void write() {
        while (output.length > 0) {
            auto sent = core.send(output);
            enforce(sent >= 0, core.getErrorText);
            output = output[sent .. $];
        }
    }

    private void send(JSONValue head, const(ubyte)[] content = null) {
        auto json = cast(const(ubyte)[]) head.toString(JSONOptions.doNotEscapeSlashes);
        auto isLarge = json.length > limits.key("jsonBytes").number(long.max)
            || content.length > limits.key("bodyBytes").number(long.max);
        if (head["type"].str == "response" && isLarge)
            return fail(head["id"].integer, "the response is larger than the core takes");
        output ~= nativeToBigEndian(cast(uint) json.length)[] ~ nativeToBigEndian(cast(uint) content.length)[];
        output ~= json;
        output ~= content;
    }

    private JSONValue about(long id, string type) {
        auto head = JSONValue(["type": type]);
        head["id"] = id;
        return head;
    }

    private void fail(long id, string why) {
        auto failure = about(id, "failure");
        failure["message"] = why;
        send(failure);
    }

    /// How many bytes were whole frames.
    private size_t takeFrames(ubyte[] unread) {
        size_t at;
        size_t length(size_t from) {
            return bigEndianToNative!uint(unread[from .. from + 4][0 .. 4]);
        }

        while (unread.length >= at + 8 && unread.length >= at + 8 + length(at) + length(at + 4)) {
            auto content = at + 8 + length(at);
            auto end = content + length(at + 4);
            auto head = parseJSON(cast(const(char)[]) unread[at + 8 .. content]);
            enforce(head.type == JSONType.object, "the core sent a frame that is no object");
            take(head, unread[content .. end].dup);
            at = end;
        }
        return at;
    }

    private void take(JSONValue head, ubyte[] content) {
        auto id = head.key("id").number;
        auto more = head.key("more").type == JSONType.true_;
        auto type = head.key("type");
        switch (type.type == JSONType.string ? type.str : "") {
        case "welcome":
            limits = head["limits"];
            auto features = head.key("features");
            streams = features.type == JSONType.array && features.array.canFind(JSONValue("streams"));
            break;
        case "request":
            enforce(id > 0, "the core sent a request without an id");
            if (more) uploads[id] = Upload(head, content);
            else start(id, head, content);
            break;
        case "data":
            if (auto upload = id in uploads) {
                upload.content ~= content;
                if (more) break;
                auto whole = *upload;
                uploads.remove(id);
                start(id, whole.head, whole.content);
            }
            break;
        case "credit":
            if (auto left = id in credit) *left += head["bytes"].integer;
            break;
        case "message":
            auto echo = about(id, "message");
            echo["text"] = head.key("text");
            spend(id, content.length + 64, echo, content);
            break;
        case "close":
            if (credit.remove(id)) send(about(id, "close"));
            break;
        case "cancel":
            if (id in clocks) endClock(id);
            if (uploads.remove(id)) fail(id, "cancelled");
            break;
        case "ping":
            send(JSONValue(["type": "pong"]));
            break;
        case "drain":
            draining = true;
            endClocks();
            break;
        case "refused":
            throw new Exception("refused: " ~ head["message"].str);
        default:
        }
    }

    private void start(long id, JSONValue head, ubyte[] content) {
        auto firstCredit = limits.key("streamBytes").number(65_536);
        auto response = about(id, "response");
        if (head["target"].str == "/clock" && streams) {
            response["status"] = 200;
            response["headers"] = [["content-type", "text/event-stream"], ["cache-control", "no-store"]];
            clocks[id] = true;
        } else if (head["target"].str == "/chat" && head.key("websocket").type == JSONType.array) {
            response["status"] = 101;
        } else {
            try {
                auto made = handle(head, content);
                response["status"] = made.status;
                response["headers"] = made.headers;
                send(response, made.content);
            } catch (Exception error) {
                fail(id, error.toString);
            }
            return;
        }
        response["more"] = true;
        credit[id] = firstCredit;
        send(response);
    }

    /// A client that does not read misses what is sent meanwhile.
    private void spend(long id, long bytes, JSONValue head, const(ubyte)[] content) {
        auto left = id in credit;
        if (left is null || *left <= 0) return;
        *left -= bytes;
        send(head, content);
    }

    private void tickClocks() {
        auto now = Clock.currTime;
        auto event = cast(const(ubyte)[]) format!"data: %02d:%02d:%02d\n\n"(now.hour, now.minute, now.second);
        foreach (id; clocks.byKey) {
            auto data = about(id, "data");
            data["more"] = true;
            spend(id, event.length, data, event);
        }
    }

    /// Browsers connect again, and find another worker.
    private void endClocks() {
        foreach (clock; clocks.keys) endClock(clock);
    }

    private void endClock(long id) {
        clocks.remove(id);
        credit.remove(id);
        send(about(id, "data"));
    }
}

int main() {
    auto path = environment.get("HANDOFF_SOCKET", "");
    if (path == "") {
        stderr.writeln("HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'");
        return 2;
    }
    signal(SIGINT, SIG_IGN); // Ctrl-C reaches the core, which drains its workers
    signal(SIGTERM, &terminate);
    auto pause = 100.msecs;
    while (true) {
        bool drained;
        auto core = new Socket(AddressFamily.UNIX, SocketType.STREAM);
        try {
            core.connect(new UnixAddress(path));
            auto worker = new Worker(core);
            worker.serve();
            drained = worker.draining;
        } catch (Exception error) {
            stderr.writeln("no core, or a broken frame: ", error.msg);
        }
        core.close();
        // A worker that the core started leaves with it.
        if (terminated.atomicLoad || environment.get("HANDOFF_TOKEN", "") != "") return drained ? 0 : 1;
        if (drained) pause = 100.msecs;
        Thread.sleep(pause * uniform(500, 1500) / 1000);
        pause = min(2 * pause, 5.seconds);
    }
}
