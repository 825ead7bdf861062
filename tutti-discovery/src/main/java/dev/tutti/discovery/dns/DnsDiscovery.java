package dev.tutti.discovery.dns;

import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.discovery.NodeEntry;
import dev.tutti.core.settings.SettingException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.dns.DefaultDnsQuestion;
import io.netty.handler.codec.dns.DefaultDnsRecordDecoder;
import io.netty.handler.codec.dns.DnsRawRecord;
import io.netty.handler.codec.dns.DnsRecord;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.resolver.dns.DnsErrorCauseException;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.NoopDnsCache;
import io.netty.resolver.dns.NoopDnsCnameCache;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Names of DNS whose records list the nodes: A and AAAA records of a host, with a port that the user gives, or SRV records of a
 * service (RFC 2782), whose priorities and weights mean nothing here.
 *
 * <p>Asks the name server for each list and keeps no answers. A name without records is an empty list: the first pod of a headless
 * service has none.
 */
public final class DnsDiscovery implements DiscoverySource {

    private static final int QUERY_MILLIS_MAX = 2_000;
    private static final int RESULT_SECONDS_MAX = 8;

    /** A name to ask for. */
    private sealed interface Name {
        /** Name of a host and the port of its nodes. */
        record Host(String host, int port) implements Name {}

        /** Name of a service, whose records have ports. */
        record Service(String service) implements Name {}
    }

    private final List<Name> names;
    private final @Nullable InetSocketAddress server;
    private @Nullable MultiThreadIoEventLoopGroup loops;
    private @Nullable DnsNameResolver resolver;

    /**
     * @param names {@code host:port}, or {@code _service._protocol.domain}
     * @param server IP address, with a port or without; empty for those of the system
     * @throws SettingException if a name is neither, or the server no address
     */
    public DnsDiscovery(List<String> names, String server) {
        this.names = names.stream().map(DnsDiscovery::name).toList();
        this.server = server.isEmpty() ? null : server(server);
    }

    private static Name name(String text) {
        if (text.startsWith("_")) {
            return new Name.Service(text);
        }
        int colon = text.indexOf(':');
        String port = text.substring(colon + 1);
        if (colon <= 0 || !port.matches("[0-9]{1,5}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65_535) {
            throw new SettingException("discovery.dns.names: '" + text
                    + "' is neither host:port, nor the name of a service as _tutti._tcp.shop.example");
        }
        return new Name.Host(text.substring(0, colon), Integer.parseInt(port));
    }

    private static InetSocketAddress server(String text) {
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon > 0 && (text.indexOf(':') == colon || text.startsWith("[") && text.charAt(colon - 1) == ']');
        try {
            String host = (hasPort ? text.substring(0, colon) : text).replaceAll("^\\[|]$", "");
            return new InetSocketAddress(
                    InetAddress.ofLiteral(host), hasPort ? Integer.parseInt(text.substring(colon + 1)) : 53);
        } catch (IllegalArgumentException e) {
            throw new SettingException("discovery.dns.server: '" + text + "' is no IP address; write 10.0.0.53 or 10.0.0.53:53", e);
        }
    }

    @Override
    public void start(NodeEntry self) {
        MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        DnsNameResolverBuilder builder = new DnsNameResolverBuilder(group.next())
                .datagramChannelType(NioDatagramChannel.class)
                .socketChannelType(NioSocketChannel.class)
                .queryTimeoutMillis(QUERY_MILLIS_MAX)
                .resolveCache(NoopDnsCache.INSTANCE)
                .cnameCache(NoopDnsCnameCache.INSTANCE);
        if (server != null) {
            builder.nameServerProvider(new SequentialDnsServerAddressStreamProvider(server));
        }
        loops = group;
        resolver = builder.build();
    }

    @Override
    public List<String> addresses() throws IOException {
        DnsNameResolver open = resolver;
        if (open == null) {
            return List.of();
        }
        TreeSet<String> addresses = new TreeSet<>();
        for (Name name : names) {
            switch (name) {
                case Name.Host host -> addHost(open, host.host(), host.port(), addresses);
                case Name.Service service -> addService(open, service.service(), addresses);
            }
        }
        return new ArrayList<>(addresses);
    }

    private static void addHost(DnsNameResolver open, String host, int port, TreeSet<String> addresses) throws IOException {
        List<InetAddress> found = await(host, open.resolveAll(host));
        for (InetAddress address : found == null ? List.<InetAddress>of() : found) {
            String literal = address.getHostAddress();
            addresses.add((address instanceof Inet6Address ? "[" + literal + "]" : literal) + ":" + port);
        }
    }

    private static void addService(DnsNameResolver open, String service, TreeSet<String> addresses) throws IOException {
        List<DnsRecord> records = await(service, open.resolveAll(new DefaultDnsQuestion(service, DnsRecordType.SRV)));
        if (records == null) {
            return;
        }
        List<Name.Host> targets = new ArrayList<>();
        try {
            for (DnsRecord answer : records) {
                if (answer instanceof DnsRawRecord raw && raw.type().equals(DnsRecordType.SRV)) {
                    ByteBuf content = raw.content();
                    // Priority and weight come first.
                    content.skipBytes(2 * Short.BYTES);
                    int port = content.readUnsignedShort();
                    String target = DefaultDnsRecordDecoder.decodeName(content);
                    targets.add(new Name.Host(target.replaceFirst("\\.$", ""), port));
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw new IOException("DNS: a record of " + service + " is cut off", e);
        } finally {
            records.forEach(ReferenceCountUtil::release);
        }
        for (Name.Host target : targets) {
            addHost(open, target.host(), target.port(), addresses);
        }
    }

    /** Returns null if there is no such name. */
    private static <T> @Nullable T await(String name, Future<T> future) throws IOException {
        if (!future.awaitUninterruptibly(RESULT_SECONDS_MAX, TimeUnit.SECONDS)) {
            future.cancel(true);
            throw new IOException("DNS: no answer for " + name + " within " + RESULT_SECONDS_MAX + " s");
        }
        if (future.isSuccess()) {
            return future.getNow();
        }
        Throwable cause = future.cause();
        if (isUnknown(cause)) {
            return null;
        }
        throw new IOException("DNS: " + name + ": " + cause.getMessage(), cause);
    }

    /** An answer that there is no such name differs from no answer. */
    private static boolean isUnknown(Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof DnsErrorCauseException answered) {
                return answered.getCode().equals(DnsResponseCode.NXDOMAIN);
            }
        }
        return thrown instanceof UnknownHostException && thrown.getCause() == null;
    }

    @Override
    public void close() {
        DnsNameResolver open = resolver;
        MultiThreadIoEventLoopGroup group = loops;
        if (open != null) {
            open.close();
        }
        if (group != null) {
            group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }
}
