package dev.handoff.launcher.moving;

/** Takes the comments out of JSON, which Unit allows as JavaScript has them. */
final class Comments {
    private Comments() {}

    /** The same text with blanks for the comments, so that lines and columns stay. */
    static String blanked(String json) {
        StringBuilder text = new StringBuilder(json);
        boolean inString = false;
        int i = 0;
        while (i < text.length()) {
            char c = text.charAt(i);
            if (inString && c == '\\') {
                i++;
            } else if (c == '"') {
                inString = !inString;
            } else if (!inString && json.startsWith("//", i)) {
                i = blank(text, i, endOf(json, "\n", i));
            } else if (!inString && json.startsWith("/*", i)) {
                i = blank(text, i, endOf(json, "*/", i + 2) + 2);
            }
            i++;
        }
        return text.toString();
    }

    private static int endOf(String json, String end, int from) {
        int at = json.indexOf(end, from);
        return at < 0 ? json.length() : at;
    }

    /** Returns where the comment ends. */
    private static int blank(StringBuilder text, int from, int to) {
        int end = Math.min(to, text.length());
        for (int i = from; i < end; i++) {
            if (text.charAt(i) != '\n') {
                text.setCharAt(i, ' ');
            }
        }
        return end - 1;
    }
}
