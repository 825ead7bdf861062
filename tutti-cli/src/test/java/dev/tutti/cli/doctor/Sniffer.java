package dev.tutti.cli.doctor;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** A process that writes all packets of its network namespace to a file, as tcpdump does. Needs root and Linux. */
final class Sniffer {

    private static final int AF_PACKET = 17;
    private static final int SOCK_RAW = 3;
    private static final int ETH_P_ALL_BIG_ENDIAN = 0x0300;
    private static final int BYTES_MAX = 65_536;

    private Sniffer() {}

    @SuppressWarnings("restricted") // Java has no sockets for raw packets.
    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }

    /** @param arguments the file */
    public static void main(String[] arguments) throws Throwable {
        MethodHandle socket = function(
                "socket",
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        MethodHandle receive = function(
                "recv",
                FunctionDescriptor.of(
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_INT));
        try (Arena arena = Arena.ofConfined(); OutputStream out = Files.newOutputStream(Path.of(arguments[0]))) {
            int descriptor = (int) socket.invokeExact(AF_PACKET, SOCK_RAW, ETH_P_ALL_BIG_ENDIAN);
            if (descriptor < 0) {
                throw new IOException("no socket for raw packets");
            }
            MemorySegment buffer = arena.allocate(BYTES_MAX);
            System.out.println("listens on all interfaces");
            while (true) {
                long length = (long) receive.invokeExact(descriptor, buffer, (long) BYTES_MAX, 0);
                if (length > 0) {
                    out.write(buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
                }
            }
        }
    }
}
