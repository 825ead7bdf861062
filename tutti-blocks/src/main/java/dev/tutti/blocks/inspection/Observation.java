package dev.tutti.blocks.inspection;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Bytes of answers that this node has sent to each other node, so that those who look at traffic can leave out what looking
 * costs. From any thread.
 */
final class Observation {

    /** Most nodes whose answers are counted; answers to further ones are not. */
    private static final int NODES_MAX = 1_024;

    private final Map<String, LongAdder> bytes = new ConcurrentSkipListMap<>();

    /** Counts an answer, and returns it. */
    String counted(String asking, String answer) {
        LongAdder of = bytes.get(asking);
        if (of == null && bytes.size() < NODES_MAX) {
            of = bytes.computeIfAbsent(asking, _ -> new LongAdder());
        }
        if (of != null) {
            // Almost all characters are one byte.
            of.add(answer.length());
        }
        return answer;
    }

    /** Returns the bytes by the name of the node that has asked. */
    Map<String, Long> document() {
        Map<String, Long> document = new TreeMap<>();
        bytes.forEach((node, sum) -> document.put(node, sum.sum()));
        return document;
    }
}
