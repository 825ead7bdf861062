/** The members that hold each session: all of them, or some. */
@NullMarked
package dev.tutti.tomcat.replication.holders;

import org.jspecify.annotations.NullMarked;
