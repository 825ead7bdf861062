package dev.tutti.tomcat.request;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.ServletResponseWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;
import org.jspecify.annotations.Nullable;

/**
 * Replicates a session's changes before the client has the page that a login is forwarded to.
 *
 * <p>An authenticator forwards to the login page, and to its error page, with Tomcat's own response, not with the
 * {@link CommitResponse} that the application gets. The end of a forward completes such a response at once, before the
 * valve ends. The outermost filter of a forward is the last code that runs before that.
 */
public final class LoginPageFilter implements Filter {

    private static final String NAME = "dev.tutti.tomcat.login";

    /** Adds the filter to an application that is starting, unless it has the filter already. */
    public static void addTo(Context context) {
        if (context.getState().isAvailable() || context.findFilterDef(NAME) != null) {
            return;
        }
        FilterDef definition = new FilterDef();
        definition.setFilterName(NAME);
        definition.setFilterClass(LoginPageFilter.class.getName());
        definition.setFilter(new LoginPageFilter());
        definition.setAsyncSupported("true");
        context.addFilterDef(definition);
        FilterMap map = new FilterMap();
        map.setFilterName(NAME);
        map.addURLPattern("/*");
        map.setDispatcher(DispatcherType.FORWARD.name());
        context.addFilterMapBefore(map);
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        @Nullable Object replicate = request.getAttribute(CommitResponse.REPLICATE_ATTRIBUTE);
        if (!(replicate instanceof Runnable beforeCommit)
                || !(response instanceof HttpServletResponse unguarded)
                || isGuarded(response)) {
            chain.doFilter(request, response);
            return;
        }
        try {
            chain.doFilter(request, new CommitResponse(unguarded, beforeCommit));
        } finally {
            beforeCommit.run();
        }
    }

    private static boolean isGuarded(ServletResponse response) {
        ServletResponse present = response;
        while (present instanceof ServletResponseWrapper wrapper) {
            if (wrapper instanceof CommitResponse) {
                return true;
            }
            present = wrapper.getResponse();
        }
        return false;
    }
}
