package dev.handoff.launcher.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;

/** Each fault of {@code faulty.py} is found by the case that is meant for it, and by no other. */
final class PlantedFaultsIT {
    private static final Path NURSERY =
            Path.of(System.getProperty("handoff.root"), "launcher/src/test/workers/nursery.py");

    /** They wait for most of their time. */
    private static final int AT_ONCE = 100;

    private static final String NO_FAULT = "none";

    /** Each fault, with the case that is to find it, and its verdict. */
    private static final String PLANTED =
            """
            never_connects,        connects,             fail
            little_endian,         hello,                fail
            speaks_http,           hello,                fail
            pong_first,            hello,                fail
            window_as_text,        hello,                fail
            negative_window,       hello,                fail
            no_protocol,           hello,                fail
            large_hello,           hello,                fail
            forgets_token,         hello,                fail
            forgets_pool,          hello,                fail
            speaks_before_welcome, waits-for-welcome,    fail
            never_opens,           opens-its-window,     fail
            never_answers,         answers,              fail
            status_as_text,        answers,              fail
            one_frame_a_read,      several-frames,       fail
            line_end_in_header,    response-is-http,     fail
            strange_status,        response-is-http,     fail
            euro_in_header,        response-is-http,     fail
            knows_few_methods,     every-method,         fail
            needs_host,            http-1.0,             fail
            ascii_only,            latin-1-headers,      fail
            small_bodies,          large-body,           fail
            small_heads,           large-head,           fail
            heads_below_limit,     large-head,           fail
            ignores_limits,        keeps-limits,         fail
            keeps_alive,           hop-by-hop,           warning
            lies_about_length,     content-length,       warning
            body_in_json,          body-behind-json,     warning
            whole_reads,           byte-by-byte,         fail
            few_frames_at_once,    thirty-at-once,       fail
            knows_all_types,       unknown-types,        fail
            knows_all_keys,        unknown-keys,         fail
            null_is_something,     null-is-absent,       fail
            json_by_pattern,       other-json,           fail
            ids_as_floats,         largest-id,           fail
            times_of_31_bits,      largest-time,         fail
            survives_broken_json,  broken-json,          fail
            survives_arrays,       json-not-an-object,   fail
            invents_ids,           request-without-id,   fail
            needs_time,            request-without-time, fail
            no_pong,               ping,                 fail
            window_of_31,          full-window,          fail
            answers_twice,         answers-once,         fail
            forgets_cancelled,     cancel-in-hand,       fail
            fears_unknown_cancel,  cancel-unknown,       fail
            answers_cancel,        cancel-answered,      fail
            knows_reasons,         cancel-other-reason,  fail
            text_bodies,           echo-body,            fail
            decodes_target,        echo-target,          fail
            sorts_headers,         echo-headers,         fail
            joins_headers,         echo-headers,         fail
            swaps_bodies,          echo-window,          fail
            ignores_json_limit,    keeps-json-limit,     fail
            impatient_writes,      slow-core,            fail
            grants_nothing,        request-in-pieces,    fail
            forgets_uploads,       broken-upload,        fail
            streams_unasked,       feature-not-welcome,  fail
            ignores_credit,        stream-credit,        warning
            streams_on,            stream-cancel,        fail
            streams_through_drain, stream-drain,         warning
            deaf_while_streaming,  stream-reads-on,      fail
            messages_as_binary,    websocket-messages,   fail
            shuffles_fragments,    websocket-messages,   fail
            forgets_message_credit, websocket-fragments, fail
            forgets_last_fragment, websocket-messages,   fail
            sends_large_messages_whole, websocket-fragments, warning
            ignores_message_credit, websocket-fragments, warning
            no_close,              websocket-close,      fail
            always_accepts,        websocket-not-asked,  fail
            drops_at_drain,        drain-in-hand,        fail
            outlives_drain,        drain-exit,           fail
            drain_is_error,        drain-exit,           fail
            forgets_crossing,      sigterm,              fail
            ignores_term,          sigterm,              warning
            dies_at_term,          sigterm,              warning
            forgets_term,          sigterm-elsewhere,    fail
            outlives_core,         end-of-stream,        fail
            refused_is_fine,       refused,              warning
            stays_refused,         refused,              fail
            forgets_who_started_it, refused,             fail
            hides_refusal,         refused,              warning
            hangs_at_bad_protocol, refused-bad-protocol, fail
            hangs_at_unknown_pool, refused-unknown-pool, fail
            hangs_at_bad_token,    refused-bad-token,    fail
            hangs_at_bad_user,     refused-bad-user,     fail
            gives_up_at_hello_timeout, refused-hello-timeout, fail
            gives_up_at_no_hello,  refused-no-hello,     fail
            gives_up_at_too_many_newcomers, refused-too-many-newcomers, fail
            gives_up_at_too_many_workers, refused-too-many-workers, fail
            gives_up_at_draining,  refused-draining,     fail
            gives_up_at_lost,      refused-lost,         fail
            gives_up_at_not_json,  refused-fault,        fail
            gives_up_at_not_today, refused-other-code,   fail
            hammers,               reconnects,           fail
            steady_pauses,         reconnects,           warning
            leaves_with_core,      reconnects,           warning
            keeps_ready_file,      ready-file,           fail
            knows_all_of_welcome,  welcome-has-more,     fail
            empty_is_zero,         empty-concurrency,    fail
            other_window,          chosen-concurrency,   warning
            """;

    private static final List<Arguments> FAULTS =
            PLANTED.lines().map(line -> Arguments.of((Object[]) line.split(",\\s*", -1))).toList();

    private static final Map<String, Future<Found>> FOUND = new HashMap<>();

    private static final ExecutorService RUNS = Executors.newFixedThreadPool(AT_ONCE);

    private static Nursery nursery;

    @TempDir private static Path folder;

    @BeforeAll
    static void tryAll() throws IOException {
        nursery = new Nursery(NURSERY, Files.createDirectory(folder.resolve("outputs")));
        List<String> names =
                PLANTED.lines().map(line -> line.substring(0, line.indexOf(','))).toList();
        for (String fault : names) {
            Path own = Files.createDirectory(folder.resolve(fault));
            FOUND.put(fault, RUNS.submit(() -> find(fault, own)));
        }
        Path own = Files.createDirectory(folder.resolve(NO_FAULT));
        FOUND.put(NO_FAULT, RUNS.submit(() -> find(NO_FAULT, own)));
    }

    @AfterAll
    static void end() throws IOException {
        RUNS.shutdownNow();
        nursery.close();
    }

    @Test
    void aGoodWorkerPassesAllCases() throws InterruptedException, ExecutionException {
        requireFound(Map.of(), NO_FAULT);
    }

    @ParameterizedTest
    @FieldSource("FAULTS")
    void findsEachFaultByItsOwnCase(String fault, String name, String word)
            throws InterruptedException, ExecutionException {
        requireFound(Map.of(name, word), fault);
    }

    @Test
    void eachCaseFindsAFault() {
        Set<String> finders = new TreeSet<>();
        FAULTS.forEach(each -> finders.add(String.valueOf(each.get()[1])));
        Set<String> cases = new TreeSet<>();
        WorkerCheck.cases().forEach(each -> cases.add(each.name()));
        assertEquals(cases, finders);
    }

    private static void requireFound(Map<String, String> expected, String fault)
            throws InterruptedException, ExecutionException {
        Found found = Objects.requireNonNull(FOUND.get(fault)).get();
        assertEquals(expected, found.words(), found.report());
    }

    /** The cases that neither passed nor were skipped, with their verdicts. */
    private record Found(Map<String, String> words, String report) {}

    private static Found find(String fault, Path own) throws InterruptedException {
        CheckPlan plan =
                new CheckPlan(
                        fault,
                        List.of("faulty.py", fault),
                        Map.of(),
                        Set.of(),
                        "/",
                        "/stream",
                        "/socket",
                        Duration.ofSeconds(4),
                        Duration.ofSeconds(8),
                        Duration.ZERO);
        Map<String, String> words = new TreeMap<>();
        StringBuilder report = new StringBuilder();
        new WorkerCheck(
                        plan,
                        own,
                        nursery,
                        result -> {
                            String word = result.verdict().word();
                            if (!word.equals("pass") && !word.equals("skipped")) {
                                words.put(result.tried().name(), word);
                                report.append(TextReport.of(result)).append('\n');
                            }
                        })
                .run();
        return new Found(words, report.toString());
    }
}
