package dev.handoff.loop;

import dev.handoff.system.SystemLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodType;
import java.nio.channels.Channel;
import org.jspecify.annotations.Nullable;

/**
 * Descriptors that a peer sends over a Unix socket. Java reads the bytes beside them, and the
 * system closes them in the thread that reads. The last close of a TCP socket may wait as long as
 * its owner has set (SO_LINGER), and with it all that an event loop does.
 *
 * <p>Java has no option against that, so this asks the system itself. The first use costs a start
 * some milliseconds, so it is for sockets at which other users connect.
 */
final class SentDescriptors {
    private static final int SOL_SOCKET = 1;

    /** Linux has it from 6.16 on. Sockets that are accepted inherit it. */
    private static final int SO_PASSRIGHTS = 83;

    private SentDescriptors() {}

    /** What is looked up once, when it is needed first. */
    private static final class Lookup {
        /** How Java tells the descriptor of a channel; null where it does not. */
        private static final @Nullable MethodHandle NUMBER = number();

        private static final @Nullable MethodHandle SET =
                SystemLibrary.function(
                        "setsockopt",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_INT));

        private static @Nullable MethodHandle number() {
            MethodHandle number = SystemLibrary.ofChannels("SelChImpl", "getFDVal");
            return number == null
                    ? null
                    : number.asType(MethodType.methodType(int.class, Channel.class));
        }
    }

    /** Has the system refuse them, where it can. Who sends one hears of it as EPERM. */
    static void refuse(Channel channel) throws IOException {
        MethodHandle number = Lookup.NUMBER;
        MethodHandle set = Lookup.SET;
        if (number == null || set == null) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment off = arena.allocateFrom(ValueLayout.JAVA_INT, 0);
            int descriptor = (int) number.invokeExact(channel);
            // An older system knows no such option.
            int _ =
                    (int)
                            set.invokeExact(
                                    descriptor,
                                    SOL_SOCKET,
                                    SO_PASSRIGHTS,
                                    off,
                                    (int) ValueLayout.JAVA_INT.byteSize());
        } catch (Throwable failure) {
            throw new IOException("cannot set an option of a socket", failure);
        }
    }
}
