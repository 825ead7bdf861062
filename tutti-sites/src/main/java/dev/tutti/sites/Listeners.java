package dev.tutti.sites;

import dev.tutti.Group;
import dev.tutti.core.View;
import dev.tutti.sites.internal.log.OriginMember;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Calls of the application's listeners that are due: collected under the site group's lock, and made without it. One
 * that throws does not keep others from being called. For one thread.
 */
final class Listeners {

    /** A call that is due. */
    private record Call(String callback, Runnable code) {}

    private final SiteGroupBuilder settings;
    private final List<Call> calls = new ArrayList<>();

    Listeners(SiteGroupBuilder settings) {
        this.settings = settings;
    }

    void onMessage(String site, OriginMember sender, byte[] content) {
        SiteMessage message = new SiteMessage(site, sender.name(), sender.incarnation(), content);
        add("onMessage", () -> settings.onMessage().accept(message));
    }

    void onGap(String site, OriginMember sender, long count) {
        Gap gap = new Gap(site, sender.name(), sender.incarnation(), count);
        add("onGap", () -> settings.onGap().accept(gap));
    }

    void onView(View view) {
        add("onView", () -> settings.onView().accept(view));
    }

    /** Adds code that has to run without the lock, after the calls before it. */
    void add(String name, Runnable code) {
        calls.add(new Call(name, code));
    }

    /**
     * Makes the calls.
     *
     * @param gate is told that this thread calls listeners, which must not wait for themselves
     */
    void call(@Nullable Group group, SendGate gate) {
        gate.setListening(Thread.currentThread());
        try {
            for (Call call : calls) {
                if (group == null) {
                    call.code.run();
                } else {
                    group.fence().call(call.callback, call.code);
                }
            }
        } finally {
            gate.setListening(null);
            calls.clear();
        }
    }
}
