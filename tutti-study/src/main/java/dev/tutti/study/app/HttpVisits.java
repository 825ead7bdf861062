package dev.tutti.study.app;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

/** Sessions of the servlet API, wherever their manager keeps them. */
public final class HttpVisits implements Visits {

    private static final String ATTRIBUTE = "visit";

    @Override
    public Visit open(HttpServletRequest request, Store.Work work) {
        HttpSession session = request.getSession(true);
        return new Visit() {
            @Override
            public String id() {
                return session.getId();
            }

            @Override
            public byte @Nullable [] state() {
                return session.getAttribute(ATTRIBUTE) instanceof byte[] bytes ? bytes : null;
            }

            @Override
            public void save(byte[] state) {
                session.setAttribute(ATTRIBUTE, state);
            }
        };
    }
}
