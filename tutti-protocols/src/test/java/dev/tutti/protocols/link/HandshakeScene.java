package dev.tutti.protocols.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tutti.core.Memory;
import dev.tutti.core.NodeId;
import dev.tutti.core.Packet;
import dev.tutti.core.Wire;
import dev.tutti.core.driver.Credentials;
import dev.tutti.core.driver.DialFailure;
import dev.tutti.core.driver.Effects;
import java.util.ArrayList;
import java.util.List;

/** A node that answers to incoming connections, and what it has done. */
final class HandshakeScene {

    static final long SECOND = 1_000_000_000L;
    static final Versions VERSIONS = new Versions(3, 4);
    static final NodeId SELF = new NodeId(50, "self", "host:1");
    static final NodeId PEER = new NodeId(60, "peer", "host:2");

    final List<String> events = new ArrayList<>();
    final List<String> closes = new ArrayList<>();
    final List<Packet> written = new ArrayList<>();
    final List<String> dialed = new ArrayList<>();
    String objection;
    final Links links = new Links(
            SELF, "test", VERSIONS, new Links.Limits(1 << 20, 5 * SECOND, 4), Memory.onHeap(), new Driver(), new Owner());

    private final class Driver implements Effects {
        @Override
        public void dial(int connection, String address) {
            dialed.add(address);
        }

        @Override
        public void write(int connection, Packet frame) {
            written.add(frame.copy(Memory.onHeap()));
        }

        @Override
        public void close(int connection, String reason) {
            closes.add(connection + ": " + reason);
        }
    }

    private final class Owner implements LinkOwner {
        @Override
        public void onOpened(Link link, boolean isFirst) {
            events.add("opened " + link.node());
        }

        @Override
        public void onGone(Link link) {
            events.add("gone " + link.node());
        }

        @Override
        public void onClosed(Link link, boolean isGraceful, String reason) {
            events.add("closed " + link.node() + (isGraceful ? " gracefully: " : ": ") + reason);
        }

        @Override
        public void onFrame(Link link, int type, Packet frame) {
            events.add("frame " + type);
        }

        @Override
        public void onHeartbeat(Link link, Packet heartbeat) {
            events.add("heartbeat");
        }

        @Override
        public void onResumed(Link link) {
            events.add("resumed " + link.node());
        }

        @Override
        public void onRefused(String remote, Refusal refusal, String reason) {
            events.add("refused " + refusal + " " + remote + ": " + reason);
        }

        @Override
        public void onDialFailed(String address, DialFailure failure, String detail) {
            events.add(failure + " " + address + ": " + detail);
        }

        @Override
        public void onNoHandshake(String address, String detail) {}

        @Override
        public void onAnswered(String address, DialAnswer answer, NodeId node) {
            events.add(answer + " " + address);
        }

        @Override
        public String objection(NodeId node) {
            return objection;
        }
    }

    static Hello hello(NodeId node) {
        return new Hello(VERSIONS, "test", node, 7, 0, SessionState.NONE, Hello.NONE);
    }

    static Hello again(SessionState state, int gone) {
        return new Hello(VERSIONS, "test", PEER, 8, SELF.incarnation(), state, gone);
    }

    int say(Packet frame) {
        int connection = links.onAccepted("stranger");
        links.onFrame(connection, frame);
        return connection;
    }

    int say(Hello hello) {
        return say(hello.encode(Memory.onHeap()));
    }

    static Packet bytes(byte[] bytes) {
        return Packet.create(Memory.onHeap(), bytes.length).append(bytes, 0, bytes.length);
    }

    String answer() {
        Packet frame = written.getLast();
        return switch (frame.takeByte()) {
            case Frames.WELCOME -> {
                Welcome welcome = Welcome.decode(frame);
                yield "welcome " + welcome.session().epoch() + (welcome.session().isOpen() ? " open" : " closed")
                        + " received " + welcome.session().received() + " from " + welcome.from();
            }
            case Frames.REFUSE -> {
                Refusal refusal = Refusal.of(frame.takeByte());
                int number = frame.takeInt();
                String reason = frame.takeText();
                assertThat(Wire.takeNode(frame)).isEqualTo(SELF);
                assertThat(frame.isMalformed()).isFalse();
                yield refusal + " " + number + " " + reason;
            }
            default -> throw new AssertionError(frame.toString());
        };
    }

    /** The dial of an address that is checked: it gets the number after the last one. */
    int dialBack(int newcomer, String key) {
        assertThat(dialed).last().isEqualTo("host:2");
        links.onCredentials(newcomer + 1, certificate("of who answers", key));
        links.onConnected(newcomer + 1);
        return newcomer + 1;
    }

    int sayWith(Credentials credentials, Hello hello) {
        int connection = links.onAccepted("stranger");
        links.onCredentials(connection, credentials);
        links.onFrame(connection, hello.encode(Memory.onHeap()));
        return connection;
    }

    static Credentials certificate(String subject, String key) {
        return credentials(subject, key, "");
    }

    /** Returns credentials by which an authority proves a name. */
    static Credentials proof(String name, String key) {
        return credentials("CN=" + name, key, name);
    }

    private static Credentials credentials(String subject, String key, String proven) {
        return new Credentials() {
            @Override
            public String subject() {
                return subject;
            }

            @Override
            public String key() {
                return key;
            }

            @Override
            public String objection(String name, String address) {
                return subject.equals("CN=other") ? "the certificate CN=other is not of " + name : null;
            }

            @Override
            public boolean proves(String name) {
                return name.equals(proven);
            }
        };
    }
}
