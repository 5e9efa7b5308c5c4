package dev.handoff.process;

import dev.handoff.http.SpareArrays;
import dev.handoff.http.StoredContent;
import dev.handoff.testing.TestLoops;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Content on a disk that answers no read until the test lets it. */
final class StalledContent implements StoredContent {
    private final byte[] bytes;
    private final CountDownLatch disk = new CountDownLatch(1);
    private final AtomicInteger holders = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();

    StalledContent(byte[] bytes) {
        this.bytes = bytes;
    }

    void letTheDiskAnswer() {
        disk.countDown();
    }

    /** How many reads have begun. */
    int reads() {
        return reads.get();
    }

    int holders() {
        return holders.get();
    }

    @Override
    public boolean isComplete() {
        return true;
    }

    @Override
    public int unstoredBytes() {
        return 0;
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
        reads.incrementAndGet();
        try {
            if (!disk.await(TestLoops.PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("the test has forgotten the disk");
            }
        } catch (InterruptedException stop) {
            throw new IOException(stop);
        }
        target.put(bytes, (int) position, target.remaining());
    }

    @Override
    public void readAside(long position, int length, SpareArrays arrays, Reader reader) {
        holders.incrementAndGet();
        Thread.ofPlatform()
                .daemon()
                .start(() -> {
                    byte[] array = arrays.take();
                    try {
                        read(position, ByteBuffer.wrap(array, 0, length));
                        holders.decrementAndGet();
                        reader.read(array, length);
                    } catch (IOException why) {
                        holders.decrementAndGet();
                        reader.failed(why);
                    }
                });
    }

    @Override
    public boolean retain() {
        holders.incrementAndGet();
        return true;
    }

    @Override
    public void release() {
        holders.decrementAndGet();
    }
}
