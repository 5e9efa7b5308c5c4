package dev.handoff.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes the bytes of the HTTP fixtures, and for each what is behind its first head, to files that
 * a search can begin with. What a fixture means does not matter here.
 */
final class FuzzSeeds {
    private static final List<String> FOLDERS = List.of("http", "http-responses");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```http\\n(.*?)^```$");
    private static final Pattern REPETITION = Pattern.compile("\\\\\\((.+?)\\*([0-9]+)\\)");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(x[0-9a-fA-F]{2}|[rnt0\\\\])");
    private static final String HEAD_END = "\r\n\r\n";

    private FuzzSeeds() {}

    /**
     * @param args the folders conformance and of the seeds
     */
    public static void main(String[] args) throws IOException {
        Path seeds = Files.createDirectories(Path.of(args[1]));
        for (String folder : FOLDERS) {
            try (DirectoryStream<Path> files =
                    Files.newDirectoryStream(Path.of(args[0], folder), "*.md")) {
                for (Path file : files) {
                    Matcher block = BLOCK.matcher(Files.readString(file));
                    for (int i = 1; block.find(); i++) {
                        String name = folder + "-" + file.getFileName() + "-" + i;
                        write(text(block.group(1)), seeds, name);
                    }
                }
            }
        }
    }

    private static void write(String text, Path seeds, String name) throws IOException {
        Files.writeString(seeds.resolve(name), text, StandardCharsets.ISO_8859_1);
        int headEnd = text.indexOf(HEAD_END);
        if (headEnd >= 0) {
            String body = text.substring(headEnd + HEAD_END.length());
            Files.writeString(seeds.resolve(name + "-body"), body, StandardCharsets.ISO_8859_1);
        }
    }

    private static String text(String block) {
        String joined = block.replace("\n", "");
        String whole =
                REPETITION
                        .matcher(joined)
                        .replaceAll(found -> Matcher.quoteReplacement(repeated(found)));
        return ESCAPE.matcher(whole)
                .replaceAll(found -> Matcher.quoteReplacement(character(found.group(1))));
    }

    private static String repeated(MatchResult found) {
        return found.group(1).repeat(Integer.parseInt(found.group(2)));
    }

    private static String character(String escape) {
        return switch (escape.charAt(0)) {
            case 'r' -> "\r";
            case 'n' -> "\n";
            case 't' -> "\t";
            case '0' -> "\0";
            case 'x' -> String.valueOf((char) HexFormat.fromHexDigits(escape, 1, 3));
            default -> escape;
        };
    }
}
