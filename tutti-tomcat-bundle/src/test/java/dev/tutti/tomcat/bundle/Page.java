package dev.tutti.tomcat.bundle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands of docs/operating/tomcat.md, and the lines that it says they print. */
record Page(List<Step> steps) {

    private static final Pattern BLOCK = Pattern.compile("^```(sh|text)\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);

    /** @param printed lines, in this order; … stands for anything */
    record Step(String commands, List<String> printed) {

        /** Reports whether {@code output} has the lines, in their order. */
        boolean isAsPrinted(String output) {
            StringBuilder pattern = new StringBuilder(".*");
            for (String line : printed) {
                for (String part : line.split("…", -1)) {
                    pattern.append(Pattern.quote(part)).append("[^\n]*");
                }
                pattern.append("\n.*");
            }
            return Pattern.compile(pattern.toString(), Pattern.DOTALL).matcher(output).matches();
        }
    }

    static Page read(Path home) throws IOException {
        return parse(Files.readString(home.resolve("docs/operating/tomcat.md")));
    }

    static Page parse(String text) {
        List<Step> steps = new ArrayList<>();
        Matcher blocks = BLOCK.matcher(text);
        while (blocks.find()) {
            if (blocks.group(1).equals("sh")) {
                steps.add(new Step(blocks.group(2), List.of()));
            } else {
                Step step = steps.removeLast();
                steps.add(new Step(step.commands(), blocks.group(2).lines().toList()));
            }
        }
        return new Page(steps);
    }

    /** A script of all commands, which prints a line of {@code separator} after each step, and ends at the first failure. */
    String script(String separator) {
        StringBuilder script = new StringBuilder("set -eu\n");
        for (Step step : steps) {
            script.append(step.commands()).append("echo '").append(separator).append("'\n");
        }
        return script.toString();
    }
}
