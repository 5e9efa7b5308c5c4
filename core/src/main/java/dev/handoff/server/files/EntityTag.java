package dev.handoff.server.files;

/**
 * The validator of a representation (RFC 9110 section 8.8.3).
 *
 * @param weak whether other content may bear the same tag
 * @param opaque what stands between the quotes
 */
record EntityTag(boolean weak, String opaque) {
    /**
     * The tag of a file's content. Size and time in nanoseconds name it, as replicas of a file have
     * both in common, but not its number on the disk.
     *
     * @param settled whether so much time has passed since the file was written that a change would
     *     show in its time
     * @param coding of the content; empty for none
     */
    static EntityTag of(long sizeBytes, long modifiedNanos, boolean settled, String coding) {
        String opaque = Long.toHexString(sizeBytes) + "-" + Long.toHexString(modifiedNanos);
        return new EntityTag(!settled, coding.isEmpty() ? opaque : opaque + "-" + coding);
    }

    /**
     * Whether the list of an If-Match or If-None-Match field has this tag. A list that breaks the
     * grammar has none. Linear.
     *
     * @param strongly whether weak tags are equal to none (section 8.8.3.2)
     */
    boolean isIn(String list, boolean strongly) {
        boolean found = false;
        int at = skipSeparators(list, 0);
        while (at < list.length()) {
            boolean weakOne = list.startsWith("W/", at);
            int open = weakOne ? at + 2 : at;
            int close = endOfOpaque(list, open);
            if (close < 0) {
                return false;
            }
            found |=
                    !(strongly && (weak || weakOne))
                            && close - open - 1 == opaque.length()
                            && list.startsWith(opaque, open + 1);
            at = skipSeparators(list, close + 1);
            if (at < list.length() && list.indexOf(',', close + 1, at) < 0) {
                return false;
            }
        }
        return found;
    }

    /** Where the quoted text ends that begins there; -1 if there is none. */
    private static int endOfOpaque(String list, int open) {
        if (open >= list.length() || list.charAt(open) != '"') {
            return -1;
        }
        for (int i = open + 1; i < list.length(); i++) {
            char c = list.charAt(i);
            if (c == '"') {
                return i;
            }
            if (c <= ' ' || c == 0x7f) {
                return -1;
            }
        }
        return -1;
    }

    private static int skipSeparators(String list, int from) {
        int at = from;
        while (at < list.length() && " \t,".indexOf(list.charAt(at)) >= 0) {
            at++;
        }
        return at;
    }

    /** As it stands in a field. */
    @Override
    public String toString() {
        return (weak ? "W/\"" : "\"") + opaque + '"';
    }
}
