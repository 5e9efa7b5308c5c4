package dev.handoff.server.files;

import dev.handoff.http.ErrorMessage;
import dev.handoff.http.Request;
import dev.handoff.server.Exchange;
import dev.handoff.server.Handler;
import dev.handoff.server.forwarding.Origin;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * A handler that sends the files of a folder: the file at the path of the request behind its {@link
 * Exchange#prefix}. It answers GET and HEAD, conditions, and ranges. What is for no file may go to
 * another handler. Any loop; the disk is read by {@link FileThreads}.
 */
public final class FileTarget implements Handler {
    private static final ErrorMessage METHOD_NOT_ALLOWED =
            new ErrorMessage(405, "method_not_allowed", "Files are only for GET and HEAD.");

    private final ServedFiles files;
    private final @Nullable Handler otherwise;

    /**
     * @param threads which several folders may share
     * @throws IllegalArgumentException if a path in the options is not one below a folder
     */
    public FileTarget(FileOptions options, FileThreads threads) {
        this(options, threads, null);
    }

    /**
     * @param otherwise gets each request for which there is no file, or of another method, with its
     *     whole path; null for none: then these are errors
     */
    public FileTarget(FileOptions options, FileThreads threads, @Nullable Handler otherwise) {
        this.files = ServedFiles.of(options, threads, InstantSource.system());
        this.otherwise = otherwise;
    }

    @Override
    public boolean takesContentAsItComes(Request head, Origin origin) {
        return otherwise == null || otherwise.takesContentAsItComes(head, origin);
    }

    @Override
    public void handle(Exchange exchange) {
        Request request = exchange.request();
        FilePath path = FilePath.of(request.target(), exchange.prefix());
        if (otherwise != null) {
            exchange.prefix("");
        }
        if (!request.method().equals("GET") && !request.method().equals("HEAD")) {
            if (otherwise == null) {
                exchange.respond(
                        METHOD_NOT_ALLOWED.response(FileCall.form(exchange), "allow", "GET, HEAD"));
            } else {
                otherwise.handle(exchange);
            }
            return;
        }
        // Else a client had many of them read at once, of which it takes none.
        exchange.runAlone();
        FileCall call = new FileCall(files, exchange, path, otherwise);
        exchange.onAbandoned(reason -> call.abandon());
        files.threads().begin(call);
    }
}
