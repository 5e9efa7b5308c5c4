package dev.handoff.launcher.operator;

import org.jline.utils.AttributedStyle;

/** What things look like on a screen. Whatever a colour says is said in words too. */
final class Style {
    static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
    static final AttributedStyle TITLE = PLAIN.bold();
    static final AttributedStyle HEADING = PLAIN.underline();
    static final AttributedStyle QUIET = PLAIN.faint();
    static final AttributedStyle WARNING = PLAIN.bold().foreground(AttributedStyle.YELLOW);
    static final AttributedStyle ALARM = PLAIN.bold().foreground(AttributedStyle.RED);

    private Style() {}
}
