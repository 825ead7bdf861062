package dev.tutti.balancer;

import dev.tutti.Node;
import dev.tutti.balancer.internal.admin.AdminServer;
import dev.tutti.balancer.internal.admin.Console;
import dev.tutti.balancer.internal.member.BalancerMember;
import dev.tutti.balancer.internal.member.Directory;
import dev.tutti.balancer.internal.member.ListedNodes;
import dev.tutti.balancer.internal.member.NodeTallies;
import dev.tutti.balancer.internal.modcluster.ModClusterProtocol;
import dev.tutti.balancer.internal.proxy.Counters;
import dev.tutti.balancer.internal.proxy.ProxyListener;
import dev.tutti.balancer.internal.table.WebNode;
import dev.tutti.balancer.settings.BalancerSettings;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import dev.tutti.internal.door.ListenAddress;
import dev.tutti.netty.internal.reload.Admission;
import dev.tutti.netty.internal.reload.ServerTls;
import dev.tutti.netty.internal.reload.Tokens;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A load balancer for HTTP. Web nodes announce themselves to it through a group of its node, with {@code Announcer} of
 * {@code tutti-announce}, from Tomcat, or by the management protocol of mod_cluster.
 *
 * <p>All methods may be called from any thread.
 */
public final class Balancer implements AutoCloseable {

    private final Counters counters = new Counters();
    private final Directory directory;
    private final String via;
    private final ProxyListener listener;
    private final BalancerMember member;
    private final AdminServer admin;
    private final Console console;
    private final @Nullable ModClusterProtocol modCluster;
    private final @Nullable AdminServer modClusterServer;
    private final Ticker ticker;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private Balancer(Node node, Settings settings) {
        NodeTallies tallies = new NodeTallies(System::nanoTime);
        this.directory = new Directory(settings.get(BalancerSettings.STICKY), tallies, System::nanoTime);
        directory.onListed(listed(settings));
        ServerTls tls = tls(settings, null, settings.get(BalancerSettings.HTTP2));
        Admission admission = new Admission(tokens(settings), null);
        InetAddress consoleAddress = ListenAddress.of(settings, BalancerSettings.CONSOLE_ADDRESS);
        ServerTls consoleTls = settings.get(BalancerSettings.CONSOLE_TLS) ? tls(settings, null, false) : null;
        checkSafety(settings, consoleAddress, admission, consoleTls);
        InetAddress modClusterAddress = ListenAddress.of(settings, BalancerSettings.MOD_CLUSTER_ADDRESS);
        boolean hasModCluster = settings.get(BalancerSettings.MOD_CLUSTER_PORT) != 0;
        boolean asksForCertificates = !settings.get(BalancerSettings.MOD_CLUSTER_AUTHORITY).isEmpty();
        checkModCluster(settings, modClusterAddress, hasModCluster, asksForCertificates);
        AtomicReference<@Nullable BalancerMember> joined = new AtomicReference<>();
        this.via = "tutti-" + node.id().toString().replaceAll("[^A-Za-z0-9.-]", "-");
        this.listener = new ProxyListener(settings, tls, directory, counters, via, () -> {
            BalancerMember to = joined.get();
            if (to != null) {
                to.onContextIdle();
            }
        });
        AtomicReference<@Nullable Console> page = new AtomicReference<>();
        AdminServer opened = null;
        AdminServer openedModCluster = null;
        try {
            opened = new AdminServer(
                    BalancerSettings.CONSOLE_PORT.name(),
                    consoleAddress,
                    settings.get(BalancerSettings.CONSOLE_PORT),
                    consoleTls,
                    (channel, request) -> answer(page.get(), channel, request));
            this.admin = opened;
            ModClusterProtocol protocol =
                    hasModCluster ? new ModClusterProtocol(directory, settings.get(BalancerSettings.LEASE).toNanos()) : null;
            this.modCluster = protocol;
            openedModCluster = protocol == null
                    ? null
                    : new AdminServer(
                            BalancerSettings.MOD_CLUSTER_PORT.name(),
                            modClusterAddress,
                            settings.get(BalancerSettings.MOD_CLUSTER_PORT),
                            asksForCertificates ? tls(settings, BalancerSettings.MOD_CLUSTER_AUTHORITY, false) : null,
                            (_, request) -> protocol.answer(request));
            this.modClusterServer = openedModCluster;
            this.member = BalancerMember.join(node, settings.get(BalancerSettings.GROUP), directory, admin.url(), () -> {}, _ -> true);
        } catch (RuntimeException e) {
            if (opened != null) {
                opened.close();
            }
            if (openedModCluster != null) {
                openedModCluster.close();
            }
            listener.close();
            throw e;
        }
        joined.set(member);
        this.console = new Console(directory, member, counters, listener::numbers, () -> !isClosed.get(), admission);
        page.set(console);
        this.ticker = new Ticker(node.threads(), () -> {
            directory.onTime();
            member.onContextIdle();
        });
    }

    private static FullHttpResponse answer(
            @Nullable Console console, Channel channel, FullHttpRequest request) {
        return console == null ? Console.starting() : console.answer(channel, request);
    }

    /** Returns all settings with their default values, to be changed with {@link Settings#with} and opened. */
    public static Settings defaults() {
        return Settings.of(BalancerSettings.ALL);
    }

    /**
     * Joins the group of balancers with {@code node}, and accepts requests. The node is not closed with the balancer.
     *
     * @throws SettingException if an address can't be bound, or not safely, or a file can't be used; the message says which setting,
     *     and what would be right
     */
    public static Balancer open(Node node, Settings settings) {
        return new Balancer(node, settings);
    }

    private static List<WebNode> listed(Settings settings) {
        try {
            return ListedNodes.parse(settings.get(BalancerSettings.NODES));
        } catch (IllegalArgumentException e) {
            throw new SettingException(BalancerSettings.NODES.name() + ": " + e.getMessage(), e);
        }
    }

    private static @Nullable Tokens tokens(Settings settings) {
        String file = settings.get(BalancerSettings.CONSOLE_TOKENS_FILE);
        try {
            return file.isEmpty() ? null : new Tokens(Path.of(file), "name");
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SettingException(BalancerSettings.CONSOLE_TOKENS_FILE.name() + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns null if no certificate is set.
     *
     * @param authority setting with authorities of clients, which then need a certificate; null for none
     */
    private static @Nullable ServerTls tls(Settings settings, @Nullable Setting<String> authority, boolean hasHttp2) {
        String certificate = settings.get(BalancerSettings.TLS_CERTIFICATE);
        String key = settings.get(BalancerSettings.TLS_KEY);
        if (certificate.isEmpty() && key.isEmpty()) {
            return null;
        }
        if (certificate.isEmpty() || key.isEmpty()) {
            throw new SettingException("balancer.tls-certificate and balancer.tls-key are set together; one is missing");
        }
        String trusted = authority == null ? "" : settings.get(authority);
        List<String> protocols =
                hasHttp2 ? List.of(ApplicationProtocolNames.HTTP_2, ApplicationProtocolNames.HTTP_1_1) : List.of();
        try {
            return new ServerTls(
                    "balancer",
                    Path.of(certificate),
                    Path.of(key),
                    trusted.isEmpty() ? null : Path.of(trusted),
                    ClientAuth.REQUIRE,
                    protocols);
        } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
            throw new SettingException("balancer.tls-certificate, balancer.tls-key: can't be used: " + e.getMessage(), e);
        }
    }

    private static void checkSafety(Settings settings, InetAddress address, Admission admission, @Nullable ServerTls tls) {
        if (settings.get(BalancerSettings.CONSOLE_TLS) && tls == null) {
            throw new SettingException("balancer.console-tls needs balancer.tls-certificate and balancer.tls-key");
        }
        if (address.isLoopbackAddress() || settings.get(BalancerSettings.CONSOLE_INSECURE)) {
            return;
        }
        String name = "balancer.console-address: " + settings.get(BalancerSettings.CONSOLE_ADDRESS) + " is not loopback";
        if (admission.isOpen()) {
            throw new SettingException(name + ", and everybody could drain nodes. Set balancer.console-tokens-file; or say"
                    + " balancer.console-insecure: true");
        }
        if (tls == null) {
            throw new SettingException(name + ", and tokens could be read on the way. Set balancer.console-tls: true; or, where something in"
                    + " front of the page has TLS, balancer.console-insecure: true");
        }
    }

    private static void checkModCluster(Settings settings, InetAddress address, boolean isWanted, boolean asksForCertificates) {
        if (asksForCertificates && settings.get(BalancerSettings.TLS_CERTIFICATE).isEmpty()) {
            throw new SettingException("balancer.mod-cluster-authority needs balancer.tls-certificate and balancer.tls-key");
        }
        boolean isSafe = address.isLoopbackAddress() || asksForCertificates || settings.get(BalancerSettings.MOD_CLUSTER_INSECURE);
        if (isWanted && !isSafe) {
            throw new SettingException("balancer.mod-cluster-address: " + settings.get(BalancerSettings.MOD_CLUSTER_ADDRESS)
                    + " is not loopback, and everybody could announce nodes. Set balancer.mod-cluster-authority; or, in a trusted network,"
                    + " balancer.mod-cluster-insecure: true");
        }
    }

    /** Returns the port for requests. */
    public int port() {
        return listener.port();
    }

    /** Returns the base of addresses for clients on this host, such as {@code http://127.0.0.1:8000}. */
    public String url() {
        return listener.url();
    }

    /** Returns the address of the page, the metrics and the health. */
    public String consoleUrl() {
        return admin.url();
    }

    /** Returns present numbers and counters by name. Waits for the loops for a moment. */
    public Map<String, Long> numbers() {
        Map<String, Long> all = new LinkedHashMap<>();
        counters.all().forEach((name, value) -> all.put(name.text(), value));
        all.putAll(listener.numbers());
        if (modCluster != null) {
            all.putAll(modCluster.numbers());
        }
        all.put("nodes", (long) directory.table().nodes().size());
        all.put("balancers", (long) member.balancers().size());
        return all;
    }

    /** Returns the routes of the nodes that get requests now. */
    public List<String> routes() {
        return directory.table().nodes().stream().map(each -> each.route()).toList();
    }

    /** Returns the name of this balancer in the header Via, by which it finds requests that come through it again. */
    String via() {
        return via;
    }

    /** Accepts nothing more, waits for requests that are under way, and leaves the group. Blocks. Idempotent. */
    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            ticker.close();
            listener.close();
            if (modClusterServer != null) {
                modClusterServer.close();
            }
            member.close();
            admin.close();
        }
    }
}
