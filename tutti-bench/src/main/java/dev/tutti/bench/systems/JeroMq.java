package dev.tutti.bench.systems;

import dev.tutti.bench.BenchException;
import dev.tutti.bench.systems.GroupSystem.Listener;
import org.jspecify.annotations.Nullable;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** ZeroMQ in Java. It keeps the array that is sent. */
final class JeroMq implements ZeroMqSystem.Library {

    private final ZContext context = new ZContext();

    @Override
    public ZeroMqSystem.Socket publisher(String address) {
        ZMQ.Socket socket = context.createSocket(SocketType.XPUB);
        socket.setXpubNoDrop(true);
        // Otherwise only the first subscriber would be reported.
        socket.setXpubVerbose(true);
        socket.setLinger(ZeroMqSystem.CLOSE_MILLIS_MAX);
        socket.setReceiveTimeOut(ZeroMqSystem.JOIN_MILLIS_MAX);
        if (!socket.bind(address)) {
            throw new BenchException("JeroMQ can't bind " + address);
        }
        return new Socket(socket);
    }

    @Override
    public ZeroMqSystem.Socket subscriber(Iterable<String> addresses) {
        ZMQ.Socket socket = context.createSocket(SocketType.SUB);
        socket.setReceiveTimeOut(ZeroMqSystem.RECEIVE_MILLIS_MAX);
        socket.subscribe(new byte[0]);
        addresses.forEach(socket::connect);
        return new Socket(socket);
    }

    @Override
    public void close() {
        context.close();
    }

    private record Socket(ZMQ.Socket socket) implements ZeroMqSystem.Socket {

        @Override
        public void send(byte[] message) {
            if (!socket.send(message.clone())) {
                throw new BenchException("JeroMQ does not send: error " + socket.errno());
            }
        }

        @Override
        public boolean receive(@Nullable Listener to) {
            byte[] message = socket.recv();
            if (message != null && to != null) {
                to.onMessage(message, 0, message.length);
            }
            return message != null;
        }
    }
}
