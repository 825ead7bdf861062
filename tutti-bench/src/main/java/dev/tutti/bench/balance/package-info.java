/** Requests through a balancer, beside HAProxy. */
@NullMarked
package dev.tutti.bench.balance;

import org.jspecify.annotations.NullMarked;
