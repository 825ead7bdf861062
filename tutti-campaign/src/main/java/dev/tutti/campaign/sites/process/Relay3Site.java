package dev.tutti.campaign.sites.process;

import dev.tutti.campaign.host.ChaosException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.protocols.DELAY;
import org.jgroups.protocols.DISCARD;
import org.jgroups.protocols.FD_ALL3;
import org.jgroups.protocols.FD_SOCK2;
import org.jgroups.protocols.FRAG2;
import org.jgroups.protocols.MERGE3;
import org.jgroups.protocols.MFC;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.UDP;
import org.jgroups.protocols.UFC;
import org.jgroups.protocols.UNICAST3;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.protocols.pbcast.STABLE;
import org.jgroups.protocols.relay.RELAY3;
import org.jgroups.protocols.relay.config.RelayConfig;
import org.jgroups.stack.Protocol;

/**
 * A member of a JGroups cluster with RELAY3, whose protocols and times are those of the {@code tcp.xml} that JGroups ships, except that its
 * failure detectors are as fast as tutti's. The line is made by two of its own protocols, since a node of JGroups can't tell others
 * the address of a proxy: each message between sites is delayed by 40 ms, and one of a hundred is lost.
 */
final class Relay3Site implements SiteSystem {

    private static final int ONE_WAY_MILLIS = 40;
    private static final double LOSS = 0.01;
    private static final int SITES = 3;
    private static final long SUSPECT_MILLIS = 3_000;

    private final RELAY3 relay = new RELAY3();
    private final JChannel channel;

    Relay3Site(Settings settings, Consumer<byte[]> onMessage) {
        String site = settings.get("site");
        relay.setSite(site);
        List<String> sites = new ArrayList<>(List.of(settings.get("others").split(",")));
        sites.add(site);
        for (String each : sites) {
            relay.addSite(each, new RelayConfig.SiteConfig(each).addBridge(
                    new RelayConfig.ProgrammaticBridgeConfig("bridge", each.equals(site) ? bridge(settings) : new Protocol[0])));
        }
        try {
            List<Protocol> protocols = new ArrayList<>(List.of(transport(new TCP(), (int) settings.number("port"))));
            protocols.addAll(above(settings.get("seeds")));
            protocols.add(relay);
            channel = new JChannel(protocols.toArray(Protocol[]::new)).name("n" + settings.get("id"));
            channel.setReceiver(new Receiver() {
                @Override
                public void receive(Message message) {
                    onMessage.accept(Arrays.copyOfRange(
                            message.getArray(), message.getOffset(), message.getOffset() + message.getLength()));
                }
            });
            channel.connect("site-" + site);
        } catch (Exception e) {
            throw new ChaosException("JGroups does not start: " + e.getMessage(), e);
        }
    }

    private static Protocol[] bridge(Settings settings) {
        UDP udp = new UDP();
        udp.setMulticasting(false);
        List<Protocol> protocols = new ArrayList<>(List.of(transport(udp, (int) settings.number("bridge-port"))));
        DELAY delay = new DELAY();
        delay.setOutDelay(ONE_WAY_MILLIS);
        delay.setValue("constant_delay", true);
        protocols.add(delay);
        protocols.add(new DISCARD().setDownDiscardRate(LOSS).excludeItself(true));
        protocols.addAll(above(settings.get("bridge-ports")));
        return protocols.toArray(Protocol[]::new);
    }

    private static TP transport(TP transport, int port) {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        return transport.setBindAddress(loopback).setBindPort(port).setPortRange(0);
    }

    private static List<Protocol> above(String seeds) {
        List<InetSocketAddress> hosts = Arrays.stream(seeds.split(","))
                .map(seed -> new InetSocketAddress("127.0.0.1", Integer.parseInt(seed.substring(seed.indexOf(':') + 1))))
                .toList();
        return List.of(
                new TCPPING().initialHosts(hosts).setPortRange(0),
                new MERGE3().setMinInterval(1_000).setMaxInterval(3_000),
                new FD_SOCK2(),
                new FD_ALL3().setTimeout(SUSPECT_MILLIS).setInterval(SUSPECT_MILLIS / 3),
                new VERIFY_SUSPECT2().setTimeout(SUSPECT_MILLIS / 2),
                new NAKACK2().useMcastXmit(false),
                new UNICAST3(),
                new STABLE(),
                new GMS().setJoinTimeout(2_000),
                new UFC(),
                new MFC(),
                new FRAG2());
    }

    @Override
    public void send(byte[] message) throws RefusedException {
        try {
            channel.send(null, message);
        } catch (Exception e) {
            throw new RefusedException(e);
        }
    }

    @Override
    public long sitesUp() {
        List<String> current = relay.getCurrentSites();
        return isFirst() && current != null ? current.size() : SITES;
    }

    @Override
    public boolean isFirst() {
        View view = channel.getView();
        return view != null && view.getCoord().equals(channel.getAddress());
    }

    @Override
    public long retained() {
        return 0;
    }
}
