package dev.tutti.blocks.directory;

import dev.tutti.blocks.codec.Codec;
import dev.tutti.blocks.codec.MalformedException;
import dev.tutti.blocks.internal.argument.Arguments;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A place in a directory: its name and those of the contexts that it is in, from the root down. The root itself has no
 * names. A path sorts before all paths below it.
 *
 * @param names none of them empty; 32 at most
 */
public record DirectoryPath(List<String> names) implements Comparable<DirectoryPath> {

    public static final DirectoryPath ROOT = new DirectoryPath(List.of());

    static final int DEPTH_MAX = 32;

    static final Codec<DirectoryPath> CODEC = Codec.of(
            in -> {
                List<String> names = new ArrayList<>();
                int count = in.takeCount(Integer.BYTES);
                if (count > DEPTH_MAX) {
                    throw new MalformedException("a path of " + count + " names, at most " + DEPTH_MAX);
                }
                for (int index = 0; index < count; index++) {
                    names.add(in.takeText());
                }
                try {
                    return new DirectoryPath(names);
                } catch (IllegalArgumentException e) {
                    throw new MalformedException(String.valueOf(e.getMessage()));
                }
            },
            (path, out) -> {
                out.putInt(path.names.size());
                path.names.forEach(out::putText);
            });

    public DirectoryPath {
        names = List.copyOf(names);
        if (names.size() > DEPTH_MAX) {
            throw new IllegalArgumentException("a path of " + names.size() + " names, at most " + DEPTH_MAX);
        }
        if (names.contains("")) {
            throw new IllegalArgumentException("an empty name in " + names);
        }
    }

    /** Parses names separated by slashes; empty for the root. Slashes at the ends and repeated ones are ignored. */
    public static DirectoryPath of(String text) {
        Arguments.required(text, "a path");
        return new DirectoryPath(
                Arrays.stream(text.split("/")).filter(name -> !name.isEmpty()).toList());
    }

    public boolean isRoot() {
        return names.isEmpty();
    }

    /**
     * Returns the last name.
     *
     * @throws java.util.NoSuchElementException of the root
     */
    public String name() {
        return names.getLast();
    }

    /** Returns the path of the context that it is in. */
    public DirectoryPath parent() {
        return first(names.size() - 1);
    }

    /** Returns the path of the first {@code count} names. */
    public DirectoryPath first(int count) {
        return new DirectoryPath(names.subList(0, count));
    }

    public DirectoryPath child(String name) {
        List<String> more = new ArrayList<>(names);
        more.add(name);
        return new DirectoryPath(more);
    }

    public DirectoryPath resolve(DirectoryPath below) {
        List<String> more = new ArrayList<>(names);
        more.addAll(below.names);
        return new DirectoryPath(more);
    }

    /** Returns whether this is {@code other} or below it. */
    public boolean isIn(DirectoryPath other) {
        return names.size() >= other.names.size()
                && names.subList(0, other.names.size()).equals(other.names);
    }

    /** Returns the first path after all paths that are in this one. */
    DirectoryPath end() {
        return parent().child(name() + '\0');
    }

    @Override
    public int compareTo(DirectoryPath other) {
        for (int index = 0; index < Math.min(names.size(), other.names.size()); index++) {
            int order = names.get(index).compareTo(other.names.get(index));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(names.size(), other.names.size());
    }

    @Override
    public String toString() {
        return String.join("/", names);
    }
}
