package dev.tutti.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Libraries are byte for byte those that were examined when they were chosen, whatever their repository. */
class ChecksumsTest {

    private static final Path KNOWN = Path.of("../.mvn/checksums");

    @Test
    void librariesAreTheOnesThatWereChosen() throws IOException {
        Map<String, String> used = used();
        assertThat(used).hasSizeGreaterThan(30);
        // Replaces the known checksums once they have been compared with those that the authors publish.
        Files.write(Path.of("target/checksums"), lines(used));
        assertThat(differences(known(Files.readAllLines(KNOWN)), used))
                .as("libraries and %s; target/checksums has those of this build", KNOWN.normalize())
                .isEmpty();
    }

    @Test
    void otherBytesAndUnknownLibrariesAreReported() {
        Map<String, String> known = known(List.of("aa  a-1.jar", "bb  b-1.jar", "cc  c-1.jar"));
        assertThat(differences(known, Map.of("a-1.jar", "aa", "b-1.jar", "b0", "d-1.jar", "dd"))).containsExactlyInAnyOrderEntriesOf(Map.of(
                "b-1.jar", "has SHA-256 b0, not bb", "d-1.jar", "is not known; its SHA-256 is dd", "c-1.jar", "is not used any more"));
        assertThat(differences(known, known)).isEmpty();
    }

    private static Map<String, String> differences(Map<String, String> known, Map<String, String> used) {
        Map<String, String> differences = new TreeMap<>();
        used.forEach((name, sum) -> {
            String expected = known.get(name);
            if (expected == null) {
                differences.put(name, "is not known; its SHA-256 is " + sum);
            } else if (!expected.equals(sum)) {
                differences.put(name, "has SHA-256 " + sum + ", not " + expected);
            }
        });
        known.keySet().stream().filter(name -> !used.containsKey(name)).forEach(name -> differences.put(name, "is not used any more"));
        return differences;
    }

    /** Formats checksums as {@code sha256sum} does. */
    private static List<String> lines(Map<String, String> sums) {
        return sums.entrySet().stream().map(entry -> entry.getValue() + "  " + entry.getKey()).toList();
    }

    private static Map<String, String> known(List<String> lines) {
        Map<String, String> sums = new TreeMap<>();
        for (String line : lines) {
            String[] words = line.split("  ", 2);
            sums.put(words[1], words[0]);
        }
        return sums;
    }

    private static Map<String, String> used() throws IOException {
        Map<String, String> sums = new TreeMap<>();
        for (Path jar : Library.jars()) {
            sums.put(jar.getFileName().toString(), sha256(jar));
        }
        return sums;
    }

    private static String sha256(Path file) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
