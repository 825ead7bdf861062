package dev.tutti.jetty;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.session.SessionManager;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Writes changes that a request has made after its response had begun, before the last part of the response is sent. Jetty itself writes
 * them when the client may have the whole response.
 */
final class LastWrite extends Handler.Wrapper {

    private final SessionManager manager;

    private LastWrite(SessionManager manager) {
        this.manager = manager;
    }

    /** Puts itself between a session handler, which has not started, and its next handler. */
    static void insert(SessionManager manager) {
        if (manager instanceof Handler.Singleton handler && !(handler.getHandler() instanceof LastWrite)) {
            LastWrite own = new LastWrite(manager);
            own.setHandler(handler.getHandler());
            handler.setHandler(own);
        }
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        request.addHttpStreamWrapper(stream -> new Stream(stream, request));
        return super.handle(request, response, callback);
    }

    private final class Stream extends HttpStream.Wrapper {

        private final Request request;

        Stream(HttpStream wrapped, Request request) {
            super(wrapped);
            this.request = request;
        }

        @Override
        public void send(
                MetaData.Request metadataRequest,
                MetaData.@Nullable Response metadataResponse,
                boolean last,
                @Nullable ByteBuffer content,
                Callback callback) {
            if (last && metadataResponse == null) {
                request.getContext().run(() -> manager.commit(manager.getManagedSession(request)), request);
            }
            super.send(metadataRequest, metadataResponse, last, content, callback);
        }
    }
}
