/** The page of a balancer, its metrics, health and orders, and the server below. */
@NullMarked
package dev.tutti.balancer.internal.admin;

import org.jspecify.annotations.NullMarked;
