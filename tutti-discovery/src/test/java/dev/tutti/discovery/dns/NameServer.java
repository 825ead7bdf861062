package dev.tutti.discovery.dns;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.dns.DatagramDnsQuery;
import io.netty.handler.codec.dns.DatagramDnsQueryDecoder;
import io.netty.handler.codec.dns.DatagramDnsResponse;
import io.netty.handler.codec.dns.DatagramDnsResponseEncoder;
import io.netty.handler.codec.dns.DefaultDnsRawRecord;
import io.netty.handler.codec.dns.DnsQuestion;
import io.netty.handler.codec.dns.DnsRecordType;
import io.netty.handler.codec.dns.DnsResponseCode;
import io.netty.handler.codec.dns.DnsSection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A name server on loopback with records that a test sets. */
public final class NameServer implements AutoCloseable {

    private record Key(String name, DnsRecordType type) {}

    private final Map<Key, List<byte[]>> records = new ConcurrentHashMap<>();
    private final MultiThreadIoEventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Channel channel;
    private volatile boolean isSilent;
    volatile boolean isBroken;

    public NameServer() {
        channel = new Bootstrap()
                .group(loops)
                .channel(NioDatagramChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel opened) {
                        opened.pipeline()
                                .addLast(new DatagramDnsQueryDecoder(), new DatagramDnsResponseEncoder(), new Answers());
                    }
                })
                .bind("127.0.0.1", 0)
                .syncUninterruptibly()
                .channel();
    }

    /** Ends or begins to answer. */
    public void setSilent(boolean silent) {
        isSilent = silent;
    }

    public String address() {
        return "127.0.0.1:" + ((InetSocketAddress) channel.localAddress()).getPort();
    }

    public void host(String name, String... addresses) {
        records.remove(new Key(name, DnsRecordType.A));
        records.remove(new Key(name, DnsRecordType.AAAA));
        for (String address : addresses) {
            InetAddress literal = InetAddress.ofLiteral(address);
            DnsRecordType type = literal.getAddress().length == 4 ? DnsRecordType.A : DnsRecordType.AAAA;
            records.computeIfAbsent(new Key(name, type), key -> new ArrayList<>()).add(literal.getAddress());
        }
    }

    void service(String name, int port, String target) {
        ByteBuf data = Unpooled.buffer().writeShort(10).writeShort(5).writeShort(port);
        for (String label : target.split("\\.")) {
            data.writeByte(label.length()).writeCharSequence(label, StandardCharsets.US_ASCII);
        }
        data.writeByte(0);
        byte[] bytes = new byte[data.readableBytes()];
        data.readBytes(bytes);
        records.computeIfAbsent(new Key(name, DnsRecordType.SRV), key -> new ArrayList<>()).add(bytes);
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    private final class Answers extends SimpleChannelInboundHandler<DatagramDnsQuery> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramDnsQuery query) {
            if (isSilent) {
                return;
            }
            DnsQuestion question = query.recordAt(DnsSection.QUESTION);
            String name = question.name().replaceFirst("\\.$", "");
            DatagramDnsResponse response = new DatagramDnsResponse(query.recipient(), query.sender(), query.id());
            response.addRecord(DnsSection.QUESTION, question);
            List<byte[]> found = records.getOrDefault(new Key(name, question.type()), List.of());
            boolean isKnown = records.keySet().stream().anyMatch(key -> key.name().equals(name));
            response.setCode(isBroken ? DnsResponseCode.SERVFAIL : isKnown ? DnsResponseCode.NOERROR : DnsResponseCode.NXDOMAIN);
            if (!isBroken) {
                found.forEach(data -> response.addRecord(
                        DnsSection.ANSWER,
                        new DefaultDnsRawRecord(question.name(), question.type(), 60, Unpooled.wrappedBuffer(data))));
            }
            context.writeAndFlush(response);
        }
    }
}
