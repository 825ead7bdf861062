package dev.tutti.spring.session;

import dev.tutti.blocks.internal.session.SessionRecord;
import dev.tutti.blocks.internal.session.SessionStore;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.session.events.SessionCreatedEvent;
import org.springframework.session.events.SessionDeletedEvent;
import org.springframework.session.events.SessionExpiredEvent;

/**
 * Publisher of the events of Spring Session, at every node, one after the other on a thread that listeners may block. A
 * listener that is too slow for {@value #WAITING_MAX} events misses the next ones, with a warning.
 */
final class SessionEvents implements SessionStore.Observer {

    private static final Logger LOG = LoggerFactory.getLogger(SessionEvents.class);
    private static final int WAITING_MAX = 10_000;

    private final TuttiSessionRepository repository;
    private final ApplicationEventPublisher events;
    private final ThreadPoolExecutor thread;

    SessionEvents(TuttiSessionRepository repository, ApplicationEventPublisher events) {
        this.repository = repository;
        this.events = events;
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                1,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(WAITING_MAX),
                Thread.ofVirtual().name("tutti-session-events").factory(),
                (event, executor) -> LOG.warn("an event of a session is dropped: {} wait for"
                        + " listeners; make listeners of session events quicker", WAITING_MAX));
        thread.allowCoreThreadTimeOut(true);
    }

    @Override
    public void onCreated(String id, SessionRecord session) {
        thread.execute(() -> publish(new SessionCreatedEvent(repository, repository.session(id, session))));
    }

    @Override
    public void onEnded(String id, SessionRecord session, boolean isExpired, boolean isFirst) {
        thread.execute(() -> {
            TuttiSession ended = repository.session(id, session);
            publish(isExpired ? new SessionExpiredEvent(repository, ended) : new SessionDeletedEvent(repository, ended));
        });
    }

    private void publish(ApplicationEvent event) {
        try {
            events.publishEvent(event);
        } catch (RuntimeException e) {
            LOG.warn("a listener of {} has failed", event.getClass().getSimpleName(), e);
        }
    }
}
