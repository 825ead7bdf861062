/** Session messages as bytes, and files of kept sessions, which are made of them. */
@NullMarked
package dev.tutti.tomcat.replication.codec;

import org.jspecify.annotations.NullMarked;
