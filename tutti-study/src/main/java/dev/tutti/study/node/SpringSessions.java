package dev.tutti.study.node;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.session.jdbc.JdbcIndexedSessionRepository;
import org.springframework.session.web.http.HttpSessionIdResolver;
import org.springframework.session.web.http.SessionRepositoryFilter;
import org.springframework.transaction.support.TransactionTemplate;

/** Spring Session with its JDBC repository, without the rest of Spring. */
final class SpringSessions {

    private SpringSessions() {}

    static Filter filter(DataSource source) {
        JdbcIndexedSessionRepository repository = new JdbcIndexedSessionRepository(
                new JdbcTemplate(source), new TransactionTemplate(new JdbcTransactionManager(source)));
        repository.afterPropertiesSet();
        SessionRepositoryFilter<?> filter = new SessionRepositoryFilter<>(repository);
        filter.setHttpSessionIdResolver(new RequestedIds());
        return filter;
    }

    /** Ids where Tomcat finds them, in the cookie or the path. Answers of the application name the id itself. */
    private static final class RequestedIds implements HttpSessionIdResolver {

        @Override
        public List<String> resolveSessionIds(HttpServletRequest request) {
            // The request around it asks this method.
            String id = request instanceof HttpServletRequestWrapper wrapper
                            && wrapper.getRequest() instanceof HttpServletRequest tomcats
                    ? tomcats.getRequestedSessionId()
                    : request.getRequestedSessionId();
            return id == null ? List.of() : List.of(id);
        }

        @Override
        public void setSessionId(HttpServletRequest request, HttpServletResponse response, String id) {
            // In the answer's body.
        }

        @Override
        public void expireSession(HttpServletRequest request, HttpServletResponse response) {
            // The application ends no session.
        }
    }
}
