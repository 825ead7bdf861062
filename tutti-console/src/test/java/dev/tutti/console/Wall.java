package dev.tutti.console;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A wall through a cluster on loopback, which can be shut: members are dialled at a port of its own, it learns from their HELLO who dials, and
 * while it is shut nothing passes between those who are behind it and the others. What is held back goes on when it is opened, as TCP would
 * send it again. What is between two of one side always passes.
 */
final class Wall implements AutoCloseable {

    private static final int CHUNK_BYTES = 16 * 1024;
    private static final int HELLO_BYTES_MAX = 1_024;

    /**
     * A member's place.
     *
     * @param port that it listens on
     * @param dialled port that others dial
     */
    record Place(int port, int dialled) {

        String address() {
            return "127.0.0.1:" + dialled;
        }
    }

    private final Set<String> behind;
    private final Map<String, Place> places = new LinkedHashMap<>();
    private final Map<String, ServerSocketChannel> listeners = new LinkedHashMap<>();
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private final Object rule = new Object();

    // Under the monitor of rule.
    private boolean isShut;
    private boolean isOver;

    /**
     * @param members by name
     * @param behind those of them that are on the other side
     */
    Wall(List<String> members, Set<String> behind) throws IOException {
        this.behind = behind;
        for (String name : members) {
            ServerSocketChannel listener = ServerSocketChannel.open();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            listeners.put(name, listener);
            int dialled = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                places.put(name, new Place(free.getLocalPort(), dialled));
            }
        }
        listeners.forEach((name, listener) -> Thread.ofVirtual().start(() -> accept(name, listener)));
    }

    Place place(String name) {
        Place place = places.get(name);
        if (place == null) {
            throw new IllegalArgumentException("nobody is called " + name);
        }
        return place;
    }

    void shut(boolean shut) {
        synchronized (rule) {
            isShut = shut;
            rule.notifyAll();
        }
    }

    private void accept(String name, ServerSocketChannel listener) {
        while (listener.isOpen()) {
            try {
                SocketChannel dialler = listener.accept();
                open.add(dialler);
                Thread.ofVirtual().start(() -> meet(name, dialler));
            } catch (IOException e) {
                // It was closed.
                return;
            }
        }
    }

    private void meet(String name, SocketChannel dialler) {
        ByteBuffer hello = ByteBuffer.allocate(HELLO_BYTES_MAX);
        String from = "";
        try (dialler; SocketChannel target = SocketChannel.open()) {
            open.add(target);
            while (from.isEmpty() && hello.hasRemaining() && dialler.read(hello) >= 0) {
                String said = new String(hello.array(), 0, hello.position(), StandardCharsets.ISO_8859_1);
                from = places.keySet().stream().filter(said::contains).findFirst().orElse("");
            }
            boolean isThrough = behind.contains(from) != behind.contains(name);
            if (from.isEmpty() || !pass(isThrough)) {
                return;
            }
            target.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), place(name).port()));
            for (SocketChannel each : List.of(dialler, target)) {
                each.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            hello.flip();
            while (hello.hasRemaining()) {
                target.write(hello);
            }
            Thread back = Thread.ofVirtual().start(() -> pump(target, dialler, isThrough));
            pump(dialler, target, isThrough);
            back.join();
        } catch (IOException e) {
            // One of them has ended it.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            open.remove(dialler);
        }
    }

    private void pump(SocketChannel in, SocketChannel out, boolean isThrough) {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
        try (in; out) {
            while (in.read(chunk) >= 0 && pass(isThrough)) {
                chunk.flip();
                while (chunk.hasRemaining()) {
                    out.write(chunk);
                }
                chunk.clear();
            }
            // Nor does the end of a connection come through.
            pass(isThrough);
        } catch (IOException e) {
            pass(isThrough);
        }
    }

    /** Waits while what comes through is held back; false at the end of all. */
    private boolean pass(boolean isThrough) {
        synchronized (rule) {
            try {
                while (isThrough && isShut && !isOver) {
                    rule.wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            return !isOver;
        }
    }

    @Override
    public void close() {
        synchronized (rule) {
            isOver = true;
            rule.notifyAll();
        }
        try {
            for (ServerSocketChannel listener : listeners.values()) {
                listener.close();
            }
            for (SocketChannel each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
