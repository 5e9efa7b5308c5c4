package dev.handoff.loop;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The TCP sockets of a network namespace, as Linux lists them in {@code /proc/net/tcp} and {@code
 * tcp6}. Other systems list none. A list has a row for each connection, so no event loop should
 * read it. Any thread.
 */
public final class SocketTable {
    /** Where the columns are, between blanks. */
    private static final int LOCAL = 1;

    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int USER = 7;
    private static final int INODE = 9;

    private static final String LISTENS = "0A";

    private final List<Path> lists;

    private SocketTable(List<Path> lists) {
        this.lists = lists;
    }

    /**
     * @param lists which Linux writes; those that cannot be read are left out
     */
    public static SocketTable of(List<Path> lists) {
        return new SocketTable(lists.stream().filter(Files::isReadable).toList());
    }

    /** The sockets that a process sees, as {@code /proc/PID/net} lists them. */
    public static SocketTable ofProcess(String pid) {
        Path net = Path.of("/proc", pid, "net");
        return of(List.of(net.resolve("tcp"), net.resolve("tcp6")));
    }

    /** The sockets that this process sees. */
    public static SocketTable ofThisMachine() {
        return ofProcess("self");
    }

    /** Whether the system lists any. */
    public boolean isKnown() {
        return !lists.isEmpty();
    }

    /**
     * Shows the rows to {@code sought} until that is true for one.
     *
     * @return null if it is true for none
     * @throws IOException if a list cannot be read, or has another form
     */
    public @Nullable Row find(Predicate<Row> sought) throws IOException {
        for (Path list : lists) {
            try (BufferedReader lines = Files.newBufferedReader(list, StandardCharsets.US_ASCII)) {
                String line = lines.readLine();
                while ((line = lines.readLine()) != null) {
                    String[] columns = line.strip().split("\\s+", INODE + 2);
                    if (columns.length > INODE) {
                        Row row = new Row(columns);
                        if (sought.test(row)) {
                            return row;
                        }
                    }
                }
            } catch (IllegalArgumentException | IndexOutOfBoundsException otherForm) {
                throw new IOException(list + " is no list of sockets", otherForm);
            }
        }
        return null;
    }

    /**
     * @throws IOException if a list cannot be read, or has another form
     */
    public void forEach(Consumer<Row> action) throws IOException {
        find(row -> {
            action.accept(row);
            return false;
        });
    }

    /** One socket. */
    public static final class Row {
        private final String[] columns;

        private Row(String[] columns) {
            this.columns = columns;
        }

        public boolean listens() {
            return columns[STATE].equals(LISTENS);
        }

        public int localPort() {
            return port(columns[LOCAL]);
        }

        /** 0 if it listens. */
        public int remotePort() {
            return port(columns[REMOTE]);
        }

        public InetAddress localAddress() {
            return address(columns[LOCAL]);
        }

        public InetAddress remoteAddress() {
            return address(columns[REMOTE]);
        }

        /** Parses words of 32 bits, each in the byte order of the machine. */
        private static InetAddress address(String text) {
            int digits = text.indexOf(':');
            ByteBuffer bytes = ByteBuffer.allocate(digits / 2).order(ByteOrder.nativeOrder());
            for (int at = 0; at < digits; at += 8) {
                bytes.putInt(Integer.parseUnsignedInt(text, at, at + 8, 16));
            }
            try {
                return InetAddress.getByAddress(bytes.array());
            } catch (UnknownHostException wrongLength) {
                throw new IllegalArgumentException(text, wrongLength);
            }
        }

        /** The number of the user whose it is; root's if it is {@link #isClosed}. */
        public int user() {
            return Integer.parseInt(columns[USER]);
        }

        /** Whether no process has it any more. */
        public boolean isClosed() {
            return columns[INODE].equals("0");
        }

        public String inode() {
            return columns[INODE];
        }

        private static int port(String addressAndPort) {
            int colon = addressAndPort.indexOf(':');
            return Integer.parseInt(addressAndPort, colon + 1, addressAndPort.length(), 16);
        }
    }
}
