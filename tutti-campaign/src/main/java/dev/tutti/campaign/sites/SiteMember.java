package dev.tutti.campaign.sites;

import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import dev.tutti.core.ViewId;
import dev.tutti.sites.Gap;
import dev.tutti.sites.Reach;
import dev.tutti.sites.SiteGroup;
import dev.tutti.sites.SiteGroupBuilder;
import dev.tutti.sites.SiteMessage;
import dev.tutti.sites.Sites;
import dev.tutti.sites.SitesView;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A member of the site group from one start of its process to the end: it sends, and remembers what it was told. */
final class SiteMember implements AutoCloseable {

    /**
     * Told of one sender: a message, or a gap.
     *
     * @param number of the message; 0 for a gap
     * @param gap number of messages in the gap
     */
    record Told(long number, long gap) {}

    private final SitesRun run;
    private final Node node;
    private final String site;
    private final Sites sites;
    private final SiteGroup group;

    /** Time from which on it is a member. */
    private final long joinedNanos;

    /** Messages in the order in which it was told them. */
    private final List<Sent> delivered = new ArrayList<>();

    private final TreeMap<String, List<Told>> bySender = new TreeMap<>();
    private final List<SitesView> lists = new ArrayList<>();
    private @Nullable View view;
    private @Nullable ViewId firstView;
    private long number;
    private boolean isSendingMuch;
    private boolean isSending;

    /** @param directory for messages that are kept; null if they are in memory */
    SiteMember(SitesRun run, Node node, String site, @Nullable Path directory) {
        this.run = run;
        this.node = node;
        this.site = site;
        run.members.add(this);
        String[] seeds = run.cluster.addresses(1);
        this.sites = Sites.on(node)
                .site(site)
                .bridge(() -> Node.of(Node.defaults()).cluster("bridge").seeds(seeds))
                .onView(this::onList)
                .open();
        SiteGroupBuilder builder = sites.group("orders")
                .onMessage(this::onMessage)
                .onView(this::onView)
                .onGap(this::onGap)
                .acknowledgeWhen(run.plan.stable())
                .retain(RETAINED_BYTES, run.plan.whenFull())
                .timeout(Duration.ofSeconds(2));
        if (run.plan.isTotal()) {
            builder.total();
        }
        if (run.plan.isExpecting()) {
            builder.expect(run.plan.others(site));
        }
        if (directory != null) {
            builder.spill(directory);
        }
        this.group = builder.join();
        this.joinedNanos = run.nowNanos();
    }

    String site() {
        return site;
    }

    Node node() {
        return node;
    }

    Sites sites() {
        return sites;
    }

    SiteGroup group() {
        return group;
    }

    long joinedNanos() {
        return joinedNanos;
    }

    List<Sent> delivered() {
        return delivered;
    }

    List<SitesView> lists() {
        return lists;
    }

    /** Returns what it was told of a sender, in order. */
    List<Told> toldOf(SiteMember sender) {
        return bySender.getOrDefault(sender.key(), List.of());
    }

    private String key() {
        return key(site, node.name(), node.id().incarnation());
    }

    private static String key(String site, String name, long incarnation) {
        return site + "/" + name + "#" + incarnation;
    }

    // ------------------------------------------------------------------ sending

    /** Lets it send as much as may be kept, with its next work. */
    void sendMuch() {
        isSendingMuch = true;
    }

    /** Sends a message, to a reach and of a length drawn at random; or much at once. */
    void work() {
        if (isSendingMuch) {
            isSendingMuch = false;
            sendBurst();
            return;
        }
        int length = switch (run.random.nextInt(20)) {
            case 0 -> 3_000;
            case 1 -> 300;
            default -> 30;
        };
        send(reach(), length);
    }

    /** Sends a last message to all. */
    void probe() {
        send(Reach.EVERYWHERE, 30);
    }

    private void sendBurst() {
        boolean isAccepted = true;
        for (int count = 0; count < BURST && isAccepted; count++) {
            isAccepted = send(Reach.EVERYWHERE, BURST_BYTES);
        }
    }

    private Reach reach() {
        String[] others = run.plan.others(site);
        return switch (run.random.nextInt(8)) {
            case 0 -> Reach.HERE;
            case 1 -> Reach.of(others[run.random.nextInt(others.length)]);
            case 2 -> Reach.of(site, others[run.random.nextInt(others.length)]);
            case 3 -> Reach.oneAt(others[run.random.nextInt(others.length)]);
            default -> Reach.EVERYWHERE;
        };
    }

    /** Sends, unless a message is being sent, which has the next number until it is accepted. */
    private boolean send(Reach reach, int length) {
        if (isSending) {
            return false;
        }
        isSending = true;
        try {
            return sendNext(reach, length);
        } finally {
            isSending = false;
        }
    }

    private boolean sendNext(Reach reach, int length) {
        boolean isHere = reach.equals(Reach.HERE);
        Sent message = new Sent(this, reach, isHere ? 0 : number + 1, run.nowNanos(), group.knownSites());
        byte[] content = Arrays.copyOf((run.sent.size() + " ").getBytes(StandardCharsets.UTF_8), length);
        run.sent.add(message);
        try {
            group.send(content, reach);
            message.isAccepted = true;
            number = isHere ? number : message.number;
            run.reached.count("sent." + (isHere ? "here" : reach.isEverywhere() ? "everywhere" : reach.isForOne() ? "one-at" : "some-sites"));
        } catch (SendException e) {
            run.reached.count("refused." + e.reason());
        }
        return message.isAccepted;
    }

    // ------------------------------------------------------------------ what it is told

    private void onMessage(SiteMessage told) {
        String text = told.text();
        Sent message = run.sent.get(Integer.parseInt(text.substring(0, text.indexOf(' '))));
        if (!message.sender.key().equals(key(told.site(), told.sender(), told.incarnation()))) {
            report("X2", "was told a message of " + message.sender + " as one of " + key(told.site(), told.sender(), told.incarnation()));
        }
        if (message.isTold(this)) {
            report("X1", "was told " + message + " twice");
        } else if (message.number != 0 && message.number <= lastNumberOf(message.sender)) {
            report("X2", "was told " + message + " after " + lastNumberOf(message.sender));
        }
        if (!message.isMeantFor(site)) {
            report("X7", "was told " + message);
        }
        message.told.add(this);
        delivered.add(message);
        if (message.number != 0) {
            listOf(message.sender.key()).add(new Told(message.number, 0));
        }
        run.reached.count(message.sender.site().equals(site) ? "told.own-site" : "told.other-site");
    }

    private List<Told> listOf(String sender) {
        return bySender.computeIfAbsent(sender, key -> new ArrayList<>());
    }

    private long lastNumberOf(SiteMember sender) {
        for (Told told : toldOf(sender).reversed()) {
            if (told.number() > 0) {
                return told.number();
            }
        }
        return 0;
    }

    private void onGap(Gap gap) {
        listOf(key(gap.site(), gap.sender(), gap.incarnation())).add(new Told(0, gap.count()));
        run.reached.count("gap");
    }

    private void onView(View next) {
        View before = view;
        view = next;
        firstView = firstView == null ? next.id() : firstView;
        if (before != null) {
            next.members().stream()
                    .filter(member -> !before.contains(member))
                    .forEach(member -> run.members.stream()
                            .filter(other -> other.isOther(member, next.id()))
                            .findFirst()
                            .ifPresent(other -> {
                                run.divided.add(site);
                                run.reached.count("merge");
                            }));
        }
    }

    /** Returns whether this is a member of a view, and has been in another one before. */
    private boolean isOther(Member member, ViewId in) {
        return node.id().equals(member.node()) && firstView != null && !firstView.equals(in);
    }

    private void onList(SitesView list) {
        if (!lists.isEmpty() && lists.getLast().number() >= list.number()) {
            report("X6", "was told list " + list.number() + " after " + lists.getLast().number());
        }
        lists.add(list);
        list.sites().forEach(each -> run.reached.count("list." + each.state()));
    }

    /** Counts what its site group has counted. */
    void countStatus() {
        group.status().forEach((name, count) -> {
            if (SitesExpected.STATUS.contains(name)) {
                run.reached.add(name, count);
            }
        });
    }

    void report(String property, String text) {
        run.findings.report(property, this + " " + text);
    }

    @Override
    public void close() {
        sites.close();
    }

    @Override
    public String toString() {
        return node.name() + "#" + run.members.indexOf(this) + " at " + site;
    }

    private static final int RETAINED_BYTES = 1 << 16;
    private static final int BURST = 25;
    private static final int BURST_BYTES = 4_000;
}
