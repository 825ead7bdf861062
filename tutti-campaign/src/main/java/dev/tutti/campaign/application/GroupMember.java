package dev.tutti.campaign.application;

import dev.tutti.Group;
import dev.tutti.GroupBuilder;
import dev.tutti.GroupState;
import dev.tutti.Message;
import dev.tutti.Node;
import dev.tutti.Scope;
import dev.tutti.SendException;
import dev.tutti.Snapshot;
import dev.tutti.StateProgress;
import dev.tutti.core.Member;
import dev.tutti.core.View;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
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
    private long suspendedSince;

    /** Callback that threw an error, which ends the membership; null if none did. */
    private @Nullable String error;

    private int failures;

    /** Running callback, of those that run one at a time; empty if none does. */
    private String inCallback = "";

    /** Number of scoped messages that are being handled. */
    private int aside;

    private boolean isInstalling;
    private boolean isBatchOpen;
    private int sent;
    private final TreeMap<String, Integer> last = new TreeMap<>();
    private final TreeSet<Integer> accepted = new TreeSet<>();
    private final Set<String> told = new HashSet<>();
    private final List<CompletableFuture<Void>> futures = new ArrayList<>();
    private @Nullable Message kept;
    private Image image;
    private Context.@Nullable Cut cut;
    private int openSnapshots;

    GroupMember(Context context, GroupPlan plan, Node node, int process, int number, Runnable onEnd) {
        this.context = context;
        this.plan = plan;
        this.node = node;
        this.process = process;
        this.number = number;
        this.onEnd = onEnd;
        this.image = new Image(plan.isTotal());
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
        if (plan.state() != null) {
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
                sendMoreThanAWindow(present);
            }
            isClosing = true;
            present.close();
            count("left");
        }
    }

    /** Sends more than a window, so that sends wait while the group is left. */
    private void sendMoreThanAWindow(Group present) {
        for (int message = 0; message < 40; message++) {
            futures.add(present.sendAsync(next(Content.SENT, 15_000).bytes()));
        }
        count("left-with-sends-waiting");
    }

    // ------------------------------------------------------------------ sending

    /** Performs one random operation of a user. */
    void work() {
        Group present = usable();
        View now = view;
        if (present == null || now == null || !isJoined) {
            return;
        }
        int choice = context.random.nextInt(20);
        try {
            if (choice < 2 && plan.isOutOfBandSent()) {
                sendOutOfBand(present, now);
            } else if (choice < 6 && plan.isUnicastSent()) {
                sendToOne(present, now);
            } else if (choice < 10 && plan.scopes() > 0) {
                sendScoped(present, now);
            } else if ((choice == 10 || plan.isFlooding() && choice > 10) && plan.largeBytesMax() > 0) {
                Content large = next(Content.SENT, Content.BYTES_MIN + context.random.nextInt(plan.largeBytesMax()));
                present.send(large.bytes());
                onAccepted(large);
                count("sent.large");
            } else if (choice < 13) {
                trySend(present, Content.SENT);
            } else if (choice < 15) {
                sendAsync(present);
            } else {
                for (int burst = 1 + context.random.nextInt(5); burst > 0; burst--) {
                    Content message = next(Content.SENT, length());
                    present.send(message.bytes());
                    onAccepted(message);
                }
                count("sent");
            }
        } catch (SendException e) {
            onRefused(e);
        }
    }

    private int length() {
        return Content.BYTES_MIN + (context.random.nextInt(10) == 0 ? context.random.nextInt(5_000) : context.random.nextInt(60));
    }

    private Content next(int stream, int length) {
        sent++;
        return new Content(plan.index(), process, node.id().incarnation(), number, stream, sent, length);
    }

    private void onAccepted(Content message) {
        if (plan.isReliable()) {
            accepted.add(message.number());
        }
    }

    private void onRefused(SendException e) {
        count("refused." + e.reason());
        if (e.getMessage() == null || e.getMessage().isBlank()) {
            report("T5", "was refused a message without a reason: " + e);
        }
    }

    private void sendOutOfBand(Group present, View now) {
        Content message = next(Content.OUT_OF_BAND, Content.BYTES_MIN + context.random.nextInt(200));
        if (context.random.nextBoolean()) {
            present.send(message.bytes(), Scope.OUT_OF_BAND);
            onAccepted(message);
        } else {
            present.sendTo(someone(now), message.bytes(), Scope.OUT_OF_BAND);
        }
        count("sent.out-of-band");
    }

    private Member someone(View now) {
        return now.members().get(context.random.nextInt(now.size()));
    }

    private void sendToOne(Group present, View now) {
        Member receiver = someone(now);
        boolean isLarge = plan.largeBytesMax() > 0 && context.random.nextInt(10) == 0;
        int length = isLarge ? Content.BYTES_MIN + context.random.nextInt(plan.largeBytesMax()) : length();
        if (plan.scopes() > 0 && context.random.nextInt(3) == 0) {
            int scope = context.random.nextInt(plan.scopes());
            present.sendTo(receiver, next(Content.SCOPES + scope, length).bytes(), Scope.of(scope));
        } else {
            present.sendTo(receiver, next(Content.SENT, length).bytes());
        }
        count(isLarge ? "sent.unicast-large" : "sent.unicast");
    }

    private void sendScoped(Group present, View now) {
        int scope = context.random.nextInt(plan.scopes());
        boolean isLarge = plan.largeBytesMax() > 0 && context.random.nextInt(8) == 0;
        int length = isLarge ? Content.BYTES_MIN + context.random.nextInt(plan.largeBytesMax()) : length();
        Content message = next(Content.SCOPES + scope, length);
        present.send(message.bytes(), Scope.of(scope));
        onAccepted(message);
        count(isLarge ? "sent.scoped-large" : "sent.scoped");
    }

    private void trySend(Group present, int stream) {
        Content message = next(stream, length());
        if (present.trySend(message.bytes())) {
            onAccepted(message);
            count("sent.tried");
        } else {
            count("refused.tried");
        }
    }

    private void sendAsync(Group present) {
        Content message = next(Content.SENT, length());
        CompletableFuture<Void> future = present.sendAsync(message.bytes());
        futures.add(future);
        var unused = future.thenRun(() -> onAccepted(message));
        count("sent.asynchronously");
    }

    /** Sends a message that all members have to deliver, in any kind of group, because all faults are over. */
    @Nullable String probe() {
        Group present = usable();
        if (present == null) {
            return null;
        }
        Content message = next(Content.SENT, length());
        try {
            present.send(message.bytes());
        } catch (SendException e) {
            onRefused(e);
            return null;
        }
        onAccepted(message);
        return id(message);
    }

    private static String id(Content message) {
        return message.source() + "#" + message.number();
    }

    // ------------------------------------------------------------------ listeners

    private void enter(String callback) {
        if (closings > 0) {
            report("T3", "is called in " + callback + " after onClosed");
        }
        if (!inCallback.isEmpty()) {
            report("T9", "is called in " + callback + " during " + inCallback);
        }
        if (isInstalling) {
            report("S19", "is called in " + callback + " while its state is installed");
        }
        inCallback = callback;
    }

    private void leave(String callback) {
        if (inCallback.equals(callback)) {
            inCallback = "";
        }
    }

    /** Checks that no scoped message is being handled: the callback has to wait for these. */
    private void checkAside(String callback) {
        if (aside > 0) {
            report("T9", "is called in " + callback + " while " + aside + " messages in scopes are handled");
        }
    }

    void misbehave(String callback, boolean isSeldomCalled) {
        // A member that leaves in the middle of a change may leave the others without a majority.
        boolean mayBeError = !plan.isPrimary();
        Mischief.Kind kind = isSeldomCalled
                ? context.mischief.chooseOften(callback, mayBeError)
                : context.mischief.choose(callback, mayBeError);
        if (kind != null) {
            if (kind.isError() && error == null) {
                error = callback + ": " + kind;
            }
            failures++;
            Mischief.throwIt(kind, callback);
        }
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
            aside++;
            try {
                onMessageAside(message, content, "scoped");
            } finally {
                aside--;
            }
        } else {
            enter("onMessage");
            try {
                take(message, content);
                react(content, "onMessage");
            } finally {
                leave("onMessage");
            }
        }
    }

    private void onMessageAside(Message message, Content content, String kind) {
        // A message out of band may have been under way when the state came, as it is in no order with it.
        if (isInstalling && !content.isOutOfBand()) {
            report("S19", "is told of a message while its state is installed");
        }
        take(message, content);
        react(content, "onMessage-" + kind);
    }

    private void take(Message message, Content content) {
        if (closings > 0 && !content.isOutOfBand()) {
            report("T3", "is told of " + id(content) + " after onClosed");
        }
        if (content.node() != Integer.parseInt(message.sender().name().substring(1))
                || content.incarnation() != message.sender().node().incarnation()) {
            report("S1", "is told that " + id(content) + " is from " + message.sender());
        }
        if (message.length() != content.length()) {
            report("S1", "is told of " + message.length() + " bytes of " + id(content));
        }
        View present = view;
        if (present == null) {
            report("S5", "is told of " + id(content) + " before its first view");
        } else if (!content.isOutOfBand() && !message.view().equals(present)) {
            report("S7", "is told of " + id(content) + " in " + message.view() + ", and is in " + present);
        }
        checkOrder(message, content);
        String id = id(content);
        if (!told.add(id)) {
            report("S2", "is told of " + id + " again");
        }
        if (plan.state() != null && !message.isUnicast() && !content.isOutOfBand()) {
            image.add(content);
        }
        kept = message;
    }

    /** Checks that messages of one thread to one receiver arrive in the order in which they were sent. */
    private void checkOrder(Message message, Content content) {
        if (content.isOutOfBand()) {
            return;
        }
        String source = content.source() + (message.isUnicast() ? "/1" : "");
        Integer before = last.put(source, content.number());
        if (before != null && before >= content.number()) {
            report("S11", "is told of " + id(content) + " after number " + before);
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
        misbehave(callback, false);
    }

    private void callBack(Group present, String callback) {
        View now = view;
        int choice = context.random.nextInt(plan.isInline() ? 2 : 5);
        count("called-back." + callback);
        try {
            if (choice == 0 || now == null) {
                trySend(present, Content.FROM_CALLBACK);
            } else if (choice == 1) {
                futures.add(present.sendToAsync(someone(now), next(Content.FROM_CALLBACK, length()).bytes()));
            } else if (choice == 2) {
                present.sendTo(someone(now), next(Content.FROM_CALLBACK, length()).bytes());
            } else if (choice == 3) {
                Content message = next(Content.FROM_CALLBACK, length());
                present.send(message.bytes());
                onAccepted(message);
            } else if (context.random.nextInt(10) == 0 && !plan.isPrimary()) {
                count("closed-in-callback");
                close();
            } else {
                joinAside();
            }
        } catch (SendException e) {
            onRefused(e);
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
        misbehave("onBatchEnd", false);
    }

    private void onView(View next) {
        checkAside("onView");
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
                Context.Cut here = new Context.Cut(this, name(next), image.hash(), image.toString());
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
            misbehave("onView", true);
        } finally {
            leave("onView");
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
        checkAside("onTransition");
        enter("onTransition");
        try {
            count("transition");
            misbehave("onTransition", true);
        } finally {
            leave("onTransition");
        }
    }

    private void onSuspended(String reason) {
        checkAside("onSuspended");
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
            suspendedSince = context.nowNanos();
            misbehave("onSuspended", true);
        } finally {
            leave("onSuspended");
        }
    }

    private void onClosed(String reason) {
        checkAside("onClosed");
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
        misbehave("onClosed", true);
    }

    // ------------------------------------------------------------------ state

    private GroupPlan.StatePlan statePlan() {
        GroupPlan.StatePlan present = plan.state();
        if (present == null) {
            throw new IllegalStateException(plan.name() + " has no state");
        }
        return present;
    }

    @Override
    public Snapshot snapshot() {
        checkAside("snapshot");
        enter("snapshot");
        try {
            count("snapshot");
            misbehave("snapshot", true);
            openSnapshots++;
            return new ImageSnapshot(this, context, node.threads(), statePlan(), image.copy());
        } finally {
            leave("snapshot");
        }
    }

    @Override
    public void install(InputStream in) throws IOException {
        if (!inCallback.isEmpty()) {
            report("T9", "is to install a state during " + inCallback);
        }
        if (isInstalling) {
            report("T9", "is to install a state while it installs one");
        }
        isInstalling = true;
        count(view == null ? "install" : "install-after-merge");
        GroupPlan.StatePlan state = statePlan();
        try {
            if (!state.isAtomic()) {
                image = new Image(plan.isTotal());
            }
            image = read(in, state);
            // Messages accepted on the side whose state is replaced may be lost with it.
            accepted.clear();
        } finally {
            isInstalling = false;
        }
    }

    private Image read(InputStream in, GroupPlan.StatePlan state) throws IOException {
        InputStream source = state.reader() == GroupPlan.Manner.BYTEWISE
                ? in
                : new BufferedInputStream(
                        new StateReader(in, context, node.threads(), state), 1 + context.random.nextInt(70_000));
        DataInputStream data = new DataInputStream(source);
        Image read;
        try {
            read = Image.read(data, plan.isTotal());
        } catch (IllegalStateException e) {
            if (!Mischief.isMeant(e)) {
                report("S19", "gets a state that nobody has written: " + e.getMessage());
            }
            throw e;
        }
        if (state.isAtomic() || context.random.nextBoolean()) {
            if (data.read() >= 0) {
                report("S19", "gets more than was written");
            }
        } else {
            count("install-ends-early");
        }
        misbehave("install", true);
        return read;
    }

    @Override
    public boolean isReproducible() {
        return statePlan().isReproducible();
    }

    @Override
    public boolean isAtomic() {
        return statePlan().isAtomic();
    }

    // ------------------------------------------------------------------ at rest

    /** Checks, when nothing is under way, that this member was told of everything that holds now. */
    void checkRest() {
        for (CompletableFuture<Void> future : futures) {
            if (!future.isDone()) {
                report("T6", "waits for a message that was to be sent");
            }
        }
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
        if (plan.state() != null) {
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
        TreeSet<Integer> missing = new TreeSet<>(accepted);
        missing.removeIf(this::isTold);
        if (!missing.isEmpty()) {
            report("T5", "was never told of its own messages " + missing + ", which were accepted");
        }
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
        Message old = kept;
        if (old != null && isReadable(old)) {
            report("T11", "can read a message after it was told of it");
        }
        if (openSnapshots > 0) {
            report("S23", "has " + openSnapshots + " snapshots that nobody needs and nobody closes");
        }
    }

    private boolean isTold(int message) {
        for (int stream = 0; stream < Content.SCOPES + plan.scopes(); stream++) {
            if (told.contains(id(new Content(
                    plan.index(), process, node.id().incarnation(), number, stream, message, Content.BYTES_MIN)))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isReadable(Message message) {
        try {
            return message.length() >= 0;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    boolean isOf(String group) {
        return plan.name().equals(group);
    }

    boolean isTold(String id) {
        return told.contains(id);
    }

    @Nullable View view() {
        return view;
    }

    Image image() {
        return image;
    }

    /** Checks, after the end of its node, that the member was told of the end exactly once. */
    void checkEnd() {
        if (isJoined && closings != 1) {
            report("T3", "was told " + closings + " times that it is closed, and its node has ended");
        }
    }

    /** Checks, when nothing is under way, that an error in a callback has ended the membership with that reason. */
    void checkErrors() {
        if (error != null && isOpen()) {
            report("T7", "has thrown an error in " + error + ", and is a member still");
        } else if (error != null && isJoined && closings > 0 && !isClosing && !closedBecause.contains(Mischief.MARK)) {
            report("T7", "has thrown an error in " + error + ", and is told that it is closed because " + closedBecause);
        }
    }

    void onSnapshotClosed() {
        openSnapshots--;
    }

    int failures() {
        return failures;
    }

    long suspendedSince() {
        return suspendedSince;
    }
}
