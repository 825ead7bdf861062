/** Groups whose messages clients send and receive: publications, the last messages, and the members that serve. */
@NullMarked
package dev.tutti.stomp.internal.broker;

import org.jspecify.annotations.NullMarked;
