package dev.handoff.server.files;

import dev.handoff.http.Body;
import dev.handoff.http.ErrorForm;
import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Headers;
import dev.handoff.http.Request;
import dev.handoff.http.Response;
import dev.handoff.loop.EventLoop;
import dev.handoff.server.Exchange;
import dev.handoff.server.Failure;
import dev.handoff.server.Handler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request for a file, on one of the {@link FileThreads}. */
final class FileCall implements DiskCall {
    private static final ErrorMessage NO_FILE =
            new ErrorMessage(404, "no_file", "There is no such file.");
    private static final ErrorMessage UNREADABLE =
            new ErrorMessage(403, "unreadable_file", "The server may not read this file.");
    private static final ErrorMessage PRECONDITION_FAILED =
            new ErrorMessage(
                    412, "precondition_failed", "The file is not as the request wants it.");
    private static final ErrorMessage NO_SUCH_RANGE =
            new ErrorMessage(
                    416, "range_not_satisfiable", "The file has none of the bytes asked for.");
    private static final Failure BUSY =
            new Failure(
                    503, "files_busy", "Too many requests wait for the disk; try again later.", 1);
    private static final Failure CHANGING =
            new Failure(503, "file_changing", "The file changed while it was opened.", 1);
    private static final Failure TOO_MANY_OPEN =
            new Failure(
                    503,
                    "files_open",
                    "Too many files are open for clients that take them slowly; try again later.",
                    1);

    private final ServedFiles files;
    private final Exchange exchange;
    private final @Nullable FilePath path;
    private final @Nullable Handler otherwise;

    /** Guarded by this, as the next. */
    private boolean abandoned;

    private @Nullable FileSender sender;

    /**
     * @param path null for one that names no file
     * @param otherwise gets the request if there is no file; null for none
     */
    FileCall(
            ServedFiles files,
            Exchange exchange,
            @Nullable FilePath path,
            @Nullable Handler otherwise) {
        this.files = files;
        this.exchange = exchange;
        this.path = path;
        this.otherwise = otherwise;
    }

    /** Nobody wants the response any more. On the loop. */
    void abandon() {
        FileSender sending;
        synchronized (this) {
            abandoned = true;
            sending = sender;
        }
        files.threads().forget(this);
        if (sending != null) {
            sending.abandon();
        }
    }

    @Override
    public synchronized boolean isAbandoned() {
        return abandoned;
    }

    @Override
    public EventLoop loop() {
        return exchange.loop();
    }

    @Override
    public void refuse() {
        exchange.fail(BUSY);
    }

    @Override
    public void run() {
        if (isAbandoned()) {
            return;
        }
        try {
            answer();
        } catch (IOException | RuntimeException failure) {
            exchange.fail(failure);
        }
    }

    private void answer() throws IOException {
        if (path == null) {
            sendInPlace();
            return;
        }
        String index = files.options().index();
        if (path.ofFolder()) {
            List<String> names = path.with(index);
            send(files.folder().open(names), names);
            return;
        }
        Found found =
                path.names().isEmpty() ? Found.Other.FOLDER : files.folder().open(path.names());
        if (found == Found.Other.FOLDER) {
            found = files.folder().open(path.with(index));
            if (found instanceof OpenFile file) {
                file.close();
                exchange.respond(redirect());
                return;
            }
        }
        send(found, path.names());
    }

    private void send(Found found, List<String> names) throws IOException {
        if (found instanceof OpenFile file) {
            send(represent(file, names));
        } else if (found == Found.Other.UNREADABLE) {
            exchange.respond(UNREADABLE.response(form(exchange)));
        } else if (found == Found.Other.CHANGING) {
            exchange.fail(CHANGING);
        } else {
            sendInPlace();
        }
    }

    /** There is no file. */
    private void sendInPlace() throws IOException {
        if (otherwise != null) {
            handOver(otherwise);
            return;
        }
        List<String> fallback = files.fallback();
        boolean isPage =
                path != null
                        && (path.names().isEmpty()
                                || path.ofFolder()
                                || path.names().getLast().indexOf('.') < 0);
        if (fallback != null && isPage && files.folder().open(fallback) instanceof OpenFile file) {
            send(represent(file, fallback));
        } else {
            sendNotFound();
        }
    }

    /** Handlers are called on the loop. */
    private void handOver(Handler next) {
        exchange.loop()
                .tryRun(() -> {
                    if (exchange.isDone()) {
                        return;
                    }
                    try {
                        next.handle(exchange);
                    } catch (Throwable failure) {
                        exchange.fail(failure);
                    }
                });
    }

    private void sendNotFound() throws IOException {
        List<String> page = files.notFound();
        if (page != null && files.folder().open(page) instanceof OpenFile file) {
            Representation representation = represent(file, page);
            send(representation.notFound(), Content.whole(representation.file()));
        } else {
            exchange.respond(NO_FILE.response(form(exchange)));
        }
    }

    /** The file, or one that is compressed and that the client would rather have. */
    private Representation represent(OpenFile file, List<String> names) throws IOException {
        String type = files.types().of(names.getLast());
        if (files.options().precompressed()) {
            for (Coding coding : Coding.accepted(exchange.request().headers())) {
                List<String> beside = new ArrayList<>(names);
                beside.set(names.size() - 1, names.getLast() + coding.ending());
                if (openBeside(file, beside) instanceof OpenFile compressed) {
                    file.close();
                    return Representation.of(compressed, type, coding, files.clock());
                }
            }
        }
        return Representation.of(file, type, null, files.clock());
    }

    /** Opens the file beside one that is open, and closes that where it cannot. */
    private Found openBeside(OpenFile file, List<String> beside) throws IOException {
        try {
            return files.folder().open(beside);
        } catch (IOException | RuntimeException failure) {
            file.close();
            throw failure;
        }
    }

    /** Answers what was asked about the file (RFC 9110 section 13.2.2). Closes it, in the end. */
    private void send(Representation file) throws IOException {
        Headers request = exchange.request().headers();
        FileOptions options = files.options();
        switch (file.preconditions().judge(request)) {
            case FAILED -> answerWithout(file, PRECONDITION_FAILED.response(form(exchange)));
            case NOT_MODIFIED -> answerWithout(file, file.notModified(options));
            case SEND -> {
                ByteRanges ranges = ranges(file);
                if (ranges == null) {
                    send(file.head(options), Content.whole(file.file()));
                } else {
                    send(file, ranges);
                }
            }
        }
    }

    /** Null for the whole file. */
    private @Nullable ByteRanges ranges(Representation file) {
        Request request = exchange.request();
        List<String> given = request.headers().all("range");
        // Section 14.2: only GET has ranges.
        ByteRanges ranges =
                request.method().equals("GET")
                                && given.size() == 1
                                && file.preconditions().allowRange(request.headers())
                        ? ByteRanges.of(given.getFirst(), file.file().sizeBytes())
                        : null;
        return ranges != null && canSend(ranges, file) ? ranges : null;
    }

    /** Parts are not coded themselves, and so cannot say how what is in them is. */
    private static boolean canSend(ByteRanges ranges, Representation file) {
        return file.coding() == null || ranges.wanted().size() < 2;
    }

    private void send(Representation file, ByteRanges ranges) throws IOException {
        FileOptions options = files.options();
        List<ByteRanges.Range> wanted = ranges.wanted();
        if (wanted.isEmpty()) {
            String size = "bytes */" + file.file().sizeBytes();
            answerWithout(file, NO_SUCH_RANGE.response(form(exchange), "content-range", size));
        } else if (wanted.size() == 1) {
            ByteRanges.Range range = wanted.getFirst();
            Content part = Content.part(file.file(), range.from(), range.length());
            send(file.head(options, range), part);
        } else {
            String boundary = Content.newBoundary();
            Content parts = Content.parts(file.file(), ranges, file.type(), boundary);
            send(file.head(options, boundary, parts), parts);
        }
    }

    private void answerWithout(Representation file, Response response) throws IOException {
        file.file().close();
        exchange.respond(response);
    }

    private void send(Response head, Content content) throws IOException {
        if (exchange.request().method().equals("HEAD")) {
            content.close();
            exchange.respond(head);
        } else if (content.sizeBytes() <= MOST_BYTES) {
            sendWhole(head, content);
        } else if (files.threads().keepOpen()) {
            stream(head, content);
        } else {
            content.close();
            exchange.fail(TOO_MANY_OPEN);
        }
    }

    /** Reads small content at once, and closes its file before a byte leaves. */
    private void sendWhole(Response head, Content content) throws IOException {
        byte[] bytes = new byte[(int) content.sizeBytes()];
        boolean whole;
        try (content) {
            whole = content.read(ByteBuffer.wrap(bytes));
        }
        if (whole) {
            exchange.respond(Response.of(head.status(), head.headers(), Body.of(bytes)));
        } else {
            exchange.fail(CHANGING);
        }
    }

    private void stream(Response head, Content content) {
        FileSender sending =
                new FileSender(exchange, head, content, files.threads(), files.arrays());
        boolean gone;
        synchronized (this) {
            sender = sending;
            gone = abandoned;
        }
        if (gone) {
            sending.abandon();
        }
        sending.run();
    }

    /** Every name is one, so the target cannot begin with two slashes, which would name a host. */
    private Response redirect() {
        String asked = exchange.request().target();
        int query = asked.indexOf('?');
        int end = query < 0 ? asked.length() : query;
        String location = asked.substring(0, end) + "/" + asked.substring(end);
        return Response.of(301, Headers.of("location", location), Body.EMPTY);
    }

    /** The form of the errors that a request gets. */
    static ErrorForm form(Exchange exchange) {
        Request request = exchange.request();
        return ErrorForm.of(request.method(), request.headers());
    }
}
