package dev.tutti.stomp.client;

import dev.tutti.testing.Await;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A listener that remembers what it was told, gaps and refusals among the texts of messages. */
final class Heard implements StompListener {

    private final CopyOnWriteArrayList<String> all = new CopyOnWriteArrayList<>();

    @Override
    public void onMessage(StompMessage message) {
        all.add(message.text());
    }

    @Override
    public void onGap(String reason) {
        all.add("gap: " + reason);
    }

    @Override
    public void onRefused(String reason) {
        all.add("refused: " + reason);
    }

    List<String> all() {
        return List.copyOf(all);
    }

    List<String> await(int count) {
        Await.until(() -> count + " calls, not " + all, () -> all.size() >= count);
        return all();
    }
}
