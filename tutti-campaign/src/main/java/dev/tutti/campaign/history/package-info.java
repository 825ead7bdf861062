/** Requests and results of clients, and checks that an object doing one thing after the other could have given them. */
@NullMarked
package dev.tutti.campaign.history;

import org.jspecify.annotations.NullMarked;
