package dev.tutti.campaign.application;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.StateProgress;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** One membership of a process in a group: does its work, and checks everything that it is told. */
final class GroupMember implements GroupState {

    private final Context context;
    private final GroupPlan plan;
    private final Node node;
    private final int process;
    private final int number;
    private final Runnable onEnd;

    private @Nullable Group group;
    private @Nullable Member self;
    private @Nullable View view;
    private boolean isJoined;
    private boolean isClosing;
    private int closings;
    private String closedBecause = "";
    private @Nullable String suspendedBecause;

    private boolean isBatchOpen;
    private final RunningCallbacks callbacks = new RunningCallbacks(this::report);
    private final ReceivedMessages received = new ReceivedMessages(this::report);
    private final Misbehaviour misbehaviour;
    private final GroupSender sender;
    private final @Nullable ImageState state;
    private Context.@Nullable Cut cut;

    GroupMember(Context context, GroupPlan plan, Node node, int process, int number, Runnable onEnd) {
        this.context = context;
        this.plan = plan;
        this.node = node;
        this.process = process;
        this.number = number;
        this.onEnd = onEnd;
        // A member that leaves in the middle of a change may leave the others without a majority.
        this.misbehaviour = new Misbehaviour(context.mischief, !plan.isPrimary());
        Content first = new Content(plan.index(), process, node.id().incarnation(), number, Content.SENT, 0, Content.BYTES_MIN);
        this.sender = new GroupSender(context, plan, first, this::report);
        GroupPlan.StatePlan statePlan = plan.state();
        this.state = statePlan == null
                ? null
                : new ImageState(context, statePlan, plan.isTotal(), node.threads(), this::report, misbehaviour);
    }

    @Override
    public String toString() {
        return "n" + process + " in " + plan.name() + " (membership " + number + ")";
    }

    void report(String property, String text) {
        context.findings.report(property, this + " " + text);
    }

    private void count(String what) {
        context.reached.count(what);
    }

    // ------------------------------------------------------------------ joining and leaving

    GroupBuilder builder() {
        GroupBuilder builder = node.group(plan.name());
        plan.settings().forEach(builder::set);
        if (plan.isPrimary()) {
            String[] founders = new String[context.plan.size()];
            for (int index = 0; index < founders.length; index++) {
                founders[index] = "n" + (index + 1);
            }
            builder.primary(founders);
        }
        if (plan.isInline()) {
            builder.inline();
        }
        if (state != null) {
            builder.state(this);
        }
        return builder.onMessage(this::onMessage)
                .onBatchEnd(this::onBatchEnd)
                .onView(this::onView)
                .onTransition(this::onTransition)
                .onSuspended(this::onSuspended)
                .onClosed(this::onClosed);
    }

    void onJoined(Group joined) {
        group = joined;
        isJoined = true;
        count("joined");
        if (view == null) {
            report("T1", "has joined, and was told of no view");
        }
    }

    boolean isOpen() {
        return isJoined && closings == 0;
    }

    /** Reports whether it has left, and no member needs its vote in a group with a primary partition. */
    boolean isReleased() {
        return closedBecause.equals("left");
    }

    /** Reports whether two members are in the same view now. */
    boolean isWith(GroupMember other) {
        View own = installed();
        return own != null && own.equals(other.installed());
    }

    /** Returns the view that this member's stack has installed; null if it is no member any more. */
    private @Nullable View installed() {
        boolean isGone = closings > 0 || !context.cluster.isUp(process) || context.cluster.node(process) != node;
        return isGone
                ? null
                : node.groups().stream()
                        .filter(joined -> joined.name().equals(plan.name()))
                        .map(Group::view)
                        .findFirst()
                        .orElse(null);
    }

    /** Returns the group while it can be used; null before and after. */
    private @Nullable Group usable() {
        return closings == 0 && !isClosing ? group : null;
    }

    void close() {
        Group present = usable();
        if (present != null) {
            if (context.random.nextBoolean()) {
                sender.sendMoreThanAWindow(present);
            }
            isClosing = true;
            present.close();
            count("left");
        }
    }

    // ------------------------------------------------------------------ sending

    /** Performs one random operation of a user. */
    void work() {
        Group present = usable();
        View now = view;
        if (present == null || now == null || !isJoined) {
            return;
        }
        sender.work(present, now);
    }

    /** Sends a message that all members have to deliver, in any kind of group, because all faults are over. */
    @Nullable String probe() {
        Group present = usable();
        return present == null ? null : sender.probe(present);
    }

    // ------------------------------------------------------------------ listeners

    private void enter(String callback) {
        if (closings > 0) {
            report("T3", "is called in " + callback + " after onClosed");
        }
        callbacks.enter(callback);
    }

    private void onMessage(Message message) {
        Content content = Content.read(message.bytes());
        if (content == null || content.group() != plan.index()) {
            report("S1", "is told of a message that nobody has made: " + message.length() + " bytes from " + message.sender());
            return;
        }
        isBatchOpen = true;
        if (content.isOutOfBand() && !plan.isInline()) {
            onMessageAside(message, content, "out-of-band");
        } else if (content.isScoped() && !plan.isInline()) {
            callbacks.enterScoped();
            try {
                onMessageAside(message, content, "scoped");
            } finally {
                callbacks.leaveScoped();
            }
        } else {
            enter("onMessage");
            try {
                take(message, content);
                react(content, "onMessage");
            } finally {
                callbacks.leave("onMessage");
            }
        }
    }

    private void onMessageAside(Message message, Content content, String kind) {
        // A message out of band may have been under way when the state came, as it is in no order with it.
        if (!content.isOutOfBand()) {
            callbacks.checkNoInstallation();
        }
        take(message, content);
        react(content, "onMessage-" + kind);
    }

    private void take(Message message, Content content) {
        if (closings > 0 && !content.isOutOfBand()) {
            report("T3", "is told of " + content.id() + " after onClosed");
        }
        View present = view;
        if (present == null) {
            report("S5", "is told of " + content.id() + " before its first view");
        } else if (!content.isOutOfBand() && !message.view().equals(present)) {
            report("S7", "is told of " + content.id() + " in " + message.view() + ", and is in " + present);
        }
        received.take(message, content);
        if (state != null && !message.isUnicast() && !content.isOutOfBand()) {
            state.image().add(content);
        }
    }

    private void react(Content content, String callback) {
        // Scoped callbacks run concurrently only if some take long.
        int oneIn = content.isScoped() ? 3 : 30;
        if (plan.blockMillisMax() > 0 && context.random.nextInt(oneIn) == 0) {
            count("blocked." + callback);
            Context.sleep(node.threads(), 1 + context.random.nextLong(plan.blockMillisMax() * 1_000_000L));
        }
        Group present = usable();
        if (plan.isCallingBack() && present != null && !context.isQuiet && context.random.nextInt(20) == 0) {
            callBack(present, callback);
        }
        misbehaviour.at(callback, false);
    }

    private void callBack(Group present, String callback) {
        View now = view;
        int choice = context.random.nextInt(plan.isInline() ? 2 : 5);
        count("called-back." + callback);
        try {
            if (now == null) {
                sender.tryFromCallback(present);
            } else if (choice < 4) {
                sender.sendFromCallback(present, now, choice);
            } else if (context.random.nextInt(10) == 0 && !plan.isPrimary()) {
                count("closed-in-callback");
                close();
            } else {
                joinAside();
            }
        } catch (SendException e) {
            sender.onRefused(e);
        }
    }

    /** Joins another group from a listener, and leaves it on a different thread. */
    private void joinAside() {
        String name = "aside-" + plan.name();
        if (node.groups().stream().anyMatch(joined -> joined.name().equals(name))) {
            return;
        }
        count("joined-in-callback");
        try {
            Group joined = node.group(name).join();
            node.threads().start("leave " + name, joined::close);
        } catch (IllegalStateException e) {
            count("not-joined-in-callback");
        }
    }

    private void onBatchEnd() {
        isBatchOpen = false;
        misbehaviour.at("onBatchEnd", false);
    }

    private void onView(View next) {
        callbacks.checkNoScoped("onView");
        enter("onView");
        try {
            View before = view;
            if (before != null && before.id().number() >= next.id().number()) {
                report("T4", "is told of view " + next.id() + " after " + before.id());
            }
            view = next;
            suspendedBecause = null;
            for (Member member : next.members()) {
                if (member.node().equals(node.id())) {
                    if (self != null && !member.equals(self)) {
                        report("S3", "is another member in " + next);
                    }
                    self = member;
                }
            }
            if (self == null) {
                report("S3", "is told of " + next + ", in which it is not");
            }
            if (plan.isOneState()) {
                Context.Cut here = new Context.Cut(this, name(next), image().hash(), image().toString());
                if (cut != null) {
                    context.onCut(plan.name(), cut, here);
                }
                cut = here;
            }
            if (next.parts().size() > 1 && next.size() > 2) {
                count(plan.state() == null ? "merged" : "merged-with-state");
            }
            if (plan.blockMillisMax() > 0 && context.random.nextInt(10) == 0) {
                count("blocked.onView");
                Context.sleep(node.threads(), 1 + context.random.nextLong(plan.blockMillisMax() * 1_000_000L));
            }
            Group present = usable();
            if (plan.isCallingBack() && present != null && context.random.nextInt(4) == 0) {
                callBack(present, "onView");
            }
            misbehaviour.at("onView", true);
        } finally {
            callbacks.leave("onView");
        }
    }

    private static String name(View view) {
        StringBuilder name = new StringBuilder(view.id().toString());
        for (Member member : view.members()) {
            name.append(' ').append(member).append('/').append(member.node().incarnation()).append('/').append(member.join());
        }
        return name.toString();
    }

    private void onTransition() {
        callbacks.checkNoScoped("onTransition");
        enter("onTransition");
        try {
            count("transition");
            misbehaviour.at("onTransition", true);
        } finally {
            callbacks.leave("onTransition");
        }
    }

    private void onSuspended(String reason) {
        callbacks.checkNoScoped("onSuspended");
        enter("onSuspended");
        try {
            count("suspended");
            if (reason.isBlank()) {
                report("T8", "is suspended without a reason");
            }
            Group present = usable();
            if (present != null && present.isPrimary() && present.view().equals(view)) {
                report("T8", "is told that it is suspended, " + reason + ", and is primary in " + view);
            }
            suspendedBecause = reason;
            misbehaviour.at("onSuspended", true);
        } finally {
            callbacks.leave("onSuspended");
        }
    }

    private void onClosed(String reason) {
        callbacks.checkNoScoped("onClosed");
        closings++;
        closedBecause = reason;
        count("closed");
        if (closings > 1) {
            report("T3", "is told " + closings + " times that it is closed, now because " + reason);
        }
        if (reason.isBlank()) {
            report("T3", "is closed without a reason");
        }
        onEnd.run();
        misbehaviour.at("onClosed", true);
    }

    // ------------------------------------------------------------------ state

    private ImageState state() {
        ImageState present = state;
        if (present == null) {
            throw new IllegalStateException(plan.name() + " has no state");
        }
        return present;
    }

    @Override
    public Snapshot snapshot() {
        callbacks.checkNoScoped("snapshot");
        enter("snapshot");
        try {
            return state().snapshot();
        } finally {
            callbacks.leave("snapshot");
        }
    }

    @Override
    public void install(InputStream in) throws IOException {
        callbacks.beginInstallation();
        count(view == null ? "install" : "install-after-merge");
        try {
            state().install(in);
            // Messages accepted on the side whose state is replaced may be lost with it.
            sender.forgetAccepted();
        } finally {
            callbacks.endInstallation();
        }
    }

    @Override
    public boolean isReproducible() {
        return state().plan().isReproducible();
    }

    @Override
    public boolean isAtomic() {
        return state().plan().isAtomic();
    }

    // ------------------------------------------------------------------ at rest

    /** Checks, when nothing is under way, that this member was told of everything that holds now. */
    void checkRest() {
        sender.checkFutures();
        if (!isOpen()) {
            return;
        }
        Group present = usable();
        if (present == null) {
            report("T3", "has left, and was not told that it is closed");
            return;
        }
        checkRest(present);
    }

    private void checkRest(Group present) {
        if (state != null) {
            StateProgress progress = present.stateProgress();
            if (progress.resumed() > 0) {
                count("state.resumed");
            }
            if (progress.restarted() > 0) {
                count("state.restarted");
            }
        }
        if (!present.view().equals(view)) {
            report("T4", "was told of " + view + ", and is in " + present.view());
        }
        sender.checkAccepted(received::has);
        if (isBatchOpen) {
            report("T10", "was told of messages, and not of the end of their batch");
        }
        if (present.isPrimary() == (suspendedBecause != null) && plan.isPrimary()) {
            report("T8", "was told " + (suspendedBecause == null ? "of no suspension" : suspendedBecause)
                    + ", and is " + (present.isPrimary() ? "" : "not ") + "primary in " + present.view());
        }
        if (!present.waitsFor().isEmpty()) {
            report("L2", "would wait for " + present.waitsFor());
        }
        received.checkUnreadable();
        if (state != null) {
            state.checkRest();
        }
    }

    boolean isOf(String group) {
        return plan.name().equals(group);
    }

    boolean isTold(String id) {
        return received.has(id);
    }

    @Nullable View view() {
        return view;
    }

    /** @throws IllegalStateException if its group has no state */
    Image image() {
        return state().image();
    }

    /** Checks, after the end of its node, that the member was told of the end exactly once. */
    void checkEnd() {
        if (isJoined && closings != 1) {
            report("T3", "was told " + closings + " times that it is closed, and its node has ended");
        }
    }

    /** Checks, when nothing is under way, that an error in a callback has ended the membership with that reason. */
    void checkErrors() {
        String error = misbehaviour.error();
        if (error != null && isOpen()) {
            report("T7", "has thrown an error in " + error + ", and is a member still");
        } else if (error != null && isJoined && closings > 0 && !isClosing && !closedBecause.contains(Mischief.MARK)) {
            report("T7", "has thrown an error in " + error + ", and is told that it is closed because " + closedBecause);
        }
    }
}
