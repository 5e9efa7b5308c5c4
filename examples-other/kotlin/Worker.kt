import jakarta.json.JsonArray
import jakarta.json.JsonNumber
import jakarta.json.JsonObject
import jakarta.json.JsonValue
import jakarta.json.spi.JsonProvider
import java.io.BufferedInputStream
import java.io.ByteArrayOutputStream
import java.io.DataInputStream
import java.io.EOFException
import java.io.IOException
import java.io.StringReader
import java.net.UnixDomainSocketAddress
import java.nio.ByteBuffer
import java.nio.channels.Channels
import java.nio.channels.SocketChannel
import java.time.LocalTime
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CountDownLatch
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.atomic.AtomicLong
import kotlin.concurrent.thread
import kotlin.math.min
import kotlin.random.Random
import kotlin.system.exitProcess

// A whole Handoff worker in Kotlin, with JSON-P; docs/PROTOCOL.md tells what it says and hears.

class Response(val status: Int, val headers: List<List<String>>, val content: ByteArray)

val TEXT = listOf(listOf("content-type", "text/plain"))

/** Your part. Each request has a virtual thread of its own, so it may take its time. */
fun handle(request: JsonObject, body: ByteArray): Response {
    val target = request.getString("target")
    return when (target.substringBefore('?')) {
        "/" -> Response(200, TEXT, "hello\n".toByteArray())
        "/echo" -> {
            val all = request.getJsonArray("headers").toString()
            val echo = listOf("Echo-Method" to request.getString("method"), "Echo-Target" to target, "Echo-Headers" to all)
            Response(200, echo.map { it.toList() }, body)
        }
        else -> Response(404, TEXT, "There is nothing here.\n".toByteArray())
    }
}

val JSON: JsonProvider = JsonProvider.provider() // finding it takes long
val NOTHING = ByteArray(0)
const val MOST_FRAMES = 64

/** The JSON of a message; null is the same as no such key. */
fun message(type: String, vararg others: Pair<String, Any?>): JsonObject =
    JSON.createObjectBuilder((mapOf("type" to type) + others).filterValues { it != null }).build()

fun JsonObject.flag(key: String) = this[key] == JsonValue.TRUE

fun JsonObject.number(key: String) = (this[key] as? JsonNumber)?.longValueExact()

fun variable(name: String): String? = System.getenv(name)?.ifEmpty { null }

/** One connection to the core. */
class Worker(private val core: SocketChannel) {
    private class Upload(val head: JsonObject, val body: ByteArrayOutputStream = ByteArrayOutputStream())

    private val out = LinkedBlockingQueue<ByteBuffer>(10_000)
    private val uploads = HashMap<Long, Upload>() // requests in pieces
    private val clocks = ConcurrentHashMap<Long, AtomicLong>() // event streams, with the bytes that may still be sent to each
    private val chats = ConcurrentHashMap<Long, AtomicLong>() // WebSockets, likewise
    private val welcomed = CountDownLatch(1)
    private var streams = false

    @Volatile private var limits = JsonValue.EMPTY_JSON_OBJECT

    @Volatile var draining = false
        private set

    /** Goes on until the core hangs up, which is no fault. */
    fun serve() {
        val writer = thread(isDaemon = true) { untilInterrupted { write() } }
        val ticker = Thread.startVirtualThread { untilInterrupted { tick() } }
        try {
            send(hello())
            val input = DataInputStream(BufferedInputStream(Channels.newInputStream(core), 65_536))
            while (true) {
                val json = ByteArray(input.readInt())
                val body = ByteArray(input.readInt())
                input.readFully(json)
                input.readFully(body)
                take(JSON.createReader(StringReader(json.decodeToString())).use { it.readObject() }, body)
            }
        } catch (hungUp: EOFException) {
            // It needs this worker no more, or has ended.
        } finally {
            writer.interrupt()
            ticker.interrupt()
            welcomed.countDown() // nobody need wait for it any more
        }
    }

    private fun untilInterrupted(once: () -> Unit) {
        try {
            while (true) once()
        } catch (over: InterruptedException) {
            // The connection has ended.
        } catch (over: IOException) {
            // The reader notices too.
        }
    }

    private fun hello() = message(
        "hello",
        "protocol" to 1,
        "concurrency" to (variable("HANDOFF_CONCURRENCY")?.toIntOrNull() ?: 64),
        "pool" to variable("HANDOFF_POOL"),
        "token" to variable("HANDOFF_TOKEN"),
        "pid" to ProcessHandle.current().pid(),
        "language" to "kotlin ${KotlinVersion.CURRENT}",
        "features" to listOf("streams", "websockets"),
        "streams" to 1000,
    )

    private fun send(head: JsonObject, body: ByteArray = NOTHING) {
        val json = head.toString().toByteArray()
        val isResponse = head.getString("type") == "response"
        if (isResponse && (json.size > limits.getInt("jsonBytes") || body.size > limits.getInt("bodyBytes"))) {
            return fail(head.number("id"), "the response is larger than the core takes")
        }
        out.put(ByteBuffer.allocate(8 + json.size + body.size).putInt(json.size).putInt(body.size).put(json).put(body).flip())
    }

    private fun fail(id: Long?, why: String) = send(message("failure", "id" to id, "message" to why))

    /** Gives the core what waits in one write: most of the speed comes from that. */
    private fun write() {
        val frames = mutableListOf(out.take())
        out.drainTo(frames, MOST_FRAMES)
        val all = ByteBuffer.allocate(frames.sumOf { it.remaining() })
        frames.forEach(all::put)
        all.flip()
        while (all.hasRemaining()) core.write(all)
    }

    private fun take(head: JsonObject, body: ByteArray) {
        val id = head.number("id") ?: 0
        when (head.getString("type")) {
            "welcome" -> {
                limits = head.getJsonObject("limits")
                streams = (head["features"] as? JsonArray).orEmpty().contains(JSON.createValue("streams"))
                welcomed.countDown()
            }
            "request" -> when {
                id == 0L -> throw IOException("the core sent a request without an id")
                head.flag("more") -> uploads[id] = Upload(head).apply { this.body.write(body) }
                else -> start(id, head, body)
            }
            "data" -> uploads[id]?.let { upload ->
                upload.body.write(body)
                if (!head.flag("more")) {
                    uploads.remove(id)
                    start(id, upload.head, upload.body.toByteArray())
                }
            }
            "credit" -> (clocks[id] ?: chats[id])?.addAndGet(head.number("bytes") ?: 0)
            "message" -> spend(chats[id], body.size + 64, message("message", "id" to id, "text" to head.flag("text")), body)
            "close" -> chats.remove(id)?.let { send(message("close", "id" to id)) }
            "cancel" -> {
                endClock(id)
                uploads.remove(id)?.let { fail(id, "cancelled") }
            }
            "ping" -> send(message("pong"))
            "drain" -> draining = true
            "refused" -> throw IOException("refused: ${head.getString("message")}")
        }
    }

    private fun start(id: Long, request: JsonObject, body: ByteArray) {
        val target = request.getString("target")
        val credit = AtomicLong(limits.number("streamBytes") ?: 65_536)
        if (target == "/clock" && streams) {
            val events = listOf(listOf("content-type", "text/event-stream"), listOf("cache-control", "no-store"))
            send(message("response", "id" to id, "status" to 200, "headers" to events, "more" to true))
            clocks[id] = credit
        } else if (target == "/chat" && request["websocket"] is JsonArray) {
            send(message("response", "id" to id, "status" to 101, "more" to true))
            chats[id] = credit
        } else {
            Thread.startVirtualThread { answer(id, request, body) }
        }
    }

    private fun answer(id: Long, request: JsonObject, body: ByteArray) {
        try {
            val response = handle(request, body)
            send(message("response", "id" to id, "status" to response.status, "headers" to response.headers), response.content)
        } catch (failure: Exception) {
            fail(id, failure.toString())
        }
    }

    /** A client that does not read misses what is sent meanwhile. */
    private fun spend(credit: AtomicLong?, bytes: Int, head: JsonObject, body: ByteArray) {
        if (credit != null && credit.get() > 0) {
            credit.addAndGet(-bytes.toLong())
            send(head, body)
        }
    }

    private fun tick() {
        Thread.sleep(1000)
        val event = "data: %tT\n\n".format(LocalTime.now()).toByteArray()
        for ((id, credit) in clocks) {
            spend(credit, event.size, message("data", "id" to id, "more" to true), event)
            if (draining) endClock(id) // browsers connect again, and find another worker
        }
    }

    private fun endClock(id: Long) {
        clocks.remove(id)?.let { send(message("data", "id" to id)) }
    }

    /** No new requests; the core hangs up when it has all responses. It hears nothing before its welcome. */
    fun drain() {
        welcomed.await()
        if (!draining) {
            draining = true
            send(message("drain"))
        }
    }
}

@Volatile var current: Worker? = null

fun main() {
    val socket = variable("HANDOFF_SOCKET")
    if (socket == null) {
        System.err.println("HANDOFF_SOCKET is not set: start this worker with 'handoff run'")
        exitProcess(2)
    }
    val left = CountDownLatch(1)
    val leave = Thread { // at SIGTERM
        current?.run {
            drain()
            left.await()
        }
        Runtime.getRuntime().halt(0)
    }
    Runtime.getRuntime().addShutdownHook(leave)
    var pause = 100.0
    while (true) {
        var drained = false
        try {
            SocketChannel.open(UnixDomainSocketAddress.of(socket)).use { core ->
                val worker = Worker(core)
                current = worker
                worker.serve()
                drained = worker.draining
            }
        } catch (broken: IOException) {
            System.err.println("no core, or a broken frame: ${broken.message}")
        } catch (broken: RuntimeException) { // no JSON, or a key that is missing or has another type
            System.err.println("the core sent a broken frame: $broken")
        }
        current = null
        if (leave.state != Thread.State.NEW) left.countDown()
        // A worker that the core started leaves with it.
        if (variable("HANDOFF_TOKEN") != null) Runtime.getRuntime().halt(if (drained) 0 else 1)
        if (drained) pause = 100.0
        Thread.sleep((pause * Random.nextDouble(0.5, 1.5)).toLong())
        pause = min(2 * pause, 5000.0)
    }
}
