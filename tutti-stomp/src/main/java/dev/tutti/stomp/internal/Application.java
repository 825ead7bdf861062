package dev.tutti.stomp.internal;

import dev.tutti.GroupState;
import dev.tutti.stomp.Authenticator;
import dev.tutti.stomp.Pages;
import dev.tutti.stomp.StompMessage;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a user adds to a server.
 *
 * @param authenticator null if everybody may connect
 * @param onMessage called for each message of each group, before clients get it
 * @param states of groups that hand over a state, by group
 */
public record Application(
        @Nullable Authenticator authenticator, Consumer<StompMessage> onMessage, Map<String, GroupState> states, Pages pages) {}
