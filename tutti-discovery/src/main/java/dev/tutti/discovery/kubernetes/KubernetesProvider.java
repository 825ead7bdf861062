package dev.tutti.discovery.kubernetes;

import dev.tutti.core.discovery.DiscoveryProvider;
import dev.tutti.core.discovery.DiscoverySource;
import dev.tutti.core.settings.Setting;
import dev.tutti.core.settings.SettingException;
import dev.tutti.core.settings.Settings;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Lists the pods that {@code discovery.kubernetes.selector} selects. */
public final class KubernetesProvider implements DiscoveryProvider {

    public static final Setting<String> SELECTOR = Setting.text(
            "discovery.kubernetes.selector",
            "",
            "Labels of the pods whose nodes find each other by the API of Kubernetes: app=shop, or app=shop,tier=back for example.");

    public static final Setting<Integer> PORT =
            Setting.count("discovery.kubernetes.port", 7_800, 1, 65_535, "Port of the nodes in their pods.");

    public static final Setting<String> NAMESPACE = Setting.text(
            "discovery.kubernetes.namespace", "", "Namespace of the pods; empty for the one of this node's pod.");

    public static final Setting<String> ACCOUNT_DIRECTORY = Setting.text(
            "discovery.kubernetes.account-directory",
            "/var/run/secrets/kubernetes.io/serviceaccount",
            "Directory with token, ca.crt and namespace of the pod's service account; read again for each list.");

    public static final Setting<String> SERVER = Setting.text(
            "discovery.kubernetes.server",
            "",
            "URL of the API server; empty for the one that KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT name in each pod.");

    @Override
    public String kind() {
        return "kubernetes";
    }

    @Override
    public List<Setting<?>> settings() {
        return List.of(SELECTOR, PORT, NAMESPACE, ACCOUNT_DIRECTORY, SERVER);
    }

    @Override
    public Optional<DiscoverySource> open(Settings settings) {
        String selector = settings.get(SELECTOR);
        if (selector.isEmpty()) {
            return Optional.empty();
        }
        String server = settings.get(SERVER);
        if (!server.isEmpty() && !server.matches("https?://[^/?#@]+")) {
            throw new SettingException(
                    SERVER.name() + ": '" + server + "' is no URL of a server; write https://kubernetes.default.svc");
        }
        ServiceAccount account =
                new ServiceAccount(Path.of(settings.get(ACCOUNT_DIRECTORY)), server, settings.get(NAMESPACE), System::getenv);
        return Optional.of(new KubernetesDiscovery(new PodApi(account, selector), settings.get(PORT)));
    }
}
