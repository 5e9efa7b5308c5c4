package dev.handoff.launcher.config;

import jakarta.json.Json;
import jakarta.json.JsonObjectBuilder;

/** The part of the JSON Schema that is about folders. */
final class FilesSchema {
    /** One that has no empty name, and none that begins with a dot. */
    private static final String FILE = "^(?![./])(?!.*/[./])(?!.*/$)[^?\\\\]+$";

    private FilesSchema() {}

    static JsonObjectBuilder files() {
        JsonObjectBuilder keys =
                Json.createObjectBuilder()
                        .add(
                                FilesReader.FOLDER,
                                ConfigurationSchema.string("The folder.").add("minLength", 1))
                        .add(
                                FilesReader.INDEX,
                                pattern(
                                        "^[^./?\\\\][^/?\\\\]*$",
                                        "The name of the file that stands for its folder."
                                                + " [index.html]"))
                        .add(FilesReader.FALLBACK, fallback())
                        .add(
                                FilesReader.NOT_FOUND,
                                pattern(FILE, "The file sent with 404 in place of a missing one."))
                        .add(FilesReader.HEADERS, ConfigurationSchema.fields())
                        .add(FilesReader.TYPES, types())
                        .add(
                                FilesReader.PRECOMPRESSED,
                                Json.createObjectBuilder()
                                        .add(
                                                "description",
                                                "Send a.js.br, a.js.zst or a.js.gz for a.js.")
                                        .add("type", "boolean"));
        return ConfigurationSchema.object(keys)
                .add("description", "The files of a folder.")
                .add("required", Json.createArrayBuilder().add(FilesReader.FOLDER));
    }

    private static JsonObjectBuilder fallback() {
        JsonObjectBuilder pool =
                Json.createObjectBuilder()
                        .add(
                                FilesReader.POOL,
                                ConfigurationSchema.string("Its name.").add("minLength", 1));
        return Json.createObjectBuilder()
                .add("description", "What is there for a missing page, or the pool for all else.")
                .add(
                        "anyOf",
                        Json.createArrayBuilder()
                                .add(pattern(FILE, "The file sent with 200."))
                                .add(
                                        ConfigurationSchema.object(pool)
                                                .add("description", "The pool that answers.")
                                                .add(
                                                        "required",
                                                        Json.createArrayBuilder()
                                                                .add(FilesReader.POOL))));
    }

    private static JsonObjectBuilder types() {
        return Json.createObjectBuilder()
                .add("description", "Media types by endings such as .txt, besides the usual.")
                .add("type", "object")
                .add("propertyNames", ConfigurationSchema.pattern(FilesReader.ENDING_PATTERN))
                .add("additionalProperties", ConfigurationSchema.pattern(FilesReader.TYPE_PATTERN));
    }

    private static JsonObjectBuilder pattern(String pattern, String description) {
        return ConfigurationSchema.pattern(pattern).add("description", description);
    }
}
