package dev.tutti.console.internal;

import dev.tutti.console.ConsoleSettings;
import dev.tutti.console.Role;
import dev.tutti.console.internal.CounterTable.Counter;
import dev.tutti.console.internal.Gate.Principal;
import dev.tutti.console.internal.oidc.SingleSignOn;
import dev.tutti.console.internal.oidc.SingleSignOn.Begun;
import dev.tutti.console.internal.oidc.SingleSignOn.Person;
import dev.tutti.console.internal.oidc.SingleSignOn.Refusal;
import dev.tutti.console.internal.oidc.SingleSignOn.Return;
import dev.tutti.internal.door.Origins;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/** Answers to browsers that go to the provider of OpenID Connect, and come back. On threads that may wait. */
final class ProviderLogin {

    /** Path of the page that sends browsers to the provider. */
    static final String BEGIN = "/login/provider";

    private static final String HOST = "[A-Za-z0-9._~%:\\[\\]-]{1,300}";

    private final Site site;
    private final LoginPage loginPage;

    ProviderLogin(Site site) {
        this.site = site;
        this.loginPage = new LoginPage(site);
    }

    /**
     * Sends a browser to the provider.
     *
     * @param host host that the browser has asked for, which was checked
     */
    FullHttpResponse begin(@Nullable SocketAddress remote, String host) {
        SingleSignOn provider = site.provider();
        if (provider == null || !host.matches(HOST)) {
            return Answers.plain(HttpResponseStatus.NOT_FOUND, "There is no such page.");
        }
        Begun begun;
        try {
            begun = provider.begin(Origins.of(remote), redirect(host));
        } catch (IOException e) {
            return refusal(remote, provider.unanswered(e));
        }
        FullHttpResponse response = Answers.plain(HttpResponseStatus.SEE_OTHER, "");
        response.headers().set(HttpHeaderNames.LOCATION, begun.location()).set(HttpHeaderNames.SET_COOKIE, site.loginCookie(begun.browser()));
        return response;
    }

    private String redirect(String host) {
        String set = site.settings().get(ConsoleSettings.OIDC_REDIRECT);
        return set.isEmpty() ? site.scheme() + host + SingleSignOn.CALLBACK : set;
    }

    /** Returns the page of the provider that ends a person's session there; null if the provider has let in somebody else, or has no such page. */
    @Nullable String logout(@Nullable Principal principal, String host) {
        SingleSignOn provider = site.provider();
        if (provider == null || principal == null || !principal.name().startsWith(SingleSignOn.NAME_PREFIX) || !host.matches(HOST)) {
            return null;
        }
        String callback = redirect(host);
        int end = callback.length() - SingleSignOn.CALLBACK.length();
        return provider.logout(callback.endsWith(SingleSignOn.CALLBACK) ? callback.substring(0, end) + "/login" : callback);
    }

    /** Lets in a person whom the provider knows, or says why not. */
    FullHttpResponse finish(@Nullable SocketAddress remote, Return back) {
        SingleSignOn provider = site.provider();
        if (provider == null) {
            return Answers.plain(HttpResponseStatus.NOT_FOUND, "There is no such page.");
        }
        return switch (provider.finish(back)) {
            case Person person -> {
                Gate.Open open = site.gate().enterByProvider(person.name(), Role.parse(person.role()));
                site.audit().onAdmitted(remote, person.name(), "OpenID Connect, as " + person.role());
                FullHttpResponse response = LoginPage.entered();
                response.headers().add(HttpHeaderNames.SET_COOKIE, site.cookie(open.session())).add(HttpHeaderNames.SET_COOKIE, site.noLoginCookie());
                yield response;
            }
            case Refusal refusal -> refusal(remote, refusal);
        };
    }

    private FullHttpResponse refusal(@Nullable SocketAddress remote, Refusal refusal) {
        if (refusal.isUnanswered()) {
            site.counters().increment(Counter.PROVIDER_FAILURES);
        } else {
            var unused = site.gate().wrong();
        }
        site.audit().onRefused(remote, "", "OpenID Connect: " + refusal.why());
        FullHttpResponse response =
                loginPage.of(refusal.isUnanswered() ? HttpResponseStatus.BAD_GATEWAY : HttpResponseStatus.FORBIDDEN, refusal.text());
        response.headers().add(HttpHeaderNames.SET_COOKIE, site.noLoginCookie());
        return response;
    }
}
