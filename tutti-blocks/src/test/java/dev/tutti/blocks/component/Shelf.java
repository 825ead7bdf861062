package dev.tutti.blocks.component;

import dev.tutti.GroupState;
import dev.tutti.Node;
import dev.tutti.Snapshot;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The implementation, which tells by which nodes changes were executed. */
final class Shelf implements Stock, GroupState {

    static final Duration SLOW = Duration.ofMillis(100);

    private final Node node;
    private final TreeMap<String, Integer> items = new TreeMap<>();
    private @Nullable String note;
    private String executedBy = "";

    Shelf(Node node) {
        this.node = node;
    }

    @Override
    public int add(String item, int count) {
        return items.merge(item, count, Integer::sum);
    }

    @Override
    public int take(String item) throws SoldOutException {
        int left = items.getOrDefault(item, 0);
        if (left == 0) {
            throw new SoldOutException(item);
        }
        items.put(item, left - 1);
        return left - 1;
    }

    @Override
    public @Nullable String note(@Nullable String text) {
        String before = note;
        note = text;
        return before;
    }

    @Override
    public String slowly(String item) {
        try {
            node.threads().get(new CompletableFuture<>(), SLOW.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            executedBy += node.name() + " ";
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return executedBy + items.merge(item, 1, Integer::sum);
    }

    @Override
    public int count(String item) throws SoldOutException {
        Integer count = items.get(item);
        if (count == null) {
            throw new SoldOutException(item);
        }
        return count;
    }

    @Override
    public int countHere(String item) {
        return items.getOrDefault(item, 0);
    }

    @Override
    public void fail(String how) throws IOException {
        switch (how) {
            case "checked" -> throw new IOException("as asked");
            case "error" -> throw new StackOverflowError("as asked");
            default -> throw new IllegalStateException("as asked");
        }
    }

    @Override
    public Snapshot snapshot() {
        Map<String, Integer> copy = new TreeMap<>(items);
        String noted = note;
        String executed = executedBy;
        return stream -> {
            DataOutputStream out = new DataOutputStream(stream);
            out.writeUTF(executed);
            out.writeBoolean(noted != null);
            out.writeUTF(noted == null ? "" : noted);
            out.writeInt(copy.size());
            for (Map.Entry<String, Integer> each : copy.entrySet()) {
                out.writeUTF(each.getKey());
                out.writeInt(each.getValue());
            }
            out.flush();
        };
    }

    @Override
    public void install(InputStream stream) throws IOException {
        DataInputStream in = new DataInputStream(stream);
        items.clear();
        executedBy = in.readUTF();
        boolean isNoted = in.readBoolean();
        String text = in.readUTF();
        note = isNoted ? text : null;
        for (int left = in.readInt(); left > 0; left--) {
            items.put(in.readUTF(), in.readInt());
        }
    }
}
