/** The application: its operations, and the ways in which it reaches its data and its sessions. */
@NullMarked
package dev.tutti.study.app;

import org.jspecify.annotations.NullMarked;
