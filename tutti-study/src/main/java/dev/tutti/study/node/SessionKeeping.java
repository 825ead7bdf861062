package dev.tutti.study.node;

import dev.tutti.Node;
import dev.tutti.NodeBuilder;
import dev.tutti.announce.Announcer;
import dev.tutti.announce.message.WebContext;
import dev.tutti.study.app.Databases;
import dev.tutti.study.setup.Keeping;
import dev.tutti.study.setup.NodeSettings;
import dev.tutti.tomcat.TuttiManager;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.catalina.Context;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.ha.ClusterManager;
import org.apache.catalina.ha.session.BackupManager;
import org.apache.catalina.ha.session.ClusterSessionListener;
import org.apache.catalina.ha.session.DeltaManager;
import org.apache.catalina.ha.tcp.ReplicationValve;
import org.apache.catalina.ha.tcp.SimpleTcpCluster;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.tribes.group.GroupChannel;
import org.apache.catalina.tribes.group.interceptors.MessageDispatchInterceptor;
import org.apache.catalina.tribes.group.interceptors.TcpFailureDetector;
import org.apache.catalina.tribes.membership.StaticMember;
import org.apache.catalina.tribes.membership.StaticMembershipService;
import org.apache.catalina.tribes.transport.ReplicationTransmitter;
import org.apache.catalina.tribes.transport.nio.NioReceiver;
import org.apache.catalina.tribes.transport.nio.PooledParallelSender;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Installs the software that keeps the sessions of a node, with the settings of its documentation. */
final class SessionKeeping {

    /** Cluster of the nodes, and of the balancer that they announce themselves to. */
    static final String CLUSTER = "study";

    private static final String LOOPBACK = "127.0.0.1";
    private static final int ID_BYTES = 16;
    private static final int RECEIVER_THREADS = 6;
    private static final int SELECTOR_MILLIS = 5_000;

    private SessionKeeping() {}

    static void install(Keeping keeping, NodeSettings settings, Tomcat tomcat, Context context) throws IOException {
        switch (keeping) {
            case TUTTI, TUTTI_UDP -> context.setManager(new TuttiManager(tutti(keeping, settings, tomcat)));
            case DELTA -> {
                DeltaManager manager = new DeltaManager();
                manager.setExpireSessionsOnShutdown(false);
                manager.setNotifyListenersOnReplication(true);
                tomcat.getHost().setCluster(cluster(settings, manager));
            }
            case BACKUP -> {
                BackupManager manager = new BackupManager();
                manager.setNotifyListenersOnReplication(true);
                tomcat.getHost().setCluster(cluster(settings, manager));
            }
            case SPRING -> {
                FilterDef filter = new FilterDef();
                filter.setFilterName("spring");
                filter.setFilter(SpringSessions.filter(Databases.pool(settings.databaseUrl())));
                context.addFilterDef(filter);
                FilterMap all = new FilterMap();
                all.setFilterName("spring");
                all.addURLPattern("/*");
                context.addFilterMap(all);
            }
            case DATABASE -> {
                // The application's own table keeps them.
            }
        }
        context.setDistributable(keeping.isReplicated());
    }

    /** Starts a node, which announces the Tomcat to the balancer while it serves, and ends with it. */
    private static Node tutti(Keeping keeping, NodeSettings settings, Tomcat tomcat) {
        int port = settings.nodePorts().get(settings.index());
        List<String> seeds = new ArrayList<>();
        settings.nodePorts().forEach(each -> seeds.add(LOOPBACK + ":" + each));
        boolean isAnnounced = settings.balancerPort() != 0;
        if (isAnnounced) {
            seeds.add(LOOPBACK + ":" + settings.balancerPort());
        }
        NodeBuilder builder = keeping == Keeping.TUTTI ? Node.tcp(port) : Node.udp(port);
        Node node = builder.name(settings.name()).cluster(CLUSTER).seeds(seeds.toArray(String[]::new)).start();
        tomcat.getServer().addLifecycleListener(event -> {
            if (isAnnounced && event.getType().equals(Lifecycle.AFTER_START_EVENT)) {
                Announcer.on(node)
                        .route(settings.name())
                        .address("http", LOOPBACK, settings.httpPort())
                        .contexts(WebContext.of(StudyNode.CONTEXT))
                        .open();
            } else if (event.getType().equals(Lifecycle.AFTER_STOP_EVENT)) {
                node.close();
            }
        });
        return node;
    }

    private static SimpleTcpCluster cluster(NodeSettings settings, ClusterManager manager) throws IOException {
        StaticMembershipService members = new StaticMembershipService();
        for (int index = 0; index < settings.nodePorts().size(); index++) {
            StaticMember member = new StaticMember(LOOPBACK, settings.nodePorts().get(index), 0);
            member.setDomain("study");
            member.setUniqueId(uniqueId(index));
            if (index == settings.index()) {
                members.setLocalMember(member);
            } else {
                members.addStaticMember(member);
            }
        }
        NioReceiver receiver = new NioReceiver();
        receiver.setAddress(LOOPBACK);
        receiver.setPort(settings.nodePorts().get(settings.index()));
        receiver.setAutoBind(0);
        receiver.setSelectorTimeout(SELECTOR_MILLIS);
        receiver.setMaxThreads(RECEIVER_THREADS);
        ReplicationTransmitter sender = new ReplicationTransmitter();
        sender.setTransport(new PooledParallelSender());
        GroupChannel channel = new GroupChannel();
        channel.setMembershipService(members);
        channel.setChannelReceiver(receiver);
        channel.setChannelSender(sender);
        channel.addInterceptor(new TcpFailureDetector());
        channel.addInterceptor(new MessageDispatchInterceptor());

        SimpleTcpCluster cluster = new SimpleTcpCluster();
        cluster.setChannel(channel);
        cluster.setManagerTemplate(manager);
        ReplicationValve valve = new ReplicationValve();
        valve.setFilter("");
        cluster.addValve(valve);
        cluster.addClusterListener(new ClusterSessionListener());
        return cluster;
    }

    private static String uniqueId(int index) {
        StringBuilder id = new StringBuilder("{");
        for (int place = 0; place < ID_BYTES; place++) {
            id.append(place == 0 ? "" : ",").append(place == ID_BYTES - 1 ? index + 1 : 0);
        }
        return id.append('}').toString();
    }
}
