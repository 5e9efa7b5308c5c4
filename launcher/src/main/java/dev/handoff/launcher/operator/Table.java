package dev.handoff.launcher.operator;

import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * A table with headings, whose columns are as wide as their contents. Numbers are right-aligned.
 */
final class Table {
    private static final String GAP = "  ";

    private record Row(List<String> cells, AttributedStyle style) {}

    private final List<Column> columns;
    private final List<Row> rows = new ArrayList<>();

    /** A heading, and the alignment of its cells. */
    record Column(String heading, boolean isNumber) {
        static Column text(String heading) {
            return new Column(heading, false);
        }

        static Column number(String heading) {
            return new Column(heading, true);
        }
    }

    Table(Column... columns) {
        this.columns = List.of(columns);
    }

    void add(AttributedStyle style, String... cells) {
        rows.add(new Row(List.of(cells), style));
    }

    int rowCount() {
        return rows.size();
    }

    boolean isEmpty() {
        return rows.isEmpty();
    }

    /** The heading and as many rows as fit; a last line counts the others. */
    List<AttributedString> lines(int mostRows) {
        int shown = rows.size() <= mostRows ? rows.size() : Math.max(0, mostRows - 1);
        List<AttributedString> lines = new ArrayList<>();
        lines.add(line(columns.stream().map(Column::heading).toList(), Style.HEADING));
        rows.subList(0, shown).forEach(row -> lines.add(line(row.cells, row.style)));
        if (shown < rows.size()) {
            lines.add(
                    new AttributedString("… and " + (rows.size() - shown) + " more", Style.QUIET));
        }
        return lines;
    }

    private AttributedString line(List<String> cells, AttributedStyle style) {
        AttributedStringBuilder line = new AttributedStringBuilder();
        for (int i = 0; i < columns.size(); i++) {
            String cell = cells.get(i);
            String padding = " ".repeat(Math.max(0, width(i) - width(cell)));
            boolean last = i == columns.size() - 1;
            line.append(
                    columns.get(i).isNumber ? padding + cell : cell + (last ? "" : padding), style);
            line.append(last ? "" : GAP);
        }
        return line.toAttributedString();
    }

    private int width(int column) {
        int width = width(columns.get(column).heading);
        for (Row row : rows) {
            width = Math.max(width, width(row.cells.get(column)));
        }
        return width;
    }

    private static int width(String text) {
        return new AttributedString(text).columnLength();
    }
}
