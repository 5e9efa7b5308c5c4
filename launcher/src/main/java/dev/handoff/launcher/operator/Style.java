package dev.handoff.launcher.operator;

import org.jline.utils.AttributedStyle;

/** The styles of the screen. No meaning is in a colour alone. */
final class Style {
    static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
    static final AttributedStyle TITLE = PLAIN.bold();
    static final AttributedStyle HEADING = PLAIN.underline();
    static final AttributedStyle QUIET = PLAIN.faint();
    static final AttributedStyle WARNING = PLAIN.bold().foreground(AttributedStyle.YELLOW);
    static final AttributedStyle ALARM = PLAIN.bold().foreground(AttributedStyle.RED);

    private Style() {}
}
