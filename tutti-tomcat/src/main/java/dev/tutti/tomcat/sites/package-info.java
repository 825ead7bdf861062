/** Copies of sessions at other sites, for the case that a whole site is lost. */
@NullMarked
package dev.tutti.tomcat.sites;

import org.jspecify.annotations.NullMarked;
