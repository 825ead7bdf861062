package dev.tutti.cli.migration;

import dev.tutti.config.YamlFile;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The settings of a translation as a YAML file, with the source of each line as a comment. */
final class AnnotatedYaml {

    private static final int INDENT = 2;

    private AnnotatedYaml() {}

    static String print(String file, Translation translation) {
        StringBuilder text = new StringBuilder();
        text.append("# Made by 'tutti migrate' from ").append(file).append(".\n");
        text.append("# JChannel.connect(\"name\") is node.group(\"name\").join(); a node can be in many groups.\n");
        for (String task : translation.tasks()) {
            text.append("# Before it starts: ").append(task).append(".\n");
        }
        List<String> lines = YamlFile.print(translation.spec()).lines().toList();
        List<String> path = new ArrayList<>();
        for (int index = 0; index < lines.size(); index++) {
            String line = lines.get(index);
            int depth = depth(line);
            String key = line.strip().replaceFirst(":.*", "");
            path.subList(depth, path.size()).clear();
            path.add(key);
            boolean isLevel = line.endsWith(":");
            String source = isLevel ? sources(lines, index, path, translation) : source(String.join(".", path), translation);
            text.append(line).append("  # ").append(source).append('\n');
        }
        return text.toString();
    }

    private static String source(String setting, Translation translation) {
        Finding origin = translation.origin(setting);
        if (origin == null) {
            throw new IllegalStateException(setting + " has no source");
        }
        String difference = origin.explanation().isEmpty() ? "" : ": " + origin.explanation();
        boolean isItsOwn = origin.setting().equals(setting);
        return origin.place() + " " + origin.source() + ", " + origin.outcome() + (isItsOwn ? difference : "");
    }

    /** Returns the protocols from which the lines of a level come. */
    private static String sources(List<String> lines, int start, List<String> path, Translation translation) {
        Set<String> protocols = new LinkedHashSet<>();
        List<String> inner = new ArrayList<>(path);
        int depth = depth(lines.get(start));
        for (int index = start + 1; index < lines.size() && depth(lines.get(index)) > depth; index++) {
            String line = lines.get(index);
            inner.subList(depth(line), inner.size()).clear();
            inner.add(line.strip().replaceFirst(":.*", ""));
            Finding origin = translation.origin(String.join(".", inner));
            if (origin != null) {
                protocols.add(origin.protocol());
            }
        }
        return String.join(", ", protocols);
    }

    private static int depth(String line) {
        return (line.length() - line.stripLeading().length()) / INDENT;
    }
}
