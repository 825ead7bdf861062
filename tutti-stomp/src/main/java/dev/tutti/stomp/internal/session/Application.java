package dev.tutti.stomp.internal.session;

import dev.tutti.GroupState;
import dev.tutti.stomp.Authenticator;
import dev.tutti.stomp.Pages;
import dev.tutti.stomp.StompMessage;
import dev.tutti.stomp.StompSource;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a server that its user provides.
 *
 * @param authenticator null if everybody may connect
 * @param onMessage called for each message of each group, before clients receive it
 * @param sources of destinations that belong to no group, by the first segment
 * @param states by group, for groups with a state that is transferred
 */
public record Application(
        @Nullable Authenticator authenticator, Consumer<StompMessage> onMessage, Map<String, GroupState> states,
        Map<String, StompSource> sources, Pages pages) {}
