package dev.tutti.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Inputs that are kept: former findings, and inputs with new coverage from coverage-guided campaigns. */
final class Corpus {

    private static final Path ROOT = Path.of("src/test/resources/corpus");

    private Corpus() {}

    static Path directory(String target) {
        return ROOT.resolve(target);
    }

    /** Returns the inputs by the names of their files. */
    static TreeMap<String, byte[]> of(String target) {
        TreeMap<String, byte[]> inputs = new TreeMap<>();
        Path directory = directory(target);
        if (Files.isDirectory(directory)) {
            try (Stream<Path> files = Files.list(directory)) {
                for (Path file : files.toList()) {
                    inputs.put(file.getFileName().toString(), Files.readAllBytes(file));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return inputs;
    }

    /** Returns the inputs from which mutations start: the seeds of the target and its corpus. */
    static List<byte[]> startOf(Target target) {
        List<byte[]> inputs = new ArrayList<>(target.seeds().get());
        inputs.addAll(of(target.name()).values());
        return inputs;
    }
}
