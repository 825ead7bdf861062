package dev.tutti.protocols.link;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.stack.Report;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a connection may carry a session, which one, and which of two connections carries it.
 *
 * <p>A HELLO is answered with WELCOME, after which both sides send, or with REFUSE and the end of the connection. Its
 * sender checks the answer against its current state, because sessions go on while it is under way. If it no longer
 * fits, the connection is dropped and dialled again.
 */
final class Handshake {

    /** Characters of a reason on the wire: it may quote what a stranger has sent. */
    private static final int REASON_MAX = 600;

    /** Node that names itself to nobody whom it has not admitted. */
    private static final NodeId NOBODY = new NodeId(0, "", "");

    private static final String ADDRESS_ADVICE =
            "give each node an address of its own: bind.advertise, or bind.address and bind.port";

    private final NodeId self;
    private final String cluster;
    private final Versions versions;
    private final Links links;
    private final Memory memory;
    private final Effects effects;
    private final LinkOwner owner;
    private final Admission admission;
    private final long[] refusedHere = new long[Refusal.values().length];
    private final long[] refusedThere = new long[Refusal.values().length];

    Handshake(
            NodeId self,
            String cluster,
            Versions versions,
            Links links,
            Memory memory,
            Effects effects,
            LinkOwner owner) {
        this.self = self;
        this.cluster = cluster;
        this.versions = versions;
        this.links = links;
        this.memory = memory;
        this.effects = effects;
        this.owner = owner;
        this.admission = new Admission(self, cluster, links, memory, effects, this);
    }

    Admission admission() {
        return admission;
    }

    void onFrame(LinkConnection connection, Packet frame) {
        int length = frame.length();
        int type = frame.takeByte();
        if (admission.onFrame(connection, type, frame)) {
            frame.release();
            return;
        }
        if (connection.isDialed) {
            switch (type) {
                case Frames.WELCOME -> onWelcome(connection, Welcome.decode(frame), frame.isMalformed());
                case Frames.REFUSE -> onRefuse(connection, frame);
                default -> notPeer(connection, ProtocolSniffer.describe(type, frame));
            }
        } else if (type != Frames.HELLO || length > Frames.HELLO_MAX || frame.takeInt() != Frames.MAGIC) {
            refuse(connection, Refusal.MALFORMED, Hello.NONE,
                    "this is not a tutti peer: " + ProtocolSniffer.describe(type, frame));
        } else {
            onHello(connection, frame.takeByte(), frame.takeByte(), frame);
        }
        frame.release();
    }

    /** Takes the range of versions that a dialler speaks, and the rest of its HELLO if they have one in common. */
    private void onHello(LinkConnection connection, int min, int max, Packet frame) {
        if (frame.isMalformed() || max < min) {
            refuse(connection, Refusal.MALFORMED, Hello.NONE, "its hello can't be decoded");
            return;
        }
        if (min < 1 || versions.common(new Versions(min, max)) == 0) {
            refuse(connection, Refusal.VERSION, Hello.NONE, "the dialling node speaks protocol versions " + min + " to " + max
                    + ", " + (admission.isRequired() ? "the other one" : self) + " speaks " + versions);
            return;
        }
        Versions theirs = new Versions(min, max);
        connection.version = versions.common(theirs);
        Hello hello = Hello.decode(theirs, frame);
        if (frame.isMalformed()) {
            refuse(connection, Refusal.MALFORMED, Hello.NONE, "its hello can't be decoded");
        } else {
            onHello(connection, hello);
        }
    }

    private void onHello(LinkConnection connection, Hello hello) {
        connection.peerNumber = hello.connection();
        NodeId node = hello.node();
        if (!hello.cluster().equals(cluster)) {
            refuse(connection, Refusal.CLUSTER, Hello.NONE,
                    node + " is of cluster '" + hello.cluster() + "', " + self + " of '" + cluster + "'");
            return;
        }
        if (node.equals(self)) {
            refuse(connection, Refusal.SELF, Hello.NONE, "this is the node itself");
            return;
        }
        String objection = objection(node, connection.credentials);
        if (objection != null) {
            refuse(connection, Refusal.IDENTITY, Hello.NONE, objection);
            return;
        }
        String exclusion = admission.exclusion(node);
        if (exclusion != null) {
            refuse(connection, Refusal.ADMISSION, Hello.NONE, exclusion);
            return;
        }
        if (!admission.isAdmitted(connection, node, hello.admission() == Hello.EXCHANGE_REQUIRED)) {
            admission.onHello(connection, hello);
            return;
        }
        if (links.table().isTaken(node)) {
            refuse(connection, Refusal.INCARNATION, Hello.NONE,
                    "another node has the incarnation " + node.incarnation() + " at another address");
            return;
        }
        if (links.table().isOlder(node)) {
            refuse(connection, Refusal.OLDER, Hello.NONE,
                    "a newer incarnation of " + node.address() + " is connected");
            return;
        }
        Link holder = links.table().holder(node, connection.credentials);
        if (holder == null) {
            onIdentified(connection, hello);
        } else if (!links.check(new Claim(connection, hello))) {
            refuse(connection, Refusal.SUSPECTED, Hello.NONE, "its address is being checked");
        }
    }

    /** Returns why {@code node} can't be the node that it claims to be; null if there is no objection. */
    private @Nullable String objection(NodeId node, Credentials credentials) {
        if (node.address().equals(self.address())) {
            return describe(node, credentials) + " advertises " + node.address() + ", the address of " + self
                    + "; " + ADDRESS_ADVICE;
        }
        return credentials.objection(node.name(), node.address());
    }

    private static String describe(NodeId node, Credentials credentials) {
        return credentials.subject().isEmpty() ? node.name() : node.name() + " (" + credentials.subject() + ")";
    }

    /**
     * Takes the result of dialling a newcomer's address, at which another node is connected, or the node itself with another key.
     *
     * @param found node that has answered; null if none has
     * @param key that it has
     */
    void onClaimChecked(Claim claim, @Nullable NodeId found, String key) {
        LinkConnection newcomer = claim.newcomer();
        NodeId node = claim.hello().node();
        Link holder = links.table().holder(node, newcomer.credentials);
        boolean isFound = node.equals(found);
        if (isFound && key.equals(newcomer.credentials.key()) || holder == null) {
            onIdentified(newcomer, claim.hello());
            return;
        }
        if (isFound && !key.equals(holder.key)) {
            refuse(newcomer, Refusal.SUSPECTED, Hello.NONE, "its certificate has changed while its address was being checked");
            return;
        }
        LinkConnection present = holder.connection;
        String answer = found == null ? "nobody could be reached there" : found.name() + " has answered there";
        refuse(newcomer, Refusal.IDENTITY, Hello.NONE, describe(node, newcomer.credentials) + " advertises "
                + node.address() + ", from where "
                + describe(holder.node(), present == null ? Credentials.NONE : present.credentials)
                + " is connected, and " + answer + "; " + ADDRESS_ADVICE);
    }

    private void onIdentified(LinkConnection connection, Hello hello) {
        NodeId node = hello.node();
        boolean isExpected = hello.expected() == self.incarnation();
        Link known = links.link(node);
        if (known != null) {
            LinkConnection present = known.connection;
            int presentNumber = present == null ? Hello.NONE : present.peerNumber;
            if (!isExpected && known.epoch() > 0) {
                refuse(connection, Refusal.KNOWN, presentNumber, "the two have met");
                return;
            }
            if (present != null && presentNumber != hello.gone()) {
                refuse(connection, Refusal.KNOWN, presentNumber, "the two are connected");
                return;
            }
            if (isExpected && known.hasOutrun(hello.session())) {
                // It was dialled beside the connection that it should replace, and that one has delivered meanwhile.
                refuse(connection, Refusal.KNOWN, presentNumber, "its session has gone on since its hello");
                return;
            }
        }
        String objection = known != null && known.isOpen() ? null : owner.objection(node);
        if (objection != null) {
            refuse(connection, Refusal.SUSPECTED, Hello.NONE, objection);
            return;
        }
        links.closeOlder(node);
        Link link = links.table().meet(node);
        LinkConnection replaced = link.connection;
        if (replaced != null) {
            links.detach(link);
            links.end(replaced, "replaced by a newer connection");
        }
        accept(connection, link, isExpected ? hello.session() : SessionState.NONE);
    }

    /** Reconciles the two states of the session (spec/VIEWCHANGE.md, D11) and answers. */
    private void accept(LinkConnection connection, Link link, SessionState theirs) {
        SessionState.Agreement agreement = link.state().agree(theirs);
        // A process speaks the same versions all its life, and frames of the session are written in the one agreed on.
        boolean isSameVersion = link.version() == connection.version;
        boolean isPossible =
                switch (agreement) {
                    case RESUME -> isSameVersion && link.retained().canResumeFrom(theirs.received());
                    case KEEP -> isSameVersion && link.received() == 0 && link.retained().canResumeFrom(0);
                    case ADOPT -> theirs.received() == 0;
                    case BEGIN, TELL -> true;
                };
        if (!isPossible || agreement == SessionState.Agreement.TELL) {
            links.close(link, false, "the other side does not have the same session");
            link.raiseEpoch(theirs.epoch());
            welcome(connection, link, 0);
            links.end(connection, "the session is closed here");
            return;
        }
        long from = 0;
        switch (agreement) {
            case BEGIN -> {
                links.close(link, false, "the other side has closed the session");
                links.open(link, links.epochAfter(Math.max(link.epoch(), theirs.epoch())), connection.version);
            }
            case ADOPT -> links.open(link, theirs.epoch(), connection.version);
            case RESUME -> from = theirs.received();
            case KEEP, TELL -> {}
        }
        welcome(connection, link, from);
        links.attach(link, connection, from, agreement == SessionState.Agreement.RESUME);
    }

    private void welcome(LinkConnection connection, Link link, long from) {
        Welcome welcome = new Welcome(connection.version, self, connection.number, link.state(), from);
        link.confirm(links.nowNanos());
        effects.write(connection.number, welcome.encode(memory));
    }

    private void onWelcome(LinkConnection connection, Welcome welcome, boolean isMalformed) {
        NodeId node = welcome.node();
        if (isMalformed || node.equals(self) || links.table().isTaken(node)) {
            notPeer(connection, "its welcome can't be right");
            return;
        }
        if (!versions.contains(welcome.version())) {
            refuseDialed(connection, Refusal.VERSION, node + " answers in protocol version " + welcome.version() + ", " + self
                    + " speaks " + versions);
            return;
        }
        connection.version = welcome.version();
        connection.peerNumber = welcome.connection();
        String identity = objection(node, connection.credentials);
        if (identity != null) {
            refuseDialed(connection, Refusal.IDENTITY, identity);
            return;
        }
        String exclusion = admission.exclusion(node);
        if (exclusion != null) {
            refuseDialed(connection, Refusal.ADMISSION, exclusion);
            return;
        }
        if (!admission.isAdmitted(connection, node, false)) {
            String reason = node + " (" + node.address() + ") runs a version without admission";
            refuseDialed(connection, Refusal.ADMISSION, reason);
            return;
        }
        if (links.table().isOlder(node)) {
            drop(connection, DialAnswer.REFUSED, node, "a newer incarnation is connected");
            return;
        }
        boolean isAtItsAddress = connection.address.equals(node.address());
        if (!isAtItsAddress && links.table().holder(node, connection.credentials) != null) {
            // Dialled elsewhere, it claims the address of a node that is connected.
            links.check(new Claim(connection, new Hello(versions, cluster, node, Hello.NONE, 0, SessionState.NONE, Hello.NONE)));
            drop(connection, DialAnswer.SUSPECTED, node, "its address is being checked");
            return;
        }
        Link meant = connection.resuming;
        if (meant != null && !meant.node().equals(node) && meant.resumption.isBy(connection)) {
            // The dial was meant for an incarnation that is gone, but serves the one that is there.
            meant.resumption.take();
        }
        links.closeOlder(node);
        Link link = links.table().meet(node);
        SessionState theirs = welcome.session();
        if (!theirs.isOpen()) {
            if (link.epoch() <= theirs.epoch()) {
                links.close(link, false, "the other side has closed the session");
                link.raiseEpoch(theirs.epoch());
            }
            drop(connection, DialAnswer.AGAIN, node, "the session is closed there");
        } else if (link.isOpen() && link.epoch() == theirs.epoch()) {
            take(connection, link, welcome);
        } else if (!link.isOpen() && link.epoch() < theirs.epoch() && theirs.received() == 0 && welcome.from() == 0) {
            String objection = owner.objection(node);
            if (objection != null) {
                drop(connection, DialAnswer.SUSPECTED, node, objection);
                return;
            }
            links.open(link, theirs.epoch(), connection.version);
            links.attach(link, connection, 0, false);
            links.answered(connection, DialAnswer.CONNECTED, node);
        } else {
            drop(connection, DialAnswer.AGAIN, node, "the session has changed during the handshake");
        }
    }

    /** Continues a session that both sides have open on this connection, unless one with precedence carries it. */
    private void take(LinkConnection connection, Link link, Welcome welcome) {
        SessionState theirs = welcome.session();
        if (welcome.version() != link.version()
                || welcome.from() != link.received()
                || !link.retained().canResumeFrom(theirs.received())) {
            drop(connection, DialAnswer.AGAIN, link.node(), "the session has changed during the handshake");
            return;
        }
        LinkConnection present = link.connection;
        boolean isReplaced = present != null && connection.replaces == present.number;
        if (present != null) {
            if (!isReplaced && (present.isDialed || link.node().compareTo(self) < 0)) {
                drop(connection, DialAnswer.CONNECTED, link.node(), "the dials have crossed");
                return;
            }
            links.detach(link);
            links.end(present, isReplaced ? "replaced by a newer connection" : "the dials have crossed");
        }
        links.attach(link, connection, theirs.received(), present == null || isReplaced);
        if (connection.resuming == null) {
            links.answered(connection, DialAnswer.CONNECTED, link.node());
        }
    }

    void onRefuse(LinkConnection connection, Packet frame) {
        Refusal refusal = Refusal.of(frame.takeByte());
        int number = frame.takeInt();
        String reason = frame.takeText();
        NodeId node = Wire.takeNode(frame);
        if (frame.isMalformed()) {
            notPeer(connection, "its refusal can't be decoded");
            return;
        }
        refusedThere[refusal.ordinal()]++;
        if (!refusal.isQuiet()) {
            String other = node.address().isEmpty() ? "the other node" : node.toString();
            owner.onRefused(connection.address, refusal, other + " refuses: " + reason);
        }
        switch (refusal) {
            case SELF -> drop(connection, DialAnswer.SELF, self, reason);
            case KNOWN -> onKnown(connection, node, number);
            case SUSPECTED -> drop(connection, DialAnswer.SUSPECTED, node, reason);
            case OVERLOAD -> drop(connection, DialAnswer.FAILED, node, reason);
            case MALFORMED, VERSION, CLUSTER, INCARNATION, OLDER, IDENTITY, ADMISSION ->
                drop(connection, DialAnswer.REFUSED, node, reason);
        }
    }

    /** Takes a refusal because the two have met, with this side's number of the connection that they have, if any. */
    private void onKnown(LinkConnection connection, NodeId node, int number) {
        Link link = links.table().meet(node);
        LinkConnection other = number == Hello.NONE ? null : links.connection(number);
        if (other != null && other != connection) {
            // The other connection lives, or is in its handshake: it is sufficient.
            drop(connection, DialAnswer.CONNECTED, node, "there is a connection");
            return;
        }
        link.gone = number;
        drop(connection, DialAnswer.AGAIN, node, "to be dialled with the state of the session");
    }

    void notPeer(LinkConnection connection, String what) {
        stranger(connection, what);
        drop(connection, DialAnswer.REFUSED, null, "not a tutti peer");
    }

    /** Refuses the node that has answered a dial, of which it is not told. */
    private void refuseDialed(LinkConnection connection, Refusal refusal, String reason) {
        onRefused(connection, refusal, reason);
        drop(connection, DialAnswer.REFUSED, null, reason);
    }

    private void drop(LinkConnection connection, DialAnswer answer, @Nullable NodeId node, String reason) {
        if (links.connection(connection.number) != null) {
            links.end(connection, reason);
            if (connection.isDialed) {
                links.missed(connection, answer, node);
            }
        }
    }

    void refuse(LinkConnection connection, Refusal refusal, int number, String reason) {
        boolean isDiscreet = admission.isRequired() && !(connection.admission instanceof AdmissionState.Admitted);
        boolean isTold = refusal.isOpenToAll() || !isDiscreet;
        String told = isTold ? reason : "it gives no details (" + refusal.name().toLowerCase(Locale.ROOT) + ")";
        Packet frame = Packet.create(memory, Frames.HELLO_MAX)
                .appendByte(Frames.REFUSE)
                .appendByte(refusal.ordinal())
                .appendInt(number)
                .appendText(told.length() > REASON_MAX ? told.substring(0, REASON_MAX) : told);
        Wire.append(frame, isDiscreet ? NOBODY : self);
        effects.write(connection.number, frame);
        links.end(connection, reason);
        onRefused(connection, refusal, reason);
    }

    /** Counts and reports a connection that this node refuses. */
    void onRefused(LinkConnection connection, Refusal refusal, String reason) {
        refusedHere[refusal.ordinal()]++;
        if (!refusal.isQuiet()) {
            owner.onRefused(connection.address, refusal, reason);
        }
    }

    /** Counts and reports a connection of a remote end that is no peer. */
    void stranger(LinkConnection connection, String detail) {
        refusedHere[Refusal.MALFORMED.ordinal()]++;
        owner.onRefused(connection.address, Refusal.MALFORMED, "this is not a tutti peer: " + detail);
    }

    void report(Report report) {
        for (Refusal refusal : Refusal.values()) {
            String name = refusal.name().toLowerCase(Locale.ROOT);
            if (refusedHere[refusal.ordinal()] > 0) {
                report.section("refused-here").put(name, refusedHere[refusal.ordinal()]);
            }
            if (refusedThere[refusal.ordinal()] > 0) {
                report.section("refused-there").put(name, refusedThere[refusal.ordinal()]);
            }
        }
    }
}
