//! A whole Handoff worker in Zig, with the standard library alone; docs/PROTOCOL.md tells what it says and hears.
const std = @import("std");
const posix = std.posix;
const Allocator = std.mem.Allocator;

const Header = [2][]const u8;
const Request = struct { method: []const u8, target: []const u8, headers: []const Header };
const Response = struct { status: u16 = 200, headers: []const Header = text, content: []const u8 };
const text: []const Header = &.{.{ "content-type", "text/plain" }};

/// Your part. Requests come one after the other; what `arena` gives is gone when the response has been written.
fn handle(arena: Allocator, request: Request, body: []const u8) !Response {
    const path = request.target[0 .. std.mem.findScalar(u8, request.target, '?') orelse request.target.len];
    if (std.mem.eql(u8, path, "/")) return .{ .content = "hello\n" };
    if (std.mem.eql(u8, path, "/echo")) {
        const all = try std.json.Stringify.valueAlloc(arena, request.headers, .{ .escape_unicode = true });
        const headers = [_]Header{ .{ "Echo-Method", request.method }, .{ "Echo-Target", request.target }, .{ "Echo-Headers", all } };
        return .{ .headers = try arena.dupe(Header, &headers), .content = body };
    }
    return .{ .status = 404, .content = "There is nothing here.\n" };
}

const Id = u64;
const second = std.time.ms_per_s;
const read_bytes = 64 * 1024;
const Kind = enum { welcome, request, data, credit, message, close, cancel, ping, drain, refused };
const Limits = struct { jsonBytes: usize = std.math.maxInt(usize), bodyBytes: usize = std.math.maxInt(usize), streamBytes: i64 = 64 * 1024 };
const Upload = struct { head: []const u8, body: std.ArrayList(u8) };

var terminated: std.atomic.Value(bool) = .init(false);

fn terminate(_: posix.SIG) callconv(.c) void {
    terminated.store(true, .monotonic);
}

/// One connection to the core.
const Worker = struct {
    gpa: Allocator,
    io: std.Io,
    core: posix.fd_t,
    arena: std.heap.ArenaAllocator, // what is needed for one frame
    unread: std.ArrayList(u8) = .empty,
    output: std.Io.Writer.Allocating, // what the core gets next, in one write for one read: the speed
    sent: usize = 0, // bytes of it
    limits: Limits = .{},
    welcomed: bool = false,
    streams: bool = false,
    draining: bool = false,
    uploads: std.AutoArrayHashMapUnmanaged(Id, Upload) = .empty, // requests in pieces
    clocks: std.AutoArrayHashMapUnmanaged(Id, i64) = .empty, // event streams, with the bytes that may still be sent to each
    chats: std.AutoArrayHashMapUnmanaged(Id, i64) = .empty, // WebSockets, likewise

    fn deinit(worker: *Worker) void {
        for (worker.uploads.values()) |*upload| worker.free(upload);
        worker.uploads.deinit(worker.gpa);
        worker.clocks.deinit(worker.gpa);
        worker.chats.deinit(worker.gpa);
        worker.unread.deinit(worker.gpa);
        worker.output.deinit();
        worker.arena.deinit();
    }

    fn free(worker: *Worker, upload: *Upload) void {
        worker.gpa.free(upload.head);
        upload.body.deinit(worker.gpa);
    }

    fn parse(worker: *Worker, Type: type, json: []const u8) !Type {
        const lenient: std.json.ParseOptions = .{ .ignore_unknown_fields = true, .duplicate_field_behavior = .use_last };
        return std.json.parseFromSliceLeaky(Type, worker.arena.allocator(), json, lenient);
    }

    /// Writes the head where it stays, and the lengths before it when they are known. Returns that of the head.
    fn send(worker: *Worker, head: anytype, body: []const u8) !usize {
        const begin = worker.output.written().len;
        try worker.output.writer.splatByteAll(0, 8);
        try std.json.Stringify.value(head, .{ .emit_null_optional_fields = false }, &worker.output.writer);
        const json_bytes = worker.output.written().len - begin - 8;
        try worker.output.writer.writeAll(body);
        std.mem.writeInt(u32, worker.output.written()[begin..][0..4], @intCast(json_bytes), .big);
        std.mem.writeInt(u32, worker.output.written()[begin + 4 ..][0..4], @intCast(body.len), .big);
        return json_bytes;
    }

    fn tell(worker: *Worker, head: anytype) !void {
        _ = try worker.send(head, "");
    }

    fn fail(worker: *Worker, id: Id, why: []const u8) !void {
        try worker.tell(.{ .type = "failure", .id = id, .message = why });
    }

    fn respond(worker: *Worker, id: Id, response: Response) !void {
        const begin = worker.output.written().len;
        const head = .{ .type = "response", .id = id, .status = response.status, .headers = response.headers };
        if (response.content.len > worker.limits.bodyBytes or try worker.send(head, response.content) > worker.limits.jsonBytes) {
            worker.output.shrinkRetainingCapacity(begin);
            try worker.fail(id, "the response is larger than the core takes");
        }
    }

    fn start(worker: *Worker, id: Id, head: []const u8, body: []const u8) !void {
        const request = try worker.parse(Request, head);
        if (worker.streams and std.mem.eql(u8, request.target, "/clock")) {
            const events: []const Header = &.{ .{ "content-type", "text/event-stream" }, .{ "cache-control", "no-store" } };
            try worker.tell(.{ .type = "response", .id = id, .status = 200, .headers = events, .more = true });
            return worker.clocks.put(worker.gpa, id, worker.limits.streamBytes);
        }
        if (std.mem.eql(u8, request.target, "/chat")) {
            const asked = try worker.parse(struct { websocket: ?[]const []const u8 = null }, head);
            if (asked.websocket != null) {
                try worker.tell(.{ .type = "response", .id = id, .status = 101, .more = true });
                return worker.chats.put(worker.gpa, id, worker.limits.streamBytes);
            }
        }
        const response = handle(worker.arena.allocator(), request, body) catch |why| return worker.fail(id, @errorName(why));
        try worker.respond(id, response);
    }

    /// A client that does not read misses what is sent meanwhile.
    fn spend(worker: *Worker, credit: ?*i64, bytes: usize, head: anytype, body: []const u8) !void {
        if (credit) |left| if (left.* > 0) {
            left.* -= @intCast(bytes);
            _ = try worker.send(head, body);
        };
    }

    fn tick(worker: *Worker) !void {
        const now: u64 = @intCast(std.Io.Clock.real.now(worker.io).toSeconds());
        const day: std.time.epoch.DaySeconds = .{ .secs = @intCast(now % std.time.s_per_day) };
        var buffer: [32]u8 = undefined;
        const parts = .{ day.getHoursIntoDay(), day.getMinutesIntoHour(), day.getSecondsIntoMinute() };
        const event = try std.fmt.bufPrint(&buffer, "data: {d:0>2}:{d:0>2}:{d:0>2}\n\n", parts);
        for (worker.clocks.keys(), worker.clocks.values()) |id, *credit| {
            try worker.spend(credit, event.len, .{ .type = "data", .id = id, .more = true }, event);
        }
        if (worker.draining) { // browsers connect again, and find another worker
            while (worker.clocks.pop()) |clock| try worker.tell(.{ .type = "data", .id = clock.key });
        }
    }

    fn take(worker: *Worker, json: []const u8, body: []const u8) !void {
        const head = try worker.parse(struct { type: []const u8, id: ?Id = null, more: ?std.json.Value = null }, json);
        const kind = std.meta.stringToEnum(Kind, head.type) orelse return; // what a newer core says
        const id = head.id orelse 0;
        const more = if (head.more) |value| value == .bool and value.bool else false;
        switch (kind) {
            .welcome => {
                const welcome = try worker.parse(struct { limits: Limits, features: ?[]const []const u8 = null }, json);
                worker.limits = welcome.limits;
                worker.welcomed = true;
                for (welcome.features orelse &.{}) |feature| worker.streams = worker.streams or std.mem.eql(u8, feature, "streams");
            },
            .request => {
                if (id == 0) return error.RequestWithoutId;
                if (!more) return worker.start(id, json, body);
                const begun = try worker.uploads.getOrPutValue(worker.gpa, id, .{ .head = try worker.gpa.dupe(u8, json), .body = .empty });
                try begun.value_ptr.body.appendSlice(worker.gpa, body);
            },
            .data => if (worker.uploads.getPtr(id)) |begun| {
                try begun.body.appendSlice(worker.gpa, body);
                if (more) return;
                var upload = worker.uploads.fetchSwapRemove(id).?.value;
                defer worker.free(&upload);
                try worker.start(id, upload.head, upload.body.items);
            },
            .credit => {
                const bytes = (try worker.parse(struct { bytes: i64 }, json)).bytes;
                if (worker.clocks.getPtr(id) orelse worker.chats.getPtr(id)) |left| left.* +|= bytes;
            },
            .message => {
                const is_text = (try worker.parse(struct { text: ?bool = null }, json)).text orelse false;
                try worker.spend(worker.chats.getPtr(id), body.len + 64, .{ .type = "message", .id = id, .text = is_text }, body);
            },
            .close => if (worker.chats.swapRemove(id)) try worker.tell(.{ .type = "close", .id = id }),
            .cancel => {
                if (worker.clocks.swapRemove(id)) try worker.tell(.{ .type = "data", .id = id });
                if (worker.uploads.fetchSwapRemove(id)) |begun| {
                    var upload = begun.value;
                    worker.free(&upload);
                    try worker.fail(id, "cancelled");
                }
            },
            .ping => try worker.tell(.{ .type = "pong" }),
            .drain => worker.draining = true,
            .refused => {
                std.log.err("refused: {s}", .{(try worker.parse(struct { message: []const u8 }, json)).message});
                return error.Refused;
            },
        }
    }

    /// Returns whether the core is still there.
    fn read(worker: *Worker) !bool {
        try worker.unread.ensureUnusedCapacity(worker.gpa, read_bytes);
        const count = try posix.read(worker.core, worker.unread.unusedCapacitySlice());
        worker.unread.items.len += count;
        var frames: []const u8 = worker.unread.items;
        while (frames.len >= 8) {
            const json = 8 + @as(usize, std.mem.readInt(u32, frames[0..4], .big));
            const end = json + std.mem.readInt(u32, frames[4..8], .big);
            if (frames.len < end) break;
            try worker.take(frames[8..json], frames[json..end]);
            _ = worker.arena.reset(.{ .retain_with_limit = 1024 * 1024 });
            frames = frames[end..];
        }
        std.mem.copyForwards(u8, worker.unread.items, frames);
        worker.unread.items.len = frames.len;
        return count > 0;
    }

    /// As much as the core takes now.
    fn write(worker: *Worker) !void {
        const left = worker.output.written()[worker.sent..];
        if (left.len == 0) return;
        const count = posix.system.sendto(worker.core, left.ptr, left.len, posix.MSG.DONTWAIT, null, 0);
        switch (posix.errno(count)) {
            .SUCCESS => worker.sent += @intCast(count),
            .AGAIN, .INTR => {},
            else => return error.CoreHungUp,
        }
        if (worker.sent == worker.output.written().len) {
            worker.output.clearRetainingCapacity();
            worker.sent = 0;
        }
    }

    fn hello(worker: *Worker, variables: *std.process.Environ.Map) !void {
        // 1 or 2 for a handler that waits for others.
        const window = std.fmt.parseInt(u31, variable(variables, "HANDOFF_CONCURRENCY") orelse "", 10) catch 64;
        try worker.tell(.{
            .type = "hello",
            .protocol = 1,
            .concurrency = window,
            .pool = variable(variables, "HANDOFF_POOL"),
            .token = variable(variables, "HANDOFF_TOKEN"),
            .pid = posix.system.getpid(),
            .language = "zig " ++ @import("builtin").zig_version_string,
            .features = [_][]const u8{ "streams", "websockets" },
            .streams = 1000,
        });
    }

    /// Goes on until the core hangs up.
    fn serve(worker: *Worker) !void {
        var next_tick = worker.millis() + second;
        while (true) {
            try worker.write();
            const waits: i16 = if (worker.output.written().len > 0) posix.POLL.OUT else 0;
            var ready = [_]posix.pollfd{.{ .fd = worker.core, .events = posix.POLL.IN | waits, .revents = 0 }};
            const found = posix.system.poll(&ready, 1, @intCast(@max(next_tick - worker.millis(), 0)));
            if (posix.errno(found) == .SUCCESS and ready[0].revents & ~@as(i16, posix.POLL.OUT) != 0) {
                if (!try worker.read()) return;
            }
            if (terminated.load(.monotonic) and worker.welcomed and !worker.draining) {
                worker.draining = true; // no new requests; the core hangs up when it has all responses
                try worker.tell(.{ .type = "drain" });
            }
            if (worker.millis() >= next_tick) {
                next_tick = worker.millis() + second;
                try worker.tick();
            }
        }
    }

    fn millis(worker: *Worker) i64 {
        return std.Io.Clock.awake.now(worker.io).toMilliseconds();
    }
};

/// An empty one counts as not there.
fn variable(variables: *std.process.Environ.Map, name: []const u8) ?[]const u8 {
    const value = variables.get(name) orelse return null;
    return if (value.len == 0) null else value;
}

/// Serves one connection, and tells whether one of the two has said drain.
fn connect(init: std.process.Init, path: []const u8) !bool {
    const address: std.Io.net.UnixAddress = try .init(path);
    const core = try address.connect(init.io);
    defer core.close(init.io);
    var worker: Worker = .{ .gpa = init.gpa, .io = init.io, .core = core.socket.handle, .arena = .init(init.gpa), .output = .init(init.gpa) };
    defer worker.deinit();
    try worker.hello(init.environ_map);
    try worker.serve();
    return worker.draining;
}

fn onSignal(signal: posix.SIG, handler: ?posix.Sigaction.handler_fn) void {
    posix.sigaction(signal, &.{ .handler = .{ .handler = handler }, .mask = posix.sigemptyset(), .flags = 0 }, null);
}

pub fn main(init: std.process.Init) !u8 {
    const path = variable(init.environ_map, "HANDOFF_SOCKET") orelse {
        std.log.err("HANDOFF_SOCKET is not set: start this worker with 'handoff run ./worker'", .{});
        return 2;
    };
    onSignal(.INT, posix.SIG.IGN); // Ctrl-C reaches the core, which drains its workers
    onSignal(.PIPE, posix.SIG.IGN);
    onSignal(.TERM, terminate);
    var pause: u64 = 100;
    while (true) {
        const drained = connect(init, path) catch |why| failed: {
            std.log.err("no core, or a broken frame: {t}", .{why});
            break :failed false;
        };
        const of_the_core = variable(init.environ_map, "HANDOFF_TOKEN") != null; // which it leaves with
        if (of_the_core or terminated.load(.monotonic)) return if (drained) 0 else 1;
        if (drained) pause = 100;
        var share: u64 = undefined;
        init.io.random(std.mem.asBytes(&share));
        var nothing: [0]posix.pollfd = .{};
        _ = posix.system.poll(&nothing, 0, @intCast(pause / 2 + share % pause)); // SIGTERM ends it
        if (terminated.load(.monotonic)) return 0;
        pause = @min(2 * pause, 5000);
    }
}
