package dev.handoff.server.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.handoff.testing.RawClient;
import dev.handoff.testing.RawResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The rows of {@code conformance/files/preconditions.md}, asked of a server. */
class FilePreconditionsTest {
    private static final Path TABLE = Path.of("..", "conformance", "files", "preconditions.md");
    private static final int FEWEST_ROWS = 40;

    @TempDir private Path folder;

    private record Row(String rule, List<String> fields, int get, int head) {
        static Row of(String line) {
            String[] cells = line.substring(1).split("\\|", -1);
            List<String> fields = new ArrayList<>();
            String[] parts = cells[1].split("`", -1);
            for (int i = 1; i < parts.length - 1; i += 2) {
                fields.add(parts[i]);
            }
            return new Row(
                    cells[0].strip(),
                    fields,
                    Integer.parseInt(cells[2].strip()),
                    Integer.parseInt(cells[3].strip()));
        }

        String[] with(ServedFolder served, String tag) {
            return fields.stream()
                    .map(field ->
                            field.replace("TAG", tag)
                                    .replace("TIME", served.date(0))
                                    .replace("EARLIER", served.date(-1))
                                    .replace("LATER", served.date(1)))
                    .toArray(String[]::new);
        }
    }

    private static List<Row> rows() throws IOException {
        return Files.readAllLines(TABLE).stream()
                .filter(line -> line.startsWith("| "))
                .skip(1)
                .map(Row::of)
                .toList();
    }

    @Test
    void answersEachRow() throws IOException {
        List<Row> rows = rows();
        assertTrue(rows.size() > FEWEST_ROWS, "the table is not read");
        try (ServedFolder served = ServedFolder.of(folder).with("a.txt", "0123456789");
                RawClient client = served.connect()) {
            String tag = client.ask("/a.txt").header("etag");
            for (Row row : rows) {
                String[] fields = row.with(served, tag);
                RawResponse got = client.get("/a.txt", fields).readResponse();
                assertEquals(row.get, got.status(), row.rule);
                if (row.get == 206) {
                    assertEquals("234", got.text(), row.rule);
                }
                client.send(RawClient.getRequest("/a.txt", fields).replace("GET", "HEAD"));
                assertEquals(row.head, client.readHead().status(), row.rule);
            }
        }
    }
}
