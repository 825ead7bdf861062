package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.systems.GroupSystem.Listener;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandleProxies;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** ZeroMQ itself, {@code libzmq}, called without a library in between. */
public final class NativeZeroMq implements ZeroMqSystem.Library {

    /** System property with the library's file, if the linker does not find it. */
    public static final String LIBRARY = "bench.zmq";

    private static final String LIBRARY_DEFAULT = "libzmq.so.5";

    // From zmq.h.
    private static final int SUB = 2;
    private static final int XPUB = 9;
    private static final int SUBSCRIBE = 6;
    private static final int LINGER = 17;
    private static final int RECEIVE_TIMEOUT = 27;
    private static final int XPUB_VERBOSE = 40;
    private static final int XPUB_NODROP = 69;

    /** Size of the receive buffer; the library truncates larger messages, which then count as faults. */
    private static final int MESSAGE_BYTES_MAX = 16 << 20;

    // The signatures of its functions. They are public because proxies of method handles require it.

    /** Makes a context. */
    public interface Create {
        MemorySegment create();
    }

    /** Makes a socket. */
    public interface Open {
        MemorySegment open(MemorySegment context, int type);
    }

    /** Sets an option. */
    public interface Adjust {
        int adjust(MemorySegment socket, int name, MemorySegment value, long length);
    }

    /** Binds or connects. */
    public interface Attach {
        int attach(MemorySegment socket, MemorySegment address);
    }

    /** Sends or receives. */
    public interface Transfer {
        int transfer(MemorySegment socket, MemorySegment bytes, long length, int flags);
    }

    /** Ends a socket or a context. */
    public interface Release {
        int release(MemorySegment what);
    }

    private final Arena arena = Arena.ofShared();
    private final Open socket;
    private final Adjust option;
    private final Attach bind;
    private final Attach connect;
    private final Transfer send;
    private final Transfer receive;
    private final Release close;
    private final Release end;
    private final MemorySegment context;
    private final List<MemorySegment> sockets = new ArrayList<>();

    NativeZeroMq() {
        SymbolLookup library = find(System.getProperty(LIBRARY, LIBRARY_DEFAULT), arena);
        var pointer = ValueLayout.ADDRESS;
        var number = ValueLayout.JAVA_INT;
        var size = ValueLayout.JAVA_LONG;
        var attach = FunctionDescriptor.of(number, pointer, pointer);
        var transfer = FunctionDescriptor.of(number, pointer, pointer, size, number);
        var release = FunctionDescriptor.of(number, pointer);
        socket = link(library, "zmq_socket", FunctionDescriptor.of(pointer, pointer, number), Open.class);
        option = link(
                library, "zmq_setsockopt", FunctionDescriptor.of(number, pointer, number, pointer, size), Adjust.class);
        bind = link(library, "zmq_bind", attach, Attach.class);
        connect = link(library, "zmq_connect", attach, Attach.class);
        send = link(library, "zmq_send", transfer, Transfer.class);
        receive = link(library, "zmq_recv", transfer, Transfer.class);
        close = link(library, "zmq_close", release, Release.class);
        end = link(library, "zmq_ctx_term", release, Release.class);
        context = link(library, "zmq_ctx_new", FunctionDescriptor.of(pointer), Create.class).create();
    }

    @SuppressWarnings("restricted") // native access is what it is for; the processes are started with leave for it
    private static SymbolLookup find(String file, Arena arena) {
        try {
            return file.contains("/") ? SymbolLookup.libraryLookup(Path.of(file), arena) : SymbolLookup.libraryLookup(file, arena);
        } catch (IllegalArgumentException e) {
            throw new BenchException(
                    "there is no " + file + "; install it (apt-get install libzmq5), or name it: --jvm=-D" + LIBRARY + "=FILE",
                    e);
        }
    }

    @SuppressWarnings("restricted") // as above
    private static <T> T link(SymbolLookup library, String name, FunctionDescriptor descriptor, Class<T> shape) {
        return MethodHandleProxies.asInterfaceInstance(
                shape, Linker.nativeLinker().downcallHandle(library.findOrThrow(name), descriptor));
    }

    private MemorySegment open(int type) {
        MemorySegment opened = socket.open(context, type);
        synchronized (sockets) {
            sockets.add(opened);
        }
        return opened;
    }

    private void set(MemorySegment opened, int name, int value) {
        MemorySegment number = arena.allocateFrom(ValueLayout.JAVA_INT, value);
        check("zmq_setsockopt " + name, option.adjust(opened, name, number, Integer.BYTES));
    }

    private MemorySegment text(String text) {
        return arena.allocateFrom(text, StandardCharsets.US_ASCII);
    }

    private static void check(String what, int result) {
        if (result < 0) {
            throw new BenchException(what + " failed");
        }
    }

    @Override
    public ZeroMqSystem.Socket publisher(String address) {
        MemorySegment opened = open(XPUB);
        set(opened, XPUB_NODROP, 1);
        set(opened, XPUB_VERBOSE, 1);
        set(opened, LINGER, ZeroMqSystem.CLOSE_MILLIS_MAX);
        set(opened, RECEIVE_TIMEOUT, ZeroMqSystem.JOIN_MILLIS_MAX);
        check("zmq_bind " + address, bind.attach(opened, text(address)));
        return new Socket(opened);
    }

    @Override
    public ZeroMqSystem.Socket subscriber(Iterable<String> addresses) {
        MemorySegment opened = open(SUB);
        set(opened, RECEIVE_TIMEOUT, ZeroMqSystem.RECEIVE_MILLIS_MAX);
        check("zmq_setsockopt", option.adjust(opened, SUBSCRIBE, MemorySegment.NULL, 0));
        for (String address : addresses) {
            check("zmq_connect " + address, connect.attach(opened, text(address)));
        }
        return new Socket(opened);
    }

    @Override
    public void close() {
        synchronized (sockets) {
            sockets.forEach(opened -> check("zmq_close", close.release(opened)));
            sockets.clear();
        }
        check("zmq_ctx_term", end.release(context));
        arena.close();
    }

    private final class Socket implements ZeroMqSystem.Socket {

        private final MemorySegment opened;
        private final MemorySegment input = arena.allocate(MESSAGE_BYTES_MAX);
        private final ByteBuffer received = input.asByteBuffer();
        private final MemorySegment output = arena.allocate(MESSAGE_BYTES_MAX);

        private Socket(MemorySegment opened) {
            this.opened = opened;
        }

        @Override
        public void send(byte[] message) {
            MemorySegment.copy(message, 0, output, ValueLayout.JAVA_BYTE, 0, message.length);
            check("zmq_send", send.transfer(opened, output, message.length, 0));
        }

        @Override
        public boolean receive(@Nullable Listener to) {
            int length = receive.transfer(opened, input, MESSAGE_BYTES_MAX, 0);
            if (length >= 0 && to != null) {
                to.onMessage(received, 0, Math.min(length, MESSAGE_BYTES_MAX));
            }
            return length >= 0;
        }
    }
}
