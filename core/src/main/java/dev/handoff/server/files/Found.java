package dev.handoff.server.files;

/** What is at a path below a folder. */
sealed interface Found permits OpenFile, Found.Other {
    /** What is no file to be sent. */
    enum Other implements Found {
        NOTHING,
        FOLDER,
        /** A file that the server must not read. */
        UNREADABLE,
        /** Something else each time that one looked. */
        CHANGING
    }
}
