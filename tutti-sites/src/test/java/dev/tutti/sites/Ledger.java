package dev.tutti.sites;

import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Component of the tests: a member of one site group whose state counts the effects of each message. */
final class Ledger implements AutoCloseable {

    private final Node node;
    private final Sites sites;
    private final SiteGroup group;

    /** Effects of each message, as {@code site/sender#incarnation number}. */
    private TreeMap<String, Integer> counts = new TreeMap<>();

    private final List<Gap> gaps = new ArrayList<>();
    private final String padding;
    private int installed;
    private int sent;
    private boolean isSending;

    /** @param paddingBytes bytes of the state besides the counts */
    Ledger(Node node, String site, Supplier<NodeBuilder> bridge, int paddingBytes, UnaryOperator<SiteGroupBuilder> settings) {
        this.node = node;
        this.padding = "x".repeat(paddingBytes);
        this.sites = Sites.on(node).site(site).bridge(bridge).open();
        this.group = settings.apply(sites.group("ledger")
                        .total()
                        .state(new State())
                        .resynchronize()
                        .onGap(gaps::add)
                        .onMessage(message -> counts.merge(
                                message.site() + "/" + message.sender() + "#" + message.incarnation() + " " + message.text(), 1,
                                Integer::sum)))
                .join();
    }

    /** A state without anything. */
    static final GroupState EMPTY = new GroupState() {

        @Override
        public Snapshot snapshot() {
            return out -> {};
        }

        @Override
        public void install(InputStream in) {
            // There is nothing to install.
        }
    };

    private final class State implements GroupState {

        @Override
        public Snapshot snapshot() {
            Map<String, Integer> image = new TreeMap<>(counts);
            return to -> {
                DataOutputStream out = new DataOutputStream(to);
                out.writeInt(padding.length());
                out.write(padding.getBytes(StandardCharsets.US_ASCII));
                out.writeInt(image.size());
                for (Map.Entry<String, Integer> each : image.entrySet()) {
                    out.writeUTF(each.getKey());
                    out.writeInt(each.getValue());
                }
                out.flush();
            };
        }

        @Override
        public void install(InputStream from) throws IOException {
            DataInputStream in = new DataInputStream(from);
            in.readNBytes(in.readInt());
            TreeMap<String, Integer> next = new TreeMap<>();
            for (int left = in.readInt(); left > 0; left--) {
                String key = in.readUTF();
                next.put(key, in.readInt());
            }
            if (in.read() != -1) {
                throw new IOException("the state has more than it says");
            }
            counts = next;
            installed++;
        }
    }

    /** Sends the next number everywhere, unless one is being sent: its number is used again if it is not accepted. */
    void send() {
        if (isSending) {
            return;
        }
        isSending = true;
        int number = sent + 1;
        try {
            group.send(String.valueOf(number));
            sent = number;
        } catch (SendException e) {
            // Not accepted: the number is used again.
        } finally {
            isSending = false;
        }
    }

    String name() {
        return node.name();
    }

    Sites sites() {
        return sites;
    }

    SiteGroup group() {
        return group;
    }

    Map<String, Integer> counts() {
        return counts;
    }

    List<Gap> gaps() {
        return gaps;
    }

    int installed() {
        return installed;
    }

    int sent() {
        return sent;
    }

    @Override
    public void close() {
        sites.close();
    }
}
