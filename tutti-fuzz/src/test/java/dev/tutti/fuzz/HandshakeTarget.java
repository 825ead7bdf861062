package dev.tutti.fuzz;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.admission.AdmissionDesk;
import dev.tutti.core.driver.Effects;
import dev.tutti.core.driver.TransportSettings;
import dev.tutti.core.settings.Settings;
import dev.tutti.core.stack.Report;
import dev.tutti.protocols.node.NodeMachine;
import dev.tutti.protocols.node.NodeSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Frames on a connection before there is a session, at the side that was dialled or at the one that has dialled, with rules about
 * which nodes may come in or without.
 *
 * <p>An input is a byte that is not used, then frames, each after its length in two bytes. Whatever the frames are, a
 * peer that comes afterwards is welcome.
 */
final class HandshakeTarget implements Target.Decoder {

    private static final String ADDRESS = "n2:7800";
    private static final long DIAL_NANOS = 30_000_000;

    /** A machine without a driver, which remembers its effects. */
    private static final class Host implements Effects {
        final NodeMachine machine;
        final List<byte[]> written = new ArrayList<>();
        final List<Question> questions = new ArrayList<>();
        int dialled;

        /** A question to the desk, which refuses nodes of one name. */
        private record Question(int connection, boolean isAdmitted) {}

        Host(long incarnation, String name, List<String> seeds, String cluster) {
            this(incarnation, name, seeds, cluster, false);
        }

        Host(long incarnation, String name, List<String> seeds, String cluster, boolean hasRules) {
            Settings settings = Settings.of(NodeSettings.ALL)
                    .with(TransportSettings.NAME, name)
                    .with(NodeSettings.SEEDS, seeds)
                    .with(TransportSettings.CLUSTER, cluster);
            NodeId self = new NodeId(incarnation, name, name + ":7800");
            machine = new NodeMachine(self, settings, incarnation, Memory.onHeap(), event -> {});
            if (hasRules) {
                byte[] key = {1, 2, 3};
                machine.admission().use(
                        (connection, newcomer) -> questions.add(new Question(connection, !newcomer.name().equals(REFUSED))), key, key);
            }
            machine.onStart(0);
            machine.drain(this);
            // The node with the higher address waits for the other to dial.
            machine.onTimer(DIAL_NANOS);
            machine.drain(this);
        }

        @Override
        public void dial(int connection, String address) {
            dialled = connection;
        }

        @Override
        public void write(int connection, Packet frame) {
            byte[] bytes = new byte[frame.length()];
            frame.bytes().get(frame.offset(), bytes);
            written.add(bytes);
            frame.release();
        }

        @Override
        public void close(int connection, String reason) {
            // The connection is not used any more.
        }

        int accept() {
            int connection = machine.onAccepted(DIAL_NANOS + 1, "10.0.0.1:1234");
            machine.drain(this);
            return connection;
        }

        /** Returns the first frame after its dial has been accepted. */
        byte[] hello() {
            machine.onConnected(DIAL_NANOS + 1, dialled);
            machine.drain(this);
            return written.removeFirst();
        }

        List<byte[]> take(int connection, byte[] frame) {
            written.clear();
            machine.onFrame(DIAL_NANOS + 2, connection, Tap.packet(frame));
            drain();
            return List.copyOf(written);
        }

        /** Takes the effects, and answers the questions among them. */
        void drain() {
            machine.drain(this);
            for (Question question : questions) {
                machine.admission().onDecided(DIAL_NANOS + 3, question.connection(), question.isAdmitted()
                        ? AdmissionDesk.Answer.admitted() : AdmissionDesk.Answer.refused("a rule"));
            }
            questions.clear();
            machine.drain(this);
        }

        /** Returns the refusals and strays that were counted. */
        Set<String> outcomes() {
            Set<String> outcomes = new TreeSet<>();
            machine.report(new Named(outcomes, ""));
            return outcomes;
        }
    }

    private record Named(Set<String> names, String prefix) implements Report {
        @Override
        public void put(String name, long value) {
            if (value != 0 && (prefix.equals("links.") || prefix.startsWith("links.refused"))) {
                names.add(prefix + name);
            }
        }

        @Override
        public void put(String name, String value) {
            // A text is no counter.
        }

        @Override
        public Report section(String name) {
            return new Named(names, prefix + name + ".");
        }
    }

    private final boolean isDialler;
    private final boolean hasRules;

    HandshakeTarget(boolean isDialler, boolean hasRules) {
        this.isDialler = isDialler;
        this.hasRules = hasRules;
    }

    /** Returns the first frame of a node that has reached another at {@code seed}. */
    static byte[] hello(String name, String seed, String cluster) {
        return new Host(999_999, name, List.of(seed), cluster).hello();
    }

    private static Host host(boolean hasRules) {
        return new Host(1_000, "n1", List.of(ADDRESS), "c", hasRules);
    }

    @Override
    public Set<String> decode(byte[] input, Allocation allocation) {
        Host host = host(hasRules);
        int connection = host.dialled;
        if (isDialler) {
            host.hello();
        } else {
            connection = host.accept();
        }
        for (byte[] frame : SessionTarget.frames(input)) {
            Packet packet = Tap.packet(frame);
            allocation.start();
            host.machine.onFrame(DIAL_NANOS + 2, connection, packet);
            // The block of an answer has a fixed size.
            allocation.stop(frame.length, 0);
            host.drain();
        }
        Set<String> outcomes = host.outcomes();
        Host visitor = new Host(999_999, "visitor", List.of("n1:7800"), "c");
        List<byte[]> frames = conversation(host, visitor);
        if (frames.getLast()[0] != WELCOME) {
            throw new IllegalStateException("a peer that came afterwards was not welcome");
        }
        return outcomes;
    }

    private static final int WELCOME = 2;
    private static final int FRAMES_MAX = 6;
    private static final String REFUSED = "n4";

    /** Returns the frames of a handshake in order, the dialler's first one and the answers in turn. */
    private static List<byte[]> conversation(Host acceptor, Host dialler) {
        List<byte[]> frames = new ArrayList<>(List.of(dialler.hello()));
        int connection = acceptor.accept();
        while (frames.size() < FRAMES_MAX) {
            boolean isOfDialler = frames.size() % 2 == 1;
            List<byte[]> answer = isOfDialler
                    ? acceptor.take(connection, frames.getLast()) : dialler.take(dialler.dialled, frames.getLast());
            if (answer.isEmpty()) {
                return frames;
            }
            frames.add(answer.getFirst());
            if (isOfDialler && answer.getFirst()[0] == WELCOME) {
                return frames;
            }
        }
        return frames;
    }

    /** Returns the frames of one side of handshakes with a node with rules. */
    List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>(isDialler ? answered() : accepted());
        for (String name : List.of("n2", REFUSED)) {
            Host dialler = new Host(50, name, List.of("n1:7800"), "c", true);
            List<byte[]> frames = conversation(host(true), dialler);
            List<byte[]> ofOther = new ArrayList<>();
            for (int index = isDialler ? 1 : 0; index < frames.size(); index += 2) {
                ofOther.add(frames.get(index));
            }
            seeds.add(SessionTarget.input(0, ofOther.toArray(byte[][]::new)));
        }
        return seeds;
    }

    static List<byte[]> accepted() {
        List<byte[]> seeds = new ArrayList<>();
        for (Host dialler : diallers()) {
            seeds.add(SessionTarget.input(0, dialler.hello()));
        }
        Host twice = new Host(50, "n2", List.of("n1:7800"), "c");
        byte[] hello = twice.hello();
        seeds.add(SessionTarget.input(0, hello, hello));
        seeds.add(SessionTarget.input(0, "GET / HTTP/1.1".getBytes(java.nio.charset.StandardCharsets.US_ASCII)));
        seeds.add(SessionTarget.input(0, new byte[] {22, 3, 1, 0, 0}));
        return seeds;
    }

    /** Returns hosts of peers that are accepted, and of some that are refused. */
    private static List<Host> diallers() {
        return List.of(
                new Host(50, "n2", List.of("n1:7800"), "c"),
                new Host(50, "n2", List.of("n1:7800"), "another"),
                new Host(1_000, "n1", List.of("n3:7800"), "c"),
                new Host(1_000, "n3", List.of("n1:7800"), "c"));
    }

    static List<byte[]> answered() {
        List<byte[]> seeds = new ArrayList<>();
        List<Host> acceptors = new ArrayList<>(diallers());
        acceptors.add(new Host(5_000, "n2", List.of(), "c"));
        for (Host acceptor : acceptors) {
            Host dialler = host(false);
            List<byte[]> answer = acceptor.take(acceptor.accept(), dialler.hello());
            seeds.add(SessionTarget.input(0, answer.toArray(byte[][]::new)));
        }
        return seeds;
    }
}
