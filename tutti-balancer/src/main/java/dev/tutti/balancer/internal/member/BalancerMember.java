package dev.tutti.balancer.internal.member;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.announce.message.AnnounceCodec;
import dev.tutti.announce.message.AnnounceMessage;
import dev.tutti.announce.message.AnnounceMessage.Announced;
import dev.tutti.announce.message.AnnounceMessage.Balancing;
import dev.tutti.announce.message.AnnounceMessage.Ordered;
import dev.tutti.announce.message.AnnounceMessage.Refused;
import dev.tutti.announce.message.AnnounceMessage.Settled;
import dev.tutti.announce.message.ContextState;
import dev.tutti.announce.message.MalformedAnnouncementException;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The balancer in the group: puts what members announce into the directory, tells them whether it counts, and when no request is in
 * flight any more that they do not allow. Thread-safe.
 */
public final class BalancerMember implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(BalancerMember.class);

    private final Directory directory;
    private final String url;
    private final Runnable onChange;
    private final Predicate<String> isSettledElsewhere;
    private final LongAdder malformed = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final Object lock = new Object();

    // Guarded by the lock.
    private List<Member> members = List.of();
    private final Map<Member, String> balancers = new HashMap<>();
    private final Map<Member, String> refusals = new HashMap<>();
    private final Map<Member, Long> answered = new HashMap<>();
    private boolean isGreeting;
    private @Nullable Group group;

    /** True if members may wait to hear that no request of theirs is in flight. */
    private volatile boolean hasUnsettled;

    private BalancerMember(Directory directory, String url, Runnable onChange, Predicate<String> isSettledElsewhere) {
        this.directory = directory;
        this.url = url;
        this.onChange = onChange;
        this.isSettledElsewhere = isSettledElsewhere;
    }

    /**
     * Joins the group.
     *
     * @param url address of this balancer's page, for people
     * @param onChange called after each change of the table that comes from the group, before nodes are answered; may wait
     * @param isSettledElsewhere whether another load balancer, which gets the table, has the node of a route as it is announced, and nothing in
     *     flight that it does not allow
     */
    public static BalancerMember join(
            Node node, String name, Directory directory, String url, Runnable onChange, Predicate<String> isSettledElsewhere) {
        BalancerMember member = new BalancerMember(directory, url, onChange, isSettledElsewhere);
        GroupBuilder builder = node.group(name);
        member.onJoined(builder.onMessage(member::onMessage).onView(member::onView).join());
        return member;
    }

    private void onJoined(Group joined) {
        synchronized (lock) {
            group = joined;
        }
        greet();
        answerAll();
    }

    private void onView(View view) {
        boolean hasNewcomers;
        synchronized (lock) {
            hasNewcomers = !members.containsAll(view.members());
            members = view.members();
            balancers.keySet().retainAll(members);
            refusals.keySet().retainAll(members);
            answered.keySet().retainAll(members);
        }
        directory.onView(view.members());
        onChange.run();
        if (hasNewcomers) {
            greet();
        }
        // The route of a member that is gone may be another one's now.
        answerAll();
    }

    /** Tells all members that this is a balancer. */
    private void greet() {
        Group joined;
        synchronized (lock) {
            joined = group;
            if (joined == null || isGreeting) {
                return;
            }
            isGreeting = true;
        }
        joined.sendAsync(AnnounceCodec.encode(new Balancing(url))).whenComplete((_, _) -> {
            synchronized (lock) {
                isGreeting = false;
            }
        });
    }

    private void onMessage(Message message) {
        Member sender = message.sender();
        try {
            switch (AnnounceCodec.decode(message.bytes())) {
                case Announced announced -> onAnnounced(sender, announced);
                case Balancing balancing -> {
                    synchronized (lock) {
                        balancers.put(sender, balancing.url());
                    }
                }
                // These are for nodes.
                case Settled _, Refused _, Ordered _ -> {}
            }
        } catch (MalformedAnnouncementException e) {
            malformed.increment();
            LOG.debug("a message of {} is dropped: {}", sender, e.getMessage());
        }
    }

    private void onAnnounced(Member sender, Announced announced) {
        String reason = directory.onAnnounced(sender, announced.sequence(), announced.node());
        if (reason != null) {
            refuse(sender, announced.sequence(), reason);
            return;
        }
        onChange.run();
        answer(sender);
    }

    private void refuse(Member member, long sequence, String reason) {
        synchronized (lock) {
            if (!reason.equals(refusals.put(member, reason))) {
                refused.increment();
                LOG.warn("{} is refused: {}", member, reason);
            }
            answered.put(member, sequence);
        }
        send(member, new Refused(sequence, reason));
    }

    private void answerAll() {
        List<Member> all;
        synchronized (lock) {
            all = members;
        }
        all.forEach(this::answer);
    }

    /** Tells a member that no request is in flight that its announcement does not allow, as soon as that is so. */
    private void answer(Member member) {
        long sequence = directory.sequence(member);
        if (sequence == 0) {
            return;
        }
        String reason = directory.refusal(member);
        boolean isRefusedAlready;
        synchronized (lock) {
            isRefusedAlready = refusals.containsKey(member);
            if (reason == null && !isRefusedAlready && answered.getOrDefault(member, 0L) >= sequence) {
                return;
            }
        }
        if (reason != null) {
            if (!isRefusedAlready) {
                refuse(member, sequence, reason);
            }
            return;
        }
        // Before the check: a request that ends after it makes another one.
        hasUnsettled = true;
        if (!directory.isSettled(member) || !isSettledElsewhere.test(directory.route(member))) {
            return;
        }
        synchronized (lock) {
            refusals.remove(member);
            answered.put(member, sequence);
        }
        send(member, new Settled(sequence));
    }

    /** Has to be called when the last request to a context has ended. */
    public void onContextIdle() {
        if (hasUnsettled) {
            hasUnsettled = false;
            answerAll();
        }
    }

    private void send(Member member, AnnounceMessage message) {
        Group joined;
        synchronized (lock) {
            joined = group;
            if (joined == null) {
                // It is answered when the group is joined.
                answered.remove(member);
                refusals.remove(member);
                return;
            }
        }
        try {
            joined.sendToAsync(member, AnnounceCodec.encode(message)).exceptionally(failed -> {
                LOG.debug("{} gets no answer: {}", member, failed.getMessage());
                return null;
            });
        } catch (RuntimeException e) {
            // It has left meanwhile.
            LOG.debug("{} gets no answer: {}", member, e.getMessage());
        }
    }

    /**
     * Asks a node to take no more requests than a state allows. The node announces that to all balancers then.
     *
     * @return whether there is such a member
     */
    public boolean order(String route, String path, ContextState state) {
        Member speaker = directory.speaker(route);
        if (speaker == null) {
            return false;
        }
        send(speaker, new Ordered(path, state));
        return true;
    }

    /** Returns the balancers of the group, with the addresses of their pages, by name. */
    public Map<String, String> balancers() {
        Map<String, String> all = new TreeMap<>();
        synchronized (lock) {
            balancers.forEach((member, page) -> all.put(member.toString(), page));
        }
        return all;
    }

    /** Returns the reasons why members are refused, by member. */
    public Map<String, String> refusals() {
        Map<String, String> all = new TreeMap<>();
        synchronized (lock) {
            refusals.forEach((member, reason) -> all.put(member.toString(), reason));
        }
        return all;
    }

    public long malformed() {
        return malformed.sum();
    }

    public long refused() {
        return refused.sum();
    }

    /** Leaves the group. */
    @Override
    public void close() {
        Group joined;
        synchronized (lock) {
            joined = group;
        }
        if (joined != null) {
            joined.close();
        }
    }
}
