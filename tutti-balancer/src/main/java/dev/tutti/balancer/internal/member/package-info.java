/** The sources of the routing table: members of the group, and leases of nodes that are no members. */
@NullMarked
package dev.tutti.balancer.internal.member;

import org.jspecify.annotations.NullMarked;
