package dev.handoff.server.files;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The media types of files, by the endings of their names. Types are those of IANA's registry; text
 * is taken for UTF-8. Immutable.
 */
final class MediaTypes {
    static final String UNKNOWN = "application/octet-stream";

    /** A type with its endings in each line. */
    private static final String USUAL =
            """
            application/atom+xml atom
            application/epub+zip epub
            application/gzip gz tgz
            application/geo+json geojson
            application/java-archive jar
            application/json json map
            application/ld+json jsonld
            application/manifest+json webmanifest
            application/msword doc
            application/ogg ogx
            application/pdf pdf
            application/rss+xml rss
            application/rtf rtf
            application/vnd.ms-excel xls
            application/vnd.ms-fontobject eot
            application/vnd.ms-powerpoint ppt
            application/vnd.oasis.opendocument.presentation odp
            application/vnd.oasis.opendocument.spreadsheet ods
            application/vnd.oasis.opendocument.text odt
            application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
            application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
            application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
            application/wasm wasm
            application/x-7z-compressed 7z
            application/x-bzip2 bz2
            application/x-tar tar
            application/x-xz xz
            application/xhtml+xml xhtml
            application/xml xml xsd xsl
            application/yaml yaml yml
            application/zip zip
            application/zstd zst
            audio/aac aac
            audio/flac flac
            audio/midi mid midi
            audio/mp4 m4a
            audio/mpeg mp3
            audio/ogg oga ogg opus
            audio/wav wav
            audio/webm weba
            font/collection ttc
            font/otf otf
            font/ttf ttf
            font/woff woff
            font/woff2 woff2
            image/apng apng
            image/avif avif
            image/bmp bmp
            image/gif gif
            image/heic heic
            image/jpeg jpeg jpg
            image/jxl jxl
            image/png png
            image/svg+xml svg
            image/tiff tif tiff
            image/vnd.microsoft.icon ico
            image/webp webp
            model/gltf+json gltf
            model/gltf-binary glb
            text/calendar ics
            text/css css
            text/csv csv
            text/html html htm
            text/javascript js mjs
            text/markdown md markdown
            text/plain txt text log
            text/vcard vcf
            text/vtt vtt
            video/mp2t ts
            video/mp4 mp4 m4v
            video/mpeg mpeg mpg
            video/ogg ogv
            video/quicktime mov
            video/webm webm
            """;

    private final Map<String, String> types = new HashMap<>();

    /**
     * @param own what is added, or put in place of the usual: types by endings such as {@code .txt}
     */
    MediaTypes(Map<String, String> own) {
        USUAL.lines()
                .forEach(line -> {
                    String[] words = line.split(" ", -1);
                    for (int i = 1; i < words.length; i++) {
                        types.put(words[i], withCharset(words[0]));
                    }
                });
        own.forEach((ending, type) -> types.put(lower(ending.substring(1)), type));
    }

    /** The value of Content-Type. */
    String of(String fileName) {
        int dot = fileName.lastIndexOf('.');
        return dot < 0 ? UNKNOWN : types.getOrDefault(lower(fileName.substring(dot + 1)), UNKNOWN);
    }

    private static String withCharset(String type) {
        return type.startsWith("text/") ? type + "; charset=utf-8" : type;
    }

    private static String lower(String ending) {
        return ending.toLowerCase(Locale.ROOT);
    }
}
