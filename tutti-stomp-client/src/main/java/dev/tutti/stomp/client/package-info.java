/** A client of STOMP 1.2 for members of tutti: it fails over to other members, resumes its subscriptions, and sends again what has no receipt. */
@NullMarked
package dev.tutti.stomp.client;

import org.jspecify.annotations.NullMarked;
