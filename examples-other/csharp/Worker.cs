// A whole Handoff worker in C#, with what Mono brings; docs/PROTOCOL.md tells what it says and hears.
using System;
using System.Collections.Generic;
using System.IO;
using System.Json;
using System.Linq;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using Mono.Unix;
using Mono.Unix.Native;

static class Handler {
    static readonly JsonArray Text = new JsonArray {Header("content-type", "text/plain")};

    // Your part: from a request to a response. Requests come one after the other.
    public static Response Handle(JsonObject request, byte[] body) {
        string target = request["target"];
        switch (target.Split('?')[0]) {
            case "/":
                return new Response {Status = 200, Headers = Text, Content = Encoding.UTF8.GetBytes("hello\n")};
            case "/echo":
                var all = Header("Echo-Headers", request["headers"].ToString());
                var echo = new JsonArray(Header("Echo-Method", request["method"]), Header("Echo-Target", target), all);
                return new Response {Status = 200, Headers = echo, Content = body};
            default:
                return new Response {Status = 404, Headers = Text, Content = Encoding.UTF8.GetBytes("There is nothing here.\n")};
        }
    }

    public static JsonArray Header(string name, string value) => new JsonArray(name, value);
}

class Response {
    public int Status;
    public JsonArray Headers;
    public byte[] Content;
}

// A request in pieces.
class Upload {
    public readonly JsonObject Head;
    public readonly MemoryStream Body = new MemoryStream();

    public Upload(JsonObject head, byte[] begun) {
        Head = head;
        Body.Write(begun, 0, begun.Length);
    }
}

// One connection to the core.
class Worker {
    static readonly JsonArray Events =
        new JsonArray(Handler.Header("content-type", "text/event-stream"), Handler.Header("cache-control", "no-store"));
    static readonly byte[] Nothing = new byte[0];

    public static volatile bool Terminated;
    public bool Draining;
    readonly Socket core;
    readonly MemoryStream output = new MemoryStream(); // what the core gets next, in one write for one read: the speed
    byte[] unread = new byte[65536];
    int count; // of the bytes in unread
    JsonValue limits = new JsonObject();
    bool streams;
    readonly HashSet<long> clocks = new HashSet<long>(); // event streams under way
    readonly Dictionary<long, Upload> uploads = new Dictionary<long, Upload>();
    readonly Dictionary<long, long> credit = new Dictionary<long, long>(); // what may still be sent to each clock and WebSocket

    public Worker(Socket core) => this.core = core;

    public static string Variable(string name) {
        var value = Environment.GetEnvironmentVariable(name);
        return value == "" ? null : value;
    }

    // Goes on until the core hangs up, which is no fault.
    public void Serve() {
        var window = Variable("HANDOFF_CONCURRENCY"); // 1 or 2 for a handler that waits for others
        Send(new JsonObject {
            {"type", "hello"}, {"protocol", 1}, {"concurrency", window == null ? 64 : int.Parse(window)},
            {"pool", Variable("HANDOFF_POOL")}, {"token", Variable("HANDOFF_TOKEN")}, {"pid", Syscall.getpid()},
            {"language", "c#, mono " + Environment.Version}, {"features", new JsonArray("streams", "websockets")}, {"streams", 1000}});
        var tick = DateTime.UtcNow.AddSeconds(1);
        while (true) {
            core.Send(output.GetBuffer(), 0, (int) output.Length, SocketFlags.None);
            output.SetLength(0);
            var wait = Math.Max(0, (tick - DateTime.UtcNow).TotalMilliseconds);
            if (core.Poll((int) (1000 * wait), SelectMode.SelectRead)) {
                if (count == unread.Length) Array.Resize(ref unread, 2 * count);
                var more = core.Receive(unread, count, unread.Length - count, SocketFlags.None);
                if (more == 0) return;
                count += more;
                TakeFrames();
            }
            if (Terminated && !Draining) {
                Draining = true; // no new requests; the core hangs up when it has all responses
                Send(new JsonObject {{"type", "drain"}});
                EndClocks();
            }
            if (DateTime.UtcNow >= tick) {
                tick = DateTime.UtcNow.AddSeconds(1);
                Tick();
            }
        }
    }

    void Send(JsonObject head, byte[] body = null) {
        body = body ?? Nothing;
        var json = Encoding.UTF8.GetBytes(head.ToString());
        if (head["type"] == "response" && (json.Length > Limit("jsonBytes") || body.Length > Limit("bodyBytes"))) {
            Fail(head["id"], "the response is larger than the core takes");
            return;
        }
        foreach (var size in new[] {json.Length, body.Length})
            for (var shift = 24; shift >= 0; shift -= 8) output.WriteByte((byte) (size >> shift));
        output.Write(json, 0, json.Length);
        output.Write(body, 0, body.Length);
    }

    long Limit(string name, long otherwise = long.MaxValue) => limits.ContainsKey(name) ? (long) limits[name] : otherwise;

    void Fail(long id, string why) => Send(new JsonObject {{"type", "failure"}, {"id", id}, {"message", why}});

    void TakeFrames() {
        Func<int, int> length = at => unread[at] << 24 | unread[at + 1] << 16 | unread[at + 2] << 8 | unread[at + 3];
        var begin = 0;
        while (count - begin >= 8 && count - begin >= 8 + length(begin) + length(begin + 4)) {
            var json = new UTF8Encoding(false, true).GetString(unread, begin + 8, length(begin));
            var body = new byte[length(begin + 4)];
            Buffer.BlockCopy(unread, begin + 8 + length(begin), body, 0, body.Length);
            begin += 8 + length(begin) + body.Length;
            var head = JsonValue.Parse(json) as JsonObject;
            if (head == null) throw new IOException("the core sent a frame that is no object");
            Take(head, body);
        }
        count -= begin;
        Buffer.BlockCopy(unread, begin, unread, 0, count);
    }

    static JsonValue Key(JsonObject head, string name) => head.ContainsKey(name) ? head[name] : null;

    void Take(JsonObject head, byte[] body) {
        var id = (long) (Key(head, "id") ?? 0);
        var more = (bool) (Key(head, "more") ?? false);
        switch ((string) Key(head, "type")) {
            case "welcome":
                limits = head["limits"];
                streams = (Key(head, "features") as JsonArray)?.Any(each => each == "streams") ?? false;
                break;
            case "request":
                if (id == 0) throw new IOException("the core sent a request without an id");
                if (more) uploads[id] = new Upload(head, body);
                else Start(id, head, body);
                break;
            case "data":
                Upload upload;
                if (!uploads.TryGetValue(id, out upload)) break;
                upload.Body.Write(body, 0, body.Length);
                if (more) break;
                uploads.Remove(id);
                Start(id, upload.Head, upload.Body.ToArray());
                break;
            case "credit":
                if (credit.ContainsKey(id)) credit[id] += (long) head["bytes"];
                break;
            case "message":
                Spend(id, body.Length + 64, new JsonObject {{"type", "message"}, {"id", id}, {"text", Key(head, "text")}}, body);
                break;
            case "close":
                if (credit.Remove(id)) Send(new JsonObject {{"type", "close"}, {"id", id}});
                break;
            case "cancel":
                if (clocks.Contains(id)) EndClock(id);
                if (uploads.Remove(id)) Fail(id, "cancelled");
                break;
            case "ping":
                Send(new JsonObject {{"type", "pong"}});
                break;
            case "drain":
                Draining = true;
                EndClocks();
                break;
            case "refused":
                throw new IOException("refused: " + head["message"]);
        }
    }

    void Start(long id, JsonObject request, byte[] body) {
        var target = (string) request["target"];
        if (target == "/clock" && streams) {
            Send(new JsonObject {{"type", "response"}, {"id", id}, {"status", 200}, {"headers", Events}, {"more", true}});
            clocks.Add(id);
            credit[id] = Limit("streamBytes");
        } else if (target == "/chat" && Key(request, "websocket") is JsonArray) {
            Send(new JsonObject {{"type", "response"}, {"id", id}, {"status", 101}, {"more", true}});
            credit[id] = Limit("streamBytes", 65536);
        } else {
            try {
                var made = Handler.Handle(request, body);
                Send(new JsonObject {{"type", "response"}, {"id", id}, {"status", made.Status}, {"headers", made.Headers}}, made.Content);
            } catch (Exception error) {
                Fail(id, error.ToString());
            }
        }
    }

    // A client that does not read misses what is sent meanwhile.
    void Spend(long id, long bytes, JsonObject head, byte[] body) {
        long left;
        if (!credit.TryGetValue(id, out left) || left <= 0) return;
        credit[id] = left - bytes;
        Send(head, body);
    }

    void Tick() {
        var now = Encoding.UTF8.GetBytes($"data: {DateTime.Now:HH:mm:ss}\n\n");
        foreach (var id in clocks) Spend(id, now.Length, new JsonObject {{"type", "data"}, {"id", id}, {"more", true}}, now);
    }

    // Browsers connect again, and find another worker.
    void EndClocks() {
        foreach (var id in clocks.ToList()) EndClock(id);
    }

    void EndClock(long id) {
        clocks.Remove(id);
        credit.Remove(id);
        Send(new JsonObject {{"type", "data"}, {"id", id}});
    }
}

static class Program {
    static int Main() {
        var path = Worker.Variable("HANDOFF_SOCKET");
        if (path == null) {
            Console.Error.WriteLine("HANDOFF_SOCKET is not set: start this worker with 'handoff run -- mono worker.exe'");
            return 2;
        }
        Stdlib.SetSignalAction(Signum.SIGINT, SignalAction.Ignore); // Ctrl-C reaches the core, which drains its workers
        var term = new UnixSignal(Signum.SIGTERM);
        new Thread(() => { term.WaitOne(); Worker.Terminated = true; }) {IsBackground = true}.Start();
        var random = new Random();
        for (var pause = 0.1;; pause = Math.Min(2 * pause, 5)) {
            var drained = false;
            try {
                using (var core = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)) {
                    core.Connect(new UnixEndPoint(path));
                    var worker = new Worker(core);
                    worker.Serve();
                    drained = worker.Draining;
                }
            } catch (Exception error) {
                Console.Error.WriteLine("no core, or a broken frame: " + error.Message);
            }
            // A worker that the core started leaves with it.
            if (Worker.Terminated || Worker.Variable("HANDOFF_TOKEN") != null) return drained ? 0 : 1;
            if (drained) pause = 0.1;
            Thread.Sleep((int) (pause * random.Next(500, 1500)));
        }
    }
}
