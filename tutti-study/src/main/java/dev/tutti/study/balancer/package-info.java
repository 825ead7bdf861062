/** The balancer before the nodes. */
@NullMarked
package dev.tutti.study.balancer;

import org.jspecify.annotations.NullMarked;
