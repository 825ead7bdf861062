package dev.tutti.internal.admission;

import dev.tutti.core.admission.Newcomer;
import dev.tutti.core.settings.SecretStrength;
import dev.tutti.internal.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Tokens of a node, in a file that only its owner may read: one line, or two while the token changes. The node proves that it
 * knows the first, and accepts both.
 */
final class TokenFile {

    private static final int TOKENS_MAX = 2;

    /** Tokens that were in force before and still hold for nodes that came in with them. */
    private static final int FORMER_MAX = 8;

    private final ReloadedFile<List<String>> file;

    /** Tokens that are or were in force, the newest last. */
    private volatile List<String> everKnown = List.of();

    /** Reads nothing before the first {@link #refresh}. */
    TokenFile(Path path) {
        file = new ReloadedFile<>(path, List.of(), TokenFile::load);
    }

    private static List<String> load(Path path, List<String> lines) throws IOException {
        PrivateFile.check(path);
        if (lines.isEmpty() || lines.size() > TOKENS_MAX) {
            throw new IOException(path + ": has " + (lines.isEmpty() ? "no token" : "more than two tokens")
                    + "; it must have one line, or two while the token changes");
        }
        for (String line : lines) {
            String objection = SecretStrength.objection(line);
            if (!objection.isEmpty()) {
                throw new IOException(path + ": the token " + objection + "; make one with: tutti certs secret FILE");
            }
        }
        return List.copyOf(lines);
    }

    /** Returns the token that this node proves to know. */
    byte[] own() {
        return file.value().getFirst().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether a node knows a token of the file; if it is in already, a former one is sufficient. */
    boolean isKnownBy(Newcomer newcomer, boolean isIn) {
        boolean isKnown = false;
        for (String token : isIn ? everKnown : file.value()) {
            isKnown |= newcomer.knowsToken(token);
        }
        return isKnown;
    }

    /**
     * Reads the file if it has changed; returns whether it has other tokens now. Blocks.
     *
     * @throws IOException if it can't be used; the tokens before stay in force
     */
    boolean refresh() throws IOException {
        if (!file.refresh()) {
            return false;
        }
        ArrayDeque<String> known = new ArrayDeque<>(everKnown);
        for (String token : file.value()) {
            known.remove(token);
            known.addLast(token);
        }
        while (known.size() > FORMER_MAX) {
            known.removeFirst();
        }
        everKnown = new ArrayList<>(known);
        return true;
    }
}
