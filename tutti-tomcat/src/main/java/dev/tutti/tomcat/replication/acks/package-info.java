/** Acknowledgements of the messages of this member. */
@NullMarked
package dev.tutti.tomcat.replication.acks;

import org.jspecify.annotations.NullMarked;
