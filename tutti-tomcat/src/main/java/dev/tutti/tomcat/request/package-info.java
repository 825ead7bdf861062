/** Requests that are being served: their number, and the commit of their responses. */
@NullMarked
package dev.tutti.tomcat.request;

import org.jspecify.annotations.NullMarked;
