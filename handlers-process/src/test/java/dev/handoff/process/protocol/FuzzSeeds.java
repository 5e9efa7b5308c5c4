package dev.handoff.process.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes the frames of {@code conformance/frames} to files that a search can begin with, as they
 * are and as {@link HeadsFuzz} takes them.
 */
final class FuzzSeeds {
    private FuzzSeeds() {}

    /**
     * @param args the folders conformance, which {@link FrameFixtures} finds by itself, and of the
     *     seeds
     */
    public static void main(String[] args) throws IOException {
        Path seeds = Files.createDirectories(Path.of(args[1]));
        List<FrameFixtures.Fixture> fixtures = FrameFixtures.all();
        for (int i = 0; i < fixtures.size(); i++) {
            byte[] frame = fixtures.get(i).bytes().toArray();
            String name = fixtures.get(i).file() + "-" + i;
            Files.write(seeds.resolve(name), frame);
            if (frame.length > FrameDecoder.PREFIX_BYTES) {
                Files.write(seeds.resolve(name + "-head"), headAndBody(frame));
            }
        }
    }

    private static byte[] headAndBody(byte[] frame) {
        int declared = ByteBuffer.wrap(frame).getInt();
        int most = frame.length - FrameDecoder.PREFIX_BYTES;
        int jsonBytes = declared < 0 ? most : Math.min(declared, most);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(frame, FrameDecoder.PREFIX_BYTES, jsonBytes);
        out.write(0);
        out.write(frame, FrameDecoder.PREFIX_BYTES + jsonBytes, most - jsonBytes);
        return out.toByteArray();
    }
}
