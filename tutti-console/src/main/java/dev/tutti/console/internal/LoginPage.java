package dev.tutti.console.internal;

import dev.tutti.console.internal.oidc.SingleSignOn;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The page for log-in, and those that follow a log-in and a log-out. From any thread. */
final class LoginPage {

    /** A part of the page that is of use in some cases only, with its name. */
    private static final Pattern PART = Pattern.compile("<!--([a-z]+)-->\n(.*?)<!--/\\1-->\n", Pattern.DOTALL);

    private static final String ENTERED = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
            <title>tutti console</title><p>You are logged in. <a href="/">Go on</a></p></html>
            """;

    private static final String LEFT = """
            <!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/login">
            <title>tutti console</title><p>You are logged out. <a href="/login">Log in again</a></p></html>
            """;

    private final Site site;

    LoginPage(Site site) {
        this.site = site;
    }

    /** @param message what has gone wrong, as a text; empty if nothing has */
    FullHttpResponse of(HttpResponseStatus status, String message) {
        return page(status, message, "");
    }

    /**
     * Returns the page for a person who has logged out here, and is still logged in at the provider.
     *
     * @param logout page of the provider that ends that
     */
    FullHttpResponse leftHereOnly(String logout) {
        return page(HttpResponseStatus.OK, "", logout);
    }

    private FullHttpResponse page(HttpResponseStatus status, String message, String logout) {
        List<String> parts = new ArrayList<>(site.loginParts());
        if (!logout.isEmpty()) {
            parts.add("left");
        }
        String page = new String(site.assets().get("login.html").content(), StandardCharsets.UTF_8);
        String shown = PART.matcher(page).replaceAll(part -> parts.contains(part.group(1)) ? Matcher.quoteReplacement(part.group(2)) : "");
        SingleSignOn provider = site.provider();
        return Answers.html(status, shown.replace("<!--provider-host-->", provider == null ? "" : escaped(provider.host()))
                .replace("<!--provider-logout-->", escaped(logout))
                .replace("<!--message-->", escaped(message)));
    }

    /**
     * Returns the page that follows a log-in, with no redirection: after a link on a foreign page, the request would come without the cookie.
     */
    static FullHttpResponse entered() {
        return Answers.html(HttpResponseStatus.OK, ENTERED);
    }

    static FullHttpResponse left() {
        return Answers.html(HttpResponseStatus.OK, LEFT);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}
