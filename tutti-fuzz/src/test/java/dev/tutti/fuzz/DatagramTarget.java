package dev.tutti.fuzz;

import dev.tutti.core.Packet;
import dev.tutti.core.driver.Endpoint;
import dev.tutti.protocols.datagram.DatagramBytes;
import dev.tutti.protocols.datagram.DatagramNode;
import dev.tutti.sim.DatagramNetwork;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Datagrams to a node of two that are in a group, or that are about to meet, over unicast or multicast.
 *
 * <p>An input is a byte that chooses the scene, then datagrams without their checksum, each after its length in two
 * bytes and a byte for its origin and whether it gets the right checksum. The ids, cookies and numbers of the seeds are
 * valid in their scene.
 */
final class DatagramTarget implements Target.Decoder {

    /** Number of scenes: in a group on datagrams, in one on multicast, before either, encrypted, and before that. */
    private static final int SCENES = 5;

    private static final int CLEAR_SCENES = 3;
    private static final int MULTICAST = 1;
    private static final int BEFORE = 2;
    private static final int ENCRYPTED = 3;
    private static final int HANDSHAKE = 4;
    private static final int BEACON_MILLIS = 400;

    // Bits of the byte before a datagram.
    private static final int STRANGER = 1;
    private static final int AS_IT_IS = 2;

    private static final Endpoint SOMEBODY = new Endpoint(0, 0xffff_0a00_00f0L, 999);
    private static final int DATAGRAMS_MAX = 32;

    /** Starts the lab of a scene; multicast needs three nodes, as it is not used for fewer than two others. */
    private static Lab started(int scene) {
        Lab lab = switch (scene) {
            case MULTICAST -> new Lab(3, 5, Lab.Carrier.MULTICAST);
            case ENCRYPTED -> new Lab(3, 5, Lab.Carrier.ENCRYPTED);
            case HANDSHAKE -> new Lab(2, 5, Lab.Carrier.ENCRYPTED);
            default -> new Lab(2, 5, Lab.Carrier.DATAGRAMS);
        };
        lab.start(1);
        lab.start(2);
        if (scene == MULTICAST || scene == ENCRYPTED) {
            lab.start(3);
        }
        return lab;
    }

    private static void meet(Lab lab, int scene) {
        lab.until("a view of all", lab::isOneView);
        lab.seat(1).send(3, 100);
        lab.seat(2).send(3, 100);
        lab.advanceMillis(scene == MULTICAST || scene == ENCRYPTED ? BEACON_MILLIS : 40);
    }

    /** Returns the node that reads: a dialling node gets other kinds than one that is dialled. */
    private static int reader(int scene) {
        return scene == BEFORE || scene == HANDSHAKE ? 2 : 1;
    }

    @Override
    public Set<String> decode(byte[] input, Allocation allocation) {
        Set<String> outcomes = new TreeSet<>();
        if (input.length == 0) {
            return outcomes;
        }
        int scene = (input[0] & 0xff) % SCENES;
        Lab lab = started(scene);
        if (scene != BEFORE && scene != HANDSHAKE) {
            meet(lab, scene);
        }
        Lab.Seat reader = lab.seat(reader(scene));
        Endpoint peer = lab.simulation().datagrams().endpoint(lab.seat(3 - reader(scene)).node);
        ByteBuffer bytes = ByteBuffer.wrap(input, 1, input.length - 1);
        for (int count = 0; count < DATAGRAMS_MAX && bytes.remaining() >= 3; count++) {
            int flags = bytes.get();
            byte[] body = new byte[Math.min(bytes.getShort() & 0xffff, bytes.remaining())];
            bytes.get(body);
            byte[] datagram = (flags & AS_IT_IS) == 0 ? DatagramBytes.sealed(body) : body;
            inject(reader, (flags & STRANGER) == 0 ? peer : SOMEBODY, datagram, allocation);
            lab.simulation().advance(Duration.ofNanos(20_000));
        }
        lab.advanceMillis(20);
        outcomes.addAll(reader.counters().keySet());
        outcomes.removeIf(name -> !name.startsWith("datagrams.") && !name.startsWith("multicast."));
        return new TreeSet<>(outcomes.stream().map(name -> name.replaceAll("connection-[0-9]+", "*")).toList());
    }

    private static void inject(Lab.Seat reader, Endpoint from, byte[] datagram, Allocation allocation) {
        reader.node.execute(now -> {
            DatagramNode socket = (DatagramNode) reader.node.process().socket();
            long acquired = reader.memory.acquiredBytes();
            Packet packet = Tap.packet(datagram);
            allocation.start();
            socket.onDatagram(now, from, packet);
            allocation.stop(datagram.length, reader.memory.acquiredBytes() - acquired);
        });
    }

    /** Returns every datagram that a reader received in a scene and after it. */
    static List<byte[]> recorded(int scene, int reader) {
        List<byte[]> heard = new ArrayList<>();
        Lab lab = started(scene);
        DatagramNetwork network = lab.simulation().datagrams();
        network.setFilter((from, to, datagram) -> {
            if (to == lab.seat(reader).node) {
                heard.add(datagram.clone());
            }
            return true;
        });
        meet(lab, scene);
        int before = heard.size();
        lab.seat(2).send(1, 20_000);
        lab.seat(2).send(30, 100);
        lab.advanceMillis(100);
        lab.seat(2).node.stop(now -> lab.seat(2).tap.machine().stop(now));
        lab.advanceMillis(200);
        // Datagrams after the start of the scene come first.
        List<byte[]> inOrder = new ArrayList<>(heard.subList(before, heard.size()));
        inOrder.addAll(heard.subList(0, before));
        return inOrder;
    }

    private static byte[] input(int scene, int flags, byte[]... bodies) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(scene);
        for (byte[] body : bodies) {
            out.write(flags);
            out.writeBytes(ByteBuffer.allocate(2).putShort((short) body.length).array());
            out.writeBytes(body);
        }
        return out.toByteArray();
    }

    static List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        addEncrypted(seeds);
        for (int scene = 0; scene < CLEAR_SCENES; scene++) {
            Map<Integer, List<byte[]>> kinds = new LinkedHashMap<>();
            List<byte[]> bodies = new ArrayList<>();
            for (byte[] datagram : recorded(scene, reader(scene))) {
                byte[] body = DatagramBytes.body(datagram);
                // The kind, and the first part of data.
                int kind = body[0] * 16 + (body.length > 17 && body[0] == 4 ? body[17] : 0);
                List<byte[]> some = kinds.computeIfAbsent(kind, absent -> new ArrayList<>());
                if (some.size() < 4) {
                    some.add(body);
                    bodies.add(body);
                }
            }
            byte[][] all = bodies.toArray(byte[][]::new);
            seeds.add(input(scene, 0, all));
            seeds.add(input(scene, 0, Arrays.copyOf(all, Math.min(4, all.length))));
            for (byte[] body : all) {
                seeds.add(input(scene, 0, body));
            }
            seeds.add(input(scene, STRANGER, Arrays.copyOf(all, Math.min(8, all.length))));
            seeds.add(input(scene, AS_IT_IS, all[0]));
            byte[] data = bodies.stream().filter(body -> body[0] == 4).findFirst().orElseThrow();
            byte[] head = Arrays.copyOf(data, 9);
            byte[] open = ByteBuffer.allocate(25).put((byte) 1).putInt(0x74757501).putLong(77).putLong(5).putInt(1_400).array();
            seeds.add(input(scene, STRANGER, open, data));
            seeds.add(input(scene, 0, crowds(head)));
            byte[] answer = recorded(scene, 3 - reader(scene)).stream()
                    .filter(datagram -> datagram[4] == 4)
                    .findFirst()
                    .orElseThrow();
            // The id under which the peer was addressed.
            byte[] reset = Arrays.copyOfRange(answer, 4, 13);
            reset[0] = 5;
            seeds.add(input(scene, 0, reset));
        }
        return seeds;
    }

    /**
     * Adds inputs for encrypted connections: datagrams as they were recorded, which the same seed makes authentic, and
     * parts of handshakes with a right checksum.
     */
    private static void addEncrypted(List<byte[]> seeds) {
        for (int scene = ENCRYPTED; scene < SCENES; scene++) {
            List<byte[]> heard = recorded(scene, reader(scene));
            for (int from = 0; from < Math.min(48, heard.size()); from += 8) {
                byte[][] some = heard.subList(from, Math.min(from + 8, heard.size())).toArray(byte[][]::new);
                seeds.add(input(scene, AS_IT_IS, some));
                seeds.add(input(scene, STRANGER | AS_IT_IS, some));
            }
            int encrypted = scene;
            // The same multicast twice.
            heard.stream()
                    .filter(datagram -> datagram[4] == 6)
                    .findFirst()
                    .ifPresent(datagram -> seeds.add(input(encrypted, AS_IT_IS, datagram, datagram)));
            byte[][] bodies = heard.stream()
                    .filter(datagram -> datagram[4] != 4 && datagram[4] != 6)
                    .limit(12)
                    .map(DatagramBytes::body)
                    .toArray(byte[][]::new);
            seeds.add(input(scene, 0, bodies));
            for (byte[] body : bodies) {
                seeds.add(input(scene, 0, body));
            }
            byte[] chunk = ByteBuffer.allocate(1_200).put(bodies[0], 0, 9).put(0, (byte) 7).putInt(0).putInt(60_000).array();
            seeds.add(input(scene, 0, chunk));
        }
    }

    /** Returns data of many parts, as short as possible; data far ahead; and acknowledgements of many ranges. */
    private static byte[][] crowds(byte[] head) {
        ByteBuffer pings = ByteBuffer.allocate(60_000).put(head).putLong(1_000);
        while (pings.hasRemaining()) {
            pings.put((byte) 4);
        }
        ByteBuffer chunks = ByteBuffer.allocate(60_000).put(head).putLong(1_001);
        for (long offset = 50_000; chunks.remaining() > 12; offset += 2) {
            chunks.put((byte) 2).putLong(offset).putShort((short) 1).put((byte) 0);
        }
        ByteBuffer acks = ByteBuffer.allocate(60_000).put(head).putLong(1_002);
        while (acks.remaining() > 30 + 63 * 8) {
            acks.put((byte) 1).putLong(5).putInt(0).putLong(1 << 20).putInt(1 << 20).put((byte) 63).putInt(0);
            acks.put(new byte[63 * 8]);
        }
        ByteBuffer endless = ByteBuffer.allocate(64)
                .put(head)
                .putLong(1_003)
                .put((byte) 1)
                .putLong(Long.MAX_VALUE - 1)
                .putInt(-1)
                .putLong(Long.MAX_VALUE)
                .putInt(Integer.MAX_VALUE)
                .put((byte) 0)
                .putInt(-1);
        byte[] beyond = ByteBuffer.allocate(29).put(head).putLong(Long.MAX_VALUE).put((byte) 2).putLong(Long.MAX_VALUE - 3)
                .putShort((short) 1).put((byte) 0).array();
        return new byte[][] {
            Arrays.copyOf(pings.array(), pings.position()),
            Arrays.copyOf(chunks.array(), chunks.position()),
            Arrays.copyOf(acks.array(), acks.position()),
            Arrays.copyOf(endless.array(), endless.position()),
            beyond
        };
    }
}
